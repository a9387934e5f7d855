"""Length bounds, which run on anything that has a length, whatever type was due (spec 01, section 2.4.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from eval_quality.canonical.domain import JS_WHITESPACE, binary64

from ..constraints import Length
from .findings import Finding, Path, Severity

_DECIMAL: Final = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_RADIX: Final = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def length_findings(value: object, bounds: Length, path: Path) -> Iterator[Finding]:
    """Breaches of length bounds by texts, arrays, and objects with a key ``length``.

    The latter is compared as JavaScript compares: an order takes it for a number where it can, an equality only if it is
    one.
    """
    match value:
        case str():
            size, noun, unit = float(len(value)), "string", " characters"
        case list() | tuple():
            size, noun, unit = float(len(value)), "array", " items"
        case {"length": length}:
            size, noun, unit = _coerced(length), "unknown", ""
            if bounds.exactly == size and (isinstance(length, bool) or not isinstance(length, int | float)):
                size = math.nan
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


def _coerced(length: object) -> float:
    """The number JavaScript takes a value for; NaN where it is none."""
    match length:
        case None:
            return 0
        case int() | float():
            return binary64(length)
        case str():
            return _number_of(length.strip(JS_WHITESPACE))
        case _:
            return math.nan


def _number_of(text: str) -> float:
    if not text:
        return 0
    if _RADIX.fullmatch(text):
        return binary64(int(text, 0))
    return float(text) if _DECIMAL.fullmatch(text) else math.nan
