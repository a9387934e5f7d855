"""The hashed-artifact value domain and the ECMAScript spellings its text is made of (spec 03, sections 1 and 2).

A hashed-artifact value is null, a boolean, a number, a well-formed string, an array or a plain object with string
keys; acyclic, and nested at most ``MAX_NESTING_DEPTH`` containers deep. Numbers are binary64: an ``int`` stands for the
double it converts to, and an integral ``float`` is the same value as the equal ``int``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from math import isfinite, isinf
from typing import Any, Final, TypeVar

MAX_NESTING_DEPTH: Final = 1024
"""Containers a value may nest: the root is at depth 0, so this many pass and one more is refused."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The greatest integer that no other integer shares its binary64 value with."""

JS_WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript's ``trim`` takes away and ``\\s`` matches; Python's white space is another set."""

_MAX_ARRAY_INDEX: Final = 2**32 - 2

_Value = TypeVar("_Value")


def copied(value: _Value) -> _Value:
    """A value of the same kind that shares no container with the original, however deep it nests."""
    root: list[Any] = [value]
    pending: list[Any] = [root]
    while pending:
        container = pending.pop()
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            if isinstance(container[key], dict | list):
                container[key] = container[key].copy()
                pending.append(container[key])
    copy: _Value = root[0]
    return copy


def binary64(number: int | float) -> float:
    """The double a number is; an ``int`` beyond the range of doubles is an infinity."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def normal_number(double: float) -> int | float:
    """A double in the normal form of parsed values: an ``int`` where it is a safe integer, itself otherwise."""
    if double.is_integer() and -MAX_SAFE_INTEGER <= double <= MAX_SAFE_INTEGER:
        return int(double)
    return double


def number_text(number: int | float) -> str:
    """The text ECMAScript's Number-to-string gives a number (spec 03, section 2.1).

    ``repr`` already finds the shortest digits that round-trip; only their layout differs: no trailing ``.0``, plain
    digits from 1e-6 up to below 1e21, and an exponent with a sign and no padding elsewhere.
    """
    if isinstance(number, int) and -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return int.__repr__(number)
    double = binary64(number)
    if not isfinite(double):
        return ("Infinity" if double > 0 else "-Infinity") if isinf(double) else "NaN"
    sign, (digits, point) = "-" if double < 0 else "", _decimal(abs(double))
    if len(digits) <= point <= 21:
        return f"{sign}{digits:0<{point}}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _decimal(magnitude: float) -> tuple[str, int]:
    """The shortest digits of a non-negative double and its point: the value is ``0.<digits> * 10**point``."""
    mantissa, _, exponent = repr(magnitude).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    return digits.rstrip("0") or "0", point if digits else 1


def json_string(text: str) -> str:
    """A string as JSON writes it: short escapes, ``\\u00xx`` for other controls, ``\\udxxx`` for lone surrogates."""
    rendered = encode_basestring(text)
    if rendered.isascii() or is_well_formed(rendered):
        return rendered
    return "".join(f"\\u{ord(unit):04x}" if "\ud800" <= unit <= "\udfff" else unit for unit in rendered)


def is_well_formed(text: str) -> bool:
    """Whether a string holds no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def joined(text: str) -> str:
    """The string with every high surrogate that a low one follows joined into the character the two units spell."""
    return text if is_well_formed(text) else utf16_key(text).decode("utf-16-be", "surrogatepass")


def well_formed(text: str) -> str:
    """The string with U+FFFD for each lone surrogate."""
    return text if is_well_formed(text) else utf16_key(text).decode("utf-16-be", "replace")


def utf16_key(text: str) -> bytes:
    """A sort key that orders strings by their UTF-16 code units, a shorter prefix first."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_length(text: str) -> int:
    """How many UTF-16 code units a string has."""
    return len(text) if text.isascii() else len(utf16_key(text)) // 2


def utf16_units(text: str) -> str:
    """A text with one character for each of its UTF-16 code units: a character beyond U+FFFF is its two surrogates."""
    return text if text.isascii() else re.sub("[\U00010000-\U0010ffff]", _surrogates, text)


def _surrogates(character: re.Match[str]) -> str:
    high, low = divmod(ord(character[0]) - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


def first_unit(character: str) -> str:
    """The first UTF-16 code unit of a character: of one beyond U+FFFF, its high surrogate."""
    return utf16_key(character)[:2].decode("utf-16-be", "surrogatepass")


def js_key_order(members: Mapping[str, object] | Iterable[str]) -> list[str]:
    """Keys in the order a JavaScript object lists its own: array indices ascending, then the others as they came.

    A key that is no text, which only a value that is no JSON can have, is one of the others.
    """
    keys = list(members)
    indices = {key: int(key) for key in keys if _is_array_index(key)}
    if not indices:
        return keys
    return sorted(indices, key=indices.__getitem__) + [key for key in keys if key not in indices]


def _is_array_index(key: object) -> bool:
    if not isinstance(key, str) or not (key.isascii() and key.isdigit()) or len(key) > 10:
        return False
    return key == "0" or (key[0] != "0" and int(key) <= _MAX_ARRAY_INDEX)
