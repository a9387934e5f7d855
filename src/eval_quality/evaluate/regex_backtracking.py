"""Patterns that need backtracking, run by a small machine under a bound (ECMA-262, RegExp semantics).

A pattern is compiled to instructions, each a function from a state to the next one (or none, when the state leads
nowhere); the machine keeps the states it may return to on a stack of its own and counts its steps, over all starting
places together. Captures and loops are values of a state, so going back restores them. A lookbehind runs its body
backwards, as ECMAScript does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from .regex_tree import (
    WORD,
    Alternatives,
    Assertion,
    BackReference,
    Group,
    Look,
    Ranges,
    Repeat,
    Sequence,
    Tree,
    Units,
    folded,
)

_LINE_ENDS: Final = "\n\r\u2028\u2029"


class StepLimitExceeded(Exception):
    """A match that needs backtracking took too many steps."""


class _State(NamedTuple):
    """Where a match stands."""

    at: int
    """Next instruction."""
    position: int
    """Place in the subject."""
    captures: tuple[tuple[int, int] | None, ...]
    """What each group matched last, by number."""
    opened: tuple[int, ...]
    """Where each group was entered last, by number."""
    loops: tuple[tuple[int, int], ...]
    """For each loop how often its body was begun, and where it was begun last."""


class _Run:
    """One match of one subject: the states to return to, and the steps left."""

    def __init__(self, program: _Program, subject: str, limit: int) -> None:
        self.program = program
        self.subject = subject
        self.steps = limit

    def matches(self, start: _State) -> _State | None:
        """The state in which the program ends, if it does."""
        pending = [start]
        while pending:
            state: _State | None = pending.pop()
            while state is not None:
                if state.at == _END:
                    return state
                self.steps -= 1
                if self.steps < 0:
                    raise StepLimitExceeded
                state = self.program.instructions[state.at](self, state, pending)
        return None


_Instruction: TypeAlias = Callable[[_Run, _State, list[_State]], _State | None]
_END: Final = -1


def backtracking_matcher(tree: Tree, limit: int) -> Callable[[str], bool]:
    """A function from a subject of UTF-16 units to whether it matches somewhere; it may raise ``StepLimitExceeded``."""
    program = _Program()
    start = program.compile(tree, _END, backward=False)

    def matches(subject: str) -> bool:
        run = _Run(program, subject, limit)
        groups, loops = (None,) * (program.groups + 1), ((0, -1),) * program.loops
        opened = (-1,) * (program.groups + 1)
        return any(
            run.matches(_State(start, position, groups, opened, loops)) is not None
            for position in range(len(subject) + 1)
        )

    return matches


class _Program:
    """Instructions, written from the last to the first: each knows the one that follows it."""

    def __init__(self) -> None:
        self.instructions: list[_Instruction] = []
        self.groups = 0
        self.loops = 0

    def _add(self, instruction: _Instruction) -> int:
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    def compile(self, tree: Tree, then: int, *, backward: bool) -> int:
        """The first instruction of a tree that goes on to ``then``."""
        match tree:
            case Units(ranges):
                return self._add(_unit(ranges, then, backward))
            case Assertion(kind):
                return self._add(_assertion(kind, then))
            case BackReference(groups, ignore_case):
                return self._add(_back_reference(groups, ignore_case, then, backward))
            case Group(body, None):
                return self.compile(body, then, backward=backward)
            case Group(body, number):
                assert number is not None
                self.groups = max(self.groups, number)
                close = self._add(_close_group(number, then, backward))
                return self._add(_open_group(number, self.compile(body, close, backward=backward)))
            case Look(body, ahead, negative):
                return self._add(_look(self.compile(body, _END, backward=not ahead), negative, then))
            case Sequence(items):
                for item in items if backward else reversed(items):
                    then = self.compile(item, then, backward=backward)
                return then
            case Alternatives(options):
                starts = [self.compile(option, then, backward=backward) for option in options]
                return self._add(_choice(starts))
            case Repeat():
                return self._repeat(tree, then, backward)

    def _repeat(self, repeat: Repeat, then: int, backward: bool) -> int:
        loop, self.loops = self.loops, self.loops + 1
        head = self._add(_nowhere)
        end = self._add(_end_of_turn(loop, repeat.minimum, head))
        body = self.compile(repeat.body, end, backward=backward)
        self.instructions[head] = _next_turn(loop, repeat, body, then)
        return self._add(_enter_loop(loop, head))


def _nowhere(run: _Run, state: _State, pending: list[_State]) -> None:
    return None


def _unit(ranges: Ranges, then: int, backward: bool) -> _Instruction:
    lows = [low for low, _ in ranges]
    step = -1 if backward else 1

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        index = state.position - backward
        if not 0 <= index < len(run.subject):
            return None
        unit = ord(run.subject[index])
        place = bisect_right(lows, unit) - 1
        if place < 0 or unit > ranges[place][1]:
            return None
        return state._replace(at=then, position=state.position + step)

    return instruction


def _is_word(subject: str, index: int) -> bool:
    return 0 <= index < len(subject) and any(low <= ord(subject[index]) <= high for low, high in WORD)


_PLACES: Final[dict[str, Callable[[str, int], bool]]] = {
    "start": lambda subject, at: at == 0,
    "end": lambda subject, at: at == len(subject),
    "line-start": lambda subject, at: at == 0 or subject[at - 1] in _LINE_ENDS,
    "line-end": lambda subject, at: at == len(subject) or subject[at] in _LINE_ENDS,
    "word": lambda subject, at: _is_word(subject, at - 1) != _is_word(subject, at),
    "not-word": lambda subject, at: _is_word(subject, at - 1) == _is_word(subject, at),
}


def _assertion(kind: str, then: int) -> _Instruction:
    holds = _PLACES[kind]
    return lambda run, state, pending: state._replace(at=then) if holds(run.subject, state.position) else None


def _back_reference(groups: tuple[int, ...], ignore_case: bool, then: int, backward: bool) -> _Instruction:
    def same(one: str, other: str) -> bool:
        if not ignore_case:
            return one == other
        return len(one) == len(other) and all(folded(ord(a)) == folded(ord(b)) for a, b in zip(one, other, strict=True))

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        matched = next((span for group in groups if (span := state.captures[group]) is not None), (0, 0))
        text = run.subject[slice(*matched)]
        start = state.position - len(text) if backward else state.position
        if start < 0 or not same(run.subject[start : start + len(text)], text):
            return None
        return state._replace(at=then, position=start if backward else start + len(text))

    return instruction


def _open_group(number: int, then: int) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        opened = (*state.opened[:number], state.position, *state.opened[number + 1 :])
        return state._replace(at=then, opened=opened)

    return instruction


def _close_group(number: int, then: int, backward: bool) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        start, end = state.opened[number], state.position
        span = (end, start) if backward else (start, end)
        return state._replace(at=then, captures=(*state.captures[:number], span, *state.captures[number + 1 :]))

    return instruction


def _look(body: int, negative: bool, then: int) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        found = run.matches(state._replace(at=body))
        if negative:
            return state._replace(at=then) if found is None else None
        return None if found is None else state._replace(at=then, captures=found.captures)

    return instruction


def _choice(starts: list[int]) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        pending += [state._replace(at=start) for start in reversed(starts[1:])]
        return state._replace(at=starts[0])

    return instruction


def _enter_loop(loop: int, head: int) -> _Instruction:
    return lambda run, state, pending: state._replace(at=head, loops=_with(state.loops, loop, (0, -1)))


def _with(loops: tuple[tuple[int, int], ...], loop: int, value: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    return (*loops[:loop], value, *loops[loop + 1 :])


def _next_turn(loop: int, repeat: Repeat, body: int, then: int) -> _Instruction:
    """Begin the body once more, go on, or keep one of the two for later; captures inside are reset each time."""
    captures = frozenset(repeat.captures)

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        count, _ = state.loops[loop]
        go_on = state._replace(at=then)
        if repeat.maximum is not None and count >= repeat.maximum:
            return go_on
        reset = tuple(None if number in captures else span for number, span in enumerate(state.captures))
        turn = state._replace(at=body, captures=reset, loops=_with(state.loops, loop, (count + 1, state.position)))
        if count < repeat.minimum:
            return turn
        first, second = (turn, go_on) if repeat.greedy else (go_on, turn)
        pending.append(second)
        return first

    return instruction


def _end_of_turn(loop: int, minimum: int, head: int) -> _Instruction:
    """A turn that consumed nothing leads nowhere, once the minimum is reached."""

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        count, began = state.loops[loop]
        if count > minimum and began == state.position:
            return None
        return state._replace(at=head)

    return instruction
