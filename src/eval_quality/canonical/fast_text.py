"""Canonical bytes at the speed of a compiled encoder, wherever its output can be vouched for.

``orjson`` writes the bytes this package means, with four exceptions: it takes types that are no JSON, writes non-finite
floats as null, spells some finite ones in another way (``1.0``, ``1e-6``), and orders keys by code point. So its text
counts only if ``ormsgpack``, which can be told to keep to JSON's types, takes the value too and no key reaches beyond
U+FFFF; and odd spellings are put right in the text, outside of its strings. Everything else is left to the walk in
``text``, which alone decides what is in the domain and what a fault says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import accumulate, chain, repeat
from math import isfinite
from typing import Any, Final

import orjson
import ormsgpack

_encode: Final = partial(
    orjson.dumps,
    option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER,  # the latter refuses what is not a safe integer
)
_pack: Final = partial(
    ormsgpack.packb,
    option=ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_TUPLE
    | ormsgpack.OPT_PASSTHROUGH_UUID,
)
# MessagePack: a float is a tag and eight bytes, most significant first. The same bytes may also be part of another value.
_FLOAT: Final = b"\xcb"
_NON_FINITE: Final = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
_BEYOND_SAFE: Final = re.compile(rb"\xcb(?:[\x43\xc3][\x40-\xff]|[\x44-\x7f\xc4-\xff])")  # from 2**53 on
# JSON: the text of a float has at least one of these, and that of an integer none.
_POINT, _EXPONENT, _NULL = b".", b"e", b"n"
# How orjson writes floats from 2**53 on, those from 1e-6 to 1e-5, and those without a fraction. The same bytes may also
# stand in a string.
_LARGE_MARK: Final = _encode(1e16)[1:-2]  # "e+" or "e", by the encoder's version
_LARGE_ENDS: Final = (re.compile(rb"e[+1-9][0-9]++(?=[,\]}])"), re.compile(rb"\.0(?<=[0-9]{16}\.0)(?=[,\]}])"))
_MILLIONTH_END: Final = re.compile(rb"e-6(?=[,\]}])")
_NEGATIVE_ZERO: Final = re.compile(rb"-0\.0(?=[,\]}])")
_INTEGRAL_END: Final = re.compile(rb"\.0(?=[,\]}])")
# Bytes that UTF-8 never uses stand for the escapes that would hide where a string ends.
_ESCAPES: Final = ((b"\\\\", b"\xff"), (b'\\"', b"\xfe"))
_ASTRAL_LEADS: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")  # UTF-8: these begin characters beyond U+FFFF
_TO_END_OF_STRING: Final = (
    rb'(?:[^"\\]++|\\.)*+"(:?)'  # JSON: from inside of a string to its end, and the colon after a key
)


def fast_bytes(value: object) -> bytes | None:
    """The canonical bytes of a value, or nothing where only the exact walk can tell."""
    if type(value) is float:
        return None
    try:
        text, packed = _encode(value), _pack(value)
    except (TypeError, ValueError):  # a foreign type, a lone surrogate, an unsafe integer, a cycle, deep nesting
        return None
    if _has_astral_key(text):
        return None
    if _FLOAT in packed and any(mark in text for mark in (_POINT, _EXPONENT, _NULL)):
        return _with_floats_respelled(value, text, packed)
    return text


def _with_floats_respelled(value: object, text: bytes, packed: bytes) -> bytes | None:
    """The text of a container with every float spelled as ECMAScript does; nothing if one is outside the domain."""
    if _NULL in text and _NON_FINITE.search(packed) and not _all_finite(value):
        return None
    has_integral = _INTEGRAL_END.search(text)
    has_exponent = _EXPONENT in text
    has_millionths = has_exponent and _MILLIONTH_END.search(text)
    may_be_large = _BEYOND_SAFE.search(packed) and (has_integral or (has_exponent and _LARGE_MARK in text))
    large_ends = [end for end in _LARGE_ENDS if end.search(text)] if may_be_large else []
    if not (large_ends or has_millionths or has_integral):
        return text
    if not (large_ends or has_millionths or _INTEGRAL_END.search(packed)):  # of what is packed, only strings are text
        text = _NEGATIVE_ZERO.sub(b"0", text)
        for after in (b",", b"]", b"}"):
            text = text.replace(b".0" + after, after)
        return text
    has_escapes = b"\\" in text
    for escape, mark in _ESCAPES if has_escapes else ():
        text = text.replace(escape, mark)
    if not all(all(_ended_by(end, text)[1]) for end in large_ends):
        return None
    if has_millionths:
        text = _respelled(text, _MILLIONTH_END, b"e-6", b"", _without_exponent)
    if has_integral:
        if _NEGATIVE_ZERO.search(text):
            text = _respelled(text, _NEGATIVE_ZERO, b"-0.0", b"0")
        text = _respelled(text, _INTEGRAL_END, b".0", b"")
    for escape, mark in _ESCAPES if has_escapes else ():
        text = text.replace(mark, escape)
    return text


def _ended_by(end: re.Pattern[bytes], text: bytes) -> tuple[list[bytes], list[int]]:
    """The pieces of a text that an end separates, and for each end 1 if it stands in a string, else 0."""
    pieces = end.split(text)
    quotes = accumulate(map(bytes.count, pieces[:-1], repeat(b'"')))
    return pieces, [*map((1).__and__, quotes)]


def _respelled(
    text: bytes, end: re.Pattern[bytes], found: bytes, wanted: bytes, respell: Callable[[bytes], bytes] | None = None
) -> bytes:
    """The text with one end of numbers replaced by another outside of strings, what stands before it respelled too."""
    pieces, in_string = _ended_by(end, text)
    if respell is not None:
        pieces[:-1] = [piece if inside else respell(piece) for piece, inside in zip(pieces, in_string, strict=False)]
    if not any(in_string):
        return wanted.join(pieces)
    either = (wanted, found)
    return b"".join(chain(*zip(pieces, [*map(either.__getitem__, in_string), b""], strict=True)))


def _without_exponent(piece: bytes) -> bytes:
    """A text that ends with the mantissa of a number of millionths, with that number instead."""
    start, _, fraction = piece.rpartition(b".")
    if not fraction.isdigit():
        start, fraction = piece, b""
    return start[:-1] + b"0.00000" + start[-1:] + fraction


def _all_finite(value: object) -> bool:
    """Whether no float of a tree is infinite or no number, nor all of them together too large to tell."""
    level: list[Any] = [value]
    while level:
        if not isfinite(sum([node for node in level if type(node) is float])):
            return False
        kinds = set(map(type, level))
        arrays = [node for node in level if type(node) is list] if list in kinds else []
        objects = [node for node in level if type(node) is dict] if dict in kinds else []
        level = [*chain.from_iterable(arrays), *chain.from_iterable(map(dict.values, objects))]
    return True


def _has_astral_key(text: bytes) -> bool:
    """Whether a key has a character beyond U+FFFF, which code points and UTF-16 units order differently."""
    if text.isascii():
        return False
    leads = [lead for lead in _ASTRAL_LEADS if lead in text]
    return any(b":" in re.findall(lead + _TO_END_OF_STRING, text, re.DOTALL) for lead in leads)
