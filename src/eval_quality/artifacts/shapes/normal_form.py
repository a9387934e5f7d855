"""The normal form of JSON values: how numbers, the order of keys, and whole values are held once they are accepted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from eval_quality.canonical.domain import MAX_SAFE_INTEGER, binary64, js_key_order

_TEXT: Final = frozenset({str})
_ALWAYS_NORMAL: Final = frozenset({str, bool, type(None)})
_KNOWN: Final = 4096
"""How many tuples of keys are remembered as orderly: artifacts repeat theirs many times."""
_orderly: Final[set[tuple[object, ...]]] = set()


def as_number(value: float) -> float:
    """A number in normal form: ``int`` when integral and safe, but for a negative zero; else the binary64 value."""
    if isinstance(value, int):
        return int(value) if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else binary64(value)
    if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER and (value or math.copysign(1, value) > 0):
        return int(value)
    return float(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def in_normal_order(value: Mapping[Any, object]) -> bool:
    """Whether a map's keys are texts in own-key order and none of them is ``__proto__``."""
    keys = tuple(value)
    if keys in _orderly:
        return True
    if "__proto__" in value or not _TEXT.issuperset(map(type, keys)) or js_key_order(value) != [*keys]:
        return False
    if len(_orderly) < _KNOWN:
        _orderly.add(keys)
    return True


def is_normal(value: Any) -> bool:
    if type(value) in _ALWAYS_NORMAL:
        return True
    stack = [value]
    while stack:
        each = stack.pop()
        kind = type(each)
        if kind in _ALWAYS_NORMAL:
            continue
        if kind is dict:
            if not in_normal_order(each):
                return False
            stack.extend(each.values())
        elif kind is list:
            stack.extend(each)
        elif kind is int:
            if not -MAX_SAFE_INTEGER <= each <= MAX_SAFE_INTEGER:
                return False
        elif kind is not float or not math.isfinite(each) or type(as_number(each)) is not float:
            return False
    return True


def normalized(value: Any) -> Any:
    """A copy in normal form; ``ValueError`` for what JSON cannot hold."""
    root: list[Any] = [None]
    work: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while work:
        place, key, each = work.pop()
        match each:
            case None | bool() | str():
                place[key] = each
            case int() | float():
                number = as_number(each)
                if not math.isfinite(number):
                    raise ValueError(number)
                place[key] = number
            case list() | tuple():
                place[key] = items = [None] * len(each)
                work.extend((items, position, item) for position, item in enumerate(each))
            case dict():
                keys = [name for name in js_key_order(each) if name != "__proto__"]
                if not _TEXT.issuperset(map(type, keys)):
                    raise ValueError(keys)
                place[key] = members = dict.fromkeys(keys)
                work.extend((members, name, each[name]) for name in keys)
            case _:
                raise ValueError(each)
    return root[0]
