"""Exit codes (spec 11, section 8). 2 is FAIL's own: it comes from the verdict ladder and from nothing else."""

from __future__ import annotations

from typing import Final

from eval_quality.errors import AggregationRefusal, EvalQualityError, RuntimeFault, StructuralFailure

EXIT_OK: Final = 0
EXIT_STRICT_CONCERNS: Final = 1
EXIT_INVALID: Final = 3
EXIT_STRUCTURAL: Final = 4
EXIT_FAULT: Final = 5
EXIT_USAGE: Final = 64
EXIT_INTERRUPTED: Final = 130

_BY_ERROR: Final[tuple[tuple[type[EvalQualityError], int], ...]] = (
    (StructuralFailure, EXIT_STRUCTURAL),
    (AggregationRefusal, EXIT_STRUCTURAL),
    (RuntimeFault, EXIT_FAULT),
)


def exit_code_of(error: EvalQualityError) -> int:
    """The code a run ends with when a stage refuses its inputs."""
    return next(code for kind, code in _BY_ERROR if isinstance(error, kind))
