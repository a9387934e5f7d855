"""Briefs: what they hold, what they keep back, and what cannot be sealed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from eval_quality import stages
from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.canonical import digest_artifact, serialize
from eval_quality.errors import PreconditionError, RuntimeFault
from eval_quality.seal import seal_contract
from tests.contracts import Json, minimal_contract, oracle
from tests.seal.plans import create, literal, shop_contract


def sealed(contract: Json) -> Json:
    parsed: EvalContract = parse(EvalContract, contract, "EvalContract")
    return dict(seal_contract(parsed))


def existence(identifier: str, target: str = "/interactions/make/response-body/id", **changes: Any) -> Json:
    return oracle(identifier, {"op": "existence", "operands": [{"pointer": target}]}, target, **changes)


def shop(**changes: Any) -> Json:
    return shop_contract(create("make", qty=literal(2)), oracles=[existence("O-001")]) | changes


def test_a_brief_holds_twelve_fields() -> None:
    contract = minimal_contract(
        scopedResources=[{"reference": "shop:z", "kind": "database"}, {"reference": "shop:a", "kind": "bucket"}],
        safetyLimits=["b", "a", "b"],
    )
    contract["testData"]["principals"] = {"owner": {"kind": "staff"}, "barista": {"kind": "staff"}}
    brief = sealed(contract)
    holds = "The declared polarity expects this relation to hold."
    assert brief == {
        "schemaVersion": 2,
        "parentDigest": None,
        "revisionCount": 0,
        "contractDigest": digest_artifact(contract, "EvalContract"),
        "behaviors": contract["behaviors"],
        "directions": [
            {
                "oracleId": "O-001",
                "text": "Its tea field from the place order endpoint (with the supplied body cups and the supplied "
                f"body tea) is asserted to be equal. {holds}",
            },
            {
                "oracleId": "O-002",
                "text": "Every element reachable through its orders field from the list orders endpoint (with the "
                "supplied path shop and the supplied query after) is asserted to meet the declared condition. "
                f"{holds}",
            },
            {
                "oracleId": "O-003",
                "text": "The rows field of its standard output from the export orders command (with the supplied "
                f'option format) is asserted to satisfy the declared "covers-by-key" condition. {holds}',
            },
        ],
        "permittedInterfaces": [
            {"logicalId": "shop-api", "kind": "api"},
            {"logicalId": "shop-cli", "kind": "cli"},
            {"logicalId": "shop-tools", "kind": "mcp"},
        ],
        "scopedResources": [{"reference": "shop:a", "kind": "bucket"}, {"reference": "shop:z", "kind": "database"}],
        "principals": ["barista", "owner"],
        "budgets": contract["budgets"],
        "safetyLimits": ["a", "b", "b"],
        "probeStepBound": 4,
    }


def test_directions_are_sorted_as_texts() -> None:
    brief = sealed(shop(oracles=[existence(each) for each in ("O-999", "O-101", "O-1000")]))
    assert [each["oracleId"] for each in brief["directions"]] == ["O-1000", "O-101", "O-999"]


def test_texts_are_sorted_by_utf_16_units() -> None:
    assert sealed(shop(safetyLimits=["\uffff", "\U00010000", "z"]))["safetyLimits"] == ["z", "\U00010000", "\uffff"]


def test_the_order_an_author_chose_shows_in_behaviors_and_digest_only() -> None:
    contract = minimal_contract(safetyLimits=["a", "b"], scopedResources=[{"reference": "r", "kind": "k"}])
    mirrored = contract | {name: value[::-1] for name, value in contract.items() if isinstance(value, list)}
    brief, other = sealed(contract), sealed(mirrored)
    assert brief["contractDigest"] != other["contractDigest"]
    assert brief["behaviors"] == other["behaviors"][::-1]
    kept = {"contractDigest": None, "behaviors": None}
    assert brief | kept == other | kept


def test_the_contract_stays_as_it_is() -> None:
    contract = minimal_contract()
    before = copy.deepcopy(contract)
    sealed(contract)
    assert contract == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"oracles": [existence("O-001", direction=None)]}, "oracle O-001 reached seal() with a null direction"),
        ({"oracles": [existence("O-001")] * 2}, "duplicate oracleId in sealed brief input: O-001"),
        (
            {"scopedResources": [{"reference": "r", "kind": "a"}, {"reference": "r", "kind": "b"}]},
            "duplicate scopedResources reference in sealed brief input: r",
        ),
        (
            {"oracles": []},
            'seal() assembled a brief that failed SealedEvaluatorBrief validation: 1 issue, first at "directions"',
        ),
        (
            {"interactionPlan": [create("make", qty=literal(2))] * 2},
            "duplicate interaction step id: make",
        ),
        (
            {"oracles": [existence("O-001", "/interactions/gone/stdout")]},
            "evidence target names a step the interaction plan does not declare: gone",
        ),
    ],
)
def test_what_cannot_be_told_is_a_defect_of_the_caller(changes: Json, message: str) -> None:
    with pytest.raises(PreconditionError) as caught:
        sealed(shop(**changes))
    assert str(caught.value) == message


def test_an_interface_declared_twice_cannot_be_sealed() -> None:
    contract = shop()
    contract["permittedInterfaces"].append({"logicalId": "api", "kind": "api", "operations": []})
    with pytest.raises(PreconditionError, match="duplicate permittedInterfaces logicalId in sealed brief input: api"):
        sealed(contract)


def test_a_value_outside_the_canonical_domain_cannot_be_sealed() -> None:
    contract = shop(interactionPlan=[create("make", qty=literal("\ud800"))])
    with pytest.raises(RuntimeFault, match="non-canonicalizable-value in EvalContract"):
        sealed(contract)


def test_the_entry_point_seals_what_compiles() -> None:
    contract = minimal_contract()
    brief: Any = stages.seal(contract)
    assert serialize(brief, "SealedEvaluatorBrief") == serialize(sealed(contract), "SealedEvaluatorBrief")


def test_the_entry_point_turns_a_defect_into_a_fault() -> None:
    contract = minimal_contract()
    contract["oracles"].append(contract["oracles"][0])
    with pytest.raises(RuntimeFault) as caught:
        stages.seal(contract)
    assert str(caught.value) == (
        "schema-parse-failure in EvalContract: the contract compiles but cannot be sealed: "
        "duplicate oracleId in sealed brief input: O-001"
    )
