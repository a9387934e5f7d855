"""The order in which captures are resolved."""

from __future__ import annotations

from typing import Any

from eval_quality.score.binding_order import binding_order
from tests.contracts import transport_binding
from tests.score.shop import step


def reading(identifier: str, *sources: str, after: str | None = None) -> Any:
    captured = {
        f"key{place}": {"captured": f"/interactions/{source}/response-body/id"} for place, source in enumerate(sources)
    }
    return step(identifier, after=after, inputBinding=transport_binding(path=captured or None))


def test_tiers_depend_on_earlier_ones_only() -> None:
    plan = [
        reading("read", "make"),
        reading("make"),
        reading("loop-a", after="loop-b"),
        reading("loop-b", after="loop-a"),
        reading("later", after="read"),
        reading("dangle", after="nowhere"),
    ]
    order = binding_order(plan)
    assert order.tiers == (("make", "dangle"), ("read",), ("later",))
    assert order.cyclic == ("loop-a", "loop-b")


def test_a_tier_is_in_the_order_of_declaration() -> None:
    """Spec 09, section 4, rule 3: whatever order the steps they wait for are in."""
    plan = [reading("second", after="b"), reading("first", after="a"), reading("a"), reading("b")]
    assert binding_order(plan).tiers == (("a", "b"), ("second", "first"))


def test_a_step_that_follows_itself_is_a_cycle_and_takes_what_follows_it_along() -> None:
    order = binding_order([reading("self", "self"), reading("next", after="self"), reading("free")])
    assert order == ((("free",),), ("self", "next"))


def test_entries_of_one_identifier_are_one_step() -> None:
    order = binding_order([reading("twice"), reading("other"), reading("twice", "other")])
    assert order.tiers == (("other",), ("twice",))


def test_long_chains_are_ordered_without_recursion() -> None:
    length = 5000
    plan = [reading(f"s{place}", after=f"s{place + 1}") for place in range(length)]
    order = binding_order(plan)
    assert order.tiers == tuple((f"s{place}",) for place in reversed(range(length)))


def test_nothing_planned_is_nothing_ordered() -> None:
    assert binding_order([]) == ((), ())
