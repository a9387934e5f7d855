"""Floor decisions, row by row."""

from __future__ import annotations

import pytest

from eval_quality.aggregate import aggregate_strength
from eval_quality.aggregate.floors import FLOOR_RULES, decide_floor
from eval_quality.artifacts.strength_aggregate import FLOOR_BASES, AggregatedClass
from eval_quality.canonical import serialize
from tests.scored_runs import Json, evidence, policy


def figures(caught: int, exercised: int, eligible: int | None = None, *, comparable: bool = True) -> AggregatedClass:
    return {
        "caught": caught,
        "exercised": exercised,
        "rate": caught / exercised if exercised else None,
        "eligible": exercised if eligible is None else eligible,
        "comparable": comparable,
    }


@pytest.mark.parametrize(
    ("floor", "measured", "decision", "basis"),
    [
        (None, None, "undeclared", "no-floor-declared"),
        (None, figures(0, 2), "undeclared", "no-floor-declared"),
        (0, None, "does-not-meet", "no-eligible-probe"),
        (0, figures(2, 2, comparable=False), "does-not-meet", "not-comparable"),
        (0, figures(0, 0, 2, comparable=False), "does-not-meet", "not-comparable"),
        (0, figures(0, 0, 2), "does-not-meet", "no-exercised-probe"),
        (0, figures(1, 1, 2), "does-not-meet", "unexercised-probe"),
        (0, figures(0, 2), "meets", "rate-meets-floor"),
        (0.75, figures(4, 5), "meets", "rate-meets-floor"),
        (0.8, figures(4, 5), "meets", "rate-meets-floor"),
        (0.9, figures(4, 5), "does-not-meet", "rate-below-floor"),
        (0.1 + 0.2, figures(3, 10), "does-not-meet", "rate-below-floor"),
        (1, figures(2, 2), "meets", "rate-meets-floor"),
    ],
)
def test_a_floor_is_decided_by_the_first_rule_that_applies(
    floor: float | None, measured: AggregatedClass | None, decision: str, basis: str
) -> None:
    assert decide_floor(floor, measured) == {"floor": floor, "decision": decision, "basis": basis}


def test_the_rules_give_every_basis_once() -> None:
    assert sorted(rule.basis for rule in FLOOR_RULES) == sorted(FLOOR_BASES)


def run() -> list[Json]:
    """One caught, one missed and a clean control, in no order."""
    return [
        evidence("P-002", "missed"),
        evidence("P-001", "caught"),
        evidence("P-003", "passed-clean-control", probe_class=None),
    ]


def test_one_of_two_caught_meets_a_floor_of_one_half() -> None:
    aggregate = aggregate_strength(run(), {"defect": 0.5}, policy())
    assert aggregate["classes"] == {"defect": figures(1, 2), "gameability": None, "zero-action": None}
    undeclared = {"floor": None, "decision": "undeclared", "basis": "no-floor-declared"}
    assert aggregate["floorDecisions"] == {
        "defect": {"floor": 0.5, "decision": "meets", "basis": "rate-meets-floor"},
        "gameability": undeclared,
        "zero-action": undeclared,
    }
    assert [(each["probeId"], each["probeClass"]) for each in aggregate["inputs"]] == [
        ("P-001", "defect"),
        ("P-002", "defect"),
        ("P-003", None),
    ]


@pytest.mark.parametrize(
    ("second", "comparable", "basis"),
    [("unreached", False, "not-comparable"), ("not-applicable", True, "unexercised-probe")],
)
def test_a_probe_that_was_not_exercised_keeps_a_floor_from_being_met(second: str, comparable: bool, basis: str) -> None:
    aggregate = aggregate_strength([evidence("P-001", "caught"), evidence("P-010", second)], {"defect": 0.5}, policy())
    assert aggregate["classes"]["defect"] == figures(1, 1, 2, comparable=comparable)
    assert aggregate["floorDecisions"]["defect"] == {"floor": 0.5, "decision": "does-not-meet", "basis": basis}


def test_probes_stand_in_the_order_of_their_identifiers_as_texts() -> None:
    aggregate = aggregate_strength([evidence("P-900", "caught"), evidence("P-1000", "caught")], {}, policy())
    assert [each["probeId"] for each in aggregate["inputs"]] == ["P-1000", "P-900"]


@pytest.mark.parametrize(("floor", "written"), [(-0.0, "0"), (1.0, "1"), (1e-7, "1e-7")])
def test_a_floor_is_written_as_the_number_it_is(floor: float, written: str) -> None:
    decision = aggregate_strength(run(), {"defect": floor}, policy())["floorDecisions"]["defect"]
    assert serialize(decision["floor"], "floor") == written
