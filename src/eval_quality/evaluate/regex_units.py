"""Sets of UTF-16 units, and what ECMAScript makes of case (ECMA-262, RegExp, without flags)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

from eval_quality.canonical import JS_WHITESPACE

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Inclusive ranges of UTF-16 units, sorted and apart."""

LAST_UNIT: Final = 0xFFFF

DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_TERMINATORS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


def contains(ranges: Ranges, unit: int) -> bool:
    """Whether a unit lies in one of the ranges."""
    place = bisect_right(ranges, (unit, LAST_UNIT)) - 1
    return place >= 0 and unit <= ranges[place][1]


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges sorted, those that touch made one."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


SPACE: Final = merged((ord(character), ord(character)) for character in JS_WHITESPACE)


def complement(ranges: Ranges) -> Ranges:
    """Every unit that is in none of the ranges."""
    edges = [-1, *(edge for pair in ranges for edge in pair), LAST_UNIT + 1]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 <= high - 1)


@cache
def _folds() -> tuple[list[int], dict[int, list[int]]]:
    """The fold of each unit (its upper case, where that is one unit and does not become ASCII), and its inverse."""
    fold: list[int] = []
    inverse: dict[int, list[int]] = {}
    for unit in range(LAST_UNIT + 1):
        upper = chr(unit).upper()
        code = ord(upper) if len(upper) == 1 else unit
        folded = unit if code > LAST_UNIT or (unit >= 0x80 > code) else code
        fold.append(folded)
        inverse.setdefault(folded, []).append(unit)
    return fold, inverse


def folded(unit: int) -> int:
    """What a unit is compared as when case is ignored."""
    return _folds()[0][unit]


def ignoring_case(ranges: Ranges) -> Ranges:
    """Every unit that is one of these when case is ignored."""
    fold, inverse = _folds()
    wanted = {fold[unit] for low, high in ranges for unit in range(low, high + 1)}
    return merged((unit, unit) for code in wanted for unit in inverse[code])
