"""Canonical bytes at the speed of a compiled encoder, wherever its output can be vouched for.

``orjson`` writes the bytes this package means, except that it takes types that are no JSON, spells some floats in
another way (``1.0``, ``1e-6``), writes non-finite ones as null, and orders keys by code point. So its text counts only
if ``ormsgpack``, which can be told to keep to JSON's types, takes the value too, no float is one of those, and no key
reaches beyond U+FFFF. Everything else is left to the walk in ``text``, which alone decides what is in the domain and
what a fault says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, compress
from math import isfinite
from struct import Struct
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
# MessagePack: a float is a tag and eight bytes, most significant first. With these leading bytes it lies between 2**-15 and
# 2**53, where neither writes an exponent.
_FLOAT: Final = b"\xcb"
_ODD_FLOAT: Final = rb"\xcb(?![\x3f-\x42\xbf-\xc2]|[\x43\xc3][\x00-\x3f])(?=(.{8}))"
_INTEGRAL_ENDS: Final = (b".0,", b".0]", b".0}")  # JSON: what follows a float without a fraction
_ASTRAL_LEADS: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")  # UTF-8: these begin characters beyond U+FFFF
_TO_END_OF_STRING: Final = (
    rb'(?:[^"\\]++|\\.)*+"(:?)'  # JSON: from inside of a string to its end, and the colon after a key
)
_LEAST_FRACTION: Final = 1e-5  # orjson writes smaller ones with an exponent, ECMAScript only those below 1e-6
_FEW: Final = 32
_DOUBLE: Final = Struct(">d")
_CONTAINERS: Final = frozenset({dict, list})


def fast_bytes(value: object) -> bytes | None:
    """The canonical bytes of a value, or nothing where only the exact walk can tell."""
    try:
        text, packed = _encode(value), _pack(value)
    except (TypeError, ValueError):  # a foreign type, a lone surrogate, an unsafe integer, a cycle, deep nesting
        return None
    if _FLOAT in packed and _has_odd_float(value, text, packed):
        return None
    return None if _has_astral_key(text) else text


def _has_odd_float(value: object, text: bytes, packed: bytes) -> bool:
    """Whether any float of the value is one that orjson spells otherwise than ECMAScript.

    The tag's byte may also be a part of another value, and so may the end of an integral float; what is found there is a
    superset of the odd floats. The few that are looked up in the text stand there as orjson writes them, if they are
    floats; else the value itself is asked.
    """
    found = re.findall(_ODD_FLOAT, packed, re.DOTALL)
    suspects = [number for (number,) in map(_DOUBLE.unpack, set(found)) if not _spelled_alike((number,))]
    if len(suspects) > _FEW or text.endswith(b".0") or any(end in text for end in _INTEGRAL_ENDS):
        return not _spelled_alike([node for level in _levels(value) for node in level if type(node) is float])
    return any(_encode(number) in text for number in suspects)


def _spelled_alike(floats: Sequence[float]) -> bool:
    """Whether each number is finite, has a fraction, and is not so small that the layouts differ."""
    if not isfinite(sum(floats)) or any(map(float.is_integer, floats)):
        return False
    return min(map(abs, floats), default=1.0) >= _LEAST_FRACTION


def _has_astral_key(text: bytes) -> bool:
    """Whether a key has a character beyond U+FFFF, which code points and UTF-16 units order differently."""
    if text.isascii():
        return False
    leads = [lead for lead in _ASTRAL_LEADS if lead in text]
    return any(b":" in re.findall(lead + _TO_END_OF_STRING, text, re.DOTALL) for lead in leads)


def _levels(value: object) -> Iterator[list[Any]]:
    """The nodes of a tree, all of one depth at a time."""
    level: list[Any] = [value]
    while level:
        yield level
        types = [*map(type, level)]
        containers = [*compress(level, map(_CONTAINERS.__contains__, types))]
        arrays = [node for node in containers if type(node) is list]
        objects = [node for node in containers if type(node) is dict]
        level = [*chain.from_iterable(arrays), *chain.from_iterable(map(dict.values, objects))]
