"""The JSON grammar (RFC 8259), read without recursion, and the first place where a text breaks it.

``GrammarReader`` builds a value of any depth in time linear in the text and raises ``Defect`` at the first offence.
What a defect is called is the business of those who come here with a text that the C parser of ``json`` could not read:
``scanner``, which also overrides the methods called on the way to add its rules, and ``read``.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Any, Final

from .domain import joined, normal_number

_LITERALS: Final = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SPACE: Final = re.compile(r"[ \t\n\r]+")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_HEX4: Final = re.compile(r"[0-9a-fA-F]{4}")
_DIGITS: Final = re.compile(r"[0-9]*")
_END: Final = "\0"  # after the last character: it begins no token, so only strings need to tell it from the real one


class Broken(Enum):
    """What is wrong, or what was due, where the grammar is broken."""

    VALUE = auto()
    LITERAL = auto()
    FIRST_KEY = auto()
    NEXT_KEY = auto()
    COLON = auto()
    OBJECT_END = auto()
    ARRAY_END = auto()
    DOCUMENT_END = auto()
    STRING_END = auto()
    CONTROL_CHARACTER = auto()
    ESCAPE_END = auto()
    ESCAPE = auto()
    UNICODE_ESCAPE = auto()
    LEADING_ZERO = auto()
    INTEGER_DIGITS = auto()
    FRACTION_DIGITS = auto()
    EXPONENT_DIGITS = auto()


class Defect(Exception):
    """The text breaks the grammar at the character ``index``: where the due thing is missing, where a wrong literal
    begins, at the letter of a wrong escape, after the ``u`` of a wrong unicode escape."""

    def __init__(self, broken: Broken, index: int) -> None:
        super().__init__(broken, index)
        self.broken = broken
        self.index = index


def literal_of(begin: str) -> str | None:
    """The literal name that begins with a character, if one does."""
    return next((literal for literal in _LITERALS if literal[0] == begin), None)


class GrammarReader:
    """Reads one text; subclasses override the rule methods, which add nothing here. ``at`` is the next character."""

    def __init__(self, text: str) -> None:
        self._text = text + _END
        self._end = len(text)
        self.at = 0

    def container_opens(self, depth: int) -> None:
        """A container begins at ``at``, inside ``depth`` others."""

    def literal_ended(self, literal: str) -> None:
        """One of the three literal names has ended before ``at``."""

    def number_ended(self, literal: str) -> float:
        """A number has ended before ``at``; gives its binary64 value."""
        return float(literal)

    def string_ended(self, string: str) -> None:
        """A string has ended before ``at``."""

    def key_ended(self, key: str, members: dict[str, Any]) -> None:
        """A key has ended before ``at``, after ``members`` of the same object."""

    def read(self) -> Any:
        """The value of the text, numbers in normal form and the last of equal keys at the place of the first."""
        opened: list[Any] = []
        keys: list[str] = []
        while True:
            begin = self._skip_space()
            value: Any
            if begin == "[":
                self.container_opens(len(opened))
                self.at += 1
                if self._skip_space() != "]":
                    opened.append([])
                    continue
                self.at += 1
                value = []
            elif begin == "{":
                self.container_opens(len(opened))
                self.at += 1
                if self._skip_space() != "}":
                    opened.append({})
                    keys.append(self._key(Broken.FIRST_KEY, opened[-1]))
                    continue
                self.at += 1
                value = {}
            else:
                value = self._scalar(begin)
            while opened:
                container, after = opened[-1], self._skip_space()
                if type(container) is list:
                    container.append(value)
                    if after == ",":
                        self.at += 1
                        break
                    if after != "]":
                        raise Defect(Broken.ARRAY_END, self.at)
                else:
                    container[keys.pop()] = value
                    if after == ",":
                        self.at += 1
                        self._skip_space()
                        keys.append(self._key(Broken.NEXT_KEY, container))
                        break
                    if after != "}":
                        raise Defect(Broken.OBJECT_END, self.at)
                self.at += 1
                value = opened.pop()
            else:
                self._skip_space()
                if self.at < self._end:
                    raise Defect(Broken.DOCUMENT_END, self.at)
                return value

    def _skip_space(self) -> str:
        """Move to the next character that is no white space, and give it."""
        character = self._text[self.at]
        if character in " \t\n\r":
            space = _SPACE.match(self._text, self.at)
            assert space is not None
            self.at = space.end()
            return self._text[self.at]
        return character

    def _key(self, due: Broken, members: dict[str, Any]) -> str:
        """The key at ``at`` and the colon after it."""
        if self._text[self.at] != '"':
            raise Defect(due, self.at)
        key = self._string()
        self.key_ended(key, members)
        if self._skip_space() != ":":
            raise Defect(Broken.COLON, self.at)
        self.at += 1
        return key

    def _scalar(self, begin: str) -> str | int | float | bool | None:
        if begin == '"':
            return self._string()
        if begin == "-" or "0" <= begin <= "9":
            return self._number()
        literal = literal_of(begin)
        if literal is None:
            raise Defect(Broken.VALUE, self.at)
        if not self._text.startswith(literal, self.at):
            raise Defect(Broken.LITERAL, self.at)
        self.at += len(literal)
        self.literal_ended(literal)
        return _LITERALS[literal]

    def _string(self) -> str:
        pieces: list[str] = []
        while True:
            self.at, start = self._match_end(_PLAIN, self.at + 1), self.at + 1
            pieces.append(self._text[start : self.at])
            if self.at == self._end:
                raise Defect(Broken.STRING_END, self.at)
            if self._text[self.at] == '"':
                break
            if self._text[self.at] != "\\":
                raise Defect(Broken.CONTROL_CHARACTER, self.at)
            self.at += 1
            pieces.append(self._escape())
        self.at += 1
        string = joined("".join(pieces)) if len(pieces) > 1 else pieces[0]
        self.string_ended(string)
        return string

    def _escape(self) -> str:
        """The character an escape spells; ``at`` moves from its letter to its last character."""
        letter = self._text[self.at]
        if self.at == self._end:
            raise Defect(Broken.ESCAPE_END, self.at)
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter != "u":
            raise Defect(Broken.ESCAPE, self.at)
        digits = _HEX4.match(self._text, self.at + 1)
        if digits is None:
            raise Defect(Broken.UNICODE_ESCAPE, self.at + 1)
        self.at += 4
        return chr(int(digits[0], 16))

    def _number(self) -> int | float:
        start = self.at
        if self._text[self.at] == "-":
            self.at += 1
        if self._text[self.at] == "0":
            self.at += 1
            if self._text[self.at] in "0123456789":
                raise Defect(Broken.LEADING_ZERO, self.at)
        else:
            self._digits(Broken.INTEGER_DIGITS)
        if self._text[self.at] == ".":
            self.at += 1
            self._digits(Broken.FRACTION_DIGITS)
        if self._text[self.at] in "eE":
            self.at += 1
            if self._text[self.at] in "+-":
                self.at += 1
            self._digits(Broken.EXPONENT_DIGITS)
        return normal_number(self.number_ended(self._text[start : self.at]))

    def _digits(self, due: Broken) -> None:
        end = self._match_end(_DIGITS, self.at)
        if end == self.at:
            raise Defect(due, self.at)
        self.at = end

    def _match_end(self, pattern: re.Pattern[str], start: int) -> int:
        match = pattern.match(self._text, start)
        assert match is not None
        return match.end()
