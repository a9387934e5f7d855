"""Python files read as syntax trees: never imported, never run."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable
from typing import Final, NamedTuple

from .refusals import GateConfigurationError

PYTHON_ENDINGS: Final = (".py", ".pyi", ".pyw")


def require_python(files: Iterable[str], gate: str) -> None:
    """Refuse a scanned file that is not Python. Raises ``GateConfigurationError``."""
    other = next((file for file in files if not file.endswith(PYTHON_ENDINGS)), None)
    if other is not None:
        raise GateConfigurationError(
            f"{other} is not source this gate reads: {gate} reads Python, so list only .py or .pyi"
        )


class Unparsable(NamedTuple):
    """Why a file has no syntax tree: the line of the error and what a finding says of it."""

    line: int
    reason: str


def parse_python(data: bytes) -> ast.Module | Unparsable:
    """The syntax tree of a file's bytes, so that a declared encoding holds."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that a later Python refuses is not this gate's business
            return ast.parse(data)
    except SyntaxError as error:
        return _unparsable(error.lineno or 1, error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return _unparsable(1, str(error) or type(error).__name__)


def _unparsable(line: int, message: str) -> Unparsable:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Unparsable(max(line, 1), f"could not be parsed as Python {version} ({message})")


def dotted_name(node: ast.expr) -> str | None:
    """``a.b.c`` for a chain of attributes on a name, else ``None``."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, attribute):
            head = dotted_name(value)
            return None if head is None else f"{head}.{attribute}"
    return None
