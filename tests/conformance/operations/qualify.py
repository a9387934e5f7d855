"""Probe qualification."""

from __future__ import annotations

from typing import Any

from eval_quality.score.home_operation import home_operation_of, resolve_home_operation
from eval_quality.score.qualification import QualificationResult, qualify_probe


def spelled(result: QualificationResult) -> dict[str, Any]:
    return {
        "qualified": result.qualified,
        "failures": [
            {"code": each.code, "artifactPath": each.artifact_path, "detail": each.detail} for each in result.failures
        ],
        "declarationChecksRan": result.declaration_checks_ran,
    }


def _qualify(value: dict[str, Any]) -> dict[str, Any]:
    interfaces = value["interfaces"]
    home = None if interfaces is None else home_operation_of(value["probe"], interfaces)
    return spelled(qualify_probe(value["probe"], home))


def _home(value: dict[str, Any]) -> dict[str, Any] | None:
    home = resolve_home_operation(value["signature"], value["interfaces"])
    return home and {"interfaceId": home.interface_id, "operationId": home.operation["operationId"]}


OPERATIONS = {"qualifyProbe": _qualify, "resolveHomeOperation": _home}
