"""Exit codes (spec 11, section 8). 2 is FAIL's own: it comes from the verdict ladder and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eval_quality.errors import EvalQualityError

EXIT_OK: Final = 0
EXIT_STRICT_CONCERNS: Final = 1
EXIT_INVALID: Final = 3
EXIT_STRUCTURAL: Final = 4
EXIT_FAULT: Final = 5
EXIT_USAGE: Final = 64
EXIT_INTERRUPTED: Final = 130


def exit_code_of(error: EvalQualityError) -> int:
    """The code a run ends with when a stage refuses its inputs."""
    from eval_quality.errors import RuntimeFault

    return EXIT_FAULT if isinstance(error, RuntimeFault) else EXIT_STRUCTURAL
