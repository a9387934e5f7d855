"""Patterns a section holds text against: ECMAScript regular expressions (spec 14, section 2.3).

``regress`` reads the dialect, so a configuration means the same here as in the reference. Matching works on code
points. A pattern that needs a backreference is refused: nothing bounds the time of a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

from .sections import Least, Most, Path, matches

if TYPE_CHECKING:
    from regress import Match as RegressMatch
    from regress import Regex

Flags = Annotated[
    str,
    matches(
        "^[imsuv]*$",
        "admits only i, m, s, u and v. A g or a y carries a match position between calls, so a pattern holding either "
        "would match every second thing it should have matched",
    ),
]


class Occurrence(NamedTuple):
    """One match: the line it starts on, its text, and the text of each group (``None`` where it took no part)."""

    line: int
    text: str
    groups: tuple[str | None, ...]


class PatternError(Exception):
    """A text is not a regular expression; the message says why."""


class Matcher:
    """A compiled pattern."""

    def __init__(self, source: str, flags: str = "") -> None:
        from regress import Regex, RegressError

        if len(set(flags)) < len(flags) or {"u", "v"} <= set(flags):
            raise PatternError(f"Invalid flags '{flags}'")
        try:
            self._regex: Regex = Regex(source, flags)
        except RegressError as error:
            raise PatternError(str(error)) from None
        self.group_count = _count_groups(source)

    def matches(self, text: str) -> bool:
        """Whether some part of ``text`` matches."""
        return self._regex.find(text) is not None

    def first(self, text: str) -> Occurrence | None:
        """The first match in ``text``."""
        return next(self.occurrences(text), None)

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        """Every match in ``text``, from left to right."""
        data = text.encode()  # the engine counts bytes
        line, counted = 1, 0
        for match in self._regex.find_iter(text) or ():
            start = match.range().start
            line, counted = line + data.count(b"\n", counted, start), start
            yield Occurrence(line, _taken(data, match, 0) or "", self._groups(data, match))

    def _groups(self, data: bytes, match: RegressMatch) -> tuple[str | None, ...]:
        return tuple(_taken(data, match, number + 1) for number in range(self.group_count))


def _taken(data: bytes, match: RegressMatch, number: int) -> str | None:
    span = match.group(number)
    return None if span is None else data[span].decode()


def _count_groups(source: str) -> int:
    """How many groups capture: an opening parenthesis outside a class and unescaped, plain or named."""
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "", source, flags=re.DOTALL)
    return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", bare))


LineText = Annotated[str, Least(1), Most(200)]
ProseText = Annotated[str, Least(1), Most(800)]
"""Prose takes more room to spell than a line or an identifier."""


class PatternRules:
    """What every pattern of a section obeys: the models that hold one inherit this."""

    match: str
    flags: str

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Refuse backreferences, then what does not compile."""
        if re.search(r"\\[1-9]|\\k<", self.match):
            yield (
                ("match",),
                "carries a backreference, which is the construct that turns a linear scan into an exponential one; "
                "write the pattern without one",
            )
        try:
            self.compiled(self.match)
        except PatternError as error:
            yield ("match",), f"is not a regular expression: {error}"

    def compiled(self, source: str) -> Matcher:
        """``source`` with the pattern's flags, less those it may not carry. Raises ``PatternError``."""
        return Matcher(source, self.flags if re.fullmatch("[imsuv]*", self.flags) else "")

    @cached_property
    def matcher(self) -> Matcher:
        """The compiled pattern. A section that was read holds only patterns that compile."""
        return self.compiled(self.match)


@dataclass(frozen=True)
class Pattern(PatternRules):
    """A pattern for a line or an identifier."""

    match: LineText
    flags: Flags = ""


@dataclass(frozen=True)
class ProsePattern(PatternRules):
    """A pattern for prose."""

    match: ProseText
    flags: Flags = ""
