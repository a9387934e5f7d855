"""Lineage chains and revisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eval_quality.lineage import revise_artifact, validate_lineage_chain


def _validate(case: dict[str, Any]) -> Any:
    options = case["options"]
    return validate_lineage_chain(
        case["artifacts"],
        artifact_path=options["artifactPath"],
        accepted_schema_version=options["acceptedSchemaVersion"],
        declared_revision_count=options["declaredRevisionCount"],
        remediation_cap=options["remediationCap"],
    )


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "validateLineageChain": _validate,
    "reviseArtifact": lambda case: revise_artifact(case["parent"], case["body"], case["path"]),
}
