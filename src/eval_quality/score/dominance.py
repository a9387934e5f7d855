"""Which of two results is stronger (spec 09, section 14.4)."""

from __future__ import annotations

from typing import Final, Literal, TypedDict, get_args

from eval_quality.artifacts.evidence_artifact import ClassStrength, ReducedProbeOutcome, Strength, TrialOutcome, Trials
from eval_quality.artifacts.primitives import SEVERITY_LEVELS, Severity
from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES

from .consistency import reduction_consistency_issues

DominanceRelation = Literal["a-dominates-b", "b-dominates-a", "equivalent", "incomparable"]
DOMINANCE_RELATIONS: Final[tuple[DominanceRelation, ...]] = get_args(DominanceRelation)


class ComparableResult(TypedDict):
    """The parts of an evidence artifact that a comparison reads."""

    scoredProbeId: str | None
    reducedProbeOutcomes: list[ReducedProbeOutcome]
    strength: Strength
    comparabilityKey: str
    outcomes: list[TrialOutcome]
    trials: Trials


def compare_dominance(a: ComparableResult, b: ComparableResult, severity_floor: Severity) -> DominanceRelation:
    """Compare two results class by class.

    They are incomparable unless their keys are equal, both are marked comparable and both reductions follow from their
    evidence (which also keeps a probe from being counted twice); and when the weaker one catches something at or above
    the floor that the stronger one misses.
    """
    if (
        a["comparabilityKey"] != b["comparabilityKey"]
        or not (a["strength"]["comparable"] and b["strength"]["comparable"])
        or _departs(a)
        or _departs(b)
    ):
        return "incomparable"
    relation = _by_class(a, b)
    match relation:
        case "a-dominates-b" if _catches_what_is_missed(b, a, severity_floor):
            return "incomparable"
        case "b-dominates-a" if _catches_what_is_missed(a, b, severity_floor):
            return "incomparable"
    return relation


def _departs(result: ComparableResult) -> bool:
    issues = reduction_consistency_issues(
        result["scoredProbeId"], result["outcomes"], result["reducedProbeOutcomes"], result["trials"]
    )
    return bool(issues)


def _by_class(a: ComparableResult, b: ComparableResult) -> DominanceRelation:
    pairs = [
        (ours, theirs)
        for name in STRENGTH_CLASS_NAMES
        if (ours := a["strength"]["vector"][name]) is not None
        and (theirs := b["strength"]["vector"][name]) is not None
        and ours["rate"] is not None
        and theirs["rate"] is not None
    ]
    if not pairs:
        return "incomparable"
    if all(_counts(ours) == _counts(theirs) for ours, theirs in pairs):
        return "equivalent"
    ahead = any(_rate(ours) > _rate(theirs) for ours, theirs in pairs)
    behind = any(_rate(ours) < _rate(theirs) for ours, theirs in pairs)
    match ahead, behind:
        case True, False:
            return "a-dominates-b"
        case False, True:
            return "b-dominates-a"
    return "incomparable"


def _counts(figures: ClassStrength) -> tuple[int, int]:
    return figures["caught"], figures["exercised"]


def _rate(figures: ClassStrength) -> float:
    return figures["rate"] or 0


def _catches_what_is_missed(weaker: ComparableResult, stronger: ComparableResult, floor: Severity) -> bool:
    caught = {each["probeId"] for each in stronger["reducedProbeOutcomes"] if each["caught"]}
    return any(
        each["caught"] and at_or_above(each["severity"], floor) and each["probeId"] not in caught
        for each in weaker["reducedProbeOutcomes"]
    )


def at_or_above(severity: str, floor: str) -> bool:
    """Whether a severity reaches a floor; nothing reaches an unknown one, and an unknown one reaches nothing."""
    levels: tuple[str, ...] = SEVERITY_LEVELS
    return severity in levels and floor in levels and levels.index(severity) >= levels.index(floor)
