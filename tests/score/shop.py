"""A shop that is scored: its contract has one oracle, its probe one planted defect; every call returns fresh values.

The oracle holds when reading an order answers 200. The defect shows when it answers 500.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval_quality.artifacts.defect_signature import OBSERVED_STEP_ID
from eval_quality.artifacts.preflight_verdict import PREFLIGHT_VERDICT_SCHEMA_VERSION
from eval_quality.canonical import digest_artifact
from eval_quality.ingest import ValidatedObservations, ingest
from eval_quality.score.stage import ScoredRun, score
from tests.contracts import equality, keyed_shape, minimal_contract, oracle, response, transport_binding
from tests.preflight.environments import defect as planted
from tests.preflight.environments import probe as plain_probe
from tests.preflight.environments import reference
from tests.run_records import CHANNELS, configuration, defect, disposition, manifest, observation, quote, record
from tests.scored_runs import A, Json, lineage, policy

STATUS = f"/interactions/{OBSERVED_STEP_ID}/response-status"


def operation(identifier: str = "get-order", method: str = "GET", path: str = "/orders/{id}", **changes: Any) -> Any:
    """Reads one order; ``/lines`` of the answer is declared a collection."""
    collection = {"pointer": "/lines", "expectedCardinality": {"mode": "at-most", "max": 9}, "referenceSet": None}
    return {
        "operationId": identifier,
        "method": method,
        "pathTemplate": path,
        "stateChangeMarker": False,
        "requestShape": {
            "path": keyed_shape({"id": "string"}),
            "query": keyed_shape({"page": "number"}, {"mood": None}),
            "header": keyed_shape(),
            "body": keyed_shape(permitted={"note": "string"}),
        },
        "responseDescriptor": response({"lines": "array", "total": "number"}, collectionLocations=[collection]),
        "volatilePointers": [],
        "sensitivityWitness": None,
    } | changes


def interface(*operations: Json, logical_id: str = "api", kind: str = "api") -> Any:
    return {"logicalId": logical_id, "kind": kind, "operations": list(operations)}


def step(identifier: str, **changes: Any) -> Any:
    """Reads any order, once."""
    return {
        "stepId": identifier,
        "interfaceId": "api",
        "operationId": "get-order",
        "inputBinding": transport_binding(),
        "after": None,
        "cardinality": "exactly-one",
    } | changes


def behavior(identifier: str, *oracles: str, severity: str = "critical") -> Any:
    return {
        "id": identifier,
        "description": "an order can be read",
        "severity": severity,
        "observableSuccessCriterion": "reading answers with the order",
        "requirementLinks": [{"scheme": "ticket", "id": "T-1"}],
        "riskLinks": [],
        "oracles": list(oracles),
    }


def answers_200(identifier: str = "O-001", step_id: str = "read", **changes: Any) -> Any:
    pointer = f"/interactions/{step_id}/response-status"
    return oracle(identifier, equality({"pointer": pointer}, {"literal": 200}), pointer) | changes


def contract(**changes: Any) -> Any:
    return minimal_contract(
        **{
            "behaviors": [behavior("B-001", "O-001")],
            "oracles": [answers_200()],
            "rubrics": [],
            "waivers": [],
            "permittedInterfaces": [interface(operation())],
            "referenceSets": None,
            "interactionPlan": [step("read")],
            "fixtureReset": None,
        }
        | changes
    )


def selector(**channels: Any) -> Any:
    return {"inputBinding": dict.fromkeys(CHANNELS) | channels}


def signature(predicate: Json | None = None, **changes: Any) -> Any:
    """Reading an order shows the defect when the answer is 500, or what the predicate says instead."""
    shows = equality({"pointer": STATUS}, {"literal": 500}) if predicate is None else predicate
    return {
        "interfaceKind": "api",
        "method": "GET",
        "pathTemplate": "/orders/{order}",
        "observableChannel": "response-status",
        "condition": {"selector": selector(), "predicate": shows},
    } | changes


def mutation(**changes: Any) -> Any:
    """The qualification of a planted defect."""
    return {
        "route": "controlled-mutation",
        "mutationSource": "by hand",
        "mutationOperator": "answer 500",
        "targetArtifact": reference("server.py"),
        "expectedObservableFailure": "status 500",
        "baselinePassEvidence": reference("before.json"),
        "mutatedFailEvidence": reference("after.json"),
        "rollbackVerified": True,
    } | changes


def probe(**changes: Any) -> Any:
    """A qualified probe with a planted defect."""
    plain = plain_probe(planted("D-001", None), qualification=mutation(), defectSignature=signature())
    return plain | changes


def canary(**changes: Any) -> Any:
    qualification = {"route": "canary", "indicts": "fixture", "nonDetectionEvidence": reference("unseen.json")}
    return probe(probeClass="canary", defects=[], qualification=qualification, defectSignature=None) | changes


def clean_control(**changes: Any) -> Any:
    qualification = {
        "route": "clean-control",
        "baselinePassEvidence": reference("pass.json"),
        "revisionCommitDigest": A,
        "noKnownDefectStatement": "none is known",
    }
    plain = probe(probeClass="zero-action", expectedClean=True, defects=[], qualification=qualification) | changes
    del plain["defectSignature"]
    return plain


def seen(identifier: str, sequence: int, status: int | None = 200, **changes: Any) -> Any:
    """The evaluator read an order and got this status; ``sent`` replaces channels of what it sent."""
    sent = {"path": {"id": "7"}, "query": {"page": 1}, "header": {}} | changes.pop("sent", {})
    call_inputs = dict.fromkeys(CHANNELS) | {"bodyEncoding": None} | sent
    plain = observation(identifier, sequence, provenance="evaluator-chosen", callInputs=call_inputs)
    return plain | {"responseStatus": status, "responseBody": {"lines": [], "total": 0}} | changes


def claim(identifier: str = "F-001", *observation_ids: str, **changes: Any) -> Any:
    """A finding that reports the planted defect against the oracle; its quotation is borne out."""
    cited = observation_ids or ("ob-1",)
    quotes = [quote('"total":0')]
    return defect(identifier, *cited, quotes=quotes) | {"oracleId": "O-001", "severity": "material"} | changes


def said(what: str = "held", oracle_id: str = "O-001") -> Any:
    """What the evaluator says of an oracle, having looked at the first observation unless nothing was attempted."""
    cited = () if what == "not-attempted" else ("ob-1",)
    return disposition(oracle_id, *cited) | {"disposition": what}


def trial(index: int = 1, of: Json | None = None, **changes: Any) -> Any:
    """A record of a trial of the contract."""
    digest = digest_artifact(contract() if of is None else of, "EvalContract")
    return record(trialIndex=index, contractDigest=digest) | changes


def caught_trial(index: int = 1, **changes: Any) -> Any:
    plain = {"observations": [seen("ob-1", 1, 500)], "findings": [claim()], "oracleDispositions": [said("violated")]}
    return trial(index, **(plain | changes))


def missed_trial(index: int = 1, **changes: Any) -> Any:
    plain = {"observations": [seen("ob-1", 1, 500)], "oracleDispositions": [said()]}
    return trial(index, **(plain | changes))


def confirmed_trial(index: int = 1, **changes: Any) -> Any:
    plain = {"observations": [seen("ob-1", 1)], "oracleDispositions": [said()]}
    return trial(index, **(plain | changes))


def verdict(**changes: Any) -> Any:
    head = lineage(PREFLIGHT_VERDICT_SCHEMA_VERSION)
    return {**head, "runId": "run", "fixtureDigest": A, "passed": True, "checks": []} | changes


def ingested(records: Sequence[Any], isolation: Any = None) -> list[ValidatedObservations]:
    evaluator: Any = configuration()
    agreeing: Any = manifest(contractDigest=records[0]["contractDigest"]) if records else None
    return [ingest(each, agreeing if isolation is None else isolation, evaluator) for each in records]


def scored(
    *records: Json,
    of: Json | None = None,
    using: Json | None = None,
    under: Json | None = None,
    preflight: Json | None = None,
    **arguments: Any,
) -> ScoredRun:
    """The run of these records: of a contract, using a probe, under a policy."""
    scored_contract: Any = contract() if of is None else of
    scored_probe: Any = probe() if using is None else using
    rules: Any = policy() if under is None else under
    environment: Any = verdict() if preflight is None else preflight
    return score(scored_contract, ingested(records), scored_probe, environment, rules, **arguments)
