"""Witness evidence: an answered leg as an observation, and relations over such legs (spec 07, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from eval_quality.artifacts.evidence_artifact import CheckResolution
from eval_quality.artifacts.expressions import Expression
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.port_messages import ProbeObservation
from eval_quality.artifacts.sealed_run_record import CallInputs, Observation
from eval_quality.artifacts.witnesses import WitnessInputs
from eval_quality.declared_inputs import descriptor_artifact_of, descriptor_channel_of
from eval_quality.evaluate import CheckResolver, make_resolve_operand

from .projection import Projection

REGEX_STEP_BUDGET: Final = 1_000_000
"""Regex budget of witness relations; no policy is at hand before a score."""

_NO_INPUTS: Final[CallInputs] = {
    "path": None,
    "query": None,
    "header": None,
    "body": None,
    "bodyEncoding": None,
    "argument": None,
    "option": None,
    "environment": None,
    "stdin": None,
    "arguments": None,
}


def evidence_of(
    projected: Projection, observation: ProbeObservation, inputs: WitnessInputs, operation: AnyOperation
) -> Observation:
    """An answered leg as a recorded observation, so that relations resolve over it as checks do over a record."""
    body = projected["body"]
    evidence: Observation = {
        "observationId": projected["legId"],
        "sequence": 1,
        "interfaceId": projected["interfaceId"],
        "operationId": projected["operationId"],
        "provenance": "baseline",
        "principal": None,
        "callInputs": _call_inputs(inputs),
        "responseBody": None,
        "responseHeaders": None,
        "responseStatus": None,
        "stdout": {"kind": "absent"},
        "stderr": {"kind": "absent"},
        "exitCode": projected["exitCode"],
        "artifacts": {},
    }
    if observation["kind"] == "cli":
        artifact = descriptor_artifact_of(operation)
        if artifact is not None:
            evidence["artifacts"] = {artifact: body}
        else:
            evidence["stderr" if descriptor_channel_of(operation) == "stderr" else "stdout"] = body
        return evidence
    evidence["responseBody"] = None if body["kind"] == "absent" else body["value"]
    if observation["kind"] == "api":
        evidence["responseHeaders"] = observation["headers"]
        evidence["responseStatus"] = observation["status"]
    else:
        evidence["responseStatus"] = int(observation["isError"])
    return evidence


def _call_inputs(inputs: WitnessInputs) -> CallInputs:
    supplied = cast(Mapping[str, Any], inputs)
    recorded = {channel: _recorded(supplied[channel]) for channel in ("body", "stdin") if channel in supplied}
    raw = "body" in supplied and supplied["body"]["kind"] == "raw"
    return cast(CallInputs, {**_NO_INPUTS, **supplied, **recorded, "bodyEncoding": "raw" if raw else None})


def _recorded(body: Mapping[str, Any]) -> Any:
    """A body as a record keeps it: the object it is, or the raw body itself; text, arrays and scalars are not kept."""
    match body:
        case {"kind": "json", "value": dict() as value}:
            return value
        case {"kind": "raw"}:
            return body
    return None


def resolve_witness_relation(
    relation: Expression,
    leg_evidence: Mapping[str, Observation],
    relations: CheckResolver,
    reference_sets: Mapping[str, Sequence[Any]],
    artifact_path: str,
) -> CheckResolution:
    """Resolve a relation over legs, whose identifiers stand where a check has step identifiers.

    ``relations`` is a resolver for what the legs' operation declares.
    """
    return relations.resolve(relation, make_resolve_operand(leg_evidence, reference_sets), artifact_path)
