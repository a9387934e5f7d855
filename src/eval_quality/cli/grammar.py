"""What may stand on the command line, as data, and the reader of it (spec 11, section 2).

The grammar is the published one, not a parser library's: every value flag takes ``--flag value`` or ``--flag=value``,
an equal repeat is harmless, a different one is an error, nothing is abbreviated. ``eval_quality.cli.completion`` hands
the same table to click for shell completion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_ORACLE_ID: Final = r"O-[0-9]{3,}"


class UsageError(Exception):
    """The command line cannot be understood; exit code 64."""


class InputFlag(NamedTuple):
    """A flag that names an input file (or ``-``)."""

    key: str
    artifact_path: str
    required: bool = True
    repeatable: bool = False

    @property
    def flag(self) -> str:
        return f"--{self.key}"


class Command(NamedTuple):
    """One command: its input flags in reading order, its other value flags, and what it puts out."""

    name: str
    inputs: tuple[InputFlag, ...]
    kind: str
    artifact_path: str
    values: tuple[str, ...] = ()
    required_values: tuple[str, ...] = ()
    strict_inputs: bool = False

    @property
    def switches(self) -> tuple[str, ...]:
        return ("--strict", "--strict-inputs", "--no-strict-inputs") if self.strict_inputs else ("--strict",)

    @property
    def value_flags(self) -> dict[str, InputFlag | None]:
        """Every flag that takes a value; the input it names, or none."""
        others = ("--out", *(f"--{name}" for name in self.values))
        return {each.flag: each for each in self.inputs} | dict.fromkeys(others)


_CONTRACT: Final = InputFlag("contract", "EvalContract")
_POLICY: Final = InputFlag("policy", "ScoringPolicy")

COMMANDS: Final[dict[str, Command]] = {
    command.name: command
    for command in (
        Command(
            "compile",
            (InputFlag("in", "EvalContract", required=False),),
            kind="eval-contract",
            artifact_path="EvalContract",
            strict_inputs=True,
        ),
        Command(
            "seal",
            (InputFlag("in", "EvalContract", required=False),),
            kind="sealed-evaluator-brief",
            artifact_path="SealedEvaluatorBrief",
            strict_inputs=True,
        ),
        Command(
            "preflight",
            (_CONTRACT, InputFlag("probes", "Probe"), InputFlag("observations", "ProbeObservation")),
            kind="preflight-verdict",
            artifact_path="PreflightVerdict",
            values=("run-id",),
            required_values=("run-id",),
        ),
        Command(
            "score",
            (
                InputFlag("record", "SealedRunRecord", repeatable=True),
                InputFlag("isolation-manifest", "IsolationManifest", required=False),
                InputFlag("evaluator-configuration", "EvaluatorConfiguration", required=False),
                _CONTRACT,
                InputFlag("probe", "Probe"),
                InputFlag("preflight-verdict", "PreflightVerdict"),
                _POLICY,
                InputFlag("private-manifest", "PrivateArtifactManifest", required=False),
            ),
            kind="evidence-artifact",
            artifact_path="EvidenceArtifact",
            values=("corpus-digest", "corpus-root", "designated-oracle"),
            required_values=("corpus-digest",),
        ),
        Command(
            "aggregate-strength",
            (
                InputFlag("evidence", "EvidenceArtifact", repeatable=True),
                InputFlag("floors", "StrengthFloors"),
                _POLICY,
            ),
            kind="strength-aggregate",
            artifact_path="StrengthAggregate",
        ),
    )
}
_COMMAND_NAMES: Final = ", ".join(COMMANDS)


class Invocation:
    """A command line that was understood: flag values by key; repeatable inputs as lists."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.values: dict[str, str] = {}
        self.repeated: dict[str, list[str]] = {}
        self.strict = False
        self.strict_inputs = True

    def inputs(self) -> Iterator[tuple[InputFlag, str]]:
        """Every input value: single flags in order of first appearance, then the repeatable ones."""
        by_key = {flag.key: flag for flag in self.command.inputs}
        yield from ((by_key[key], value) for key, value in self.values.items() if key in by_key)
        yield from ((by_key[key], value) for key, values in self.repeated.items() for value in values)


class HelpRequest(NamedTuple):
    """Somebody asked for help: in general, or on one command."""

    command: str | None = None


class VersionRequest(NamedTuple):
    """Somebody asked for the version."""


