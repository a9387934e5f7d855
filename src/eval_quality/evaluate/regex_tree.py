"""ECMAScript patterns as trees (ECMA-262, RegExp, without flags, Annex B included).

``parse_pattern`` reads a pattern that ``regex_syntax`` has found valid, given as UTF-16 units. What a unit matches is
settled here: classes, escapes, ``.`` and the ``i`` modifier all become sets of units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from .regex_syntax import bound, capturing_groups, decoded_name
from .regex_units import DIGITS, LAST_UNIT, LINE_TERMINATORS, SPACE, WORD, Ranges, complement, ignoring_case, merged


@dataclass(frozen=True)
class Units:
    """One unit out of a set."""

    ranges: Ranges


@dataclass(frozen=True)
class Assertion:
    """A place in the subject."""

    kind: Literal["start", "end", "line-start", "line-end", "word", "not-word"]


@dataclass(frozen=True)
class BackReference:
    """What one of these groups matched, or nothing."""

    groups: tuple[int, ...]
    ignore_case: bool


@dataclass(frozen=True)
class Group:
    """A capturing group, by its number."""

    body: Tree
    number: int


@dataclass(frozen=True)
class Look:
    """What comes next (or came before) matches, or does not."""

    body: Tree
    ahead: bool
    negative: bool


@dataclass(frozen=True)
class Repeat:
    """A body repeated; ``captures`` are the numbers of the groups inside, reset each time."""

    body: Tree
    minimum: int
    maximum: int | None
    greedy: bool
    captures: tuple[int, ...]


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Alternatives:
    """One of these, the first that leads on."""

    options: tuple[Tree, ...]


Tree: TypeAlias = Units | Assertion | BackReference | Group | Look | Repeat | Sequence | Alternatives


class Pattern(NamedTuple):
    """What a pattern says."""

    tree: Tree
    nesting: int
    """How many groups, of any kind, at most lie inside of each other."""
    referenced: frozenset[int]
    """Numbers of the groups that backreferences name."""


@dataclass(frozen=True)
class _Flags:
    ignore_case: bool = False
    multiline: bool = False
    dot_all: bool = False


@dataclass
class _Frame:
    """An open group: what has been read of it, and how it ends."""

    flags: _Flags
    number: int | None = None
    look: tuple[bool, bool] | None = None
    first_capture: int = 0
    options: list[Tree] = field(default_factory=list)
    items: list[Tree] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def add(self, tree: Tree, captures_before: int) -> None:
        self.items.append(tree)
        self.starts.append(captures_before)

    def bar(self) -> None:
        self.options.append(self.items[0] if len(self.items) == 1 else Sequence(tuple(self.items)))
        self.items, self.starts = [], []

    def body(self) -> Tree:
        self.bar()
        return self.options[0] if len(self.options) == 1 else Alternatives(tuple(self.options))


_OPENING: Final = re.compile(r"\(\?(?:(?P<look><?[=!])|<(?P<name>[^>]*)>|(?P<on>[ims]*)(?:-(?P<off>[ims]*))?:)|\(")
_QUANTIFIER: Final = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<low>[0-9]+)(?P<comma>,(?P<high>[0-9]*))?\})(?P<lazy>\??)")
_CONTROLS: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SETS: Final = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}
_LOOKS: Final = {"=": (True, False), "!": (True, True), "<=": (False, False), "<!": (False, True)}


def parse_pattern(pattern: str) -> Pattern:
    """What a valid pattern says."""
    return _Parser(pattern).parse()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._position = 0
        self._captures = 0
        openings = list(capturing_groups(pattern))
        self._total = len(openings)
        self._referenced: set[int] = set()
        self._names: dict[str, list[int]] = {}
        for number, name in enumerate(openings, start=1):
            if name is not None:
                self._names.setdefault(decoded_name(name), []).append(number)

    def parse(self) -> Pattern:
        frames = [_Frame(_Flags())]
        nesting = 0
        while self._position < len(self._pattern):
            frame = frames[-1]
            character = self._pattern[self._position]
            quantifier = _QUANTIFIER.match(self._pattern, self._position)
            if quantifier and frame.items:
                self._position = quantifier.end()
                self._quantify(frame, quantifier)
            elif character == "(":
                nesting = max(nesting, len(frames))
                frames.append(self._open(frame.flags))
            elif character == ")":
                self._position += 1
                done = frames.pop()
                frames[-1].add(self._close(done), done.first_capture)
            elif character == "|":
                self._position += 1
                frame.bar()
            else:
                before = self._captures
                frame.add(self._atom(character, frame.flags), before)
        return Pattern(frames[0].body(), nesting, frozenset(self._referenced))

    def _open(self, flags: _Flags) -> _Frame:
        opening = _OPENING.match(self._pattern, self._position)
        assert opening is not None
        self._position = opening.end()
        before = self._captures
        if opening["look"] is not None:
            return _Frame(flags, look=_LOOKS[opening["look"]], first_capture=before)
        if opening["on"] is not None:
            return _Frame(_modified(flags, opening["on"], opening["off"] or ""), first_capture=before)
        self._captures += 1
        return _Frame(flags, number=self._captures, first_capture=before)

    @staticmethod
    def _close(frame: _Frame) -> Tree:
        body = frame.body()
        if frame.look is not None:
            ahead, negative = frame.look
            return Look(body, ahead, negative)
        return body if frame.number is None else Group(body, frame.number)

    def _quantify(self, frame: _Frame, quantifier: re.Match[str]) -> None:
        low, high = _bounds(quantifier)
        body, start = frame.items.pop(), frame.starts.pop()
        captures = tuple(range(start + 1, self._captures + 1))
        frame.add(Repeat(body, low, high, not quantifier["lazy"], captures), start)

    def _atom(self, character: str, flags: _Flags) -> Tree:
        self._position += 1
        match character:
            case "^":
                return Assertion("line-start" if flags.multiline else "start")
            case "$":
                return Assertion("line-end" if flags.multiline else "end")
            case ".":
                return Units(((0, LAST_UNIT),) if flags.dot_all else complement(LINE_TERMINATORS))
            case "[":
                return Units(self._class(flags))
            case "\\":
                return self._escape(flags)
        return _literal(ord(character), flags)

    def _escape(self, flags: _Flags) -> Tree:
        pattern, letter = self._pattern, self._pattern[self._position]
        if letter in "bB":
            self._position += 1
            return Assertion("word" if letter == "b" else "not-word")
        if letter == "k" and self._names:
            end = pattern.index(">", self._position)
            name = decoded_name(pattern[self._position + 2 : end])
            self._position = end + 1
            return self._back_reference(self._names[name], flags)
        if letter in "123456789":
            digits = re.compile("[0-9]+").match(pattern, self._position)
            assert digits is not None
            if len(digits[0]) < 10 and int(digits[0]) <= self._total:
                self._position = digits.end()
                return self._back_reference([int(digits[0])], flags)
        if letter in _SETS:
            self._position += 1
            return Units(_SETS[letter])
        return _literal(self._character_escape(in_class=False), flags)

    def _back_reference(self, groups: list[int], flags: _Flags) -> BackReference:
        self._referenced.update(groups)
        return BackReference(tuple(groups), flags.ignore_case)

    def _character_escape(self, *, in_class: bool) -> int:
        """The unit an escape spells; the position is after the backslash."""
        pattern, letter = self._pattern, self._pattern[self._position]
        rest = pattern[self._position + 1 : self._position + 5]
        self._position += 1
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "b" and in_class:
            return 0x08
        if letter == "c":
            allowed = "[A-Za-z0-9_]" if in_class else "[A-Za-z]"
            if re.match(allowed, rest):
                self._position += 1
                return ord(rest[0]) % 32
            self._position -= 1  # the backslash stands for itself, and the letter for itself after it
            return ord("\\")
        digits = re.match("[0-9A-Fa-f]{2}" if letter == "x" else "[0-9A-Fa-f]{4}", rest)
        if letter in "xu" and digits:
            self._position += len(digits[0])
            return int(digits[0], 16)
        octal = re.match("[0-3][0-7]{0,2}|[4-7][0-7]?", letter + rest)
        if octal:
            self._position += len(octal[0]) - 1
            return int(octal[0], 8)
        return ord(letter)

    def _class(self, flags: _Flags) -> Ranges:
        negated = self._pattern.startswith("^", self._position)
        self._position += negated
        atoms: list[tuple[Ranges, bool]] = []
        while self._pattern[self._position] != "]":
            atoms.append(self._class_atom())
        self._position += 1
        ranges = merged(_class_ranges(atoms))
        if flags.ignore_case:
            ranges = ignoring_case(ranges)
        return complement(ranges) if negated else ranges

    def _class_atom(self) -> tuple[Ranges, bool]:
        """What one member of a class stands for, and whether it is a bare dash."""
        character = self._pattern[self._position]
        self._position += 1
        if character != "\\":
            return ((ord(character), ord(character)),), character == "-"
        letter = self._pattern[self._position]
        if letter in _SETS:
            self._position += 1
            return _SETS[letter], False
        unit = self._character_escape(in_class=True)
        return ((unit, unit),), False


def _class_ranges(atoms: list[tuple[Ranges, bool]]) -> Iterator[tuple[int, int]]:
    position = 0
    while position < len(atoms):
        ranges, _ = atoms[position]
        if position + 2 < len(atoms) and atoms[position + 1][1]:
            end, _ = atoms[position + 2]
            if _is_unit(ranges) and _is_unit(end):
                yield ranges[0][0], end[0][0]
            else:
                yield from (*ranges, (0x2D, 0x2D), *end)
            position += 3
        else:
            yield from ranges
            position += 1


def _is_unit(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _literal(unit: int, flags: _Flags) -> Units:
    ranges: Ranges = ((unit, unit),)
    return Units(ignoring_case(ranges) if flags.ignore_case else ranges)


def _modified(flags: _Flags, on: str, off: str) -> _Flags:
    def now(letter: str, before: bool) -> bool:
        return (before or letter in on) and letter not in off

    return _Flags(now("i", flags.ignore_case), now("m", flags.multiline), now("s", flags.dot_all))


def _bounds(quantifier: re.Match[str]) -> tuple[int, int | None]:
    match quantifier["sign"]:
        case "*":
            return 0, None
        case "+":
            return 1, None
        case "?":
            return 0, 1
    low = bound(quantifier["low"])
    if quantifier["comma"] is None:
        return low, low
    return low, bound(quantifier["high"]) if quantifier["high"] else None
