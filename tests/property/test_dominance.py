"""What holds of every comparison of two results."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_quality.artifacts.primitives import SEVERITY_LEVELS
from eval_quality.score.dominance import DominanceRelation, compare_dominance
from tests.scored_runs import A, B, Json, evidence

OPPOSITE: dict[DominanceRelation, DominanceRelation] = {
    "a-dominates-b": "b-dominates-a",
    "b-dominates-a": "a-dominates-b",
    "equivalent": "equivalent",
    "incomparable": "incomparable",
}
SEVERITIES = st.sampled_from(SEVERITY_LEVELS)


@st.composite
def figures(draw: st.DrawFn) -> Json | None:
    exercised = draw(st.none() | st.integers(0, 4))
    if exercised is None:
        return None
    caught = draw(st.integers(0, exercised))
    return {"caught": caught, "exercised": exercised, "rate": caught / exercised if exercised else None}


@st.composite
def results(draw: st.DrawFn) -> Any:
    """A sound result whose class figures are as they may be: those of several probes taken together."""
    probe_id = draw(st.sampled_from(["P-001", "P-002"]))
    state = draw(st.sampled_from(["caught", "missed"]))
    result = evidence(probe_id, state, severity=draw(SEVERITIES), comparabilityKey=draw(st.sampled_from([A, A, A, B])))
    result["strength"]["vector"] = {name: draw(figures()) for name in ("defect", "gameability", "zero-action")}
    result["strength"]["comparable"] = draw(st.sampled_from([True, True, True, False]))
    if draw(st.sampled_from([False, False, False, True])):
        result["reducedProbeOutcomes"][0]["validCount"] += 1
    return result


def may_be_compared(result: Any) -> bool:
    return result["strength"]["comparable"] and result["reducedProbeOutcomes"][0]["validCount"] == 1


@given(results(), results(), SEVERITIES)
def test_swapping_the_results_swaps_the_relation(a: Any, b: Any, floor: Any) -> None:
    assert compare_dominance(b, a, floor) == OPPOSITE[compare_dominance(a, b, floor)]


@given(results(), SEVERITIES)
def test_a_result_is_equivalent_to_itself_or_not_comparable_at_all(result: Any, floor: Any) -> None:
    rated = any(each and each["rate"] is not None for each in result["strength"]["vector"].values())
    relation = "equivalent" if rated and may_be_compared(result) else "incomparable"
    assert compare_dominance(result, result, floor) == relation


@given(results(), results(), SEVERITIES)
def test_equivalent_is_said_exactly_when_both_directions_say_it_of_equal_counts(a: Any, b: Any, floor: Any) -> None:
    relation = compare_dominance(a, b, floor)
    shared = [
        (ours, theirs)
        for ours, theirs in zip(a["strength"]["vector"].values(), b["strength"]["vector"].values(), strict=True)
        if ours and theirs and ours["exercised"] and theirs["exercised"]
    ]
    comparable = a["comparabilityKey"] == b["comparabilityKey"] and may_be_compared(a) and may_be_compared(b)
    equal = bool(shared) and all(ours == theirs for ours, theirs in shared)
    assert (relation == "equivalent") == (comparable and equal)
    assert (compare_dominance(b, a, floor) == "equivalent") == (relation == "equivalent")


@given(results(), results(), SEVERITIES)
def test_the_stronger_is_never_behind_and_misses_nothing_grave_that_the_weaker_caught(
    a: Any, b: Any, floor: Any
) -> None:
    if compare_dominance(a, b, floor) != "a-dominates-b":
        return
    rates = [
        (ours["rate"], theirs["rate"])
        for ours, theirs in zip(a["strength"]["vector"].values(), b["strength"]["vector"].values(), strict=True)
        if ours and theirs and ours["exercised"] and theirs["exercised"]
    ]
    assert all(ours >= theirs for ours, theirs in rates)
    assert any(ours > theirs for ours, theirs in rates)
    (lesser,), (better,) = b["reducedProbeOutcomes"], a["reducedProbeOutcomes"]
    grave = SEVERITY_LEVELS.index(lesser["severity"]) >= SEVERITY_LEVELS.index(floor)
    if lesser["caught"] and grave:
        assert better["caught"]
        assert better["probeId"] == lesser["probeId"]


@given(results(), results())
def test_a_lower_floor_never_makes_a_result_the_stronger(a: Any, b: Any) -> None:
    by_floor = [compare_dominance(a, b, floor) for floor in SEVERITY_LEVELS]
    for lower, higher in pairwise(by_floor):
        assert lower in (higher, "incomparable")
