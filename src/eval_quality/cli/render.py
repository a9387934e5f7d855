"""Lines on standard error (spec 11, section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_quality.errors import EvalQualityError, Issue, RuntimeFault

PROGRAM: Final = "eval-quality"
MAXIMUM_ISSUE_LINES: Final = 20


def diagnostic_line(*parts: str) -> str:
    """``eval-quality: <part>: <part>...``, with its line break."""
    return ": ".join((PROGRAM, *parts)) + "\n"


def error_lines(error: EvalQualityError) -> str:
    """The line of an error, and under it the schema issues behind it."""
    line = diagnostic_line(error.code, error.artifact_path, error.detail)
    return line + (issue_lines(error.issues) if isinstance(error, RuntimeFault) else "")


def issue_lines(issues: Sequence[Issue]) -> str:
    """One line an issue, sorted by UTF-16 units, twenty at most and a count of the rest."""
    lines = [f"  {issue.pointer or '(root)'}: {issue.message}" for issue in issues]
    lines.sort(key=lambda line: line.encode("utf-16-be", "surrogatepass"))
    shown = lines[:MAXIMUM_ISSUE_LINES]
    if len(lines) > MAXIMUM_ISSUE_LINES:
        shown.append(f"  ... and {len(lines) - MAXIMUM_ISSUE_LINES} more")
    return "".join(f"{line}\n" for line in shown)
