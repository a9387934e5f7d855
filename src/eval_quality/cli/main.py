"""``eval-quality``: understand the command line, run it, turn what went wrong into one line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from .exit_codes import EXIT_FAULT, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, exit_code_of
from .files import write_stderr, write_stdout
from .grammar import HelpRequest, Invocation, UsageError, VersionRequest, read_command_line
from .process import set_up_process
from .system_errors import SystemFailure

_COMPLETION_VARIABLE: Final = "_EVAL_QUALITY_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. ``arguments`` are the tokens after the program's name."""
    if arguments is None and _COMPLETION_VARIABLE in os.environ:
        from .completion import complete

        return complete(os.environ[_COMPLETION_VARIABLE])
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    set_up_process()
    try:
        return _guarded(tokens)
    except SystemFailure:  # standard error itself cannot be written, so there is nowhere to say so
        return EXIT_FAULT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _guarded(tokens: list[str]) -> int:
    try:
        return _run(tokens)
    except UsageError as error:
        write_stderr(f"eval-quality: usage: {error}\n")
        return EXIT_USAGE
    except SystemFailure as failure:
        kind = "usage: " if failure.is_path_error else ""
        write_stderr(f"eval-quality: {kind}{failure}\n")
        return failure.exit_code
    except Exception as error:
        return _report(error)


def _run(tokens: list[str]) -> int:
    match read_command_line(tokens):
        case HelpRequest(command):
            from .help import help_text

            write_stdout(f"{help_text(command)}\n".encode())
        case VersionRequest():
            from eval_quality.version import VERSION

            write_stdout(f"{VERSION}\n".encode())
        case Invocation() as invocation:
            from .commands import run_command

            return run_command(invocation)
    return EXIT_OK


def _report(error: Exception) -> int:
    from eval_quality.errors import DesignatedOracleRefusal, EvalQualityError

    from .render import error_lines

    match error:
        case EvalQualityError():
            write_stderr(error_lines(error))
            return exit_code_of(error)
        case DesignatedOracleRefusal():
            write_stderr(f"eval-quality: usage: {error}\n")
            return EXIT_USAGE
        case _:
            write_stderr(f"eval-quality: unexpected error: {type(error).__name__}: {error}\n")
            return EXIT_FAULT
