"""What a step may capture from an earlier one."""

from __future__ import annotations

import pytest

from eval_quality.compile.bindings import declared_type
from eval_quality.compile.captures import captured_bindings
from tests.compile.refusals import compiled, refusal
from tests.contracts import Json, minimal_contract, transport_binding

PATH = 'interactionPlan[stepId=list].inputBinding.query["after"]'


def capturing(pointer: str, **response: str | None) -> Json:
    """A contract whose ``list`` step captures ``pointer``; ``response`` replaces types of what ``place`` returns."""
    contract = minimal_contract()
    contract["interactionPlan"][1]["inputBinding"]["query"]["after"] = {"captured": pointer}
    contract["permittedInterfaces"][0]["operations"][0]["responseDescriptor"]["types"].update(response)
    return contract


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        ("", "addresses the whole response-body, which declares no scalar to capture"),
        ("/id", None),
        ("/placedAt", None),
        (
            "/sugar",
            'addresses response-body field "sugar", which operation "place-order" declares in neither requiredKeys nor '
            "permittedKeys",
        ),
        ("/box/id", "addresses a response-body path 2 segments deep, which declares no scalar to capture"),
        (
            "/box",
            'addresses response-body field "box", which operation "place-order" declares "object" rather than a scalar',
        ),
        ("/any", 'addresses response-body field "any", whose type operation "place-order" declares indeterminate'),
        ("/bare", 'addresses response-body field "bare", whose type operation "place-order" does not declare'),
        (
            "/toString",
            'addresses response-body field "toString", which operation "place-order" declares "function toString() { '
            '[native code] }" rather than a scalar',
        ),
        ("/7", "addresses response-body element 7, which no declaration gives a type"),
        (
            "/cups",
            'resolves to a declared "number", which is not the "string" the bound query parameter "after" is declared '
            "as",
        ),
    ],
)
def test_a_captured_value_is_a_declared_scalar_of_the_right_type(tail: str, reason: str | None) -> None:
    pointer = f"/interactions/place/response-body{tail}"
    contract = capturing(pointer, box="object", any=None, cups="number")
    descriptor = contract["permittedInterfaces"][0]["operations"][0]["responseDescriptor"]
    descriptor["permittedKeys"] += ["box", "any", "bare", "7", "cups", "toString"]
    if reason is None:
        compiled(contract)
    else:
        assert refusal(contract) == ("unreachable-check-evidence", PATH, f'captured pointer "{pointer}" {reason}')


@pytest.mark.parametrize(("declared", "how"), [(None, "declares indeterminate"), ("absent", "does not declare")])
def test_the_bound_parameter_has_a_type(declared: str | None, how: str) -> None:
    pointer = "/interactions/place/response-body/id"
    contract = capturing(pointer)
    types = contract["permittedInterfaces"][0]["operations"][1]["requestShape"]["query"]["types"]
    types["after"] = None
    if declared == "absent":
        del types["after"]
    assert refusal(contract)[2] == (
        f'captured pointer "{pointer}" resolves to a declared "string", but the step binds query parameter "after", '
        f'whose type operation "list-orders" {how}, so no type equality is decidable'
    )


def test_an_undeclared_parameter_is_not_judged_by_type() -> None:
    contract = capturing("/interactions/place/response-body/id")
    contract["interactionPlan"][1]["inputBinding"]["query"]["page"] = {
        "captured": "/interactions/place/response-body/id"
    }
    assert refusal(contract)[0] == "undeclared-mandatory-input"
    compiled(contract, strict=False)


def test_a_capture_reads_the_described_channel() -> None:
    pointer = "/interactions/place/response-status"
    assert refusal(capturing(pointer)) == (
        "captured-channel-undeclared",
        PATH,
        f'captured pointer "{pointer}" names the response-status channel, which the referenced operation\'s response '
        "descriptor does not declare (AD-26)",
    )


def test_a_capture_closes_no_cycle() -> None:
    contract = minimal_contract()
    place, listing = contract["interactionPlan"][:2]
    place["after"], listing["after"] = "list", None
    assert refusal(contract) == (
        "binding-cycle",
        PATH,
        'captured pointer "/interactions/place/response-body/id" closes a cycle over the capture and temporal-clause '
        "edges; a captured value has no earlier step to resolve from (AD-39)",
    )


def test_a_step_captures_nothing_from_itself() -> None:
    contract = minimal_contract()
    place = contract["interactionPlan"][0]
    place["inputBinding"]["body"]["tea"] = {"captured": "/interactions/place/response-body/id"}
    assert refusal(contract)[:2] == ("binding-cycle", 'interactionPlan[stepId=place].inputBinding.body["tea"]')


def test_captures_come_in_channel_order_and_by_utf16_units() -> None:
    pointer = {"captured": "/interactions/place/response-body/id"}
    step = {
        "inputBinding": transport_binding(
            body={"\uffff": pointer, "\U00010000": pointer, "b": {"literal": 1}, "a": pointer}, path={"z": pointer}
        )
    }
    found = [(binding.input_channel, binding.key) for binding in captured_bindings(step)]
    assert found == [("path", "z"), ("body", "a"), ("body", "\U00010000"), ("body", "\uffff")]


def test_raw_bytes_capture_nothing() -> None:
    body = {"kind": "raw", "base64": "", "contentType": "text/plain"}
    step = {"inputBinding": transport_binding(body=body)}
    assert list(captured_bindings(step)) == []


def test_inherited_names_read_as_declared_unless_declared_otherwise() -> None:
    assert declared_type({}, "constructor").type == "function Object() { [native code] }"
    assert declared_type({}, "__proto__").type == "[object Object]"
    assert declared_type({"valueOf": "number"}, "valueOf").type == "number"
    assert declared_type({"valueOf": None}, "valueOf") == (None, "declares indeterminate")
    assert declared_type({}, "other") == (None, "does not declare")
