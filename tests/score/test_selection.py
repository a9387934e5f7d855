"""Which observations count as which step."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.evaluate import ABSENT
from eval_quality.score.bindings import deep_equals
from eval_quality.score.observations import TrialObservations
from eval_quality.score.selection import PreparedPlan, TrialSelection
from tests.contracts import transport_binding
from tests.score.shop import interface, operation, seen, step

RAW = {"kind": "raw", "base64": "AA==", "contentType": "text/plain"}
CREATE = operation("create-order", "POST", "/orders")


def selections(plan: list[Any], *observations: Any) -> dict[str, tuple[str, ...]]:
    prepared = PreparedPlan(plan, [interface(operation(), CREATE)])
    trial = TrialSelection(prepared, TrialObservations(observations))
    return {planned.step_id: trial.select(planned).matched_observation_ids for planned in prepared.steps}


def created(identifier: str, sequence: int, order_id: Any = "7") -> Any:
    return seen(identifier, sequence, 201, operationId="create-order", responseBody={"id": order_id})


def bound(identifier: str = "read", **changes: Any) -> Any:
    """A step that may have any number of observations."""
    return step(identifier, cardinality="any", **changes)


def path_id(binding: Any) -> Any:
    return transport_binding(path={"id": binding})


def test_candidates_are_the_operations_observations_in_sequence() -> None:
    elsewhere = seen("e", 1, interfaceId="other")
    assert selections([bound()], seen("b", 3), elsewhere, created("c", 2), seen("a", 4), seen("d", 1)) == {
        "read": ("d", "b", "a")
    }


def test_the_plan_of_the_specification() -> None:
    captured = {"captured": "/interactions/make/response-body/id"}
    plan = [
        bound("read", inputBinding=path_id(captured)),
        step("make", operationId="create-order"),
        bound("loop-a", after="loop-b"),
        bound("loop-b", after="loop-a"),
        bound("later", after="read"),
        bound("dangle", after="nowhere"),
    ]
    observations = [seen("g1", 1), created("p1", 2), seen("g2", 3), seen("g3", 4, sent={"path": {"id": "zz"}})]
    assert selections(plan, *observations) == {
        "read": ("g2",),
        "make": ("p1",),
        "loop-a": (),
        "loop-b": (),
        "later": ("g3",),
        "dangle": ("g1", "g2", "g3"),
    }


def test_what_a_step_follows_has_to_be_one_observation() -> None:
    plan = [step("make", operationId="create-order"), bound("read", after="make")]
    assert selections(plan, seen("g", 5))["read"] == ()
    assert selections(plan, created("p", 1), created("q", 2), seen("g", 5))["read"] == ()
    assert selections(plan, created("p", 4), seen("g", 5), seen("f", 3))["read"] == ("g",)
    plan[0]["cardinality"] = "any"
    assert selections(plan, created("p", 1), created("q", 6), seen("g", 5))["read"] == ("g",)


@pytest.mark.parametrize("made", [[], [created("p", 1), created("q", 2)], [created("p", 1, None)]])
def test_a_capture_that_resolves_to_nothing_admits_nothing(made: list[Any]) -> None:
    captured = {"captured": "/interactions/make/response-body/id"}
    plan = [step("make", operationId="create-order"), bound(inputBinding=path_id(captured))]
    assert selections(plan, *made, seen("g", 5))["read"] == ()


def test_a_capture_of_what_was_not_returned_equals_nothing() -> None:
    captured = {"captured": "/interactions/make/response-body/another"}
    plan = [step("make", operationId="create-order"), bound(inputBinding=path_id(captured))]
    assert selections(plan, created("p", 1), seen("g", 5))["read"] == ()


@pytest.mark.parametrize(
    ("binding", "admitted"),
    [
        (transport_binding(path={"id": {"literal": "7"}}), True),
        (transport_binding(path={"id": {"literal": 7}}), False),
        (transport_binding(query={"page": {"literal": 1.0}}), True),
        (transport_binding(query={"page": {"literal": True}}), False),
        (transport_binding(path={"id": {"matcher": "any"}}), True),
        (transport_binding(path={"another": {"matcher": "any"}}), False),
        (transport_binding(body={"note": {"matcher": "any"}}), False),
        (transport_binding(path={"id": {"matcher": "type-violating"}}), False),
        (transport_binding(query={"page": {"matcher": "type-violating"}}), False),
        (transport_binding(query={"mood": {"matcher": "type-violating"}}), False),
        (transport_binding(header={"undeclared": {"matcher": "type-violating"}}), False),
        (transport_binding(path={"id": {"principal": "barista"}}), True),
        (transport_binding(path={"id": {"principal": "guest"}}), False),
        (transport_binding(body=RAW), False),
    ],
)
def test_bindings(binding: Any, admitted: bool) -> None:
    sent = {"query": {"page": 1, "mood": "good"}, "header": {"undeclared": "x"}}
    observation = seen("g", 1, principal="barista", sent=sent)
    assert selections([bound(inputBinding=binding)], observation)["read"] == (("g",) if admitted else ())


def test_a_violated_type_is_one_that_is_declared() -> None:
    binding = transport_binding(query={"page": {"matcher": "type-violating"}})
    wrong = seen("g", 1, sent={"query": {"page": "one"}})
    assert selections([bound(inputBinding=binding)], wrong)["read"] == ("g",)
    unknown = bound(inputBinding=binding, operationId="unknown")
    assert selections([unknown], wrong | {"operationId": "unknown"})["read"] == ()


def test_exact_bytes_were_sent_as_exact_bytes() -> None:
    plan = [bound(inputBinding=transport_binding(body=RAW))]
    sent = {"body": dict(RAW), "bodyEncoding": "raw"}
    assert selections(plan, seen("g", 1, sent=sent))["read"] == ("g",)
    assert selections(plan, seen("g", 1, sent=sent | {"bodyEncoding": None}))["read"] == ()
    assert selections(plan, seen("g", 1, sent=sent | {"body": RAW | {"base64": "AQ=="}}))["read"] == ()


def test_an_identifier_that_is_planned_twice_anchors_nothing() -> None:
    plan = [bound("twice", operationId="create-order"), bound("twice"), bound("read", after="twice")]
    prepared = PreparedPlan(plan, [interface(operation(), CREATE)])
    trial = TrialSelection(prepared, TrialObservations([seen("g", 1), created("p", 2)]))
    chosen = [trial.select(planned).matched_observation_ids for planned in prepared.steps]
    assert chosen == [("p",), ("g",), ("g",)]


def test_an_observation_identifier_that_repeats_means_the_last_of_them() -> None:
    earlier, later = seen("g", 1), seen("g", 3, sent={"path": {"id": "8"}})
    plan = [bound(inputBinding=path_id({"literal": "8"}))]
    assert selections(plan, earlier, later)["read"] == ("g", "g")
    assert selections(plan, later, earlier)["read"] == ()


def test_a_capture_is_read_from_the_first_observation_of_an_identifier_that_repeats() -> None:
    """Spec 09, section 5.5: first in the order of the record, whatever the sequence."""
    plan = [
        bound("make", operationId="create-order"),
        bound(inputBinding=path_id({"captured": "/interactions/make/response-body/id"})),
    ]
    seventh, eighth, read = created("p", 1, "7"), created("p", 2, "8"), seen("g", 3)
    assert selections(plan, seventh, eighth, read)["read"] == ("g",)
    assert selections(plan, eighth, seventh, read)["read"] == ()


def test_long_chains_of_steps_are_followed_without_recursion() -> None:
    length = 4000
    plan = [bound(f"s{place}", after=f"s{place - 1}") for place in reversed(range(length))]
    assert selections(plan, *(seen(f"o{place}", place + 1) for place in range(3)))["s2"] == ("o2",)
    circle = [bound(f"s{place}", after=f"s{(place + 1) % length}") for place in range(length)]
    assert not any(selections(circle, seen("g", 1)).values())


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, None, True),
        (None, False, False),
        ([1, [2]], [1, [2]], True),
        ([1], [1, 2], False),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {}, False),
        ([], {}, False),
        ("1", 1, False),
        (ABSENT, ABSENT, False),
        (None, ABSENT, False),
        ({"constructor": {}}, {"constructor": {}}, True),
    ],
)
def test_deep_equality(one: Any, other: Any, equal: bool) -> None:
    assert deep_equals(one, other) is deep_equals(other, one) is equal


def test_equality_does_not_mind_depth() -> None:
    def nested(depth: int, leaf: int) -> Any:
        value: Any = leaf
        for _ in range(depth):
            value = [{"k": value}]
        return value

    assert deep_equals(nested(20_000, 1), nested(20_000, 1))
    assert not deep_equals(nested(20_000, 1), nested(20_000, 2))
