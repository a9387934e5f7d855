"""The scanner that knows every fault of a JSON text and the offset at which it stands (spec 03, section 3).

Syntax is that of ``grammar``; the value domain is enforced where the text leaves it: a container at its bracket, a
string or a key after its closing quote (first that it is well formed, then that it is new), a number or a literal name
after its last character. Offsets count UTF-16 code units.
"""

from __future__ import annotations

from math import isinf
from typing import Any, Final, NoReturn

from eval_quality.errors import RuntimeFault, RuntimeFaultCode

from .domain import (
    MAX_NESTING_DEPTH,
    MAX_SAFE_INTEGER,
    first_unit,
    is_well_formed,
    json_string,
    utf16_length,
)
from .grammar import Broken, Defect, GrammarReader, literal_of

_MAX_INTEGER_DIGITS: Final = 16
_DETAILS: Final[dict[Broken, str]] = {
    Broken.FIRST_KEY: "expected a string object key",
    Broken.NEXT_KEY: "expected a string object key",
    Broken.COLON: "expected ':' after object key",
    Broken.OBJECT_END: "expected ',' or '}' in object",
    Broken.ARRAY_END: "expected ',' or ']' in array",
    Broken.DOCUMENT_END: "trailing content after the document",
    Broken.STRING_END: "unterminated string",
    Broken.CONTROL_CHARACTER: "unescaped control character in string",
    Broken.ESCAPE_END: "unterminated escape sequence",
    Broken.UNICODE_ESCAPE: r"invalid \u escape",
    Broken.LEADING_ZERO: "leading zero in number",
    Broken.INTEGER_DIGITS: "invalid number",
    Broken.FRACTION_DIGITS: "expected digits after decimal point",
    Broken.EXPONENT_DIGITS: "expected digits in exponent",
}


class Scanner(GrammarReader):
    def __init__(self, text: str, artifact_path: str) -> None:
        super().__init__(text)
        self._artifact_path = artifact_path

    def read(self) -> Any:
        try:
            return super().read()
        except Defect as defect:
            self._report(defect)

    def container_opens(self, depth: int) -> None:
        if depth >= MAX_NESTING_DEPTH:
            self._outside_domain(f"nesting depth exceeds {MAX_NESTING_DEPTH}")

    def literal_ended(self, literal: str) -> None:
        self._check_word_end(f"invalid literal starting with {literal}")

    def number_ended(self, literal: str) -> float:
        self._check_word_end("invalid number")
        digits = literal.removeprefix("-")
        if digits.isdigit() and (len(digits) > _MAX_INTEGER_DIGITS or int(digits) > MAX_SAFE_INTEGER):
            self._outside_domain(f"integer literal outside the safe range: {literal}")
        double = float(literal)
        if isinf(double):
            self._outside_domain(f"numeric literal is not finite in binary64: {literal}")
        if double.is_integer() and abs(double) > MAX_SAFE_INTEGER:
            self._outside_domain(f"numeric literal is an unsafe integer in binary64: {literal}")
        return double

    def string_ended(self, string: str) -> None:
        if not is_well_formed(string):
            self._outside_domain("lone surrogate in string")

    def key_ended(self, key: str, members: dict[str, Any]) -> None:
        if key in members:
            self._outside_domain(f"duplicate object key {json_string(key)}")

    def _check_word_end(self, detail: str) -> None:
        after = self._text[self.at]
        if after.isascii() and after.isalnum():
            self._refuse("schema-parse-failure", detail, self.at)

    def _report(self, defect: Defect) -> NoReturn:
        index = defect.index
        unit = json_string(first_unit(self._text[index]))
        match defect.broken:
            case Broken.VALUE:
                detail = "unexpected end of input" if index == self._end else f"unexpected character {unit}"
            case Broken.LITERAL:
                detail = f"invalid literal, expected {literal_of(self._text[index])}"
            case Broken.ESCAPE:
                self._refuse("schema-parse-failure", f"invalid escape character {unit}", index, units_after=1)
            case broken:
                detail = _DETAILS[broken]
        self._refuse("schema-parse-failure", detail, index)

    def _outside_domain(self, detail: str) -> NoReturn:
        self._refuse("non-canonicalizable-value", detail, self.at)

    def _refuse(self, code: RuntimeFaultCode, detail: str, index: int, *, units_after: int = 0) -> NoReturn:
        offset = utf16_length(self._text[:index]) + units_after
        raise RuntimeFault(code, self._artifact_path, f"{detail} at offset {offset}")
