"""Characters that would act instead of being seen, spelled out.

A contract may be written by somebody who wants the report to look different from what it says: with terminal escapes,
with marks that reverse the direction of the text after them, or with characters that XML cannot carry. All of them
become their code point in words, ``\\u001b``, and everything else stays what it is. Line breaks and tabs become spaces.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

_ACTING: Final = (
    r"[\x00-\x1f\x7f-\x9f"  # controls, the escape of a terminal among them
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions of text
    r"\u2028\u2029\ufdd0-\ufdef\ufeff\ufffe\uffff\ud800-\udfff]"  # separators, and what XML or UTF-8 cannot carry
)
_SPACES: Final = frozenset("\t\n\r\v\f\u2028\u2029")


@cache
def _acting() -> re.Pattern[str]:
    return re.compile(_ACTING)


def spelled_out(text: str) -> str:
    """The text with every acting character spelled out."""
    return _acting().sub(_spelling, text)


def _spelling(match: re.Match[str]) -> str:
    char = match[0]
    return " " if char in _SPACES else f"\\u{ord(char):04x}"


def spelled_out_value(value: Any, source: str) -> Any:
    """A JSON value with every text in it spelled out; ``source`` is the JSON text it was read from.

    A source without an escape and without an acting character (but for the white space between its tokens) cannot hold
    one, so that most artifacts are not walked at all.
    """
    if "\\" not in source and all(match[0] in "\n\r\t" for match in _acting().finditer(source)):
        return value
    return _walked(value)


def _walked(value: Any) -> Any:
    match value:
        case str():
            return spelled_out(value)
        case list():
            return [_walked(each) for each in value]
        case dict():
            return {key: _walked(each) for key, each in value.items()}
        case _:
            return value
