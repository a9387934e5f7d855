"""Which legs and checks are planned, and what no plan can be made from."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import EvalQualityError, RuntimeFault, StructuralFailure
from eval_quality.preflight.plan import (
    CleanControl,
    InputSensitivity,
    InterfacePresent,
    SeededFaultFired,
    SeededFaultsScoped,
    StateReset,
)
from tests.contracts import Json, differs, keyed_shape, minimal_contract, response, transport_inputs

from .environments import defect, lost_order, planned, probe


def operation(identifier: str, *, changes_state: bool, path: Json | None = None, **changes: Any) -> Json:
    return {
        "operationId": identifier,
        "method": "POST" if changes_state else "GET",
        "pathTemplate": f"/{identifier}" + "".join(f"/{{{key}}}" for key in path or {}),
        "stateChangeMarker": changes_state,
        "requestShape": {
            "path": keyed_shape(path),
            "query": keyed_shape(),
            "header": keyed_shape(),
            "body": keyed_shape(),
        },
        "responseDescriptor": response(permitted={"id": "string"}),
        "volatilePointers": [],
        "sensitivityWitness": None,
    } | changes


def items_contract() -> Json:
    """One interface: a read that takes an id, a write and a reset that take nothing."""
    witness = {
        "witnessId": "id-varies",
        "channel": "path",
        "legs": [{"legId": f"get-{key}", "inputs": transport_inputs(path={"id": key})} for key in ("a", "b")],
        "relation": differs("/interactions/get-a/response-body/id", "/interactions/get-b/response-body/id"),
    }
    step = {
        "stepId": "preflight-control-mutate",
        "interfaceId": "items-api",
        "operationId": "put-item",
        "inputBinding": {"path": None, "query": None, "header": None, "body": None},
        "after": None,
        "cardinality": "any",
    }
    operations = [
        operation("get-item", changes_state=False, path={"id": "string"}, sensitivityWitness=witness),
        operation("put-item", changes_state=True),
        operation("reset-all", changes_state=True),
    ]
    return minimal_contract(
        permittedInterfaces=[{"logicalId": "items-api", "kind": "api", "operations": operations}],
        interactionPlan=[step],
        fixtureReset={
            "legId": "reset-leg",
            "interfaceId": "items-api",
            "operationId": "reset-all",
            "inputs": transport_inputs(),
        },
    )


def item_fault(leg_id: str = "fault-1", **changes: Any) -> Json:
    return {
        "legId": leg_id,
        "interfaceId": "items-api",
        "operationId": "get-item",
        "inputs": transport_inputs(path={"id": "bad"}),
        "relation": {"op": "existence", "operands": [{"pointer": f"/interactions/{leg_id}/response-body/id"}]},
    } | changes


def refused(contract: Json, *probes: Json) -> tuple[str, str, str]:
    with pytest.raises(EvalQualityError) as caught:
        planned(contract, *probes)
    return caught.value.code, caught.value.artifact_path, caught.value.detail


def test_the_order_of_legs_and_checks() -> None:
    plan = planned(items_contract(), probe(defect("D-001", item_fault()), defect("D-002", None)))
    assert [(leg.leg_id, leg.purpose) for leg in plan.legs] == [
        ("get-a", "sensitivity"),
        ("get-b", "sensitivity"),
        ("preflight-control-observe", "control-observe"),
        ("preflight-control-mutate-2", "control-mutate"),
        ("reset-leg", "control-reset"),
        ("preflight-control-observe-2", "control-observe"),
        ("fault-1", "seeded-fault"),
    ]
    clean = ("get-a", "get-b", "preflight-control-observe", "preflight-control-observe-2")
    controls = (
        "preflight-control-observe",
        "preflight-control-mutate-2",
        "reset-leg",
        "preflight-control-observe-2",
    )
    get, put, reset = (leg.operation for leg in (plan.legs[0], plan.legs[3], plan.legs[4]))
    assert list(plan.checks) == [
        InterfacePresent("items-api", "get-item", (*clean, "fault-1")),
        InterfacePresent("items-api", "put-item", ("preflight-control-mutate-2",)),
        InterfacePresent("items-api", "reset-all", ("reset-leg",)),
        InputSensitivity("items-api", "get-item", get["sensitivityWitness"], get),
        InputSensitivity("items-api", "put-item", None, put),
        InputSensitivity("items-api", "reset-all", None, reset),
        StateReset(("preflight-control-observe", "preflight-control-observe-2")),
        CleanControl(controls),
        SeededFaultsScoped("D-001", item_fault(), get, clean),
        SeededFaultFired("D-001", item_fault(), get),
        SeededFaultFired("D-002"),
    ]


def test_a_later_defect_counts_the_legs_of_the_earlier_ones_as_clean() -> None:
    plan = planned(items_contract(), probe(*(defect(f"D-00{n}", item_fault(f"fault-{n}")) for n in (1, 2))))
    clean = [check.clean_leg_ids for check in plan.checks if isinstance(check, SeededFaultsScoped)]
    assert clean[1] == (*clean[0], "fault-1")


def test_requests_by_kind_of_operation() -> None:
    requests = {leg.leg_id: leg.request for leg in planned().legs}
    assert requests["list-5"] == {
        "probeId": "list-5",
        "interfaceId": "shop-api",
        "operationId": "list-orders",
        "kind": "api",
        "method": "GET",
        "pathTemplate": "/shops/{shop}/orders",
        "channels": transport_inputs(path={"shop": "harbour"}, query={"limit": 5}),
    }
    assert requests["export-full"] == {
        "probeId": "export-full",
        "interfaceId": "shop-cli",
        "operationId": "export-orders",
        "kind": "cli",
        "executable": "shop",
        "subcommandPath": ["orders", "export"],
        "channels": {"argument": {}, "option": {"format": "full"}, "environment": {}, "stdin": {"kind": "absent"}},
    }
    assert requests["reset"] == {
        "probeId": "reset",
        "interfaceId": "shop-tools",
        "operationId": "reset-shop",
        "kind": "mcp",
        "toolName": "reset_shop",
        "channels": {"arguments": {}},
    }


def test_a_raw_body_travels_unchanged() -> None:
    raw = {"kind": "raw", "base64": "AA==", "contentType": "application/octet-stream"}
    witness = item_fault(inputs=transport_inputs(path={"id": "a"}, body=raw))
    plan = planned(items_contract(), probe(defect("D-001", witness)))
    assert plan.legs[-1].request["channels"]["body"] == raw  # type: ignore[typeddict-item]


def test_a_clean_probe_plans_nothing() -> None:
    clean = probe(expectedClean=True)
    del clean["defectSignature"]
    assert planned(items_contract(), clean).checks == planned(items_contract()).checks


def test_without_a_reset_the_fixture_is_only_observed() -> None:
    plan = planned(items_contract() | {"fixtureReset": None})
    assert [leg.purpose for leg in plan.legs[2:]] == ["control-observe", "control-observe"]


def test_a_reset_without_anything_to_undo() -> None:
    contract = items_contract()
    contract["permittedInterfaces"].append({"logicalId": "other-api", "kind": "api", "operations": []})
    contract["fixtureReset"] |= {"interfaceId": "other-api"}
    assert [leg.purpose for leg in planned(contract).legs[2:]] == ["control-observe", "control-observe"]


def test_a_write_that_requires_keys_is_passed_over() -> None:
    contract = items_contract()
    contract["permittedInterfaces"][0]["operations"][1]["requestShape"]["query"] = keyed_shape({"id": "string"})
    disturbed = [leg for leg in planned(contract).legs if leg.purpose == "control-mutate"]
    assert [leg.request["operationId"] for leg in disturbed] == ["reset-all"]


def test_without_anything_to_observe_there_are_no_controls() -> None:
    contract = items_contract()
    contract["permittedInterfaces"][0]["operations"][0]["stateChangeMarker"] = True
    plan = planned(contract)
    assert {leg.purpose for leg in plan.legs} == {"sensitivity"}
    assert not [check for check in plan.checks if isinstance(check, StateReset | CleanControl)]


def test_minted_names_avoid_every_name_in_use() -> None:
    contract = items_contract()
    contract["interactionPlan"].append(contract["interactionPlan"][0] | {"stepId": "preflight-control-observe"})
    fault = item_fault("preflight-control-observe-2")
    plan = planned(contract, probe(defect("D-001", fault)))
    minted = [leg.leg_id for leg in plan.legs if leg.purpose == "control-observe"]
    assert minted == ["preflight-control-observe-3", "preflight-control-observe-4"]


def test_minted_names_avoid_those_of_other_legs() -> None:
    """Spec 07, section 2.3: sensitivity legs and the reset have theirs before any is made."""
    contract = items_contract()
    contract["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]["legs"][1]["legId"] = (
        "preflight-control-mutate-2"
    )
    contract["fixtureReset"]["legId"] = "preflight-control-observe"
    assert [leg.leg_id for leg in planned(contract).legs] == [
        "get-a",
        "preflight-control-mutate-2",
        "preflight-control-observe-2",
        "preflight-control-mutate-3",
        "preflight-control-observe",
        "preflight-control-observe-3",
    ]


def test_of_two_operations_of_one_name_the_first_is_meant() -> None:
    """Spec 07, section 2.2 (6): compilation refuses such a contract, and none stands before a pre-flight."""
    contract = items_contract()
    operations = contract["permittedInterfaces"][0]["operations"]
    operations.append(operation("get-item", changes_state=True))
    operations.append(operation("reset-all", changes_state=True, path={"id": "string"}))
    plan = planned(contract, probe(defect("D-001", item_fault())))
    meant = {leg.purpose: leg.operation["stateChangeMarker"] for leg in plan.legs}
    assert meant["seeded-fault"] is False
    reset = next(leg for leg in plan.legs if leg.purpose == "control-reset")
    assert reset.operation["requestShape"]["path"]["requiredKeys"] == []  # type: ignore[typeddict-item]


def test_stale_probes_come_first() -> None:
    contract = items_contract()
    contract["permittedInterfaces"] *= 2
    with pytest.raises(RuntimeFault) as caught:
        planned(contract, probe(schemaVersion=5))
    assert (caught.value.code, caught.value.artifact_path) == (
        "schema-version-mismatch",
        "Probe[probeId=P-001].schemaVersion",
    )


def test_a_repeated_interface() -> None:
    contract = items_contract()
    contract["permittedInterfaces"] *= 2
    code, path, _ = refused(contract)
    assert (code, path) == ("duplicate-interface-identifier", "EvalContract.permittedInterfaces[1].logicalId")


def test_names_of_interfaces_come_before_their_kinds() -> None:
    contract = items_contract()
    contract["permittedInterfaces"] = [
        {"logicalId": name, "kind": kind, "operations": []} for name, kind in (("a", "web"), ("b", "api"), ("b", "api"))
    ]
    code, path, _ = refused(contract)
    assert (code, path) == ("duplicate-interface-identifier", "EvalContract.permittedInterfaces[2].logicalId")


def test_an_interface_nobody_can_probe() -> None:
    contract = items_contract()
    contract["permittedInterfaces"][0]["kind"] = "web"
    code, path, detail = refused(contract)
    assert (code, path) == (
        "unsupported-interface-kind",
        "EvalContract.permittedInterfaces[logicalId=items-api].kind",
    )
    assert detail.startswith('"web" is not supported')


def test_a_witness_on_an_undeclared_operation() -> None:
    code, path, detail = refused(
        items_contract(), probe(defect("D-001", None), defect("D-002", item_fault(operationId="gone")))
    )
    assert code == "unreachable-check-evidence"
    assert path == "Probe[probeId=P-001].defects[defectId=D-002].manifestationWitness"
    assert 'operation "gone" on interface "items-api"' in detail


def test_a_witness_that_supplies_what_is_not_declared() -> None:
    witness = item_fault(inputs=transport_inputs(path={"id": "bad"}, query={"page": 2}))
    code, path, _ = refused(items_contract(), probe(defect("D-001", witness)))
    assert code == "undeclared-mandatory-input"
    assert path.startswith("Probe[probeId=P-001].defects[defectId=D-001].manifestationWitness.inputs")


def test_a_reset_nobody_declares() -> None:
    contract = items_contract()
    contract["fixtureReset"]["operationId"] = "gone"
    code, path, _ = refused(contract)
    assert (code, path) == ("unreachable-check-evidence", "EvalContract.fixtureReset")


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"arguments": {}}, "supplies a tool call's arguments to an operation that is not a tool call"),
        (
            {"argument": {}, "option": {}, "environment": {}, "stdin": {"kind": "absent"}},
            "supplies command channels to an operation that speaks HTTP",
        ),
    ],
)
def test_inputs_of_another_kind(inputs: Json, told: str) -> None:
    contract = items_contract()
    contract["fixtureReset"]["inputs"] = inputs
    assert refused(contract) == (
        "undeclared-mandatory-input",
        "EvalContract.permittedInterfaces[logicalId=items-api].operations[operationId=reset-all]",
        f'leg "reset-leg" {told} (AD-10, AD-19)',
    )


def test_two_legs_of_one_name() -> None:
    code, path, detail = refused(
        items_contract(), probe(defect("D-001", item_fault("get-a")), defect("D-002", item_fault("get-a")))
    )
    assert code == "malformed-operator-expression"
    assert path == "Probe[probeId=P-001].defects[defectId=D-001].manifestationWitness.legId"
    assert detail.startswith('leg id "get-a" is already claimed')


def test_nothing_to_probe() -> None:
    contract = items_contract()
    contract["permittedInterfaces"][0]["operations"] = [
        operation("put-item", changes_state=True, path={"id": "string"})
    ]
    with pytest.raises(StructuralFailure, match="no operation pre-flight can probe"):
        planned(contract)


def test_the_defects_of_the_tea_shop_can_be_planned() -> None:
    plan = planned(minimal_contract(), probe(defect("D-001", lost_order())))
    assert plan.legs[-1].leg_id == "fault-order"
    assert plan.reference_sets == {"menu": [{"tea": "oolong"}, {"tea": "sencha"}]}
    assert plan.reference_set_keys == {"menu": ["tea"]}
