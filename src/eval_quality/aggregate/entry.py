"""Aggregation from raw inputs (spec 10, section 7): evidence, floors, policy, and what refuses to be combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from eval_quality.artifacts.constraints import NON_EMPTY
from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
from eval_quality.artifacts.schema import issues_of, parse
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.strength_aggregate import StrengthAggregate, StrengthFloors
from eval_quality.canonical import digest_artifact
from eval_quality.errors import Issue, PreconditionError, RuntimeFault
from eval_quality.stamps import check_scoring_policy_stamp

from .agreement import refuse_disagreement
from .assembly import assemble
from .evidence import Evidence

_EvidenceList = Annotated[list[EvidenceArtifact], NON_EMPTY]


def aggregate_strength(evidence: object, floors: object, policy: object) -> StrengthAggregate:
    """Aggregate the evidence artifacts of one run: catch rate by probe class, and whether declared floors are met.

    ``evidence`` is a list of raw evidence artifacts, ``floors`` the least rate by class, ``policy`` the scoring policy
    of the run. A floor that is not met is part of the answer, not an error.

    Raises ``RuntimeFault`` (``schema-version-mismatch``, ``schema-parse-failure``, ``non-canonicalizable-value``) for
    inputs that cannot be read and ``AggregationRefusal`` for evidence that contradicts itself
    (``strength-input-inconsistent``), the policy or other evidence (``strength-inputs-disagree``).
    """
    if not isinstance(evidence, list):
        raise _malformed(issues_of(_EvidenceList, evidence)[1])
    taken = Evidence()
    for artifact in evidence:
        taken.take(artifact)
    return _aggregate(taken, floors, policy)


def aggregate_digested(
    evidence: Iterable[tuple[Any, str]], *, floors: Callable[[], object], policy: Callable[[], object]
) -> StrengthAggregate:
    """Aggregate artifacts that are read one at a time, each with its canonical digest, and forgotten.

    ``floors`` and ``policy`` are read once, in this order, when the evidence is exhausted; an error of any reader
    passes through before anything is said about the artifacts. Otherwise as ``aggregate_strength``.
    """
    taken = Evidence()
    for artifact, digest in evidence:
        taken.take(artifact, digest)
    return _aggregate(taken, floors(), policy())


def _aggregate(taken: Evidence, raw_floors: object, raw_policy: object) -> StrengthAggregate:
    if taken.stale is not None:
        raise taken.stale
    issues = taken.issues if taken.count else issues_of(_EvidenceList, [])[1]
    if issues:
        raise _malformed(issues)
    floors = _floors(raw_floors)
    check_scoring_policy_stamp(raw_policy)
    policy: ScoringPolicy = parse(ScoringPolicy, raw_policy, "ScoringPolicy")
    if taken.unsound is not None:
        raise taken.unsound
    policy_digest = digest_artifact(policy, "ScoringPolicy")
    refuse_disagreement(taken.stated, taken.repetition, policy, policy_digest)
    return assemble(taken.members, next(iter(taken.stated)), floors, policy_digest)


def _malformed(issues: Iterable[Issue]) -> RuntimeFault:
    detail = "input does not conform to the EvidenceArtifact[] schema"
    return RuntimeFault("schema-parse-failure", "EvidenceArtifact[]", detail, issues=tuple(issues))


def _floors(raw: object) -> StrengthFloors:
    """The floors by class; refused without issues where a key is one that no artifact can carry."""
    if isinstance(raw, dict) and "__proto__" in raw:
        detail = "input does not conform to the StrengthFloors schema"
        cause = PreconditionError('"__proto__" is not a class and no floor reads it')
        raise RuntimeFault("schema-parse-failure", "StrengthFloors", detail) from cause
    floors: StrengthFloors = parse(StrengthFloors, raw, "StrengthFloors")
    return floors
