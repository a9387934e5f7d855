"""Sealing, the sentences of a brief, and the scripting audit."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.canonical import serialize_artifact
from eval_quality.plan_index import build_plan_index, parse_evidence_target
from eval_quality.seal import (
    audit_brief_scripting,
    render_direction_text,
    render_evidence_references,
    seal_contract,
)
from eval_quality.stages import seal
from tests.conformance.runner import Text


def _index(contract: dict[str, Any]) -> Any:
    return build_plan_index(contract["interactionPlan"], contract["permittedInterfaces"])


def _target(value: dict[str, Any]) -> dict[str, Any]:
    target = parse_evidence_target(value["pointer"])
    return {
        "stepId": target.step_id,
        "channel": target.channel,
        "inputChannel": target.input_channel,
        "artifactId": target.artifact_id,
        "tail": list(target.tail),
    }


OPERATIONS = {
    "seal": lambda value: Text(
        serialize_artifact(seal(value["contract"], strict=value.get("strict", True)), "SealedEvaluatorBrief")
    ),
    "sealUncompiled": lambda value: Text(
        serialize_artifact(
            seal_contract(parse(EvalContract, value["contract"], "EvalContract")), "SealedEvaluatorBrief"
        )
    ),
    "renderEvidenceReferences": lambda value: render_evidence_references(value["pointers"], _index(value["contract"])),
    "renderDirectionText": lambda value: render_direction_text(value["direction"], _index(value["contract"])),
    "parseEvidenceTarget": _target,
    "auditBriefScripting": lambda value: audit_brief_scripting(value["brief"]),
}
