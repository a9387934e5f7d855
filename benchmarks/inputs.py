"""Inputs made from a seed: a stock ledger behind an API, records of evaluators that read it, evidence of many probes.

A contract grows by the operations it permits and by its reference set, a score by its records, an aggregate by its
artifacts; the interaction plan and the oracles are the same at every size, so that cost can be held against bytes.
``python -m benchmarks.inputs SIZE SEED FOLDER`` writes them, in a process of its own: what a parent holds in memory
would count as its children's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from eval_quality.artifacts.eval_contract import EVAL_CONTRACT_SCHEMA_VERSION, FORBIDDEN_INPUT_FLOOR
from eval_quality.artifacts.evaluator_configuration import EVALUATOR_CONFIGURATION_SCHEMA_VERSION
from eval_quality.artifacts.isolation_manifest import ISOLATION_MANIFEST_SCHEMA_VERSION
from eval_quality.artifacts.preflight_verdict import PREFLIGHT_VERDICT_SCHEMA_VERSION
from eval_quality.artifacts.probe import PROBE_SCHEMA_VERSION
from eval_quality.artifacts.scoring_policy import SCORING_POLICY_SCHEMA_VERSION
from eval_quality.artifacts.sealed_run_record import SEALED_RUN_RECORD_SCHEMA_VERSION
from eval_quality.canonical import digest_artifact
from eval_quality.score.identity import comparability_key
from eval_quality.stages import score, seal

from .sizes import A_DIGEST, RUN, SIZES, Size

Json = dict[str, Any]


class Extent(NamedTuple):
    """How much of the ledger a contract asks about."""

    steps: int
    oracles: int


WHOLE: Final = Extent(steps=6, oracles=8)
ONE_SHELF: Final = Extent(steps=1, oracles=1)
ENTRIES: Final = 60
"""Entries of every shelf that is read."""
FAULTY: Final = 0
"""The shelf whose answers the planted defect breaks."""

INTERFACE: Final = "ledger-api"
PROBE: Final = "P-001"
NOTHING: Final = {"kind": "absent"}
NO_KEYS: Final[Json] = {"requiredKeys": [], "permittedKeys": [], "types": {}}


def lineage(version: int) -> Json:
    return {"schemaVersion": version, "parentDigest": None, "revisionCount": 0}


def public(path: str) -> Json:
    return {"storage": "public", "path": path, "privateRef": None, "digest": A_DIGEST}


def pointer(step: str, *tail: str) -> str:
    return "/".join(("", "interactions", step, *tail))


def leaf(op: str, *operands: Json, **members: Any) -> Json:
    return {"op": op, "operands": [*operands], **members}


def query(**parameters: str) -> Json:
    return {"path": {}, "query": parameters, "header": {}, "body": NOTHING}


def operation(shelf: int) -> Json:
    """Reading one shelf; its sensitivity witness reads two dates, whose totals differ."""
    legs = [f"shelf-{shelf}-{day}" for day in ("monday", "tuesday")]
    totals = [{"pointer": pointer(leg, "response-body", "total")} for leg in legs]
    return {
        "operationId": f"read-shelf-{shelf}",
        "method": "GET",
        "pathTemplate": f"/shelves/{shelf}/entries",
        "stateChangeMarker": False,
        "requestShape": {
            "path": NO_KEYS,
            "query": {"requiredKeys": ["day"], "permittedKeys": ["unit"], "types": {"day": "string", "unit": "string"}},
            "header": NO_KEYS,
            "body": NO_KEYS,
        },
        "responseDescriptor": {
            "requiredKeys": ["status", "total", "entries"],
            "permittedKeys": ["remark"],
            "types": {"status": "string", "total": "number", "entries": "array", "remark": None},
            "successIndicator": "/status",
            "channelRoles": {"/status": "success-indicator", "/total": "payload", "/entries": "collection"},
            "collectionLocations": [
                {
                    "pointer": "/entries",
                    "expectedCardinality": {"mode": "at-most", "max": 2 * ENTRIES},
                    "referenceSet": "articles",
                }
            ],
        },
        "volatilePointers": [],
        "sensitivityWitness": {
            "witnessId": f"total-of-{shelf}",
            "channel": "query",
            "legs": [{"legId": leg, "inputs": query(day=leg.rpartition("-")[2], unit="piece")} for leg in legs],
            "relation": leaf("not", leaf("equality", *totals)),
        },
    }


def check(number: int, step: str) -> Json:
    """The check of an oracle: eight kinds in turn."""
    status, body = pointer(step, "response-status"), pointer(step, "response-body")
    entries = {"pointer": f"{body}/entries"}
    kinds: tuple[Callable[[], Json], ...] = (
        lambda: leaf("equality", {"pointer": status}, {"literal": 200}),
        lambda: leaf("regex", {"pointer": f"{body}/entries/0/article"}, pattern="^article-[0-9]+$"),
        lambda: leaf("ordering", entries, key="place", order="ascending"),
        lambda: leaf("count-tolerance", entries, expected=ENTRIES, tolerance=10, relative=True),
        lambda: leaf("set-membership", {"pointer": f"{body}/entries/1/article"}, {"referenceSet": "articles"}),
        lambda: {"op": "for-all", "collection": entries, "predicate": leaf("existence", {"pointer": "@/amount"})},
        lambda: leaf("not", leaf("absence", {"pointer": f"{body}/total"})),
        lambda: leaf(
            "all",
            leaf("equality", {"pointer": f"{body}/status"}, {"literal": "open"}),
            leaf("equality", {"pointer": status}, {"literal": 200}),
        ),
    )
    return kinds[number % len(kinds)]()


def pointers_in(expression: Json) -> Iterator[str]:
    """The rooted pointers of a check, which its direction has to name."""
    for operand in [*expression.get("operands", ()), *filter(None, [expression.get("collection")])]:
        if "op" in operand:
            yield from pointers_in(operand)
        elif operand.get("pointer", "@").startswith("/"):
            yield operand["pointer"]


def relation_of(expression: Json) -> str:
    """The operator that says what a check is about."""
    inner = expression["operands"][0] if expression["op"] in ("all", "not") else expression
    return str(inner["op"])


def oracle(number: int, extent: Extent) -> Json:
    shelf = number % extent.steps
    expression = check(number, f"step-{shelf}")
    return {
        "id": f"O-{number + 1:03}",
        "direction": {
            "evidenceTargets": list(dict.fromkeys(pointers_in(expression))),
            "relation": relation_of(expression),
            "polarity": "expects-hold",
            "scope": f"what shelf {shelf} answers",
            "negativeDomain": None,
        },
        "check": expression,
        "polarity": "expects-hold",
        "commentary": None,
    }


def behavior(number: int, extent: Extent) -> Json:
    return {
        "id": f"B-{number + 1:03}",
        "description": f"the ledger tells what lies on shelf {number % extent.steps}",
        "severity": ("critical", "material", "low")[number % 3],
        "observableSuccessCriterion": "the answer is what was counted",
        "requirementLinks": [{"scheme": "doc", "id": f"ledger-{number}"}],
        "riskLinks": [],
        "oracles": [f"O-{number + 1:03}"],
    }


def step(number: int) -> Json:
    binding = {"day": {"literal": f"day-{number}"}, "unit": {"matcher": "any"}}
    return {
        "stepId": f"step-{number}",
        "interfaceId": INTERFACE,
        "operationId": f"read-shelf-{number}",
        "inputBinding": {"path": None, "query": binding, "header": None, "body": None},
        "after": None,
        "cardinality": "exactly-one",
    }


def contract(identifier: str, size: int, extent: Extent = WHOLE) -> Json:
    """A contract of about as many bytes: four parts operations, one part reference set."""
    shelf, article = len(json.dumps(operation(100))), len(json.dumps({"id": "article-1000", "name": "x" * 40}))
    room = size - 700 * sum(extent)
    operations = max(extent.steps, room * 4 // 5 // shelf)
    members = max(ENTRIES, (room - operations * shelf) // article)
    return {
        **lineage(EVAL_CONTRACT_SCHEMA_VERSION),
        "contractId": identifier,
        "sourceSpecDigest": None,
        "behaviors": [behavior(number, extent) for number in range(extent.oracles)],
        "oracles": [oracle(number, extent) for number in range(extent.oracles)],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [
            {"logicalId": INTERFACE, "kind": "api", "operations": [operation(shelf) for shelf in range(operations)]}
        ],
        "referenceSets": {
            "articles": {
                "keys": ["id"],
                "commentary": "what the ledger may name",
                "members": [{"id": f"article-{number}", "name": f"{number:040}"} for number in range(members)],
            }
        },
        "siblingGroups": {"operations": [], "parameters": []},
        "interactionPlan": [step(number) for number in range(extent.steps)],
        "scopedResources": None,
        "forbiddenInputs": list(FORBIDDEN_INPUT_FLOOR),
        "testData": dict.fromkeys(("setup", "cleanup", "principals", "resources")),
        "budgets": {"maxToolCalls": 40, "maxWallClockMinutes": 15, "maxCostUsd": "2.50"},
        "safetyLimits": ["made-up stock only"],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }


def probe() -> Json:
    """A defect: the first shelf answers with an error."""
    status = leaf("equality", {"pointer": pointer("observed", "response-status")}, {"literal": 500})
    witness = leaf("equality", {"pointer": pointer("broken", "response-status")}, {"literal": 500})
    channels = dict.fromkeys(("path", "header", "body", "argument", "option", "environment", "stdin", "arguments"))
    return {
        **lineage(PROBE_SCHEMA_VERSION),
        "probeId": PROBE,
        "probeClass": "defect",
        "behaviorId": "B-001",
        "systemId": "ledger",
        **dict.fromkeys(("implementationDigest", "artifactDigest", "commitDigest"), A_DIGEST),
        "rationale": "the first shelf cannot be read",
        "qualification": {
            "route": "controlled-mutation",
            "mutationSource": "handler",
            "mutationOperator": "raise",
            "targetArtifact": public("probes/target.patch"),
            "expectedObservableFailure": "status 500",
            "baselinePassEvidence": public("probes/baseline.json"),
            "mutatedFailEvidence": public("probes/mutated.json"),
            "rollbackVerified": True,
        },
        "expectedClean": False,
        "defects": [
            {
                "defectId": "D-001",
                "behaviorId": "B-001",
                "summary": "the first shelf cannot be read",
                "severity": "critical",
                "oracleEvidence": [],
                "source": "controlled-mutation",
                "manifestationWitness": {
                    "legId": "broken",
                    "interfaceId": INTERFACE,
                    "operationId": f"read-shelf-{FAULTY}",
                    "inputs": query(day=f"day-{FAULTY}", unit="piece"),
                    "relation": witness,
                },
            }
        ],
        "defectSignature": {
            "interfaceKind": "api",
            "method": "GET",
            "pathTemplate": f"/shelves/{FAULTY}/entries",
            "observableChannel": "response-status",
            "condition": {
                "selector": {"inputBinding": {**channels, "query": {"day": {"matcher": "any"}}}},
                "predicate": status,
            },
        },
    }


def answer(random: Random, shelf: int) -> Json:
    """What a shelf holds; every trial finds other amounts."""
    entries: list[Json] = [
        {"article": f"article-{place}", "place": place, "amount": random.randrange(1, 500)} for place in range(ENTRIES)
    ]
    total = sum(entry["amount"] for entry in entries)
    return {"status": "open", "total": total, "entries": entries, "remark": f"counted on shelf {shelf}"}


def observation(random: Random, shelf: int) -> Json:
    channels = dict.fromkeys(("body", "bodyEncoding", "argument", "option", "environment", "stdin", "arguments"))
    return {
        "observationId": f"seen-{shelf}",
        "sequence": shelf + 1,
        "interfaceId": INTERFACE,
        "operationId": f"read-shelf-{shelf}",
        "provenance": "evaluator-chosen",
        "principal": None,
        "callInputs": {**channels, "path": {}, "query": {"day": f"day-{shelf}", "unit": "piece"}, "header": {}},
        "responseBody": answer(random, shelf),
        "responseHeaders": {"content-type": "application/json"},
        "responseStatus": 500 if shelf == FAULTY else 200,
        "stdout": NOTHING,
        "stderr": NOTHING,
        "exitCode": None,
        "artifacts": {},
    }


def record(random: Random, trial: int, sealed: Json, extent: Extent) -> Json:
    """One trial: every shelf read once, and the broken one found."""
    dispositions: list[Json] = [
        {
            "oracleId": f"O-{number + 1:03}",
            "disposition": "violated" if number == 0 else "held",
            "observationIds": [f"seen-{number % extent.steps}"],
            "note": None,
        }
        for number in range(extent.oracles)
    ]
    finding = {
        "findingType": "defect",
        "findingId": "F-001",
        "oracleId": "O-001",
        "probeId": PROBE,
        "behaviorId": "B-001",
        "severity": "critical",
        "summary": "the first shelf cannot be read",
        "confidence": 0.95,
        "observationIds": [f"seen-{FAULTY}"],
        "evidenceArtifacts": [],
        "quotedEvidence": [{"quote": "500", "channel": "response-status", "artifactId": None}],
    }
    return {
        **lineage(SEALED_RUN_RECORD_SCHEMA_VERSION),
        "runId": RUN,
        "conditionArm": "bench",
        "mode": "contract-scoring",
        "trialIndex": trial,
        "contractDigest": sealed["contractDigest"],
        "sealedBriefDigest": sealed["briefDigest"],
        "evaluatorConfigurationDigest": sealed["configurationDigest"],
        "evaluatorRecommendation": "PASS",
        "oracleDispositions": dispositions,
        "findings": [finding],
        "observations": [observation(random, shelf) for shelf in range(extent.steps)],
        "judgeResults": [],
        "actionsArtifact": public("run/actions.jsonl"),
        "isolationManifestArtifact": public("run/isolation-manifest.json"),
        "resourceUse": {
            "toolCalls": WHOLE.steps,
            "inputTokens": 18_400,
            "outputTokens": 2_150,
            "wallClockSeconds": 41.5,
            "costUsd": "0.21",
        },
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
    }


def configuration(brief_digest: str) -> Json:
    return {
        **lineage(EVALUATOR_CONFIGURATION_SCHEMA_VERSION),
        "sealedBriefDigest": brief_digest,
        "evaluatorIdentity": "bench-evaluator",
        "modelSnapshot": "model-2026-03-01",
        "systemPromptDigest": A_DIGEST,
        "decodingParameters": {"temperature": 0, "topP": 1},
        "toolInventory": ["http"],
        "permissionInventory": ["call-permitted-interfaces"],
        "budgets": {"maxToolCalls": 40, "maxWallClockMinutes": 15, "maxCostUsd": "2.50"},
        "seed": 7,
        "judgeConfiguration": None,
    }


def manifest(sealed: Json) -> Json:
    allowed = {"allowedMounts": ["/brief"], "networkAllowlist": [], "toolAllowlist": ["http"]}
    observed = {"observedMounts": ["/brief"], "observedNetworkTargets": [], "observedToolCalls": ["http"]}
    return {
        **lineage(ISOLATION_MANIFEST_SCHEMA_VERSION),
        "runId": RUN,
        "contractId": sealed["contractId"],
        "conditionArm": "bench",
        "modelSnapshot": "model-2026-03-01",
        "systemPromptDigest": A_DIGEST,
        "contractDigest": sealed["contractDigest"],
        "evaluatorConfigurationDigest": sealed["configurationDigest"],
        "workspaceIdentity": "workspace",
        **allowed,
        **observed,
        "resourceCeilings": {
            "maxToolCalls": 40,
            "maxInputTokens": 200_000,
            "maxOutputTokens": 20_000,
            "maxWallClockMinutes": 15,
            "maxCostUsd": "2.50",
        },
        "actualResourceUse": {
            "toolCalls": WHOLE.steps,
            "inputTokens": 18_400,
            "outputTokens": 2_150,
            "wallClockSeconds": 41.5,
            "costUsd": "0.21",
        },
        "forbiddenInputAccounting": {name: {"withheld": True, "note": None} for name in FORBIDDEN_INPUT_FLOOR},
        "violation": None,
    }


def policy() -> Json:
    return {
        **lineage(SCORING_POLICY_SCHEMA_VERSION),
        "policyId": "bench-policy",
        "severityFloor": "critical",
        "confidenceThreshold": 0.6,
        "catchThreshold": 0.5,
        "minimumTrialCount": 3,
        "reExecutionCap": 3,
        "remediationCap": 3,
        "regexMatchStepBudget": 1_000_000,
    }


def verdict() -> Json:
    passed = {"runId": RUN, "fixtureDigest": A_DIGEST, "passed": True, "checks": []}
    return lineage(PREFLIGHT_VERDICT_SCHEMA_VERSION) | passed


def probe_observations(agreed: Json) -> Iterator[Json]:
    """An answer to every leg of pre-flight over a contract and the probe."""
    for each in agreed["permittedInterfaces"][0]["operations"]:
        for total, leg in enumerate(each["sensitivityWitness"]["legs"]):
            yield probe_observation(leg["legId"], each["operationId"], 200, total)
    broken = f"read-shelf-{FAULTY}"
    yield probe_observation("preflight-control-observe", broken, 200, 0)
    yield probe_observation("preflight-control-observe-2", broken, 200, 0)
    yield probe_observation("broken", broken, 500, 0)


def probe_observation(leg: str, operation_id: str, status: int, total: int) -> Json:
    body = {"status": "open", "total": total, "entries": [{"id": "article-0"}]}
    return {
        "probeId": leg,
        "interfaceId": INTERFACE,
        "operationId": operation_id,
        "kind": "api",
        "status": status,
        "headers": {"content-type": "application/json"},
        "body": {"kind": "json", "value": body},
    }


def evidence(artifact: Json, count: int) -> Iterator[Json]:
    """The artifact of one scored probe, restated for as many probes."""
    policy_digest = artifact["scoringVersionInputs"]["scoringPolicyDigest"]
    text = json.dumps(artifact)
    for number in range(1, count + 1):
        restated: Json = json.loads(text.replace(f'"{PROBE}"', f'"P-{number:05}"'))
        yield restated | {"comparabilityKey": comparability_key(policy_digest, [restated["scoredProbeId"]])}


def scoring_inputs(random: Random, agreed: Json, trials: int, extent: Extent = WHOLE) -> Json:
    """What a score reads, its records among it, by the names the library gives them."""
    brief_digest = digest_artifact(seal(agreed), "SealedEvaluatorBrief")
    configured = configuration(brief_digest)
    sealed = {
        "contractId": agreed["contractId"],
        "contractDigest": digest_artifact(agreed, "EvalContract"),
        "briefDigest": brief_digest,
        "configurationDigest": digest_artifact(configured, "EvaluatorConfiguration"),
    }
    return {
        "contract": agreed,
        "probe": probe(),
        "policy": policy(),
        "preflight_verdict": verdict(),
        "manifest": manifest(sealed),
        "configuration": configured,
        "record": [record(random, trial, sealed, extent) for trial in range(1, trials + 1)],
    }


def documents(size: Size, seed: int) -> Iterator[tuple[str, Any]]:
    """Every input of a size, by file name."""
    random = Random(seed)
    agreed = contract(f"ledger-{size.name}", size.contract_bytes)
    inputs = scoring_inputs(random, agreed, size.records)
    records = inputs.pop("record")
    yield from ((f"{name}.json", value) for name, value in inputs.items())
    yield from ((f"records/{each['trialIndex']:04}.json", each) for each in records)
    yield "probes.json", [inputs["probe"]]
    yield "observations.json", [*probe_observations(agreed)]
    yield "floors.json", {"defect": 0.5}
    one = scoring_inputs(random, contract("ledger-shelf", 0, ONE_SHELF), 3, ONE_SHELF)
    scored = score(**one, private_manifest=None, corpus_digest=A_DIGEST)
    assert scored.artifact is not None, scored.ladder.basis
    for number, each in enumerate(evidence(dict(scored.artifact), size.artifacts), start=1):
        yield f"evidence/{number:05}.json", each


def write(size: Size, seed: int, folder: Path) -> None:
    """Write every input of a size into a folder."""
    for name, value in documents(size, seed):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")


if __name__ == "__main__":
    write(SIZES[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3]))
