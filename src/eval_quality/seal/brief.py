"""The brief itself (spec 06, section 5). Everything in it but the digest and the behaviors is sorted, so that the order
in which an author wrote things down tells the evaluator nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.sealed_evaluator_brief import (
    SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION,
    BriefDirection,
    SealedEvaluatorBrief,
)
from eval_quality.assembled import conforming
from eval_quality.canonical import digest_artifact, utf16_key
from eval_quality.errors import PreconditionError
from eval_quality.plan_index import PlanIndex, build_plan_index

from .prose import render_direction_text

_Keyed = TypeVar("_Keyed", bound=Any)


def seal_contract(contract: EvalContract) -> SealedEvaluatorBrief:
    """Seal a compiled contract.

    Raises ``PreconditionError`` for a contract that compiles and cannot be told (no oracle, a repeated identifier) and
    ``StructuralFailure`` ``irreducible-step-reference`` for steps that cannot be told apart.
    """
    index = build_plan_index(contract["interactionPlan"], contract["permittedInterfaces"])
    directions = list(_directions(contract, index))
    principals = contract["testData"]["principals"] or {}
    brief: SealedEvaluatorBrief = {
        "schemaVersion": SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "contractDigest": digest_artifact(contract, "EvalContract"),
        "behaviors": contract["behaviors"],
        "directions": _sorted_by("oracleId", "oracleId", directions),
        "permittedInterfaces": _sorted_by(
            "logicalId",
            "permittedInterfaces logicalId",
            [{"logicalId": each["logicalId"], "kind": each["kind"]} for each in contract["permittedInterfaces"]],
        ),
        "scopedResources": _sorted_by("reference", "scopedResources reference", contract["scopedResources"] or []),
        "principals": sorted(principals, key=utf16_key),
        "budgets": contract["budgets"],
        "safetyLimits": sorted(contract["safetyLimits"], key=utf16_key),
        "probeStepBound": contract["probeStepBound"],
    }
    sealed: SealedEvaluatorBrief = conforming(
        SealedEvaluatorBrief, brief, "seal() assembled a brief that failed SealedEvaluatorBrief validation"
    )
    return sealed


def _directions(contract: EvalContract, index: PlanIndex) -> Iterable[BriefDirection]:
    for oracle in contract["oracles"]:
        if oracle["direction"] is None:
            raise PreconditionError(f"oracle {oracle['id']} reached seal() with a null direction")
        yield {"oracleId": oracle["id"], "text": render_direction_text(oracle["direction"], index)}


def _sorted_by(key: str, label: str, items: list[_Keyed]) -> list[_Keyed]:
    """The items in the order of their keys, which have to differ."""
    seen: set[str] = set()
    for item in items:
        if item[key] in seen:
            raise PreconditionError(f"duplicate {label} in sealed brief input: {item[key]}")
        seen.add(item[key])
    return sorted(items, key=lambda item: utf16_key(item[key]))
