"""Evidence artifacts against the policy and against each other (spec 10, sections 8.2 and 8.3).

What all artifacts of a run have to share is kept once per distinct combination, with the first artifact that states it:
the first artifact to depart from the policy, or from artifact 0, is always the first to state its combination.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from eval_quality.artifacts.evidence_artifact import Basis, ScoringVersionInputName
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.sealed_run_record import RunMode
from eval_quality.canonical import number_text
from eval_quality.errors import AggregationRefusal

from .soundness import evidence_path


class Terms(NamedTuple):
    """What an artifact states that every artifact of its run states alike."""

    scoring_policy_digest: str
    minimum_trial_count: int
    catch_threshold: float
    scoring_version: str
    basis: Basis
    attested_inputs: tuple[ScoringVersionInputName, ...]
    """Sorted, repeats kept."""
    mode: RunMode
    """Follows from the scoring version."""


class Place(NamedTuple):
    """An artifact of the presented list, by position and probe."""

    position: int
    probe_id: str


class Repetition(NamedTuple):
    """An artifact whose probe an earlier one scores too."""

    place: Place
    earlier: int


_PolicyTest = Callable[[Terms, ScoringPolicy, str, str], str | None]
_SharedText = Callable[[Terms], str]


def refuse_disagreement(
    stated: Mapping[Terms, Place], repetition: Repetition | None, policy: ScoringPolicy, policy_digest: str
) -> None:
    """Raise ``AggregationRefusal`` ``strength-inputs-disagree`` for the first artifact that does not belong.

    ``stated`` is in the order of the artifacts. Policy first, then probes that count twice, then artifact 0.
    """
    for terms, place in stated.items():
        for test in POLICY_TESTS:
            detail = test(terms, policy, policy_digest, place.probe_id)
            if detail is not None:
                raise _disagree(place, detail)
    if repetition is not None:
        place, earlier = repetition
        counted = f"probe {place.probe_id} is also scored by {evidence_path(earlier)}: a probe counts once"
        raise _disagree(place, counted)
    (first, origin), *others = stated.items()
    for label, text_of in SHARED_TERMS.items():
        _refuse_departure(label, text_of, first, origin, others)


def _refuse_departure(
    label: str, text_of: _SharedText, first: Terms, origin: Place, others: Iterable[tuple[Terms, Place]]
) -> None:
    for terms, place in others:
        if text_of(terms) != text_of(first):
            detail = (
                f"{label} {text_of(terms)} ({place.probe_id}) differs from {text_of(first)} ({origin.probe_id}): "
                "the artifacts are not one run"
            )
            raise _disagree(place, detail)


def _disagree(place: Place, detail: str) -> AggregationRefusal:
    return AggregationRefusal("strength-inputs-disagree", evidence_path(place.position), detail)


def _another_policy(terms: Terms, policy: ScoringPolicy, policy_digest: str, probe_id: str) -> str | None:
    if terms.scoring_policy_digest == policy_digest:
        return None
    return (
        f"scoringPolicyDigest {terms.scoring_policy_digest} ({probe_id}) is not the digest {policy_digest} of the "
        "scoring policy supplied"
    )


def _another_minimum(terms: Terms, policy: ScoringPolicy, policy_digest: str, probe_id: str) -> str | None:
    if terms.minimum_trial_count == policy["minimumTrialCount"]:
        return None
    stated, supplied = number_text(terms.minimum_trial_count), number_text(policy["minimumTrialCount"])
    return f"trials.declaredMinimum {stated} ({probe_id}) is not the supplied policy's minimumTrialCount {supplied}"


def _another_threshold(terms: Terms, policy: ScoringPolicy, policy_digest: str, probe_id: str) -> str | None:
    if terms.catch_threshold == policy["catchThreshold"]:
        return None
    stated, supplied = number_text(terms.catch_threshold), number_text(policy["catchThreshold"])
    return f"catchThreshold {stated} ({probe_id}) is not the supplied policy's catchThreshold {supplied}"


POLICY_TESTS: Final[tuple[_PolicyTest, ...]] = (_another_policy, _another_minimum, _another_threshold)
"""What is held against the policy, in the order in which it refuses."""
SHARED_TERMS: Final[Mapping[str, _SharedText]] = {
    "scoringVersion": lambda terms: terms.scoring_version,
    "strength.basis": lambda terms: terms.basis,
    "callerAttestedInputs": lambda terms: json.dumps(terms.attested_inputs, separators=(",", ":")),
}
"""What is held against artifact 0, in the order in which it refuses, and how a refusal spells it."""
