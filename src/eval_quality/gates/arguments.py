"""The command line of ``eval-quality-gates`` (spec 14, section 11): read left to right, first problem wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from .registry import GATES

Format = Literal["text", "json", "sarif", "github"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

HELP_WORDS: Final = ("--help", "-h")


class UsageError(Exception):
    """The command line cannot be understood; the message says where."""


@dataclass(frozen=True)
class Run:
    """Run one gate, or every configured one (``gate`` is ``None``)."""

    gate: str | None
    config: str | None
    format: Format


@dataclass(frozen=True)
class ListGates:
    """Print the table of gates."""

    format: Format


@dataclass(frozen=True)
class Help:
    """Print the usage text."""


@dataclass(frozen=True)
class Version:
    """Print the version."""


def usage_text() -> str:
    """The usage text, without its final line break."""
    width = max(map(len, GATES)) + 2
    gates = "\n".join(f"  {gate.name:<{width}}{gate.holds}" for gate in GATES.values())
    return _USAGE.format(gates=gates, formats=", ".join(FORMATS))


_USAGE: Final = """\
Usage:
  eval-quality-gates <gate> [--config <path>] [--format <format>]
  eval-quality-gates --all [--config <path>] [--format <format>]
  eval-quality-gates --list [--format <format>]

{gates}

  --config <path>  the configuration file; eval-quality.config.json in the working directory by default
  --format <name>  how findings are printed: {formats}; text by default
  --all            every configured gate, exiting with the highest code of them
  --list           the gates by name
  --version        the version of this package
  --help, -h       this text

Each gate reads its own section of that file, or of [tool.eval-quality.gates] in
pyproject.toml; a gate without a section refuses. Paths in a section are relative
to the file that holds it.

dependency-direction and field-ownership read Python with the standard library.
Indirect imports need the extra "graph", lock files of Python the extra "gates".
doc-counts and doc-claims import modules you name, in a child process;
doc-invocations runs the commands your pages document.

Exit codes: 0 the gate passed, 1 the gate failed, 64 a usage or configuration error."""


def read_arguments(tokens: Sequence[str]) -> Run | ListGates | Help | Version:
    """What the command line asks for. Raises ``UsageError``."""
    if not tokens:
        raise UsageError(f"no gate given; expected one of {', '.join(GATES)}")
    first, *rest = tokens
    if first in (*HELP_WORDS, "help"):
        return Help()
    if first == "--version":
        return Version()
    if first not in (*GATES, "--all", "--list"):
        raise UsageError(f'unknown gate "{first}"; expected one of {", ".join(GATES)}')
    flags = ("--format",) if first == "--list" else ("--config", "--format")
    values = _read_flags(first, rest, flags)
    if values is None:
        return Help()
    chosen = values.get("--format", "text")
    known = next((name for name in FORMATS if name == chosen), None)
    if known is None:
        raise UsageError(f'unknown format "{chosen}"; expected one of {", ".join(FORMATS)}')
    if first == "--list":
        return ListGates(known)
    return Run(None if first == "--all" else first, values.get("--config"), known)


def _read_flags(command: str, tokens: Sequence[str], flags: Sequence[str]) -> dict[str, str] | None:
    """The values of the flags after the command; ``None`` when help is asked for among them."""
    values: dict[str, str] = {}
    rest = iter(tokens)
    for token in rest:
        if token in HELP_WORDS:
            return None
        flag, inline, value = token.partition("=")
        if flag not in flags:
            raise UsageError(f'unknown flag "{token}" for {command}')
        if not inline:
            value = _next_value(flag, next(rest, None))
        if not value:
            raise UsageError(f"{flag} was given an empty value")
        if values.setdefault(flag, value) != value:
            raise UsageError(f'{flag} given twice with different values, "{values[flag]}" and "{value}"')
    return values


def _next_value(flag: str, token: str | None) -> str:
    if token is None:
        raise UsageError(f"{flag} requires a value")
    if len(token) > 1 and token.startswith("-"):
        what = "a path" if flag == "--config" else "a value"
        raise UsageError(
            f'{flag} requires a value, but the next token is "{token}"; use {flag}={token} for {what} that begins '
            'with "-"'
        )
    return token
