"""An ordinary JSON parse: what ``JSON.parse`` accepts and nothing else (spec 11, sections 5.2 and 12).

The last of two equal keys wins, at the place of the first; a number is the double nearest to it, so ``1e400`` is an
infinity; an escape may spell a lone surrogate; nothing limits the nesting. The C parser of ``json`` agrees but for the
numbers, which hooks read, and ``NaN`` and its like, which a hook refuses; what it refuses or cannot nest is read again
by ``grammar``.
"""

from __future__ import annotations

from functools import cache
from json import JSONDecoder
from typing import Any

from .domain import is_well_formed, joined, normal_number


class JsonSyntaxError(ValueError):
    """The text is no JSON.

    ``message``, also its ``str``, is one line about the first offence; ``offset`` is its place in UTF-16 code units.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message, offset)
        self.message = message
        self.offset = offset

    def __str__(self) -> str:
        return self.message


def read_json(source: str | bytes) -> Any:
    """The value of a JSON text, in normal form; ill-formed sequences of UTF-8 bytes are read as U+FFFD.

    Raises ``JsonSyntaxError`` if the text is no JSON.
    """
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    try:
        if is_well_formed(text):
            return _decoder().decode(text)
    except (ValueError, RecursionError):
        pass
    return _read_by_grammar(joined(text))


def _read_by_grammar(text: str) -> Any:
    from .grammar import Defect, GrammarReader
    from .syntax_messages import syntax_message

    try:
        return GrammarReader(text).read()
    except Defect as defect:
        raise JsonSyntaxError(*syntax_message(text, defect)) from None


@cache
def _decoder() -> JSONDecoder:
    return JSONDecoder(parse_int=_integer, parse_float=_number, parse_constant=_no_constant)


def _integer(literal: str) -> int | float:
    return int(literal) if len(literal) < 16 else normal_number(float(literal))


def _number(literal: str) -> int | float:
    return normal_number(float(literal))


def _no_constant(name: str) -> None:
    raise ValueError(name)
