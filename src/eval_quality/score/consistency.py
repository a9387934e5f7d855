"""Does a reduction follow from the evidence beside it? (spec 09, section 13)

Every issue is collected, in a fixed order: the trials block, the identity of the scored probe, each reduced outcome
against its detailed ones, and what is missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eval_quality.artifacts.evidence_artifact import (
    InvalidatedAttempt,
    OutcomeState,
    ReducedProbeOutcome,
    TrialOutcome,
    Trials,
)
from eval_quality.artifacts.primitives import Severity

from .reduction import TrialSetResult, reduce_trial_set

Path = tuple[str | int, ...]


class ConsistencyIssue(NamedTuple):
    """Where a reduction departs from its evidence, and how."""

    path: Path
    message: str


class _Details:
    """What the detailed outcomes of one probe say, for all the reductions that name it."""

    def __init__(self) -> None:
        self.severities: set[Severity] = set()
        self.states: set[tuple[int, OutcomeState]] = set()
        """With the trial each was come to in."""

    def add(self, outcome: TrialOutcome) -> None:
        self.severities.add(outcome["severity"])
        self.states.add((outcome["trialIndex"], outcome["state"]))


def reduction_consistency_issues(
    scored_probe_id: str | None,
    outcomes: Sequence[TrialOutcome],
    reduced: Sequence[ReducedProbeOutcome],
    trials: Trials,
) -> list[ConsistencyIssue]:
    """Every departure of reduced outcomes and trials from the detailed outcomes."""
    return list(_issues(scored_probe_id, outcomes, reduced, trials))


def _issues(
    scored_probe_id: str | None,
    outcomes: Sequence[TrialOutcome],
    reduced: Sequence[ReducedProbeOutcome],
    trials: Trials,
) -> Iterator[ConsistencyIssue]:
    attempts = trials["completedAttempts"]
    done = set(attempts)
    if len(done) != len(attempts) or len(attempts) != trials["completed"]:
        yield ConsistencyIssue(
            ("trials", "completedAttempts"), "completedAttempts must contain one unique identity per completed trial"
        )
    if outcomes and {outcome["trialIndex"] for outcome in outcomes} != done:
        yield ConsistencyIssue(("outcomes",), "detailed outcomes must cover every completed attempt exactly")
    if scored_probe_id is None and reduced:
        message = "reduced outcomes require an independently retained probe identity"
        yield ConsistencyIssue(("reducedProbeOutcomes",), message)
    if scored_probe_id is not None and (len(reduced) != 1 or reduced[0]["probeId"] != scored_probe_id):
        message = "reduced outcomes must contain exactly the independently retained scored probe"
        yield ConsistencyIssue(("reducedProbeOutcomes",), message)
    details: dict[str | None, _Details] = defaultdict(_Details)
    for outcome in outcomes:
        details[outcome["probeId"]].add(outcome)
    recomputed: list[InvalidatedAttempt] = []
    seen: set[str] = set()
    for position, each in enumerate(reduced):
        base: Path = ("reducedProbeOutcomes", position)
        if each["probeId"] in seen:
            yield ConsistencyIssue((*base, "probeId"), "reduced probe identifiers must be unique")
        seen.add(each["probeId"])
        if each["probeId"] != scored_probe_id:
            message = "reduced probe must match the independently retained scored probe"
            yield ConsistencyIssue((*base, "probeId"), message)
        result = reduce_trial_set(each["trialVotes"], each["catchThreshold"])
        recomputed += result.invalidated_attempts
        for path, message in _reduction_issues(
            each, details.get(each["probeId"], _Details()), bool(outcomes), done, result
        ):
            yield ConsistencyIssue((*base, *path), message)
    for probe_id in details:
        if probe_id is not None and probe_id not in seen:
            message = f"detailed probe {probe_id} is missing its reduced outcome"
            yield ConsistencyIssue(("reducedProbeOutcomes",), message)
    if _multiset(trials["invalidatedAttempts"]) != _multiset(recomputed):
        message = "trials.invalidatedAttempts must equal the selected trial-vote reductions"
        yield ConsistencyIssue(("trials", "invalidatedAttempts"), message)


def _reduction_issues(
    each: ReducedProbeOutcome,
    details: _Details,
    any_outcome: bool,
    done: set[int],
    result: TrialSetResult,
) -> Iterator[tuple[Path, str]]:
    """What is wrong with one reduced outcome; paths are relative to it."""
    if not details.severities <= {each["severity"]}:
        yield ("severity",), "reduced severity must match every corresponding detailed outcome"
    votes = each["trialVotes"]
    voted: set[int] = set()
    for position, vote in enumerate(votes):
        place: Path = ("trialVotes", position)
        if vote["trialIndex"] in voted:
            yield (*place, "trialIndex"), "selected trial vote indices must be unique per probe"
        voted.add(vote["trialIndex"])
        if (vote["trialIndex"], vote["state"]) not in details.states:
            yield place, "selected trial vote must match a detailed outcome for the same probe and trial"
    if any_outcome and voted != done:
        yield ("trialVotes",), "selected trial votes must cover every completed attempt exactly"
    if not any_outcome and votes:
        yield ("trialVotes",), "selected trial votes require corresponding detailed evidence"
    figures = (
        ("exercised", each["exercised"], result.exercised),
        ("caught", each["caught"], result.caught),
        ("validCount", each["validCount"], result.valid_count),
        ("caughtCount", each["caughtCount"], result.caught_count),
    )
    for field, stated, computed in figures:
        if stated != computed:
            yield (field,), f"{field} must equal the selected trial-vote reduction"
    if _multiset(each["invalidatedAttempts"]) != _multiset(result.invalidated_attempts):
        yield ("invalidatedAttempts",), "invalidatedAttempts must equal the selected trial-vote reduction"


def _multiset(attempts: Sequence[InvalidatedAttempt]) -> Counter[tuple[int, str]]:
    return Counter((each["attempt"], each["reason"]) for each in attempts)
