"""Comparison of two results, and the consistency of a reduction."""

from __future__ import annotations

from typing import Any

from eval_quality.score.consistency import reduction_consistency_issues
from eval_quality.score.dominance import compare_dominance


def _issues(value: dict[str, Any]) -> list[dict[str, Any]]:
    issues = reduction_consistency_issues(
        value["scoredProbeId"], value["outcomes"], value["reducedProbeOutcomes"], value["trials"]
    )
    return [{"path": list(issue.path), "message": issue.message} for issue in issues]


OPERATIONS = {
    "compareDominance": lambda value: compare_dominance(value["a"], value["b"], value["severityFloor"]),
    "reductionConsistencyIssues": _issues,
}
