"""Evidence pointers against what an operation shows and accepts."""

from __future__ import annotations

from typing import Any, cast

import pytest

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.compile.surface import Surface
from eval_quality.plan_index import parse_evidence_target
from tests.compile.refusals import compiled, refusal
from tests.contracts import (
    export_command_operation,
    keyed_shape,
    list_orders_operation,
    minimal_contract,
    place_order_operation,
    reset_tool_operation,
)

IN_NEITHER = "declares in neither requiredKeys nor permittedKeys"


def reason(operation: dict[str, Any], tail: str) -> str | None:
    return Surface(cast(AnyOperation, operation)).unreachable(parse_evidence_target(f"/interactions/s/{tail}"))


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("response-body", None),
        ("response-body/id", None),
        ("response-body/orders", f'addresses response-body field "orders", which operation "place-order" {IN_NEITHER}'),
        (
            "response-body/id/x",
            'descends into response-body field "id", which operation "place-order" declares a scalar with no further '
            "structure",
        ),
        ("response-body/", f'addresses response-body field "", which operation "place-order" {IN_NEITHER}'),
        ("response-body/a~1b", f'addresses response-body field "a/b", which operation "place-order" {IN_NEITHER}'),
        ("response-headers/anything/at/all", None),
        ("response-status", None),
        ("exit-code", None),
        ("stdout", None),
        ("stderr/x", 'addresses a field inside stderr, which operation "place-order" declares no structure for'),
        ("call-inputs/body", None),
        ("call-inputs/body/note", None),
        ("call-inputs/header/x-trace", None),
        (
            "call-inputs/body/sugar",
            f'addresses call-inputs body field "sugar", which operation "place-order" {IN_NEITHER}',
        ),
        (
            "call-inputs/body/cups/0",
            'descends into call-inputs body field "cups", which operation "place-order" declares a scalar with no '
            "further structure",
        ),
        (
            "call-inputs/option",
            'addresses call-inputs option, a channel operation "place-order" does not accept input on',
        ),
        ("artifact/log", 'names the "log" artifact, which operation "place-order" does not declare it writes'),
    ],
)
def test_http_operation(tail: str, expected: str | None) -> None:
    assert reason(place_order_operation(), tail) == expected


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("stdout/rows/0/tea", None),
        ("artifact/log", None),
        (
            "artifact/log/x",
            'addresses a field inside the "log" artifact, which operation "export-orders" declares it writes but '
            "declares no structure for",
        ),
        (
            "response-body",
            'addresses response-body on operation "export-orders", which runs behind a command and produces no HTTP '
            "response",
        ),
        ("call-inputs/stdin", None),
    ],
)
def test_command(tail: str, expected: str | None) -> None:
    assert reason(export_command_operation(), tail) == expected


def test_command_whose_artifact_is_described() -> None:
    operation = export_command_operation() | {"descriptorChannel": {"kind": "artifact", "artifactId": "log"}}
    assert reason(operation, "artifact/log/rows/0") is None
    assert reason(operation, "artifact/log/x") == (
        f'addresses the "log" artifact field "x", which operation "export-orders" {IN_NEITHER}'
    )
    assert reason(operation, "stdout") is None


def test_tool_call_carries_its_result_and_little_else() -> None:
    operation = reset_tool_operation()
    for tail in ("response-body/done", "response-status", "exit-code", "call-inputs/arguments"):
        assert reason(operation, tail) is None
    assert reason(operation, "stderr") == (
        'addresses stderr on operation "reset-shop", which is a tool call and carries its result on response-body, its '
        "error flag on response-status and, when its server ended the session, the exit code on exit-code, and nothing "
        "else"
    )


