"""Runs conformance vectors: decodes an input, calls the package's own function for it, encodes and compares the answer.

A vector file ``<area>.jsonl.gz`` holds one JSON object a line: ``{id, op, input, expect, unsure?, note?}``, where
``expect`` is ``{text}``, ``{value}`` or ``{throws}`` (``cli`` vectors compare exit code, streams and files instead).
"""

from __future__ import annotations

import gzip
import importlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from eval_quality.errors import DesignatedOracleRefusal, EvalQualityError, PreconditionError, RuntimeFault

Operation = Callable[[dict[str, Any]], Any]

ISSUE_LINE = re.compile(r"  (\(root\)|(?:/.*?)): ")

DOMAIN_ERRORS = (EvalQualityError, DesignatedOracleRefusal, PreconditionError)


class Text(str):
    """An answer that is compared as the exact text of an artifact."""


@dataclass
class AreaReport:
    """What became of one area's vectors."""

    area: str
    passed: int = 0
    total: int = 0
    unsure_differ: list[str] = field(default_factory=list)
    failures: list[tuple[dict[str, Any], Any]] = field(default_factory=list)

    def line(self) -> str:
        text = f"{self.area}: {self.passed} of {self.total} passed"
        return f"{text}, {len(self.unsure_differ)} unsure differ" if self.unsure_differ else text


def read_vectors(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def operations_of(area: str) -> dict[str, Operation]:
    """The operations an area's module declares; an area nobody implements has none, so its vectors fail."""
    try:
        module = importlib.import_module(f"tests.conformance.operations.{area}")
    except ModuleNotFoundError as missing:
        if missing.name != f"tests.conformance.operations.{area}":
            raise
        return {}
    operations: dict[str, Operation] = module.OPERATIONS
    return operations


def error_answer(error: Exception) -> dict[str, Any]:
    """An error in the shape vectors use; ``pointers`` are the distinct failing JSON pointers, sorted."""
    if isinstance(error, PreconditionError):
        return {"name": "TypeError", "message": str(error)} | pointers_of(error)
    answer: dict[str, Any] = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, EvalQualityError):
        answer |= {"code": error.code, "artifactPath": error.artifact_path}
    if isinstance(error, RuntimeFault):
        if error.reason is not None:
            answer["reason"] = error.reason
        if error.port_failure_reason is not None:
            answer["portFailureReason"] = error.port_failure_reason
        answer |= pointers_of(error)
    return answer


def pointers_of(error: RuntimeFault | PreconditionError) -> dict[str, Any]:
    return {"pointers": sorted({issue.pointer for issue in error.issues})} if error.issues else {}


def answer(operation: Operation, value: dict[str, Any]) -> dict[str, Any]:
    try:
        result = operation(value)
    except DOMAIN_ERRORS as error:
        return {"throws": error_answer(error)}
    return {"text": str(result)} if isinstance(result, Text) else {"value": result}


def same(expected: Any, actual: Any) -> bool:
    """Equality of JSON values that keeps booleans apart from numbers and takes 1 and 1.0 as one number."""
    match expected, actual:
        case (bool() | None, _) | (_, bool() | None):
            return expected is actual
        case int() | float(), int() | float():
            return expected == actual
        case dict(), dict():
            return expected.keys() == actual.keys() and all(same(item, actual[key]) for key, item in expected.items())
        case list(), list() | tuple():
            return len(expected) == len(actual) and all(map(same, expected, actual))
        case _:
            return type(expected) is type(actual) and expected == actual


def split_issue_lines(stderr: str) -> tuple[str, list[str]]:
    """Standard error without its schema issue lines, and the distinct locations those name (``""`` for the root)."""
    lines = stderr.splitlines(keepends=True)
    locations = {match[1].replace("(root)", "") for line in lines if (match := ISSUE_LINE.match(line))}
    return "".join(line for line in lines if not ISSUE_LINE.match(line)), sorted(locations)


def agrees_on_the_command_line(vector: dict[str, Any], actual: dict[str, Any], *, ignore_message: bool) -> bool:
    want, have = dict(vector["expect"]), dict(actual["value"])
    if want["stderr"] is None or ignore_message:
        del want["stderr"], have["stderr"]
        want.pop("pointers", None)
    elif "pointers" in want:
        want["stderr"], _ = split_issue_lines(want["stderr"])
        have["stderr"], have["pointers"] = split_issue_lines(have["stderr"])
    return same(want, have)


def agrees(vector: dict[str, Any], actual: dict[str, Any], *, ignore_message: bool = False) -> bool:
    expected = vector["expect"]
    if vector["op"] == "cli" and "value" in actual:
        return agrees_on_the_command_line(vector, actual, ignore_message=ignore_message)
    if "throws" not in expected or "throws" not in actual:
        return same(expected, actual)
    want, have = dict(expected["throws"]), dict(actual["throws"])
    if want["name"] == "Error":  # a plain guard error; this package has one class for both kinds of precondition
        want["name"] = "TypeError"
    if "pointers" not in want:
        have.pop("pointers", None)
    if ignore_message:
        want.pop("message"), have.pop("message")
    return same(want, have)


def run_file(path: Path, *, part: int = 0, parts: int = 1) -> AreaReport:
    """Run every vector of a file, or one part of several; an operation no module declares is a failure, never a skip."""
    area = path.name.removesuffix(".jsonl.gz")
    report, operations = AreaReport(area), operations_of(area)
    for vector in islice(read_vectors(path), part, None, parts):
        report.total += 1
        operation = operations.get(vector["op"])
        if operation is None:
            actual: dict[str, Any] = {"missing": f"no operation named {vector['op']}"}
        else:
            try:
                actual = answer(operation, vector["input"])
            except Exception as crash:  # what escapes the package's own errors is a failure of that vector
                actual = {"crash": f"{type(crash).__name__}: {crash}"}
        if agrees(vector, actual, ignore_message=vector.get("unsure") == "message"):
            report.passed += 1
        elif vector.get("unsure") is True:
            report.unsure_differ.append(vector["id"])
        else:
            report.failures.append((vector, actual))
    return report
