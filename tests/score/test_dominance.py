"""Comparing two results: what makes them incomparable, and who is stronger."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.score.dominance import at_or_above, compare_dominance
from tests.scored_runs import A, B, Json, evidence


def result(
    defect: tuple[int, int] | None = None,
    gameability: tuple[int, int] | None = None,
    *,
    probe_id: str = "P-001",
    state: str = "caught",
    severity: str = "low",
) -> Any:
    """A result with (caught, exercised) of two classes; its probe is of no consequence unless ``severity`` makes it."""

    def figures(counts: tuple[int, int] | None) -> Json | None:
        if counts is None:
            return None
        caught, exercised = counts
        return {"caught": caught, "exercised": exercised, "rate": caught / exercised if exercised else None}

    each = evidence(probe_id, state, severity=severity, comparabilityKey=A)
    each["strength"]["vector"] = {
        "defect": figures(defect),
        "gameability": figures(gameability),
        "zero-action": None,
    }
    return each


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        (result((2, 3)), result((1, 3)), "a-dominates-b"),
        (result((1, 3)), result((2, 3)), "b-dominates-a"),
        (result((1, 2)), result((1, 2)), "equivalent"),
        (result((1, 2)), result((2, 4)), "incomparable"),
        (result((1, 2), (1, 2)), result((1, 2), (2, 4)), "incomparable"),
        (result((2, 2), (1, 2)), result((1, 2), (2, 4)), "a-dominates-b"),
        (result((2, 2), (0, 2)), result((1, 2), (1, 2)), "incomparable"),
        (result((2, 2), None), result((1, 2), (1, 2)), "a-dominates-b"),
        (result((2, 2)), result(None, (1, 2)), "incomparable"),
        (result((0, 0)), result((1, 2)), "incomparable"),
        (result(), result(), "incomparable"),
    ],
)
def test_results_are_compared_class_by_class(a: Any, b: Any, relation: str) -> None:
    assert compare_dominance(a, b, "critical") == relation


def with_field(each: Any, field: str, value: Any) -> Any:
    return each | {field: value}


@pytest.mark.parametrize("flawed_side", [0, 1])
@pytest.mark.parametrize(
    "flawed",
    [
        with_field(result((2, 2)), "comparabilityKey", B),
        with_field(result((2, 2)), "strength", result((2, 2))["strength"] | {"comparable": False}),
        with_field(result((2, 2)), "reducedProbeOutcomes", []),
        with_field(result((2, 2)), "reducedProbeOutcomes", result()["reducedProbeOutcomes"] * 2),
    ],
)
def test_a_result_that_may_not_be_compared_is_incomparable(flawed: Any, flawed_side: int) -> None:
    sides = [result((1, 2)), result((1, 2))]
    sides[flawed_side] = flawed
    assert compare_dominance(sides[0], sides[1], "critical") == "incomparable"


@pytest.mark.parametrize(
    ("stronger", "severity", "floor", "relation"),
    [
        ({"probe_id": "P-002"}, "material", "material", "incomparable"),
        ({"probe_id": "P-002"}, "material", "critical", "a-dominates-b"),
        ({"state": "missed"}, "critical", "low", "incomparable"),
        ({"state": "caught"}, "critical", "low", "a-dominates-b"),
    ],
)
def test_missing_what_the_weaker_caught_at_or_above_the_floor_is_no_dominance(
    stronger: Json, severity: str, floor: Any, relation: str
) -> None:
    a, b = result((2, 2), severity=severity, **stronger), result((1, 2), severity=severity)
    assert compare_dominance(a, b, floor) == relation


def test_equal_results_stay_equivalent_whatever_one_of_them_missed() -> None:
    a, b = result((1, 2), state="missed", severity="critical"), result((1, 2), severity="critical")
    assert compare_dominance(a, b, "low") == "equivalent"


@pytest.mark.parametrize(
    ("severity", "floor", "reaches"),
    [
        ("low", "low", True),
        ("material", "critical", False),
        ("critical", "material", True),
        ("grave", "low", False),
        ("critical", "none", False),
    ],
)
def test_severity_against_a_floor(severity: str, floor: str, reaches: bool) -> None:
    assert at_or_above(severity, floor) is reaches
