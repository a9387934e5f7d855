"""An ordinary JSON parse: what ``JSON.parse`` accepts and nothing else (spec 11, sections 5.2 and 12).

The last of two equal keys wins, at the place of the first; a number is the double nearest to it, so ``1e400`` is an
infinity; an escape may spell a lone surrogate; nothing limits the nesting.
"""

from __future__ import annotations

from typing import Any

from .domain import joined
from .grammar import Defect, GrammarReader


class JsonSyntaxError(ValueError):
    """The text is no JSON. ``message`` is one line about the first offence, ``offset`` its place in UTF-16 code units."""

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
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else joined(source)
    try:
        return GrammarReader(text).read()
    except Defect as defect:
        from .syntax_messages import syntax_message

        raise JsonSyntaxError(*syntax_message(text, defect)) from None
