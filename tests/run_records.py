"""Run records and what stands beside them, for tests: every call returns a fresh value that parses."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.eval_contract import FORBIDDEN_INPUT_FLOOR
from eval_quality.artifacts.evaluator_configuration import EVALUATOR_CONFIGURATION_SCHEMA_VERSION
from eval_quality.artifacts.isolation_manifest import ISOLATION_MANIFEST_SCHEMA_VERSION
from eval_quality.artifacts.sealed_run_record import SEALED_RUN_RECORD_SCHEMA_VERSION
from eval_quality.canonical import digest_artifact
from tests.scored_runs import A, B, Json, lineage

ABSENT = {"kind": "absent"}
CHANNELS = ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")


def public(path: str) -> Json:
    return {"storage": "public", "path": path, "privateRef": None, "digest": A}


def observation(identifier: str, sequence: int, **changes: Any) -> Json:
    """An exchange that recorded nothing, but for the changes."""
    return {
        "observationId": identifier,
        "sequence": sequence,
        "interfaceId": "api",
        "operationId": "get-order",
        "provenance": "baseline",
        "principal": None,
        "callInputs": dict.fromkeys(CHANNELS) | {"bodyEncoding": None},
        "responseBody": None,
        "responseHeaders": None,
        "responseStatus": None,
        "stdout": ABSENT,
        "stderr": ABSENT,
        "exitCode": None,
        "artifacts": {},
    } | changes


def quote(words: str, channel: str = "response-body", artifact_id: str | None = None) -> Json:
    return {"quote": words, "channel": channel, "artifactId": artifact_id}


def remark(identifier: str, *observation_ids: str, **changes: Any) -> Json:
    """A finding that reports no defect."""
    return {
        "findingType": "observation",
        "findingId": identifier,
        "oracleId": None,
        "probeId": "P-001",
        "behaviorId": None,
        "severity": "low",
        "summary": "seen",
        "confidence": 1,
        "observationIds": [*observation_ids],
        "evidenceArtifacts": [],
    } | changes


def defect(identifier: str, *observation_ids: str, quotes: list[Json]) -> Json:
    """A finding that reports a defect and quotes evidence for it."""
    return remark(identifier, *observation_ids, findingType="defect", quotedEvidence=quotes)


def disposition(oracle_id: str, *observation_ids: str) -> Json:
    return {"oracleId": oracle_id, "disposition": "held", "observationIds": [*observation_ids], "note": None}


def judged(rubric_id: str, criterion_id: str, score: int | None = None) -> Json:
    return {"rubricId": rubric_id, "criterionId": criterion_id, "score": score, "note": None}


def configuration(**changes: Any) -> Json:
    return {
        **lineage(EVALUATOR_CONFIGURATION_SCHEMA_VERSION),
        "sealedBriefDigest": A,
        "evaluatorIdentity": "evaluator",
        "modelSnapshot": "model",
        "systemPromptDigest": A,
        "decodingParameters": {},
        "toolInventory": [],
        "permissionInventory": [],
        "budgets": {"maxToolCalls": 1, "maxWallClockMinutes": 1, "maxCostUsd": "1.00"},
        "seed": None,
        "judgeConfiguration": None,
    } | changes


def record(**changes: Any) -> Json:
    """A record of a run in which nothing was seen; it names the plain configuration."""
    return {
        **lineage(SEALED_RUN_RECORD_SCHEMA_VERSION),
        "runId": "run",
        "conditionArm": "arm",
        "mode": "production",
        "trialIndex": 1,
        "contractDigest": A,
        "sealedBriefDigest": A,
        "evaluatorConfigurationDigest": digest_artifact(configuration(), "EvaluatorConfiguration"),
        "evaluatorRecommendation": "PASS",
        "oracleDispositions": [],
        "findings": [],
        "observations": [],
        "judgeResults": [],
        "actionsArtifact": public("actions.json"),
        "isolationManifestArtifact": public("manifest.json"),
        "resourceUse": {
            "toolCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "wallClockSeconds": 0,
            "costUsd": "0.00",
        },
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
    } | changes


def manifest(**changes: Any) -> Json:
    """A manifest that agrees with the plain record and breaks nothing."""
    plain = record()
    return {
        **lineage(ISOLATION_MANIFEST_SCHEMA_VERSION),
        "runId": plain["runId"],
        "contractId": "contract",
        "conditionArm": "another arm",
        "modelSnapshot": "model",
        "systemPromptDigest": B,
        "contractDigest": plain["contractDigest"],
        "evaluatorConfigurationDigest": plain["evaluatorConfigurationDigest"],
        "workspaceIdentity": "workspace",
        "allowedMounts": [],
        "observedMounts": [],
        "networkAllowlist": [],
        "observedNetworkTargets": [],
        "toolAllowlist": [],
        "observedToolCalls": [],
        "resourceCeilings": {
            "maxToolCalls": 1,
            "maxInputTokens": 1,
            "maxOutputTokens": 1,
            "maxWallClockMinutes": 1,
            "maxCostUsd": "1.00",
        },
        "actualResourceUse": {
            "toolCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "wallClockSeconds": 0,
            "costUsd": "0.00",
        },
        "forbiddenInputAccounting": {each: {"withheld": True, "note": None} for each in FORBIDDEN_INPUT_FLOOR},
        "violation": None,
    } | changes
