"""What holds of discipline coverage for contracts no author would write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_quality.artifacts.pointers import INPUT_CHANNELS
from eval_quality.coverage import coverage_relevance, coverage_satisfaction, evaluate_coverage
from eval_quality.coverage.declared import DeclaredContract, OracleView, Pointers
from eval_quality.expression_walk import CONNECTIVES, QUANTIFIERS, substitute, walk
from tests.contracts import (
    Json,
    export_command_operation,
    keyed_shape,
    list_orders_operation,
    minimal_contract,
    oracle,
    place_order_operation,
    reset_tool_operation,
    response,
    transport_binding,
)

THOROUGH = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

STEP_IDS = ("a", "a-b", "c")
OPERATIONS = (
    ("shop-api", "place-order"),
    ("shop-api", "list-orders"),
    ("shop-cli", "export-orders"),
    ("shop-tools", "reset-shop"),
    ("shop-api", "unknown"),
)
TAILS = st.sampled_from(["", "/id", "/rows", "/rows/0", "/rows-more", "/a~1b", "/"])
POINTERS = st.builds(
    "/interactions/{}/{}{}".format,
    st.sampled_from(STEP_IDS),
    st.sampled_from(["response-body", "stdout", "call-inputs/query", "call-inputs/body"]),
    TAILS,
) | st.sampled_from(["/interactions/a/exit-code", "/interactions/c/response-status"])
OPERANDS = (
    POINTERS.map(lambda pointer: {"pointer": pointer})
    | TAILS.map(lambda tail: {"pointer": "@" + (tail or "/")})
    | st.sampled_from([{"literal": 0}, {"literal": "done"}, {"referenceSet": "menu"}])
)
DESCRIPTORS = st.builds(
    response,
    st.dictionaries(st.sampled_from(["id", "rows", "a/b"]), st.just("string"), max_size=2),
    successIndicator=st.sampled_from([None, "", "/id"]),
    channelRoles=st.none()
    | st.dictionaries(st.sampled_from(["", "/id", "/rows"]), st.sampled_from(["payload", "success-indicator"])),
    collectionLocations=st.none()
    | st.lists(
        st.builds(
            lambda pointer, mode, named: {
                "pointer": pointer,
                "expectedCardinality": {"mode": mode, "max": 2},
                "referenceSet": named,
            },
            st.sampled_from(["", "/rows"]),
            st.sampled_from(["exact", "at-most", "page-bounded"]),
            st.sampled_from([None, "menu"]),
        ),
        max_size=2,
    ),
)


def leaves() -> st.SearchStrategy[Json]:
    return st.one_of(
        st.builds(lambda one, other: {"op": "equality", "operands": [one, other]}, OPERANDS, OPERANDS),
        st.builds(lambda operand: {"op": "existence", "operands": [operand]}, OPERANDS),
        st.builds(
            lambda actual: {
                "op": "covers-by-key",
                "operands": [{"referenceSet": "menu"}, actual],
                "expectedKey": "tea",
                "actualKey": "tea",
            },
            OPERANDS,
        ),
        st.builds(
            lambda value: {"op": "set-membership", "operands": [value, {"referenceSet": "menu"}]},
            OPERANDS,
        ),
    )


CHECKS = st.recursive(
    leaves(),
    lambda inner: st.one_of(
        st.builds(
            lambda op, parts: {"op": op, "operands": parts},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(lambda part: {"op": "not", "operands": [part]}, inner),
        st.builds(
            lambda op, collection, predicate: {"op": op, "collection": collection, "predicate": predicate},
            st.sampled_from(["for-all", "for-any"]),
            OPERANDS,
            inner,
        ),
    ),
    max_leaves=5,
)


@st.composite
def contracts(draw: st.DrawFn) -> Any:
    """Four operations with descriptors, steps on them, oracles and sibling groups, all at random."""
    interfaces: list[Any] = [
        {"logicalId": "shop-api", "kind": "api", "operations": [place_order_operation(), list_orders_operation()]},
        {"logicalId": "shop-cli", "kind": "cli", "operations": [export_command_operation()]},
        {"logicalId": "shop-tools", "kind": "mcp", "operations": [reset_tool_operation()]},
    ]
    for interface in interfaces:
        for operation in interface["operations"]:
            operation["responseDescriptor"] = draw(DESCRIPTORS)
    steps = [
        {
            "stepId": draw(st.sampled_from(STEP_IDS)),
            "interfaceId": interface_id,
            "operationId": operation_id,
            "inputBinding": transport_binding(
                query={"after": {"matcher": draw(st.sampled_from(["any", "type-violating"]))}}
            ),
            "after": draw(st.none() | st.sampled_from(STEP_IDS)),
            "cardinality": "any",
        }
        for interface_id, operation_id in draw(st.lists(st.sampled_from(OPERATIONS), max_size=4))
    ]
    oracles = [
        oracle(f"O-00{number}", check, *draw(st.lists(POINTERS, max_size=4, unique=True)))
        for number, check in enumerate(draw(st.lists(CHECKS, max_size=3)))
    ]
    members = st.lists(st.sampled_from(OPERATIONS), max_size=3)
    groups = {
        "operations": [
            [{"interfaceId": one, "operationId": other} for one, other in group]
            for group in draw(st.lists(members, max_size=2))
        ],
        "parameters": draw(st.lists(st.lists(st.sampled_from(["id", "rows", "a/b", ""]), max_size=3), max_size=2)),
    }
    behavior = minimal_contract()["behaviors"][0] | {"oracles": ["O-000", "O-001"]}
    return minimal_contract(
        permittedInterfaces=draw(st.sampled_from([interfaces, []])) if draw(st.booleans()) else interfaces,
        interactionPlan=steps,
        oracles=oracles,
        behaviors=[behavior],
        siblingGroups=groups,
    )


def lies_at(pointer: str, root: str) -> bool:
    return pointer == root or pointer.startswith(root + "/")


@THOROUGH
@given(st.lists(POINTERS | st.text("/a-~", max_size=6), max_size=6), st.text("/a-~", max_size=4) | POINTERS)
def test_addressing_is_what_its_definition_says(pointers: list[str], root: str) -> None:
    assert Pointers(pointers).address(root) is any(lies_at(pointer, root) for pointer in pointers)


@THOROUGH
@given(contracts())
def test_a_rule_for_which_there_is_no_site_is_satisfied(contract: Any) -> None:
    relevance, satisfaction = coverage_relevance(contract), coverage_satisfaction(contract)
    assert all(relevance[rule].relevant or satisfaction[rule].satisfied for rule in relevance)
    gaps = [rule for rule in relevance if relevance[rule].relevant and not satisfaction[rule].satisfied]
    assert [gap["rule"] for gap in evaluate_coverage(contract)] == gaps


@THOROUGH
@given(contracts(), st.randoms(use_true_random=False))
def test_the_order_of_oracles_does_not_matter(contract: Any, random: Any) -> None:
    shuffled = contract | {"oracles": random.sample(contract["oracles"], len(contract["oracles"]))}
    assert coverage_satisfaction(shuffled) == coverage_satisfaction(contract)


@THOROUGH
@given(contracts(), CHECKS, st.lists(POINTERS, max_size=3, unique=True))
def test_one_more_oracle_takes_nothing_away(contract: Any, check: Json, targets: list[str]) -> None:
    more = contract | {"oracles": [*contract["oracles"], oracle("O-001", check, *targets)]}
    before, after = coverage_satisfaction(contract), coverage_satisfaction(more)
    assert all(after[rule].satisfied for rule in before if before[rule].satisfied)


def both_address(view: OracleView, root: str) -> bool:
    """As the rule is written: some target and some pointer of the check lie at the root."""
    targets = (view.oracle["direction"] or {"evidenceTargets": []})["evidenceTargets"]
    return any(lies_at(each, root) for each in targets) and any(lies_at(each, root) for each in view.check_pointers)


@THOROUGH
@given(contracts())
def test_siblings_are_cross_checked_as_the_rule_is_written(contract: Any) -> None:
    plan, views = contract["interactionPlan"], DeclaredContract(contract).oracles
    groups = [
        [
            [f"/interactions/{step['stepId']}" for step in plan if (step["interfaceId"], step["operationId"]) == member]
            for member in {(each["interfaceId"], each["operationId"]) for each in group}
        ]
        for group in contract["siblingGroups"]["operations"]
    ]
    for group in contract["siblingGroups"]["parameters"]:
        tokens = {name.replace("/", "~1") for name in group}
        steps = [step["stepId"] for step in plan]
        roots = [
            [f"/interactions/{one}/call-inputs/{other}/{token}" for one, other in product(steps, INPUT_CHANNELS)]
            for token in tokens
        ]
        groups.append(roots)
    witnessed = all(
        any(sum(any(both_address(view, root) for root in member) for member in group) >= 2 for view in views)
        for group in groups
    )
    assert coverage_satisfaction(contract)["sibling-cross-check"].satisfied is witnessed


@THOROUGH
@given(contracts())
def test_writes_are_read_back_as_the_rule_is_written(contract: Any) -> None:
    declared = DeclaredContract(contract)
    nodes = [node for view in declared.oracles for node in walk(view.oracle["check"])]
    read_together = [
        [substitute(each["pointer"], node.root) for each in node.expression["operands"] if "pointer" in each]
        for node in nodes
        if node.op not in CONNECTIVES | QUANTIFIERS
    ]

    def read_back(write: Json, read: Json) -> bool:
        readers = [each for each in declared.operations if each.key == (read["interfaceId"], read["operationId"])]
        if read["stepId"] == write["stepId"] or read["after"] != write["stepId"] or len(readers) != 1:
            return False
        sent = f"/interactions/{write['stepId']}/call-inputs"
        returned = f"/interactions/{read['stepId']}{readers[0].descriptor_root}"
        return not readers[0].operation["stateChangeMarker"] and any(
            any(lies_at(each, sent) for each in pointers) and any(lies_at(each, returned) for each in pointers)
            for pointers in read_together
        )

    plan = contract["interactionPlan"]
    witnessed = all(
        any(
            read_back(write, read)
            for write in plan
            if (write["interfaceId"], write["operationId"]) == operation.key
            for read in plan
        )
        for operation in declared.operations
        if operation.operation["stateChangeMarker"]
    )
    assert coverage_satisfaction(contract)["state-change-read-back"].satisfied is (
        witnessed and bool(declared.operations)
    )


def contract_without_witnesses(size: int) -> Any:
    """Many operations, steps, oracles and groups, none of which witnesses anything."""
    operations, steps, oracles = [], [], []
    for number in range(size):
        name = f"operation-{number}"
        descriptor = response({"a": "string", "b": "string"}, successIndicator="/a", channelRoles={"/b": "payload"})
        operations.append(
            list_orders_operation()
            | {"operationId": name, "stateChangeMarker": number % 2 == 0, "responseDescriptor": descriptor}
            | {"requestShape": {each: keyed_shape({"q": "string"}) for each in ("path", "query", "header", "body")}}
        )
        steps.append(
            {
                "stepId": f"step-{number}",
                "interfaceId": "shop",
                "operationId": name,
                "inputBinding": transport_binding(),
                "after": f"step-{number - 1}" if number else None,
                "cardinality": "any",
            }
        )
        pointer = f"/interactions/step-{number}/response-body/a"
        oracles.append(oracle(f"O-{number}", {"op": "existence", "operands": [{"pointer": pointer}]}, pointer))
    members = [{"interfaceId": "shop", "operationId": each["operationId"]} for each in operations]
    return minimal_contract(
        permittedInterfaces=[{"logicalId": "shop", "kind": "api", "operations": operations}],
        interactionPlan=steps,
        oracles=oracles,
        siblingGroups={"operations": [members], "parameters": [[f"name-{number}" for number in range(size)]] * 2},
    )


def calls_made(function: Callable[[], object]) -> int:
    """How many functions a call runs: a measure of its work that no other load on the machine changes."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


def test_work_is_linear_in_the_contract() -> None:
    small, large = (contract_without_witnesses(size) for size in (50, 500))
    assert len(evaluate_coverage(large)) == 7
    assert calls_made(lambda: evaluate_coverage(large)) < 11 * calls_made(lambda: evaluate_coverage(small))
