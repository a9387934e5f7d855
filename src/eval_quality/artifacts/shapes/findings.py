"""What is found wrong with a value: the issues of a shape, how far each reaches, and how refusals call what was given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

from .normal_form import as_number

Path: TypeAlias = "tuple[()] | tuple[Path, str | int]"
"""The way to a value: the way to the container that holds it, and the step from there; values may lie deep."""


def below(path: Path, *steps: str | int) -> Path:
    """The way to what lies some steps below a value."""
    for step in steps:
        path = (path, step)
    return path


class Severity(IntEnum):
    """How far an issue reaches: a hard one silences later rules on the value, a blocking one the length bounds too."""

    SOFT = 0
    HARD = 1
    BLOCKING = 2


class Finding(NamedTuple):
    """One issue while it is being collected."""

    path: Path
    message: str
    severity: Severity

    @property
    def steps(self) -> tuple[str | int, ...]:
        """All steps of the path, from the root."""
        steps: list[str | int] = []
        path = self.path
        while path:
            path, step = path
            steps.append(step)
        return tuple(reversed(steps))


class Missing:
    """The value of a key that is not there."""


MISSING: Final = Missing()


def received(value: object) -> str:
    """The word refusals use for what was given."""
    match value:
        case Missing():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            number = as_number(value)
            if math.isfinite(number):
                return "number"
            return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def wrong_type(expected: str, value: object, path: Path) -> Finding:
    return Finding(path, f"Invalid input: expected {expected}, received {received(value)}", Severity.HARD)


def worst(findings: Iterable[Finding]) -> Severity:
    return max((finding.severity for finding in findings), default=Severity.SOFT)
