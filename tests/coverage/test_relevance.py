"""When a rule applies, and the reason it gives."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.coverage import DisciplineRule, coverage_relevance
from tests.contracts import Json, keyed_shape, list_orders_operation, minimal_contract, response

LOCATION = {"pointer": "/rows", "expectedCardinality": {"mode": "exact"}, "referenceSet": None}


def one_operation(**changes: Any) -> Json:
    """A contract with ``list-orders`` alone, whose fields these replace."""
    operation = list_orders_operation() | changes
    return minimal_contract(permittedInterfaces=[{"logicalId": "shop-api", "kind": "api", "operations": [operation]}])


def ask(rule: DisciplineRule, contract: Any) -> tuple[bool, str]:
    return coverage_relevance(contract)[rule]


@pytest.mark.parametrize(
    ("descriptor", "relevant", "reason"),
    [
        (response(), True, "operation list-orders nominates no success indicator"),
        (response(successIndicator=""), True, "operation list-orders declares no channel roles"),
        (
            response(
                successIndicator="/ok", channelRoles={"/b": "payload", "/ok": "success-indicator", "1": "payload"}
            ),
            True,
            "operation list-orders gives pointer 1 a channel role beside its success indicator",
        ),
        (
            response(successIndicator="/ok", channelRoles={"/ok": "success-indicator"}),
            False,
            "every operation nominates a success indicator and gives no other pointer a channel role",
        ),
    ],
)
def test_success_indicator_separation(descriptor: Json, relevant: bool, reason: str) -> None:
    assert ask("success-indicator-separation", one_operation(responseDescriptor=descriptor)) == (relevant, reason)


@pytest.mark.parametrize(
    ("required", "relevant", "reason"),
    [
        (["a", "b", "a"], True, "operation list-orders declares 2 distinct required response keys"),
        (["a", "a"], False, "no operation declares more than one distinct required response key"),
    ],
)
def test_whole_body(required: list[str], relevant: bool, reason: str) -> None:
    contract = one_operation(responseDescriptor=response() | {"requiredKeys": required})
    assert ask("whole-body", contract) == (relevant, reason)


@pytest.mark.parametrize(
    ("channel", "shape", "reason"),
    [
        ("query", {"requiredKeys": ["r"], "permittedKeys": ["p"], "types": {"t": None}}, "query key r"),
        ("header", {"requiredKeys": [], "permittedKeys": ["p"], "types": {"t": None}}, "header key p"),
        ("body", {"requiredKeys": [], "permittedKeys": [], "types": {"t": None, "10": None, "9": None}}, "body key 9"),
    ],
)
def test_malformed_input(channel: str, shape: Json, reason: str) -> None:
    request = {"path": keyed_shape(), "query": keyed_shape(), "header": keyed_shape(), "body": keyed_shape()}
    none = (False, "no operation declares a request key on any transport channel")
    assert ask("malformed-input", one_operation(requestShape=request)) == none
    contract = one_operation(requestShape=request | {channel: shape})
    assert ask("malformed-input", contract) == (True, f"operation list-orders declares {reason}")


@pytest.mark.parametrize(
    ("locations", "relevant", "reason"),
    [
        (
            None,
            True,
            "operation list-orders declares no collection-location list, so no collection is declared to range over",
        ),
        ([LOCATION], True, "operation list-orders declares 1 collection location"),
        ([LOCATION, LOCATION], True, "operation list-orders declares 2 collection locations"),
        ([], False, "every operation declares an explicitly empty collection-location list"),
    ],
)
def test_per_record(locations: Any, relevant: bool, reason: str) -> None:
    contract = one_operation(responseDescriptor=response(collectionLocations=locations))
    assert ask("per-record", contract) == (relevant, reason)


@pytest.mark.parametrize(
    ("locations", "relevant", "reason"),
    [
        (
            None,
            True,
            "operation list-orders declares no collection-location list, so no location can name a reference set",
        ),
        (
            [LOCATION, LOCATION | {"referenceSet": "undeclared"}],
            True,
            "operation list-orders names reference set undeclared for collection /rows",
        ),
        ([LOCATION], False, "no declared collection location names a reference set"),
    ],
)
def test_omission_and_completeness(locations: Any, relevant: bool, reason: str) -> None:
    contract = one_operation(responseDescriptor=response(collectionLocations=locations))
    assert ask("omission-and-completeness", contract) == (relevant, reason)


@pytest.mark.parametrize(
    ("operations", "parameters", "relevant", "reason"),
    [
        ([[], []], [[]], True, "the contract declares 2 operation sibling groups"),
        ([], [["a"]], True, "the contract declares 1 parameter sibling group"),
        ([], [], False, "the contract declares explicitly empty operation and parameter sibling groups"),
    ],
)
def test_sibling_cross_check(operations: Any, parameters: Any, relevant: bool, reason: str) -> None:
    contract = minimal_contract(siblingGroups={"operations": operations, "parameters": parameters})
    assert ask("sibling-cross-check", contract) == (relevant, reason)


def test_sibling_cross_check_without_a_declaration() -> None:
    contract = minimal_contract(siblingGroups=None, permittedInterfaces=[])
    assert ask("sibling-cross-check", contract) == (True, "the contract declares no sibling groups")


def test_state_change_read_back() -> None:
    marked = (True, "operation list-orders declares stateChangeMarker: true")
    assert ask("state-change-read-back", one_operation(stateChangeMarker=True)) == marked
    unmarked = (False, "no operation declares stateChangeMarker: true")
    assert ask("state-change-read-back", one_operation()) == unmarked


def test_the_first_operation_that_decides_is_named() -> None:
    contract: Any = minimal_contract()
    assert ask("per-record", contract)[1].startswith("operation place-order declares no collection-location list")
    assert ask("state-change-read-back", contract)[1] == "operation place-order declares stateChangeMarker: true"
