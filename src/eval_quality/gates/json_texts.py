"""JSON that a gate reads, as ``JSON.parse`` reads it and in its words (spec 11, sections 11.2 and 12)."""

from __future__ import annotations

from json import JSONDecoder
from typing import Any, Final

_LARGEST_EXACT: Final = 2**53 - 1


def read_json(text: str) -> Any:
    """The value of a JSON text: the last of two equal keys wins, numbers are doubles. Raises ``ValueError``."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        from eval_quality.canonical import read_json as read_any_json  # as deep as it may be, and with the right words

        return read_any_json(text)


def _integer(digits: str) -> int | float:
    number = int(digits)
    return number if abs(number) <= _LARGEST_EXACT else float(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


_DECODER: Final = JSONDecoder(parse_int=_integer, parse_constant=_refuse_constant)
