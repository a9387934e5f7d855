"""Patterns without lookaround and backreferences, asked of RE2: linear in the subject whatever the pattern.

Which alternative or repetition matches does not matter for whether anything matches, so groups lose their captures and
quantifiers their laziness. UTF-16 surrogates are carried as the last 2,048 code points, which no subject of UTF-16
units can hold otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from .regex_tree import Alternatives, Assertion, Group, Repeat, Sequence, Tree, Units
from .regex_units import Ranges

_FIRST_SURROGATE: Final = 0xD800
_LAST_SURROGATE: Final = 0xDFFF
_CARRIED_AT: Final = 0x10F800 - _FIRST_SURROGATE
_LARGEST_REPETITION: Final = 1000
_MEMORY_LIMIT: Final = 64 << 20
_ASSERTIONS: Final = {"start": r"\A", "end": r"\z", "word": r"\b"}
"""Not ``\\B``: RE2 also finds it between the bytes of one character."""


class _BeyondRE2(Exception):
    """The pattern is more than RE2 takes."""


def linear_matcher(tree: Tree) -> Callable[[str], bool] | None:
    """A function from a subject of UTF-16 units to whether it matches somewhere; none for a pattern beyond RE2."""
    try:
        pattern = "".join(_spelled(tree))
    except _BeyondRE2:
        return None
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY_LIMIT
    options.log_errors = False
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options=options)
    except re2.error:
        return None
    return lambda subject: compiled.search(carried(subject)) is not None


def carried(subject: str) -> str:
    """A subject with its surrogates where RE2 can read them."""
    if subject.isascii():
        return subject
    return re.sub("[\ud800-\udfff]", lambda surrogate: chr(ord(surrogate[0]) + _CARRIED_AT), subject)


def _spelled(tree: Tree) -> Iterator[str]:
    """The pattern as RE2 spells it; trees still to be spelled wait on a stack, as groups may nest deeply."""
    pending: list[Tree | str] = [tree]
    while pending:
        match pending.pop():
            case str(text):
                yield text
            case Units(ranges):
                yield _class(ranges)
            case Assertion(kind) if kind in _ASSERTIONS:
                yield _ASSERTIONS[kind]
            case Group(body):
                pending += (")", body, "(?:")
            case Sequence(items):
                pending += reversed(items)
            case Alternatives((first, *others)):
                pending.append(")")
                for option in reversed(others):
                    pending += (option, "|")
                pending += (first, "(?:")
            case Repeat(body, minimum, maximum) if max(minimum, maximum or 0) <= _LARGEST_REPETITION:
                pending += (f"){{{minimum},{'' if maximum is None else maximum}}}", body, "(?:")
            case _:
                raise _BeyondRE2


def _class(ranges: Ranges) -> str:
    if not ranges:
        return r"[^\x00-\x{10FFFF}]"
    return f"[{''.join(f'{_point(low)}-{_point(high)}' for low, high in _carried_ranges(ranges))}]"


def _point(unit: int) -> str:
    return f"\\x{{{unit:X}}}"


def _carried_ranges(ranges: Ranges) -> Iterator[tuple[int, int]]:
    for low, high in ranges:
        if low < _FIRST_SURROGATE:
            yield low, min(high, _FIRST_SURROGATE - 1)
        if low <= _LAST_SURROGATE and high >= _FIRST_SURROGATE:
            yield max(low, _FIRST_SURROGATE) + _CARRIED_AT, min(high, _LAST_SURROGATE) + _CARRIED_AT
        if high > _LAST_SURROGATE:
            yield max(low, _LAST_SURROGATE + 1), high
