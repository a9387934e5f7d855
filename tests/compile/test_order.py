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
from tests.contracts import Json, keyed_shape, minimal_contract, oracle, reset_tool_operation


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


NOWHERE = "/interactions/nowhere/stdout"
RESET = "/interactions/{}/response-body/done"


def exists(pointer: str) -> Json:
    return {"op": "existence", "operands": [{"pointer": pointer}]}


def reset_step(name: str, after: str | None = None) -> Json:
    """A step that runs the reset of the shop."""
    return {
        "stepId": name,
        "interfaceId": "shop-tools",
        "operationId": "reset-shop",
        "inputBinding": {"arguments": None},
        "after": after,
        "cardinality": "any",
    }


class Defects:
    """One defect for each check, row by row; a contract may have them all at once."""

    def __init__(self) -> None:
        self.contract = minimal_contract()
        self.behaviors, self.oracles = self.contract["behaviors"], self.contract["oracles"]
        self.interfaces, self.plan = self.contract["permittedInterfaces"], self.contract["interactionPlan"]
        (self.rubric,) = self.contract["rubrics"]

    def check(self, identifier: str, check: Json) -> None:
        self.oracles.append(oracle(identifier, check))

    def row_2(self) -> str:
        self.interfaces.append({"logicalId": "shop-api", "kind": "api", "operations": []})
        return "duplicate-interface-identifier in permittedInterfaces[4].logicalId"

    def row_3(self) -> str:
        self.behaviors[1]["riskLinks"] = []
        return "missing-requirement-linkage in behaviors[id=B-002]"

    def row_4(self) -> str:
        self.behaviors[0]["observableSuccessCriterion"] = None
        return "no-observable-success-criterion in behaviors[id=B-001].observableSuccessCriterion"

    def row_5(self) -> str:
        command = self.interfaces[1]["operations"][0]
        command["descriptorChannel"] = {"kind": "artifact", "artifactId": "ghost"}
        place = "permittedInterfaces[logicalId=shop-cli].operations[operationId=export-orders]"
        return f"unresolved-artifact-reference in {place}.descriptorChannel.artifactId"

    def row_6(self) -> str:
        self.check("O-006", exists(NOWHERE))
        return "unreachable-check-evidence in oracles[id=O-006].check.operands[0]"

    def row_7(self) -> str:
        self.plan[2]["inputBinding"]["option"]["format"] = {"captured": NOWHERE}
        return 'unreachable-check-evidence in interactionPlan[stepId=export].inputBinding.option["format"]'

    def row_8(self) -> str:
        self.check("O-008", exists("@/x"))
        return "malformed-operator-expression in oracles[id=O-008].check.operands[0]"

    def row_9(self) -> str:
        self.check("O-009", {"op": "absence", "operands": [{"literal": 1}]})
        return "malformed-operator-expression in oracles[id=O-009].check.operands[0]"

    def row_10(self) -> str:
        tea = {"pointer": "/interactions/place/response-body/tea"}
        self.check("O-010", {"op": "regex", "operands": [tea], "pattern": "^a|b$"})
        return "malformed-operator-expression in oracles[id=O-010].check.pattern"

    def row_11(self) -> str:
        self.oracles[1]["check"]["collection"]["pointer"] = "/interactions/list/response-body/total"
        return "quantifier-over-non-collection in oracles[id=O-002].check.collection"

    def row_12(self) -> str:
        check = self.oracles[1]["check"]
        check["predicate"] = check | {"collection": {"pointer": "@/lines"}}
        return "quantifier-nesting-exceeded in oracles[id=O-002].check.predicate"

    def row_13(self) -> str:
        self.oracles[2]["check"]["operands"][0] = {"referenceSet": "no-menu"}
        return "unresolved-reference-set in oracles[id=O-003].check.operands[0]"

    def row_14(self) -> str:
        self.interfaces[2]["operations"].append(reset_tool_operation() | {"operationId": "reset-again"})
        place = "permittedInterfaces[logicalId=shop-tools].operations[operationId=reset-again]"
        return f"duplicate-operation-signature in {place}"

    def row_15a(self) -> str:
        self.plan[0]["inputBinding"]["body"]["sugar"] = {"literal": 1}
        return 'undeclared-mandatory-input in interactionPlan[stepId=place].inputBinding.body["sugar"]'

    def row_15b(self) -> str:
        self.interfaces[2]["operations"][0]["requestShape"]["arguments"] = keyed_shape(permitted={"soft": "boolean"})
        return "undeclared-mandatory-input in permittedInterfaces[2].operations[0]"

    def row_16(self) -> str:
        self.oracles[1]["direction"] = None
        return "oracle-missing-channel in oracles[id=O-002].direction"

    def row_17(self) -> str:
        self.oracles[0]["polarity"] = "expects-violation"
        return "direction-check-misaligned in oracles[id=O-001].direction.polarity"

    def row_18(self) -> str:
        self.interfaces.append({"logicalId": "shop-web", "kind": "web", "operations": []})
        return "unsupported-interface-kind in permittedInterfaces[logicalId=shop-web].kind"

    def row_19(self) -> str:
        self.plan += [reset_step("first"), reset_step("second", "first"), reset_step("third", "second")]
        return "nested-temporal-clause in interactionPlan[stepId=third].after"

    def row_20(self) -> str:
        self.plan += [reset_step(f"more-{number}") for number in range(14)]
        return "plan-exceeds-scripting-bound in interactionPlan"

    def row_21(self) -> str:
        self.plan[0]["inputBinding"]["body"]["tea"] = {"captured": "/interactions/list/response-status"}
        return 'binding-cycle in interactionPlan[stepId=place].inputBinding.body["tea"]'

    def row_22(self) -> str:
        self.plan[1]["inputBinding"]["query"]["after"] = {"captured": "/interactions/place/response-status"}
        return 'captured-channel-undeclared in interactionPlan[stepId=list].inputBinding.query["after"]'

    def row_23(self) -> str:
        self.rubric["criteria"].append(self.rubric["criteria"][0])
        return "rubric-unanchored in rubrics[id=R-001].criteria[1].id"

    def row_24(self) -> str:
        self.rubric["scaleLevels"][0]["anchor"] = "gives a rationale"
        return "rubric-scores-reasoning-prose in rubrics[id=R-001].scaleLevels[0].anchor"

    def row_25(self) -> str:
        self.rubric["maxLength"] = None
        return "rubric-unanchored in rubrics[id=R-001].maxLength"

    def row_26(self) -> str:
        self.rubric["criteria"][0]["evidence"] = NOWHERE
        return "rubric-evidence-unreachable in rubrics[id=R-001].criteria[id=RC-001].evidence"

    def row_27(self) -> str:
        self.contract["forbiddenInputs"].clear()
        return "forbidden-input-floor-incomplete in forbiddenInputs"

    def row_28(self) -> str:
        self.contract["safetyLimits"].append("a@b.co")
        return "excluded-content-in-declaration in safetyLimits[1]"

    def row_29(self) -> str:
        self.contract["testData"]["resources"] = {"till": {"kind": "cash"}}
        return 'scoped-reference-resolves-forbidden in testData.resources["till"]'

    def row_30(self) -> str:
        self.contract["waivers"][0]["approval"] = None
        return "waiver-incomplete in waivers[id=W-001].approval"

    def row_31(self) -> str:
        self.plan += [reset_step("once"), reset_step("again")]
        targets = RESET.format("once"), RESET.format("again")
        self.oracles.append(oracle("O-031", {"op": "all", "operands": list(map(exists, targets))}, *targets))
        return "irreducible-step-reference in oracles[id=O-031].direction.evidenceTargets"

    def row_32(self) -> str:
        self.contract["fixtureReset"]["legId"] = "place"
        return "malformed-operator-expression in fixtureReset.legId"

    def row_33(self) -> str:
        self.contract["fixtureReset"]["inputs"]["arguments"]["hard"] = True
        return "undeclared-mandatory-input in fixtureReset.inputs"


ROWS = [name for name in vars(Defects) if name.startswith("row_")]


@pytest.mark.parametrize("strict", [True, False])
def test_every_check_speaks_before_those_that_follow_it(strict: bool) -> None:
    """Spec 05, section 4: a contract with the defects of a row and of every later one is refused for that row."""
    defects = Defects()
    assert len(ROWS) == len(CHECKS)
    for row in reversed(ROWS):
        told = getattr(defects, row)()
        if strict or not row.startswith("row_15"):
            assert " in ".join(refusal(defects.contract, strict=strict)[:2]) == told, row


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