def read_command_line(tokens: list[str]) -> Invocation | HelpRequest | VersionRequest:
    """Understand the tokens after the program's name; raises ``UsageError``."""
    match tokens:
        case []:
            raise UsageError(f"no command given; expected one of {_COMMAND_NAMES}")
        case ["--help" | "-h" | "help"]:
            return HelpRequest()
        case ["--help" | "-h" | "help", name, *_] if name in COMMANDS:
            return HelpRequest(name)
        case ["--version" | "-V", *_]:
            return VersionRequest()
        case [name, *rest] if name in COMMANDS:
            return _read_flags(COMMANDS[name], rest)
        case ["--help" | "-h" | "help", unknown, *_] | [unknown, *_]:
            raise UsageError(f'unknown command "{unknown}"; expected one of {_COMMAND_NAMES}')
    raise AssertionError("every list of tokens is one of the above")


def _read_flags(command: Command, tokens: list[str]) -> Invocation | HelpRequest:
    invocation, value_flags = Invocation(command), command.value_flags
    rest = iter(tokens)
    for token in rest:
        if token == "--":
            for positional in rest:
                raise UsageError(f'{command.name} takes no positional argument, but got "{positional}"')
            break
        if token in ("--help", "-h"):
            return HelpRequest(command.name)
        flag, equals, inline = token.partition("=")
        if flag in value_flags:
            _take_value(invocation, flag, value_flags[flag], inline if equals else _next_value(flag, rest))
        elif equals:
            raise UsageError(f'unknown flag "{flag}" in "{token}"')
        elif token not in command.switches:
            raise UsageError(f'unknown flag "{token}" for {command.name}')
        elif token == "--strict":
            invocation.strict = True
        else:
            invocation.strict_inputs = token == "--strict-inputs"
    for check in (_check_run_id, _check_required, _check_stdin_once):
        check(invocation)
    return invocation


def _next_value(flag: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise UsageError(f"{flag} requires a value")
    if len(value) > 1 and value.startswith("-"):
        raise UsageError(
            f'{flag} requires a value, but the next token is "{value}"; use {flag}={value} for a value that begins '
            'with "-"'
        )
    return value


def _take_value(invocation: Invocation, flag: str, source: InputFlag | None, value: str) -> None:
    key = flag.removeprefix("--")
    if not value:
        raise UsageError(f"{flag} was given an empty value")
    if source is not None and source.repeatable:
        invocation.repeated.setdefault(key, []).append(value)
        return
    earlier = invocation.values.get(key)
    if key == "designated-oracle":
        _check_designation(earlier, value)
    elif earlier is not None and earlier != value:
        raise UsageError(f'{flag} given twice with different values, "{earlier}" and "{value}"')
    invocation.values[key] = value


def _check_designation(earlier: str | None, value: str) -> None:
    if earlier == value:
        raise UsageError(
            f'--designated-oracle given twice, both times as "{value}"; one probe has one designated oracle'
        )
    if not re.fullmatch(_ORACLE_ID, value):
        raise UsageError(
            f'--designated-oracle "{value}" is not an oracle identifier (O- followed by at least three digits)'
        )
    if earlier is not None:
        raise UsageError(f'--designated-oracle given twice with different values, "{earlier}" and "{value}"')


def _check_run_id(invocation: Invocation) -> None:
    run_id = invocation.values.get("run-id")
    if run_id is None:
        return
    from eval_quality.canonical import JS_WHITESPACE  # only one command needs it this early

    if not run_id.strip(JS_WHITESPACE):
        raise UsageError("--run-id must contain a non-whitespace character")


def _check_required(invocation: Invocation) -> None:
    command = invocation.command
    given = invocation.values.keys() | invocation.repeated.keys()
    required = [flag.key for flag in command.inputs if flag.required] + list(command.required_values)
    missing = [f"--{key}" for key in required if key not in given]
    if missing:
        raise UsageError(f"{command.name} requires {', '.join(missing)}")


def _check_stdin_once(invocation: Invocation) -> None:
    order = [flag.key for flag in invocation.command.inputs]
    stdin = sorted((f.flag for f, value in invocation.inputs() if value == "-"), key=lambda f: order.index(f[2:]))
    match stdin:
        case [] | [_]:
            return
        case [first, second]:
            raise UsageError(f'only one input may read stdin, but {first} and {second} both name "-"')
        case _:
            raise UsageError(f'only one input may read stdin, but {", ".join(stdin)} all name "-"')
