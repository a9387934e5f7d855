"""Shapes with nothing inside: texts, numbers, choices, values of one type, and JSON values, which are taken whole."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from eval_quality.canonical.domain import MAX_SAFE_INTEGER

from ..constraints import Length, Pattern, Range
from .base import NO_TYPE, Acceptor, Shape, Types
from .findings import Finding, Path, Severity, wrong_type
from .lengths import length_findings
from .normal_form import as_number, is_normal, is_number, normalized

_TEXT: Final = frozenset({str})
_KNOWN: Final = 4096
"""How many texts a pattern remembers as matching: artifacts repeat theirs many times."""


@dataclass(frozen=True)
class Text(Shape):
    """A string, with an anchored pattern or a length bound at most."""

    pattern: Pattern | None = None
    length: Length | None = None

    @property
    def types(self) -> Types:
        return _TEXT if self.pattern is None and self.length is None else NO_TYPE

    @cached_property
    def _matches(self) -> Acceptor:
        assert self.pattern is not None
        source = self.pattern.source.removeprefix("^").removesuffix("$").replace(r"\/", "/")
        return re.compile(source, re.ASCII).fullmatch  # type: ignore[return-value]

    @cached_property
    def accepts(self) -> Acceptor:
        if self.pattern is not None:
            known: set[str] = set()
            matches = self._matches

            def accepts_pattern(value: Any) -> bool:
                if type(value) is not str:
                    return False
                if value in known:
                    return True
                if not matches(value):
                    return False
                if len(known) < _KNOWN:
                    known.add(value)
                return True

            return accepts_pattern
        if self.length is not None:
            return lambda value: type(value) is str and not any(length_findings(value, self.length, ()))  # type: ignore[arg-type]
        return lambda value: type(value) is str

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, str):
            findings.append(wrong_type("string", value, path))
        if self.length is not None:
            findings.extend(length_findings(value, self.length, path))
        if self.pattern is not None and isinstance(value, str) and not self._matches(value):
            message = self.pattern.message or f"Invalid string: must match pattern /{self.pattern.source}/"
            findings.append(Finding(path, message, Severity.SOFT))
        return value


@dataclass(frozen=True)
class Number(Shape):
    """A finite number; ``integer`` adds integrality and the safe range."""

    integer: bool = False
    bounds: Range = field(default_factory=Range)

    @cached_property
    def accepts(self) -> Acceptor:
        low, high, above = self.bounds.minimum, self.bounds.maximum, self.bounds.above
        floor = -MAX_SAFE_INTEGER if low is None else low
        if above is not None:
            floor = max(floor, above + 1)
        ceiling = MAX_SAFE_INTEGER if high is None else high
        if self.integer:
            return lambda value: type(value) is int and floor <= value <= ceiling

        def accepts_number(value: Any) -> bool:
            if type(value) is int:
                return floor <= value <= ceiling
            findings: list[Finding] = []
            return type(value) is float and self.report(value, (), findings) is value and not findings

        return accepts_number

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not is_number(value) or not math.isfinite(as_number(value)):
            findings.append(wrong_type("number", value, path))
            return value
        number = as_number(value)
        if self.integer:
            if not float(number).is_integer():
                findings.append(
                    Finding(path, "Invalid input: expected int, received number", Severity.BLOCKING),
                )
                return value
            if number > MAX_SAFE_INTEGER:
                findings.append(Finding(path, f"Too big: expected int to be <={MAX_SAFE_INTEGER}", Severity.SOFT))
            if number < -MAX_SAFE_INTEGER:
                findings.append(Finding(path, f"Too small: expected int to be >=-{MAX_SAFE_INTEGER}", Severity.SOFT))
        bounds = self.bounds
        if bounds.above is not None and not number > bounds.above:
            findings.append(Finding(path, f"Too small: expected number to be >{bounds.above}", Severity.SOFT))
        if bounds.minimum is not None and not number >= bounds.minimum:
            findings.append(Finding(path, f"Too small: expected number to be >={bounds.minimum}", Severity.SOFT))
        if bounds.maximum is not None and not number <= bounds.maximum:
            findings.append(Finding(path, f"Too big: expected number to be <={bounds.maximum}", Severity.SOFT))
        return value if type(number) is type(value) else number


@dataclass(frozen=True)
class Instance(Shape):
    """A value of one Python type with nothing more to say about it: a boolean, null, bytes."""

    type: type
    word: str

    @property
    def types(self) -> Types:
        return frozenset({self.type})

    @cached_property
    def accepts(self) -> Acceptor:
        expected = self.type
        return lambda value: type(value) is expected

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, self.type):
            findings.append(wrong_type(self.word, value, path))
        return value


BOOLEAN: Final = Instance(bool, "boolean")
NULL: Final = Instance(type(None), "null")
BYTES: Final = Instance(bytes, "Uint8Array")


@dataclass(frozen=True)
class Choice(Shape):
    """One of a closed list of texts, or one boolean; ``listed`` publishes a list of one as a list."""

    options: tuple[str | bool, ...]
    listed: bool = False

    @cached_property
    def accepts(self) -> Acceptor:
        if len(self.options) == 1 and isinstance(self.options[0], bool):
            only = self.options[0]
            return lambda value: value is only
        options = frozenset(self.options)
        return lambda value: type(value) is str and value in options

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not self.accepts(value):
            match self.options:
                case (bool() as only,):
                    message = f"Invalid input: expected {str(only).lower()}"
                case (only,):
                    message = f'Invalid input: expected "{only}"'
                case _:
                    message = "Invalid option: expected one of " + "|".join(f'"{option}"' for option in self.options)
            findings.append(Finding(path, message, Severity.HARD))
        return value


class Json(Shape):
    """Any JSON value. Both judgements walk without recursion, so depth costs nothing but time."""

    @cached_property
    def accepts(self) -> Acceptor:
        return is_normal

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if is_normal(value):
            return value
        try:
            return normalized(value)
        except ValueError:
            findings.append(Finding(path, "Invalid input", Severity.HARD))
            return value


JSON: Final = Json()
