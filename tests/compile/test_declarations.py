"""Behaviors, oracles, interfaces, plans, rubrics and what a contract must not hold."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.compile.rubrics import find_reasoning_prose_term
from tests.compile.refusals import compiled, refusal
from tests.contracts import (
    Json,
    differs,
    list_orders_operation,
    minimal_contract,
    reset_tool_operation,
    transport_binding,
)


def test_a_behavior_comes_from_somewhere_and_shows() -> None:
    contract = minimal_contract()
    contract["behaviors"][0]["observableSuccessCriterion"] = ""
    compiled(contract)
    contract["behaviors"][0]["observableSuccessCriterion"] = None
    assert refusal(contract) == (
        "no-observable-success-criterion",
        "behaviors[id=B-001].observableSuccessCriterion",
        "declares no observable success criterion (AD-19)",
    )


def test_interface_identifiers_are_unique() -> None:
    contract = minimal_contract()
    for position in (0, 2):
        contract["permittedInterfaces"][position]["logicalId"] = "one"
    assert refusal(contract) == (
        "duplicate-interface-identifier",
        "permittedInterfaces[2].logicalId",
        '"one" is already the identifier of permittedInterfaces[0]; an interface\'s identifier is unique across the '
        "contract, so permittedInterfaces[0] and permittedInterfaces[2] cannot both carry it (AD-19)",
    )


def test_operations_collide_when_only_parameter_names_differ() -> None:
    contract = minimal_contract()
    again = list_orders_operation() | {"operationId": "list-again", "pathTemplate": "/shops/{id}/orders"}
    again["sensitivityWitness"] = None
    contract["permittedInterfaces"].append({"logicalId": "more", "kind": "api", "operations": [again]})
    assert refusal(contract) == (
        "duplicate-operation-signature",
        "permittedInterfaces[logicalId=more].operations[operationId=list-again]",
        "collides with permittedInterfaces[logicalId=shop-api].operations[operationId=list-orders] after "
        'parameter-name erasure ("GET /shops/{}/orders") among api-shaped operations (AD-19, AD-40)',
    )


def test_an_operation_declared_twice_collides_with_itself() -> None:
    """Spec 05, section 4: a repeated identifier has no code of its own."""
    contract = minimal_contract()
    contract["permittedInterfaces"][2]["operations"].append(reset_tool_operation())
    assert refusal(contract) == (
        "duplicate-operation-signature",
        "permittedInterfaces[logicalId=shop-tools].operations[operationId=reset-shop]",
        "collides with permittedInterfaces[logicalId=shop-tools].operations[operationId=reset-shop] on the identity it "
        'renders ("reset_shop") among mcp-shaped operations (AD-19, AD-40)',
    )


def test_tools_collide_by_name_and_only_with_tools() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][1]["operations"][0]["invocation"] = {
        "executable": "reset-shop",
        "subcommandPath": [],
    }
    contract["permittedInterfaces"][2]["operations"][0]["toolName"] = "reset-shop"
    compiled(contract)
    again = reset_tool_operation() | {"operationId": "again", "toolName": "reset-shop"}
    contract["permittedInterfaces"][2]["operations"].append(again)
    assert refusal(contract)[2] == (
        "collides with permittedInterfaces[logicalId=shop-tools].operations[operationId=reset-shop] on the identity it "
        'renders ("reset-shop") among mcp-shaped operations (AD-19, AD-40)'
    )


@pytest.mark.parametrize("channel", ["direction", "check"])
def test_an_oracle_has_both_channels(channel: str) -> None:
    contract = minimal_contract()
    contract["oracles"][1][channel] = None
    assert refusal(contract) == (
        "oracle-missing-channel",
        f"oracles[id=O-002].{channel}",
        f"omits its {channel} (AD-3)",
    )


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (
            {"evidenceTargets": ["/interactions/place/response-body"]},
            '"/interactions/place/response-body" is not contained in check, even after quantifier substitution (AD-3)',
        ),
        ({"relation": "regex", "evidenceTargets": ["/interactions/list/response-body/orders/tea"]}, None),
        ({"relation": "any"}, '"any" does not appear anywhere in check (AD-3)'),
        (
            {"polarity": "expects-violation"},
            '"expects-violation" disagrees with the oracle\'s own polarity "expects-hold" (AD-3, AD-33)',
        ),
        ({"evidenceTargets": []}, None),
    ],
)
def test_a_direction_agrees_with_its_check(change: Json, detail: str | None) -> None:
    contract = minimal_contract()
    contract["oracles"][1]["direction"].update(change)
    if detail is None:
        compiled(contract)
    else:
        code, path, found = refusal(contract)
        assert (code, found) == ("direction-check-misaligned", detail)
        assert path == f"oracles[id=O-002].direction.{next(iter(change))}"


def test_a_principal_is_declared() -> None:
    contract = minimal_contract()
    contract["interactionPlan"][0]["inputBinding"]["header"] = {"x-trace": {"principal": "barista"}}
    compiled(contract)
    contract["testData"]["principals"] = None
    assert refusal(contract) == (
        "undeclared-mandatory-input",
        'interactionPlan[stepId=place].inputBinding.header["x-trace"]',
        'binds the principal "barista", which testData.principals does not declare (AD-4, AD-19)',
    )


def test_raw_bytes_state_their_content_type_once() -> None:
    contract = minimal_contract()
    raw = {"kind": "raw", "base64": "", "contentType": "text/plain"}
    contract["interactionPlan"][0]["inputBinding"] = transport_binding(body=raw, header={"x-trace": {"literal": 1}})
    compiled(contract)
    contract["interactionPlan"][0]["inputBinding"]["header"] = {"Content-TYPE": {"literal": "x"}}
    assert refusal(contract) == (
        "undeclared-mandatory-input",
        "interactionPlan[stepId=place].inputBinding.header",
        "a Content-Type header is bound alongside raw body bytes; the raw body declares its own content type (AD-4)",
    )


def planned(*after: int | None) -> Json:
    """A contract whose plan goes on with steps that follow the added step of that position."""
    contract = minimal_contract()
    contract["interactionPlan"] += [
        {
            "stepId": f"s{position}",
            "interfaceId": "shop-tools",
            "operationId": "reset-shop",
            "inputBinding": {"arguments": None},
            "after": None if anchor is None else f"s{anchor}",
            "cardinality": "any",
        }
        for position, anchor in enumerate(after)
    ]
    return contract


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ((None, 0, 0), None),
        ((None, 0, 0, 0), "one step anchors 3 other steps, past the published width bound of 2"),
        ((None, 0, 0, None, 3, 3), None),
        (
            (None, 0, 0, None, 3, 3, None, 6, 6),
            "3 steps each anchor more than one other step, past the published bound of 2 shared anchors",
        ),
        ((None, 0, None, 2, None, 4), None),
        ((None, 0, 0, None, 3, 3, None, 6, None, 8), None),
        (
            (None, 0, None, 2, None, 4, None, 6),
            "5 mutually disjoint two-step witness pairs appear in one plan, past the published bound of 4",
        ),
        ((None,) * 13, None),
        (
            (None,) * 14,
            "the plan declares 17 steps, past the published bound of 16: an exhaustive operation inventory rather than "
            "a bounded set of witness relations",
        ),
    ],
)
def test_a_plan_scripts_little(after: tuple[int | None, ...], text: str | None) -> None:
    """The contract's own plan holds one pair already."""
    if text is None:
        compiled(planned(*after))
    else:
        assert refusal(planned(*after)) == (
            "plan-exceeds-scripting-bound",
            "interactionPlan",
            f"{text} (AD-5, AD-39)",
        )


