"""Sensitivity witnesses and the fixture reset."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.compile.witnesses import undeclared_inputs
from tests.compile.refusals import compiled, refusal
from tests.contracts import (
    Json,
    differs,
    export_command_operation,
    keyed_shape,
    minimal_contract,
    place_order_operation,
    reset_tool_operation,
    transport_inputs,
)

PLACE = "permittedInterfaces[0].operations[0].sensitivityWitness"


def with_witness(**changes: Any) -> Json:
    """A contract whose ``place-order`` witness is changed."""
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"].update(changes)
    return contract


def place_legs(*bodies: Json) -> list[Json]:
    return [
        {"legId": f"order-{tea}", "inputs": transport_inputs(body={"kind": "json", "value": body})}
        for tea, body in zip(("oolong", "sencha"), bodies, strict=True)
    ]


def details(inputs: Any, operation: Any) -> list[str]:
    return [failure.detail for failure in undeclared_inputs(inputs, operation, "it", "P")]


def test_inputs_are_of_the_operations_kind() -> None:
    assert details({"arguments": {}}, export_command_operation()) == [
        'it supplies tool-call channels to operation "export-orders", which accepts command channels (AD-10, AD-19)'
    ]
    assert details(transport_inputs(), reset_tool_operation()) == [
        'it supplies transport channels to operation "reset-shop", which accepts tool-call channels (AD-10, AD-19)'
    ]


@pytest.mark.parametrize(
    "body", [{"kind": "absent"}, {"kind": "json", "value": None}, {"kind": "json", "value": ["tea"]}]
)
def test_only_a_json_object_supplies_keys_of_a_body(body: Json) -> None:
    assert details(transport_inputs(body=body), place_order_operation()) == [
        f'it omits "{key}", which operation "place-order" declares required in its body channel (AD-10)'
        for key in ("tea", "cups")
    ]


def test_raw_bytes_are_held_to_no_keys() -> None:
    raw = {"kind": "raw", "base64": "", "contentType": "text/plain"}
    assert details(transport_inputs(body=raw), place_order_operation()) == []


@pytest.mark.parametrize(
    ("required", "consequence"),
    [
        ({}, "no required key there, so the text fills nothing"),
        ({"a": "string"}, None),
        ({"a": "string", "b": "string"}, "2 required keys there, so nothing says which the text fills"),
    ],
)
def test_text_on_standard_input_fills_the_one_required_key(required: Json, consequence: str | None) -> None:
    operation = export_command_operation()
    operation["requestShape"]["stdin"] = keyed_shape(required)
    inputs = {"argument": {}, "option": {"format": "x"}, "environment": {}, "stdin": {"kind": "text", "value": ""}}
    expected = (
        "it supplies its stdin channel as text, which fills the one key the channel declares, but operation "
        f'"export-orders" declares {consequence} (AD-10, AD-19)'
    )
    assert details(inputs, operation) == ([expected] if consequence else [])


def test_header_names_keep_their_case() -> None:
    inputs = transport_inputs(header={"X-Trace": "1"}, body={"kind": "json", "value": {"tea": "a", "cups": 1}})
    assert details(inputs, place_order_operation()) == [
        'it supplies "X-Trace", which operation "place-order" declares in neither requiredKeys nor permittedKeys of '
        "its header channel (AD-10, AD-18)"
    ]


def test_legs_are_named_apart_from_steps_and_each_other() -> None:
    contract = minimal_contract()
    legs = contract["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]["legs"]
    legs[1]["legId"] = "place"
    assert refusal(contract)[1:] == (
        f"{PLACE}.legs[1].legId",
        'leg id "place" collides with an interaction-plan step id; the two share one pointer namespace (AD-10, AD-26)',
    )
    legs[1]["legId"] = "order-oolong"
    assert refusal(contract)[1:] == (
        f"{PLACE}.legs",
        'both legs of witness "order-varies" carry the leg id "order-oolong", so the relation cannot tell them apart '
        "(AD-10)",
    )
    contract = minimal_contract()
    contract["fixtureReset"]["legId"] = "list-1"
    assert refusal(contract)[1:] == (
        "fixtureReset.legId",
        'leg id "list-1" is already claimed by witness "list-varies"; leg ids are unique across the contract (AD-10)',
    )


def test_the_channel_follows_the_state_change_marker() -> None:
    assert refusal(with_witness(channel="query")) == (
        "malformed-operator-expression",
        PLACE,
        'channel "query" contradicts stateChangeMarker true on operation "place-order"; AD-10 selects "body"',
    )
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][0]["stateChangeMarker"] = False
    assert refusal(contract)[2].endswith(
        'stateChangeMarker false on operation "place-order"; AD-10 selects "path" or "query"'
    )


def test_a_leg_of_another_kind_has_no_such_channel() -> None:
    legs = place_legs({"tea": "a", "cups": 1}, {"tea": "b", "cups": 1})
    legs[1]["inputs"] = {"arguments": {}}
    assert refusal(with_witness(legs=legs), strict=False)[2] == (
        'leg "order-sencha" of witness "order-varies" supplies inputs whose shape carries no "body" channel, so it '
        'cannot vary the channel operation "place-order" declares (AD-10, AD-19)'
    )


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ({"tea": "a", "cups": 1}, {"cups": 1, "tea": "a"}, False),
        ({"tea": "a", "cups": "a"}, {"cups": "a", "tea": "a"}, False),
        ({"tea": "a", "cups": 1}, {"tea": "a", "cups": 1.0}, True),
        ({"tea": "a", "cups": 0}, {"tea": "a", "cups": -0.0}, True),
        ({"tea": "a", "cups": 1}, {"tea": "a", "cups": True}, False),
        ({"tea": "a", "cups": True}, {"tea": "a", "cups": 1}, False),
        ({"tea": "a", "cups": None}, {"tea": "a", "cups": False}, False),
        ({"tea": "a", "cups": [1, {}]}, {"tea": "a", "cups": [1, []]}, False),
        ({"tea": "a", "cups": {"2": 1, "1": 1}}, {"tea": "a", "cups": {"1": 1, "2": 1}}, True),
    ],
)
def test_legs_differ_in_the_text_of_the_channel(first: Json, second: Json, alike: bool) -> None:
    contract = with_witness(legs=place_legs(first, second))
    if alike:
        assert refusal(contract)[1:] == (
            f"{PLACE}.legs",
            'both legs of witness "order-varies" supply the same body value, so the pair is not a differential (AD-10)',
        )
    else:
        compiled(contract)


def test_the_relation_reads_both_legs_and_nothing_else() -> None:
    here = "/interactions/order-oolong/response-body/tea"
    assert refusal(with_witness(relation=differs(here, here))) == (
        "malformed-operator-expression",
        f"{PLACE}.relation",
        'the relation addresses 1 of the two legs of witness "order-varies"; a differential that reads one leg '
        "establishes no sensitivity (AD-10)",
    )
    assert refusal(with_witness(relation=differs(here, "/interactions/place/response-body/tea")))[1:] == (
        f"{PLACE}.relation",
        'the relation addresses "place", which is neither leg of witness "order-varies" (AD-10)',
    )


@pytest.mark.parametrize(
    ("tail", "detail"),
    [
        (
            "exit-code",
            'addresses exit-code, which a witness leg of operation "place-order" does not carry; pre-flight builds '
            "each leg from response-body, response-headers, response-status, call-inputs alone",
        ),
        (
            "response-body/sugar",
            'addresses response-body field "sugar", which operation "place-order" declares in neither requiredKeys nor '
            "permittedKeys",
        ),
        (
            "response-body/id",
            'addresses "/id", which operation "place-order" declares volatile, so the projection the relation reads '
            "has already removed it",
        ),
    ],
)
def test_the_relation_reads_what_a_leg_carries_and_keeps(tail: str, detail: str) -> None:
    pointer = f"/interactions/order-sencha/{tail}"
    relation = differs("/interactions/order-oolong/response-body/tea", pointer)
    assert refusal(with_witness(relation=relation)) == (
        "unreachable-check-evidence",
        f"{PLACE}.relation.operands[0].operands[1]",
        f'"{pointer}" {detail}',
    )


@pytest.mark.parametrize(
    ("volatile", "covered"),
    [("/tea", "/tea"), ("", "/"), ("/*", "/*"), ("/tea/leaf", None), ("/te", None), ("/t~1a", None)],
)
def test_a_volatile_pointer_covers_what_lies_below_it(volatile: str, covered: str | None) -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][0]["volatilePointers"] = ["/id", volatile]
    if covered is None:
        compiled(contract)
    else:
        assert f'addresses "{covered}", which operation "place-order" declares volatile' in refusal(contract)[2]


def test_an_undescribed_artifact_is_carried_by_no_leg() -> None:
    contract = minimal_contract()
    export = contract["permittedInterfaces"][1]["operations"][0]
    export["artifacts"].append("rows")
    export["descriptorChannel"] = {"kind": "artifact", "artifactId": "rows"}
    export["sensitivityWitness"]["relation"] = differs(
        "/interactions/export-full/artifact/rows", "/interactions/export-brief/artifact/log"
    )
    contract["oracles"][2]["check"]["operands"][1]["pointer"] = "/interactions/export/artifact/rows/rows"
    contract["oracles"][2]["direction"]["evidenceTargets"] = ["/interactions/export/artifact/rows/rows"]
    assert refusal(contract)[2] == (
        '"/interactions/export-brief/artifact/log" addresses the "log" artifact, which operation "export-orders" '
        "declares it writes and its descriptor does not nominate, so a witness leg carries nothing for it"
    )


def test_the_reset_names_an_operation_that_changes_state() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][2]["operations"][0]["stateChangeMarker"] = False
    assert refusal(contract) == (
        "malformed-operator-expression",
        "fixtureReset",
        'the fixture reset names operation "reset-shop", whose stateChangeMarker is false; an operation that changes '
        "no state resets nothing (AD-10)",
    )
    contract["fixtureReset"]["operationId"] = "reset"
    assert refusal(contract) == (
        "unreachable-check-evidence",
        "fixtureReset",
        'the fixture reset names operation "reset" on interface "shop-tools", which the contract does not declare '
        "(AD-10)",
    )
    compiled(contract | {"fixtureReset": None})


def test_the_parts_of_a_body_have_no_order() -> None:
    legs = place_legs({"tea": "a", "cups": 1}, {"tea": "a", "cups": 1})
    body = legs[1]["inputs"]["body"]
    legs[1]["inputs"]["body"] = {"value": body["value"], "kind": "json"}
    assert "supply the same body value" in refusal(with_witness(legs=legs))[2]
