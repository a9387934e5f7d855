"""Catch figures by class over the evidence of a run, and how a share is written."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES

from .run import Run


def class_figures(run: Run) -> dict[str, dict[str, Any]]:
    """Catch figures by class; a class without a probe has none."""
    figures: dict[str, dict[str, Any]] = {}
    for name in STRENGTH_CLASS_NAMES:
        strengths = [s for each in run.evidence.values() if (s := each.value["strength"]["vector"][name]) is not None]
        if strengths:
            caught, exercised = (sum(each[key] for each in strengths) for key in ("caught", "exercised"))
            figures[name] = {
                "caught": caught,
                "exercised": exercised,
                "eligible": len(strengths),
                "rate": caught / exercised if exercised else None,
            }
    return figures


def percent(share: float) -> str:
    """A share in percent, cut to one decimal so that nothing short of all reads as 100%."""
    whole, tenth = divmod(int(share * 1000 + 1e-9), 10)
    return f"{whole}%" if tenth == 0 else f"{whole}.{tenth}%"
