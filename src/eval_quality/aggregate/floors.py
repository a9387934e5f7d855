"""Floor decisions (spec 10, section 8.5): a floor that nothing sound was measured against is never met."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, cast

from eval_quality.artifacts.strength_aggregate import AggregatedClass, FloorBasis, FloorDecision, FloorDecisionName


class Measurement(NamedTuple):
    """A class against its floor; a class without any probe has all figures zero."""

    floor: float | None
    eligible: int = 0
    exercised: int = 0
    caught: int = 0
    comparable: bool = False


class FloorRule(NamedTuple):
    """When a floor is decided which way."""

    decision: FloorDecisionName
    basis: FloorBasis
    condition: str
    applies: Callable[[Measurement], bool]


def _reaches_floor(measured: Measurement) -> bool:
    return measured.floor is not None and measured.caught / measured.exercised >= measured.floor


FLOOR_RULES: Final[tuple[FloorRule, ...]] = (
    FloorRule("undeclared", "no-floor-declared", "no floor for the class", lambda each: each.floor is None),
    FloorRule("does-not-meet", "no-eligible-probe", "no probe of the class", lambda each: not each.eligible),
    FloorRule("does-not-meet", "not-comparable", "a probe is not comparable", lambda each: not each.comparable),
    FloorRule("does-not-meet", "no-exercised-probe", "no probe was exercised", lambda each: not each.exercised),
    FloorRule(
        "does-not-meet",
        "unexercised-probe",
        "a probe was not exercised",
        lambda each: each.exercised < each.eligible,
    ),
    FloorRule("meets", "rate-meets-floor", "rate at or above the floor", _reaches_floor),
    FloorRule("does-not-meet", "rate-below-floor", "otherwise", lambda each: True),
)
"""The first rule that applies decides."""


def decide_floor(floor: float | None, figures: AggregatedClass | None) -> FloorDecision:
    """Decide one class; ``floor`` is ``None`` where none was declared, ``figures`` where the class has no probe."""
    measured = Measurement(floor)
    if figures is not None:
        measured = Measurement(
            floor, figures["eligible"], figures["exercised"], figures["caught"], figures["comparable"]
        )
    rule = next(rule for rule in FLOOR_RULES if rule.applies(measured))
    return cast(FloorDecision, {"floor": floor, "decision": rule.decision, "basis": rule.basis})
