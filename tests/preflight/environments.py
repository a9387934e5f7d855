"""A tea shop that answers probes, and probes with planted defects, for the tests of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval_quality import stages
from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.probe import PROBE_SCHEMA_VERSION, Probe
from eval_quality.artifacts.schema import parse
from eval_quality.preflight import PreflightPlan, plan_preflight
from tests.contracts import Json, minimal_contract, transport_inputs

ABSENT: Json = {"kind": "absent"}
DIGEST = f"sha256:{'0' * 64}"


def json_body(value: Any) -> Json:
    return {"kind": "json", "value": value}


def reference(path: str) -> Json:
    return {"storage": "public", "path": path, "privateRef": None, "digest": DIGEST}


def probe(*defects: Json, **changes: Any) -> Json:
    """A seeded probe with these defects; ``changes`` replace top-level fields."""
    return {
        "schemaVersion": PROBE_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "probeId": "P-001",
        "probeClass": "defect",
        "behaviorId": "B-001",
        "systemId": "shop",
        "implementationDigest": DIGEST,
        "artifactDigest": DIGEST,
        "commitDigest": DIGEST,
        "rationale": "orders get lost",
        "qualification": {
            "route": "historical",
            "failBeforeEvidence": reference("before.json"),
            "passAfterEvidence": reference("after.json"),
            "fixCommitDigest": DIGEST,
            "oracleStableAcrossRevisions": True,
        },
        "expectedClean": False,
        "defects": list(defects),
        "defectSignature": None,
    } | changes


def defect(defect_id: str, witness: Json | None) -> Json:
    return {
        "defectId": defect_id,
        "behaviorId": "B-001",
        "summary": "orders get lost",
        "severity": "critical",
        "oracleEvidence": [],
        "source": "controlled-mutation",
        "manifestationWitness": witness,
    }


def lost_order(leg_id: str = "fault-order", tea: str = "matcha") -> Json:
    """A witness that an order is answered with a tea nobody asked for."""
    return {
        "legId": leg_id,
        "interfaceId": "shop-api",
        "operationId": "place-order",
        "inputs": transport_inputs(body=json_body({"tea": tea, "cups": 1})),
        "relation": {
            "op": "equality",
            "operands": [{"pointer": f"/interactions/{leg_id}/response-body/tea"}, {"literal": "none"}],
        },
    }


def answer(request: Mapping[str, Any], **changes: Any) -> Json:
    """What the tea shop answers; an order of matcha is lost. ``changes`` replace fields of the observation."""
    correlation = {key: request[key] for key in ("probeId", "interfaceId", "operationId")}
    channels = request["channels"]
    match request["operationId"]:
        case "place-order":
            tea = channels["body"]["value"]["tea"]
            kept = "none" if tea == "matcha" else tea
            told: Json = {"status": 201, "body": json_body({"id": f"of-{request['probeId']}", "tea": kept})}
        case "list-orders":
            limit = channels["query"].get("limit", 0)
            told = {"status": 200, "body": json_body({"orders": [{"tea": "oolong"}], "total": limit})}
        case "export-orders":
            rows = json_body({"rows": [{"tea": "oolong"}], "format": channels["option"]["format"]})
            told = {"exitCode": 0, "stdout": rows, "stderr": {"kind": "text", "value": "took 3 ms"}, "artifacts": {}}
        case "reset-shop":
            told = {"isError": False, "result": json_body({"done": True})}
        case unknown:
            raise AssertionError(unknown)
    if request["kind"] == "api":
        told["headers"] = {"date": f"day of {request['probeId']}"}
    return {**correlation, "kind": request["kind"], **told, **changes}


def planned(contract: Json | None = None, *probes: Json, run_id: str = "run") -> PreflightPlan:
    """The plan of a contract and probes as they are written in a file."""
    given = minimal_contract() if contract is None else contract
    parsed: EvalContract = parse(EvalContract, given, "EvalContract")
    seeded: list[Probe] = parse(list[Probe], list(probes), "Probe")
    return plan_preflight(parsed, seeded, run_id)


def answers(
    contract: Json | None = None, *probes: Json, edit: Callable[[str, Json], Json | None] = lambda _, told: told
) -> list[Json]:
    """What the tea shop answers to each planned leg; ``edit`` may change an answer or drop it."""
    told = ((leg.leg_id, answer(leg.request)) for leg in planned(contract, *probes).legs)
    return [edited for leg_id, each in told if (edited := edit(leg_id, each)) is not None]


def verdict(observations: Sequence[Json], contract: Json | None = None, *probes: Json) -> Json:
    given = minimal_contract() if contract is None else contract
    return dict(stages.preflight(contract=given, probes=list(probes), observations=list(observations), run_id="run"))


def check_of(reduced: Json, kind: str, operation_id: str | None = None) -> tuple[str, str | None]:
    """Outcome and note of the only check of that kind (on that operation)."""
    [found] = [
        check
        for check in reduced["checks"]
        if check["kind"] == kind and (operation_id is None or check["operationId"] == operation_id)
    ]
    return found["outcome"], found["note"]