@pytest.mark.parametrize("after", [(None, 0, 1), (0, 0)])
def test_temporal_clauses_do_not_chain(after: tuple[int | None, ...]) -> None:
    code, path, detail = refusal(planned(*after))
    assert (code, path) == ("nested-temporal-clause", f"interactionPlan[stepId=s{0 if after[0] == 0 else 2}].after")
    assert detail.endswith("which itself carries a temporal clause; a chain may not nest more than one level (AD-39)")


def test_a_clause_that_names_no_single_step_is_none() -> None:
    contract = planned(None, 0, 1)
    contract["interactionPlan"].append(contract["interactionPlan"][-2])
    compiled(contract)


@pytest.mark.parametrize(
    ("change", "path", "detail"),
    [
        ({"scaleLevels": None}, "scaleLevels", "declares no anchored scale levels"),
        ({"scaleLevels": []}, "scaleLevels", "declares no anchored scale levels"),
        (
            {"scaleLevels": [{"level": 2, "anchor": "\u200b"}, {"level": 2, "anchor": ""}]},
            "scaleLevels[1].level",
            "repeats scale-level ordinal 2, so the ordinal addresses two anchors",
        ),
        (
            {"scaleLevels": [{"level": 2, "anchor": " \u200d\ufeff\u3000"}]},
            "scaleLevels[0].anchor",
            "states no observable condition, so the level is unanchored",
        ),
        ({"scaleLevels": [{"level": 2, "anchor": "\x1c"}]}, None, None),
        ({"scaleLevels": [{"level": 2, "anchor": "\x85"}]}, None, None),
        ({"maxLength": None}, "maxLength", "declares no bounded length"),
        ({"failureModePenalties": None}, "failureModePenalties", "names no failure-mode penalties"),
        (
            {"failureModePenalties": [{"name": " ", "description": ""}]},
            "failureModePenalties[0].name",
            "is blank, so the penalty is unnamed",
        ),
        ({"criteria": []}, None, None),
    ],
)
def test_a_rubric_is_anchored(change: Json, path: str | None, detail: str | None) -> None:
    contract = minimal_contract()
    contract["rubrics"][0].update(change)
    if path is None:
        compiled(contract)
    else:
        assert refusal(contract) == ("rubric-unanchored", f"rubrics[id=R-001].{path}", f"{detail} (AD-22)")


