"""The order of the checks is their only priority."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.compile import CHECKS, compile_contract
from eval_quality.errors import PreconditionError, RuntimeFault
from tests.compile.refusals import compiled, refusal
from tests.contracts import keyed_shape, minimal_contract


def test_a_sound_contract_comes_back_as_it_was() -> None:
    contract = minimal_contract()
    before = copy.deepcopy(contract)
    assert compiled(contract) == before
    assert compiled(contract, strict=False) == before
    assert contract == before


def test_only_the_checks_on_undeclared_inputs_are_strict() -> None:
    assert [check.name for check in CHECKS if check.strict_only] == [
        "undeclared mandatory input",
        "sensitivity witness declared",
    ]
    assert len({check.name for check in CHECKS}) == len(CHECKS) == 33


def test_an_earlier_check_speaks_first() -> None:
    contract = minimal_contract(forbiddenInputs=[])
    assert refusal(contract)[0] == "forbidden-input-floor-incomplete"
    contract["interactionPlan"][0]["inputBinding"]["body"]["sugar"] = {"literal": 1}
    assert refusal(contract)[0] == "undeclared-mandatory-input"
    assert refusal(contract, strict=False)[0] == "forbidden-input-floor-incomplete"
    contract["behaviors"][1]["riskLinks"] = []
    assert refusal(contract)[0] == "missing-requirement-linkage"


def test_the_kind_of_an_interface_is_checked_after_its_evidence() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["kind"] = "web"
    assert refusal(contract) == (
        "unsupported-interface-kind",
        "permittedInterfaces[logicalId=shop-api].kind",
        '"web" is not supported; "api", "cli" and "mcp" are (AD-10)',
    )
    contract["rubrics"][0]["criteria"][0]["evidence"] = "/interactions/nowhere/stdout"
    assert refusal(contract)[0] == "unsupported-interface-kind"
    contract["oracles"][0]["check"]["operands"][0]["pointer"] = "/interactions/nowhere/stdout"
    assert refusal(contract)[0] == "unreachable-check-evidence"


def test_a_reset_is_held_to_its_inputs_in_both_modes() -> None:
    contract = minimal_contract()
    contract["fixtureReset"]["inputs"]["arguments"]["hard"] = True
    assert refusal(contract, strict=False) == (
        "undeclared-mandatory-input",
        "fixtureReset.inputs",
        'the fixture reset supplies "hard", which operation "reset-shop" declares in neither requiredKeys nor '
        "permittedKeys of its arguments channel (AD-10, AD-18)",
    )


def test_the_core_stage_reads_the_stamp_too() -> None:
    contract: EvalContract = parse(EvalContract, minimal_contract(schemaVersion=6), "EvalContract")
    with pytest.raises(RuntimeFault, match='carries "schemaVersion" 6 where this build reads 7'):
        compile_contract(contract)


def test_a_nested_quantifier_below_a_scalar_channel_is_a_precondition_error() -> None:
    contract = minimal_contract()
    inner: dict[str, Any] = {
        "op": "for-all",
        "collection": {"pointer": "@/x"},
        "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]},
    }
    contract["oracles"][0]["check"] = {
        "op": "for-any",
        "collection": {"pointer": "/interactions/place/response-status"},
        "predicate": inner,
    }
    with pytest.raises(PreconditionError) as caught:
        compiled(contract)
    assert str(caught.value) == (
        "not an interaction-rooted evidence pointer of a recognized channel: /interactions/place/response-status/x"
    )
    inner["collection"]["pointer"] = "@/"
    assert refusal(contract)[0] == "quantifier-nesting-exceeded"


def test_an_operation_without_a_witness_needs_no_keys() -> None:
    contract = minimal_contract()
    reset = contract["permittedInterfaces"][2]["operations"][0]
    reset["requestShape"]["arguments"] = keyed_shape(permitted={"hard": "boolean"})
    code, path, detail = refusal(contract)
    assert (code, path) == ("undeclared-mandatory-input", "permittedInterfaces[2].operations[0]")
    assert detail.startswith(
        'operation "reset-shop" declares request keys but no sensitivity witness; only an operation'
    )
    compiled(contract, strict=False)
