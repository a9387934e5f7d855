"""Patterns without backreferences, matched at every place of a subject at once.

A set of places is one integer: bit ``p`` is the place in front of unit ``p``, and the bit after the last unit is the
end. Where a tree leads from a set of places is then a few operations on whole integers, ahead as well as back, and what
follows or precedes a place (lookaround) is the set from which its body leads anywhere. The time is linear in the
subject but for one shape: repeating more than a unit may take a round for each unit. Rounds are counted against a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Final, assert_never

from .regex_tree import Alternatives, Assertion, BackReference, Group, Look, Repeat, Sequence, Tree, Units
from .regex_units import LINE_TERMINATORS, WORD, Ranges, contains

_UNITS_PER_STEP: Final = 1 << 15
"""Units whose bits are combined in the time of about one step."""


class _StepLimitExceeded(Exception):
    """The match took too many steps."""


def positions_matcher(tree: Tree, limit: int) -> Callable[[str], bool | None]:
    """A function from a subject of UTF-16 units to whether it matches somewhere; none when ``limit`` steps were spent.

    The tree holds no backreference.
    """

    def matches(subject: str) -> bool | None:
        places = _Places(subject, limit)
        try:
            return bool(places.reached(tree, places.everywhere, ahead=True))
        except _StepLimitExceeded:
            return None

    return matches


class _Places:
    """The places of one subject."""

    def __init__(self, subject: str, limit: int) -> None:
        self._subject = subject
        self._alphabet = set(map(ord, subject))
        self._end = 1 << len(subject)
        self._steps = limit
        self._cost = 1 + len(subject) // _UNITS_PER_STEP
        self._runs: dict[Ranges, list[int]] = {}
        self._looks: dict[int, int] = {}
        self.everywhere = 2 * self._end - 1

    def reached(self, tree: Tree, places: int, *, ahead: bool) -> int:
        """Where a tree leads from any of these places; when not ``ahead``, the places from which it leads to them."""
        self._steps -= self._cost
        if self._steps < 0:
            raise _StepLimitExceeded
        match tree:
            case Units(ranges):
                return self._leap(ranges, 1, places, ahead)
            case Assertion(kind):
                return places & self._assertion(kind)
            case Group(body):
                return self.reached(body, places, ahead=ahead)
            case Look():
                return places & self._seen(tree)
            case Sequence(items):
                for item in items if ahead else reversed(items):
                    places = self.reached(item, places, ahead=ahead)
                return places
            case Alternatives(options):
                return reduce(or_, [self.reached(option, places, ahead=ahead) for option in options])
            case Repeat(Units(ranges) | Group(Units(ranges)), minimum, maximum):
                at_least = self._leap(ranges, minimum, places, ahead)
                return self._leap_up_to(ranges, maximum and maximum - minimum, at_least, ahead)
            case Repeat(body, minimum, maximum):
                at_least = self._repeated(body, minimum, places, ahead)
                return self._repeated_up_to(body, maximum and maximum - minimum, at_least, ahead)
            case BackReference():
                raise AssertionError("a backreference has no set of places")
        assert_never(tree)

    def _seen(self, look: Look) -> int:
        """Where a lookaround holds."""
        if id(look) not in self._looks:
            holds = self.reached(look.body, self.everywhere, ahead=not look.ahead)
            self._looks[id(look)] = self.everywhere & ~holds if look.negative else holds
        return self._looks[id(look)]

    def _assertion(self, kind: str) -> int:
        match kind:
            case "start":
                return 1
            case "end":
                return self._end
            case "line-start":
                return 1 | self._run(LINE_TERMINATORS, 0) << 1
            case "line-end":
                return self._end | self._run(LINE_TERMINATORS, 0)
        word = self._run(WORD, 0)
        boundaries = word ^ word << 1
        return boundaries if kind == "word" else self.everywhere & ~boundaries

    def _run(self, ranges: Ranges, exponent: int) -> int:
        """Places followed by that many units of a set, the number being two to the ``exponent``."""
        runs = self._runs.get(ranges)
        if runs is None:
            bits = {unit: "01"[contains(ranges, unit)] for unit in self._alphabet}
            runs = self._runs[ranges] = [int(self._subject.translate(bits)[::-1] or "0", 2)]
        while exponent >= len(runs) and runs[-1]:
            runs.append(runs[-1] & runs[-1] >> (1 << len(runs) - 1))
        return runs[exponent] if exponent < len(runs) else 0

    def _leap(self, ranges: Ranges, count: int, places: int, ahead: bool) -> int:
        """Over exactly ``count`` units of a set."""
        exponent = 0
        while count >> exponent and places:
            if count >> exponent & 1:
                run, width = self._run(ranges, exponent), min(1 << exponent, self._end.bit_length())
                places = (places & run) << width if ahead else places >> width & run
            exponent += 1
        return places

    def _leap_up_to(self, ranges: Ranges, count: int | None, places: int, ahead: bool) -> int:
        """Over at most ``count`` units of a set, or any number of them."""
        most = len(self._subject) if count is None else min(count, len(self._subject))
        covered = 0
        while covered < most:
            width = min(covered + 1, most - covered)
            more = places | self._leap(ranges, width, places, ahead)
            if more == places:
                break
            places, covered = more, covered + width
        return places

    def _repeated(self, body: Tree, count: int, places: int, ahead: bool) -> int:
        """Through a body exactly ``count`` times; a round that changes nothing is the last that has to be made."""
        for _ in range(count):
            after = self.reached(body, places, ahead=ahead)
            if after == places:
                break
            places = after
        return places

    def _repeated_up_to(self, body: Tree, count: int | None, places: int, ahead: bool) -> int:
        """Through a body at most ``count`` times, or any number of times; only new places lead to new ones."""
        new = places
        while new and count != 0:
            new = self.reached(body, new, ahead=ahead) & ~places
            places |= new
            count = count and count - 1
        return places