def test_rubrics_and_criteria_are_told_apart() -> None:
    contract = minimal_contract()
    criteria = contract["rubrics"][0]["criteria"]
    criteria.append(criteria[0] | {"text": "\u200c"})
    assert refusal(contract)[1:] == (
        "rubrics[id=R-001].criteria[1].id",
        'repeats criterion id "RC-001" inside one rubric (AD-22)',
    )
    criteria[1]["id"] = "RC-002"
    assert refusal(contract)[1:] == (
        "rubrics[id=R-001].criteria[id=RC-002].text",
        "states no question, so the criterion is unanchored (AD-22)",
    )
    contract["rubrics"].append(contract["rubrics"][0])
    assert refusal(contract)[1:] == (
        "rubrics[1].id",
        'repeats rubric id "R-001", which a finding could then cite ambiguously (AD-22)',
    )


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("score the Chain\u2011of - Thought", "Chain\u2011of - Thought"),
        ("inner\ufeffmonologues", "inner\ufeffmonologues"),
        ("\u00e9reasoning", "reasoning"),
        ("thought processing", "thought processing"),
        ("RATIONALES", "RATIONALES"),
        ("thinking processing", None),
        ("_reasoning", None),
        ("rea\u017foning", None),
        ("chain\x1cof\x1cthought", None),
        ("self\u0085explanation", None),
        ("chainofthought", None),
        ("reason", None),
    ],
)
def test_reasoning_prose(text: str, term: str | None) -> None:
    assert find_reasoning_prose_term(text) == term


def test_a_rubric_does_not_score_reasoning() -> None:
    contract = minimal_contract()
    contract["rubrics"][0]["failureModePenalties"][0]["description"] = "hides its Inner Monologue"
    assert refusal(contract) == (
        "rubric-scores-reasoning-prose",
        "rubrics[id=R-001].failureModePenalties[0].description",
        'scores stated-reasoning prose: matched "Inner Monologue" (AD-17, AD-22)',
    )


def test_excluded_content_is_reported_where_the_schema_puts_it() -> None:
    limits: Json = {"safetyLimits": ["ask ada@example.com"]}
    contract = limits | minimal_contract(**limits)
    code, path, detail = refusal(contract)
    assert (code, path) == ("excluded-content-in-declaration", "safetyLimits[0]")
    assert detail.startswith("carries a value shaped like email addresses, which AD-18 excludes from every artifact")
    assert "ada" not in detail
    contract["behaviors"][0]["description"] = "123-45-6789"
    assert refusal(contract)[1] == "behaviors[0].description"


def test_nothing_may_be_consulted() -> None:
    contract = minimal_contract()
    contract["testData"]["resources"] = {"b": {"kind": "file"}, "a": {"kind": "file"}}
    assert refusal(contract) == (
        "scoped-reference-resolves-forbidden",
        'testData.resources["a"]',
        'declared test-data resource "a" is a scoped resource reference and is forbidden (AD-16)',
    )
    contract["scopedResources"] = [{"reference": "wiki", "kind": "page"}]
    assert refusal(contract)[1:] == (
        "scopedResources[0].reference",
        'scoped resource reference "wiki" is forbidden (AD-16)',
    )


@pytest.mark.parametrize("part", ["rule", "rationale", "approval", "expiresAt"])
def test_a_waiver_is_complete(part: str) -> None:
    contract = minimal_contract()
    contract["waivers"][0][part] = None
    assert refusal(contract) == (
        "waiver-incomplete",
        f"waivers[id=W-001].{part}",
        f"a waiver requires {part}; AD-5 requires the named rule, an explicit rationale, the recorded approval, and an "
        "RFC 3339 expiry",
    )


def test_steps_of_one_direction_can_be_told_apart() -> None:
    contract = minimal_contract()
    plan: list[Any] = contract["interactionPlan"]
    plan.append(plan[0] | {"stepId": "again"})
    oracle = contract["oracles"][0]
    targets = [f"/interactions/{step}/response-body/tea" for step in ("place", "again")]
    oracle["check"] = differs(*targets)
    oracle["direction"].update(evidenceTargets=targets, relation="not")
    code, path, detail = refusal(contract)
    assert (code, path) == ("irreducible-step-reference", "oracles[id=O-001].direction.evidenceTargets")
    assert detail.startswith('two or more steps invoking operation "place-order" that one direction references render')
    plan[-1]["inputBinding"] = transport_binding(body={"tea": {"literal": "sencha"}})
    compiled(contract)
