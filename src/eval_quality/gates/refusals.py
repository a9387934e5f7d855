"""What stops a gate from judging at all (spec 14, section 13).

A refusal is not a finding: the gate could not do what its owner asked. Each class carries the exit code and, where the
reference publishes one, its code. Everything is exit 64 except a tree that could not be read to the end, which is 1.
"""

from __future__ import annotations

from typing import ClassVar, Final

from eval_quality.system_texts import system_code, system_text

EXIT_FOUND: Final = 1
EXIT_REFUSED: Final = 64


class GateError(Exception):
    """Base of the refusals; ``str(error)`` is the line a user reads after the program's name."""

    code: ClassVar[str | None] = None
    exit_code: ClassVar[int] = EXIT_REFUSED


class GateConfigurationError(GateError):
    """The command line, the configuration file or a file it names cannot be used."""


class LockfileShapeError(GateError):
    """A lock file is in no format a gate reads, or locks nothing."""


class ScanPathError(GateError):
    """A path to scan is absent, or a scan of it would have covered nothing."""

    code = "EVAL_QUALITY_SCAN_PATH"


class ScanUnreadableError(GateError):
    """A tree could not be read to the end, so what was read proves nothing: exit 1."""

    code = "EVAL_QUALITY_SCAN_UNREADABLE"
    exit_code = EXIT_FOUND


class MissingExtraError(GateError):
    """A gate was asked for what an optional dependency does, and it is not installed."""

    code = "EVAL_QUALITY_TYPESCRIPT_UNAVAILABLE"


class DocPathError(GateError):
    """``doc-invocations`` cannot find what it should run, or found no command to run."""

    code = "EVAL_QUALITY_DOC_PATH"


class DocClaimPathError(GateError):
    """A class of ``doc-claims`` would have examined nothing."""

    code = "EVAL_QUALITY_DOC_CLAIM_PATH"


class DocCountSourceError(GateError):
    """A source of ``doc-counts`` cannot be read or does not hold a count."""

    code = "EVAL_QUALITY_DOC_COUNT_SOURCE"


class ModuleValueError(GateError):
    """A value a documentation gate names in a module is absent or of another kind."""

    code = "EVAL_QUALITY_MODULE_VALUE"


class MalformedSection(GateError):
    """A section does not have the shape its gate declares."""


class GateCrash(GateError):
    """A defect of this program, reported with its stack trace: exit 1."""

    exit_code = EXIT_FOUND


def system_detail(error: OSError, operation: str) -> str:
    """The one-line account of a failed system call: ``EACCES: permission denied, open '<path>'``."""
    code = system_code(error)
    if code == "EISDIR":  # told as where a directory can be opened and only reading it fails
        return system_text(code, "read", None)
    return system_text(code, operation, error.filename)
