"""What is found wrong with a value: the issues of a shape, how far each reaches, and how refusals call what was given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from ..constraints import Length
from .normal_form import as_number

Path = tuple[str | int, ...]


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


def _js_length_number(value: object) -> float:
    """A ``length`` member as JavaScript's ``>=`` coerces it; NaN when it is no number."""
    match value:
        case None:
            return 0
        case bool() | int() | float():
            return float(value)
        case str():
            try:
                return float(value.strip() or "0")
            except ValueError:
                return math.nan
        case _:
            return math.nan


def length_findings(value: object, bounds: Length, path: Path) -> Iterable[Finding]:
    """Breaches of length bounds by anything that has a length: texts, arrays, and objects with a key ``length``."""
    match value:
        case str():
            size, noun, unit = float(len(value)), "string", " characters"
        case list() | tuple():
            size, noun, unit = float(len(value)), "array", " items"
        case {"length": length}:
            size, noun, unit = _js_length_number(length), "unknown", ""
        case _:
            return
    severity = Severity.HARD if bounds.hard else Severity.SOFT
    have = "to have" if unit else "to be"
    if bounds.exactly is not None and size != bounds.exactly:
        word = "Too big" if size > bounds.exactly else "Too small"
        yield Finding(path, f"{word}: expected {noun} {have} exactly {bounds.exactly}{unit}", severity)
    if bounds.minimum is not None and not size >= bounds.minimum:
        yield Finding(path, f"Too small: expected {noun} {have} >={bounds.minimum}{unit}", severity)
    if bounds.maximum is not None and not size <= bounds.maximum:
        yield Finding(path, f"Too big: expected {noun} {have} <={bounds.maximum}{unit}", severity)
