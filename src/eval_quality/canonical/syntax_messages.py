"""What an ordinary JSON reader says about a text that is no JSON (spec 11, section 12).

Positions and columns count UTF-16 code units. A line ends at LF, CR or CR LF.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .domain import first_unit, utf16_key, utf16_length
from .grammar import Broken, Defect, literal_of

_CONTEXT: Final = 10  # units shown on either side of an unexpected token
_END_OF_INPUT: Final = "Unexpected end of JSON input"
_LOCATED: Final[dict[Broken, str]] = {
    Broken.FIRST_KEY: "Expected property name or '}'",
    Broken.NEXT_KEY: "Expected double-quoted property name",
    Broken.COLON: "Expected ':' after property name",
    Broken.OBJECT_END: "Expected ',' or '}' after property value",
    Broken.ARRAY_END: "Expected ',' or ']' after array element",
    Broken.STRING_END: "Unterminated string",
    Broken.CONTROL_CHARACTER: "Bad control character in string literal",
    Broken.ESCAPE: "Bad escaped character",
    Broken.UNICODE_ESCAPE: "Bad Unicode escape",
    Broken.LEADING_ZERO: "Unexpected number",
    Broken.INTEGER_DIGITS: "No number after minus sign",
    Broken.FRACTION_DIGITS: "Unterminated fractional number",
    Broken.EXPONENT_DIGITS: "Exponent part is missing a number",
}
_FOREIGN_WORDS: Final = frozenset({"NaN", "Infinity", "undefined", "[object Object]"})
_HEX: Final = frozenset("0123456789abcdefABCDEF")


class SyntaxMessage(NamedTuple):
    """One line about the first defect, and the UTF-16 offset it stands at."""

    message: str
    offset: int


def syntax_message(text: str, defect: Defect) -> SyntaxMessage:
    """The message for the first defect of a text."""
    broken, index = defect.broken, defect.index
    match broken:
        case Broken.VALUE:
            return _unexpected(text, index)
        case Broken.LITERAL:
            literal = literal_of(text[index]) or ""
            return _unexpected(text, index + _agreement(text[index:], literal))
        case Broken.DOCUMENT_END:
            return _located(text, index, "Unexpected non-whitespace character after JSON", where="")
        case Broken.ESCAPE_END:
            return _unexpected(text, index)
        case Broken.ESCAPE if text[index] > "\xff":
            return _unexpected(text, index)
        case Broken.UNICODE_ESCAPE:
            index += next((count for count, digit in enumerate(text[index:]) if digit not in _HEX), len(text) - index)
    return _located(text, index, _LOCATED[broken])


def _agreement(text: str, literal: str) -> int:
    """How many characters of a text agree with the literal it ought to begin with."""
    return next((count for count, due in enumerate(literal) if text[count : count + 1] != due), len(literal))


def _unexpected(text: str, index: int) -> SyntaxMessage:
    """The message for a character that nothing may begin with where it stands."""
    found = text[index : index + 1]
    if not found:
        return SyntaxMessage(_END_OF_INPUT, utf16_length(text))
    if found in "-0123456789":
        return _located(text, index, "Unexpected number")
    if found == '"':
        return _located(text, index, "Unexpected string")
    offset = utf16_length(text[:index])
    if text in _FOREIGN_WORDS:
        return SyntaxMessage(f'"{text}" is not valid JSON', offset)
    token = _shown(utf16_key(first_unit(found)))
    return SyntaxMessage(f"Unexpected token '{token}', {_context(text, offset)} is not valid JSON", offset)


def _context(text: str, offset: int) -> str:
    units = utf16_key(text)
    length = len(units) // 2
    if length <= 2 * _CONTEXT:
        return f'"{_shown(units)}"'
    start, stop = max(0, offset - _CONTEXT), min(length, offset + _CONTEXT)
    before = "..." if offset >= _CONTEXT else ""
    after = "..." if offset < length - _CONTEXT else ""
    return f'{before}"{_shown(units[2 * start : 2 * stop])}"{after}'


def _shown(units: bytes) -> str:
    """Text of UTF-16 units in which half of a surrogate pair shows as U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", units.decode("utf-16-be", "surrogatepass"))


def _located(text: str, index: int, problem: str, where: str = " in JSON") -> SyntaxMessage:
    before = text[:index]
    offset = utf16_length(before)
    *lines, current = re.split("\r\n|\r|\n", before)
    place = f"at position {offset} (line {len(lines) + 1} column {utf16_length(current) + 1})"
    return SyntaxMessage(f"{problem}{where} {place}", offset)