@pytest.mark.parametrize(
    ("cardinality", "index", "bound"),
    [
        ({"mode": "at-most", "max": 3}, "3", "at-most 3"),
        ({"mode": "exact", "count": 0}, "0", "exact 0"),
        ({"mode": "page-bounded", "max": 9}, "9" * 5000, "page-bounded 9"),
    ],
)
def test_root_collection(cardinality: dict[str, Any], index: str, bound: str) -> None:
    operation = list_orders_operation()
    operation["responseDescriptor"]["collectionLocations"].append(
        {"pointer": "", "expectedCardinality": cardinality, "referenceSet": None}
    )
    assert reason(operation, f"response-body/{index}/tea") == (
        f"addresses response-body index {index}, out of bounds for the declared root collection's expectedCardinality "
        f"({bound})"
    )
    assert reason(operation, "response-body/01") == (
        f'addresses response-body field "01", which operation "list-orders" {IN_NEITHER}'
    )


def test_the_type_of_a_deeper_token_is_never_looked_up() -> None:
    operation = place_order_operation()
    operation["responseDescriptor"] |= keyed_shape({"box": "object"}) | {"types": {"box": None, "x": "string"}}
    assert reason(operation, "response-body/box/x/y") is None


def test_a_step_declared_twice_resolves_to_nothing() -> None:
    contract = minimal_contract()
    contract["interactionPlan"].append(contract["interactionPlan"][0])
    assert refusal(contract) == (
        "unreachable-check-evidence",
        "oracles[id=O-001].check.operands[0]",
        '"/interactions/place/response-body/tea" names a step the interaction plan does not declare',
    )


@pytest.mark.parametrize("times", ["more than once", "never"])
def test_an_operation_must_be_declared_exactly_once(times: str) -> None:
    contract = minimal_contract()
    if times == "never":
        contract["interactionPlan"][0]["operationId"] = "brew"
        clause = 'operation "brew" on interface "shop-api", which that interface does not declare'
    else:
        contract["permittedInterfaces"][0]["operations"].append(place_order_operation() | {"pathTemplate": "/again"})
        clause = 'operation "place-order" on interface "shop-api", which that interface declares more than once'
    assert refusal(contract)[2] == (f'"/interactions/place/response-body/tea" names step "place", which names {clause}')


def test_artifacts_are_declared_before_they_are_read() -> None:
    contract = minimal_contract()
    contract["oracles"][2]["direction"]["evidenceTargets"] = ["/interactions/export/artifact/dump"]
    assert refusal(contract) == (
        "unresolved-artifact-reference",
        "oracles[id=O-003].direction.evidenceTargets[0]",
        '"/interactions/export/artifact/dump" names the "dump" artifact, which operation "export-orders" does not '
        "declare it writes (AD-26)",
    )
    export = contract["permittedInterfaces"][1]["operations"][0]
    export["descriptorChannel"] = {"kind": "artifact", "artifactId": "rows"}
    assert refusal(contract)[1:] == (
        "permittedInterfaces[logicalId=shop-cli].operations[operationId=export-orders].descriptorChannel.artifactId",
        'nominates "rows", which this operation does not declare it writes (AD-19, AD-26)',
    )


def test_a_relation_reads_its_own_operation_whatever_the_plan_says() -> None:
    contract = minimal_contract()
    witness = contract["permittedInterfaces"][1]["operations"][0]["sensitivityWitness"]
    witness["relation"]["operands"][0]["operands"][0]["pointer"] = "/interactions/export/artifact/dump"
    assert refusal(contract)[0] == "unreachable-check-evidence"
    witness["relation"]["operands"][0]["operands"][0]["pointer"] = "/interactions/export-full/artifact/dump"
    code, path, _ = refusal(contract)
    assert code == "unresolved-artifact-reference"
    assert path == "permittedInterfaces[1].operations[0].sensitivityWitness.relation.operands[0].operands[0]"


def test_rubric_evidence_is_reachable() -> None:
    contract = minimal_contract()
    contract["rubrics"][0]["criteria"][0]["evidence"] = "/interactions/list/response-body/total/x"
    code, path, detail = refusal(contract)
    assert (code, path) == ("rubric-evidence-unreachable", "rubrics[id=R-001].criteria[id=RC-001].evidence")
    assert detail.startswith('"/interactions/list/response-body/total/x" descends into response-body field "total"')
    contract["rubrics"] = []
    compiled(contract)
