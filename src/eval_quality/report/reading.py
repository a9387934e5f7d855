"""Files and directories, as recognised and validated artifacts; what cannot be one is a complaint (spec 01, section 13).

1. A directory stands for every ``*.json`` below it, hidden ones left out, in the order of their paths.
2. A file is read as JSON, recognised by content, checked for its version and parsed, in this order; the first thing that
   is wrong is the one complaint about the file.
3. Every file is read before anything is said, so that all complaints are told at once.
4. Characters that could act on a terminal or on a reader's eye are spelled out in every text, after the digest is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.artifacts.schema import issues_of
from eval_quality.canonical import JsonSyntaxError, digest_artifact, read_json
from eval_quality.cli.exit_codes import EXIT_FAULT, EXIT_USAGE
from eval_quality.cli.files import read_input
from eval_quality.cli.system_errors import SystemFailure
from eval_quality.errors import EvalQualityError, Issue

from .recognise import Kind, check_stamp_of, recognise
from .spelling import spelled_out, spelled_out_value


class Complaint(NamedTuple):
    """What is wrong with one file, and the exit code it stands for."""

    file: str
    text: str
    exit_code: int

    def __str__(self) -> str:
        return f"{spelled_out(self.file)}: {spelled_out(self.text)}"


@dataclass(frozen=True)
class Source:
    """An artifact and the file it came from."""

    file: str
    kind: Kind
    value: Any
    digest: str


class Reading(NamedTuple):
    """Everything that was read, and everything that could not be."""

    sources: list[Source]
    complaints: list[Complaint]


def read_paths(paths: Sequence[str]) -> Reading:
    """Read files and directories."""
    sources: list[Source] = []
    complaints: list[Complaint] = []
    for file in dict.fromkeys(each for path in paths for each in _files(path)):
        try:
            sources += _read_file(file)
        except _Unreadable as unreadable:
            complaints.append(Complaint(file, str(unreadable), unreadable.exit_code))
        except SystemFailure as failure:
            complaints.append(Complaint(file, str(failure), failure.exit_code))
    if not sources and not complaints:
        named = ", ".join(paths)
        complaints.append(Complaint(named, "holds no JSON file", EXIT_USAGE))
    return Reading(sources, complaints)


def _files(path: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield path
        return
    for file in sorted(Path(path).rglob("*.json")):
        inside = file.relative_to(path).parts
        if file.is_file() and not any(part.startswith(".") for part in inside):
            yield str(file)


class _Unreadable(Exception):
    """Why a file is no artifact this build reads."""

    def __init__(self, text: str, exit_code: int = EXIT_FAULT) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def _read_file(file: str) -> Iterable[Source]:
    text = read_input(file).decode("utf-8", "replace")
    try:
        value = read_json(text)
    except JsonSyntaxError as error:
        raise _Unreadable(f"schema-parse-failure: is not JSON: {error}") from error
    recognised = recognise(value)
    if not recognised:
        raise _Unreadable("schema-parse-failure: is no artifact of an evaluation: its keys are those of no known kind")
    return [_source(file, kind, each, text) for kind, each in recognised]


def _source(file: str, kind: Kind, value: Any, text: str) -> Source:
    entry = ARTIFACT_REGISTRY.get(kind)
    if entry is None:  # an input that is no artifact: recognised, and nothing more
        return Source(file, kind, value, "")
    try:
        check_stamp_of(kind, value)
        parsed, issues = issues_of(entry.load(), value)
        if issues:
            raise _Unreadable(f"schema-parse-failure: does not conform to the {entry.name} schema: {_told(issues)}")
        digest = digest_artifact(parsed, entry.name)
    except EvalQualityError as error:
        raise _Unreadable(f"{error.code}: {error.artifact_path} {error.detail}") from error
    return Source(file, kind, spelled_out_value(parsed, text), digest)


def _told(issues: Sequence[Issue]) -> str:
    pointer, message = issues[0]
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return f"{pointer or '(root)'}: {message}{more}"
