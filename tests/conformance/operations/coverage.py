"""Discipline rules over contracts that parse and need not compile."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.coverage import coverage_relevance, coverage_satisfaction, evaluate_coverage


def _contract(value: dict[str, Any]) -> EvalContract:
    contract: EvalContract = parse(EvalContract, value["contract"], "EvalContract")
    return contract


def _relevance(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"rule": rule, "predicate": f"{rule}-relevance", "relevant": answer.relevant, "reason": answer.reason}
        for rule, answer in coverage_relevance(_contract(value)).items()
    ]


def _satisfaction(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"rule": rule, "predicate": f"{rule}-satisfaction", "satisfied": answer.satisfied, "reason": answer.reason}
        for rule, answer in coverage_satisfaction(_contract(value)).items()
    ]


OPERATIONS = {
    "evaluateCoverage": lambda value: evaluate_coverage(_contract(value)),
    "coverageRelevance": _relevance,
    "coverageSatisfaction": _satisfaction,
}
