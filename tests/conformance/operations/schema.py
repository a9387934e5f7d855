"""Documents against the artifact schemas."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.port_messages import ProbeObservation, ProbeRequest
from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.artifacts.schema import issues_of
from eval_quality.artifacts.strength_aggregate import StrengthFloors
from eval_quality.canonical import digest_artifact, read_json
from eval_quality.errors import RuntimeFault

OTHER_TYPES = {"strength-floors": StrengthFloors, "probe-request": ProbeRequest, "probe-observation": ProbeObservation}


def parse_artifact(value: dict[str, Any]) -> dict[str, Any]:
    key = value["artifact"]
    annotation = OTHER_TYPES[key] if key in OTHER_TYPES else ARTIFACT_REGISTRY[key].load()
    parsed, issues = issues_of(annotation, read_json(value["text"]))
    if issues:
        return {"accepted": False, "pointers": sorted({issue.pointer for issue in issues})}
    try:
        return {"accepted": True, "digest": digest_artifact(parsed, key)}
    except RuntimeFault:
        return {"accepted": True, "digest": None}


OPERATIONS = {"parseArtifact": parse_artifact}
