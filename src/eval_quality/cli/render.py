"""Lines on standard error, and exit codes (spec 11, sections 8 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_quality.errors import AggregationRefusal, EvalQualityError, Issue, RuntimeFault, StructuralFailure

PROGRAM: Final = "eval-quality"
MAXIMUM_ISSUE_LINES: Final = 20

EXIT_OK: Final = 0
EXIT_STRICT_CONCERNS: Final = 1
EXIT_INVALID: Final = 3
EXIT_STRUCTURAL: Final = 4
EXIT_FAULT: Final = 5
EXIT_USAGE: Final = 64

_ERROR_EXIT_CODES: Final[tuple[tuple[type[EvalQualityError], int], ...]] = (
    (StructuralFailure, EXIT_STRUCTURAL),
    (AggregationRefusal, EXIT_STRUCTURAL),
    (RuntimeFault, EXIT_FAULT),
)


def exit_code_of(error: EvalQualityError) -> int:
    return next(code for kind, code in _ERROR_EXIT_CODES if isinstance(error, kind))


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
