"""Pre-flight from recorded observations."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.schema import parse
from eval_quality.canonical import serialize_artifact
from eval_quality.preflight import fixture_digest, plan_preflight, prune_volatile
from eval_quality.preflight.plan import (
    CleanControl,
    InputSensitivity,
    InterfacePresent,
    SeededFaultFired,
    SeededFaultsScoped,
    StateReset,
)
from eval_quality.stages import preflight
from tests.conformance.runner import Text


def _preflight(value: dict[str, Any]) -> Text:
    verdict = preflight(
        contract=value["contract"],
        probes=value["probes"],
        observations=value["observations"],
        run_id=value["runId"],
    )
    return Text(serialize_artifact(verdict, "PreflightVerdict"))


def _diagnostics(value: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    preflight(
        contract=value["contract"],
        probes=value["probes"],
        observations=value["observations"],
        run_id=value["runId"],
        sink=lambda told: lines.append(f"{told.stage}: {told.run_id}: {told.message}"),
    )
    return lines


def _check(planned: Any) -> dict[str, Any]:
    match planned:
        case InterfacePresent(interface_id, operation_id, leg_ids):
            return {
                "kind": "interface-present",
                "interfaceId": interface_id,
                "operationId": operation_id,
                "legIds": leg_ids,
            }
        case InputSensitivity(interface_id, operation_id, witness):
            return {
                "kind": "input-sensitivity",
                "interfaceId": interface_id,
                "operationId": operation_id,
                "witnessed": witness is not None,
            }
        case StateReset(leg_ids):
            return {"kind": "state-reset", "legIds": leg_ids}
        case CleanControl(leg_ids):
            return {"kind": "clean-control", "legIds": leg_ids}
        case SeededFaultsScoped(defect_id, _, _, clean_leg_ids):
            return {
                "kind": "seeded-faults-scoped",
                "defectId": defect_id,
                "witnessed": True,
                "cleanLegIds": clean_leg_ids,
            }
        case SeededFaultFired(defect_id, witness):
            return {"kind": "seeded-fault-fired", "defectId": defect_id, "witnessed": witness is not None}
    raise AssertionError(planned)


def _plan(value: dict[str, Any]) -> dict[str, Any]:
    plan = plan_preflight(
        parse(EvalContract, value["contract"], "EvalContract"),
        parse(list[Probe], value["probes"], "Probe"),
        value["runId"],
    )
    return {
        "legs": [{"legId": leg.leg_id, "purpose": leg.purpose, "request": leg.request} for leg in plan.legs],
        "checks": [_check(planned) for planned in plan.checks],
    }


OPERATIONS = {
    "preflight": _preflight,
    "preflightDiagnostics": _diagnostics,
    "planPreflight": _plan,
    "pruneVolatile": lambda value: prune_volatile(value["body"], value["pointers"], value["path"]),
    "fixtureDigest": lambda value: fixture_digest(value["projections"], value["path"]),
}
