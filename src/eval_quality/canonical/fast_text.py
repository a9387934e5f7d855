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
from struct import unpack
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
_FLOAT: Final = b"\xcb"  # MessagePack: a float is this tag and eight bytes, most significant first
_FLOAT_SIGNS: Final = b".en"  # JSON: a float has a point or an exponent, unless it is written as null
_AFTER_FLOAT_TAG: Final = rb"\xcb(?=(.{8}))"
_ASTRAL_LEADS: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")  # UTF-8: these begin characters beyond U+FFFF
_TO_END_OF_STRING: Final = (
    rb'(?:[^"\\]++|\\.)*+"(:?)'  # JSON: from inside of a string to its end, and the colon after a key
)
_LEAST_FRACTION: Final = 1e-5  # orjson writes smaller ones with an exponent, ECMAScript only those below 1e-6
_FEW: Final = 32
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

    The tag's byte may also be a part of another value, so what follows it is a superset of the floats. An odd one among
    few is looked up in the text, where a float stands as orjson writes it; for many, the value itself is asked.
    """
    if not any(sign in text for sign in _FLOAT_SIGNS):
        return False
    if packed.count(_FLOAT) > _FEW:
        return not _spelled_alike([node for level in _levels(value) for node in level if type(node) is float])
    tagged = re.findall(_AFTER_FLOAT_TAG, packed, re.DOTALL)
    floats = set(unpack(f">{len(tagged)}d", b"".join(tagged)))
    return any(_encode(number) in text for number in floats if not _spelled_alike((number,)))


def _spelled_alike(floats: Sequence[float]) -> bool:
    """Whether each number is finite, has a fraction, and is not so small that the layouts differ."""
    if not isfinite(sum(floats)) or any(map(float.is_integer, floats)):
        return False
    return min(map(abs, floats), default=1.0) >= _LEAST_FRACTION


def _has_astral_key(text: bytes) -> bool:
    """Whether a key has a character beyond U+FFFF, which code points and UTF-16 units order differently."""
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
