"""Patterns with backreferences, run by a small machine under a bound (ECMA-262, RegExp semantics).

A pattern is compiled to instructions, each a function from a state to the next one (or none, when the state leads
nowhere); the machine keeps the states it may return to on a stack of its own and counts its steps, over all starting
places together. Captures and open groups and loops are values of a state, so going back restores them. A lookbehind
runs its body backwards, as ECMAScript does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias, assert_never

from .regex_tree import Alternatives, Assertion, BackReference, Group, Look, Repeat, Sequence, Tree, Units
from .regex_units import LINE_TERMINATORS, WORD, Ranges, contains, folded

Spans: TypeAlias = tuple[tuple[int, int] | None, ...]
"""What each group that is referred to matched last."""
Opened: TypeAlias = tuple[Any, ...] | None
"""The groups and loops a state is inside of: the innermost one's numbers, and those around it as the last item."""


class _State(NamedTuple):
    """Where a match stands."""

    at: int
    """Next instruction."""
    position: int
    """Place in the subject."""
    spans: Spans
    opened: Opened


class _StepLimitExceeded(Exception):
    """The match took too many steps."""


class _Run:
    """One match of one subject, and the steps left to it."""

    def __init__(self, instructions: list[_Instruction], subject: str, limit: int) -> None:
        self.instructions = instructions
        self.subject = subject
        self.steps = limit

    def final(self, start: _State) -> _State | None:
        """The state in which the machine ends, if it does."""
        pending = [start]
        while pending:
            state: _State | None = pending.pop()
            while state is not None:
                if state.at == _END:
                    return state
                self.spend(1)
                state = self.instructions[state.at](self, state, pending)
        return None

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise _StepLimitExceeded


_Instruction: TypeAlias = Callable[[_Run, _State, list[_State]], _State | None]
_END: Final = -1
_SPANS_PER_STEP: Final = 32
"""Spans that are copied in the time of about one step."""
_UNITS_PER_STEP: Final = 1024
"""Units that are compared in the time of about one step."""


def backtracking_matcher(tree: Tree, referenced: frozenset[int], limit: int) -> Callable[[str], bool | None]:
    """A function from a subject of UTF-16 units to whether it matches somewhere; none when ``limit`` steps were spent.

    ``referenced`` are the numbers of the groups that backreferences name; no other group is kept.
    """
    program = _Program(referenced)
    start = program.compile(tree, _END, backward=False)
    nothing: Spans = (None,) * len(referenced)

    def matches(subject: str) -> bool | None:
        run = _Run(program.instructions, subject, limit)
        try:
            return any(run.final(_State(start, place, nothing, None)) is not None for place in range(len(subject) + 1))
        except _StepLimitExceeded:
            return None

    return matches


class _Program:
    """Instructions, written from the last to the first: each knows the one that follows it."""

    def __init__(self, referenced: frozenset[int]) -> None:
        self.instructions: list[_Instruction] = []
        self._slots = {number: slot for slot, number in enumerate(sorted(referenced))}

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
                slots = tuple(self._slots[group] for group in groups)
                return self._add(_back_reference(slots, ignore_case, then, backward))
            case Group(body, number) if number in self._slots:
                close = self._add(_close_group(self._slots[number], then, backward))
                return self._add(_open_group(self.compile(body, close, backward=backward)))
            case Group(body):
                return self.compile(body, then, backward=backward)
            case Look(body, ahead, negative):
                return self._add(_look(self.compile(body, _END, backward=not ahead), negative, then))
            case Sequence(items):
                for item in items if backward else reversed(items):
                    then = self.compile(item, then, backward=backward)
                return then
            case Alternatives(options):
                return self._add(_choice([self.compile(option, then, backward=backward) for option in options]))
            case Repeat():
                return self._repeat(tree, then, backward)
        assert_never(tree)

    def _repeat(self, repeat: Repeat, then: int, backward: bool) -> int:
        head = self._add(_nowhere)
        end = self._add(_end_of_turn(repeat.minimum, head))
        body = self.compile(repeat.body, end, backward=backward)
        slots = frozenset(self._slots[number] for number in repeat.captures if number in self._slots)
        self.instructions[head] = _next_turn(repeat, slots, body, then)
        return self._add(_enter_loop(head))


def _nowhere(run: _Run, state: _State, pending: list[_State]) -> None:
    return None


def _unit(ranges: Ranges, then: int, backward: bool) -> _Instruction:
    step = -1 if backward else 1

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        _, position, spans, opened = state
        index = position - backward
        if 0 <= index < len(run.subject) and contains(ranges, ord(run.subject[index])):
            return _State(then, position + step, spans, opened)
        return None

    return instruction


def _is_one_of(ranges: Ranges, subject: str, index: int) -> bool:
    return 0 <= index < len(subject) and contains(ranges, ord(subject[index]))


_PLACES: Final[dict[str, Callable[[str, int], bool]]] = {
    "start": lambda subject, at: at == 0,
    "end": lambda subject, at: at == len(subject),
    "line-start": lambda subject, at: at == 0 or _is_one_of(LINE_TERMINATORS, subject, at - 1),
    "line-end": lambda subject, at: at == len(subject) or _is_one_of(LINE_TERMINATORS, subject, at),
    "word": lambda subject, at: _is_one_of(WORD, subject, at - 1) != _is_one_of(WORD, subject, at),
    "not-word": lambda subject, at: _is_one_of(WORD, subject, at - 1) == _is_one_of(WORD, subject, at),
}


def _assertion(kind: str, then: int) -> _Instruction:
    holds = _PLACES[kind]
    return lambda run, state, pending: state._replace(at=then) if holds(run.subject, state.position) else None


def _back_reference(slots: tuple[int, ...], ignore_case: bool, then: int, backward: bool) -> _Instruction:
    def same(one: str, other: str) -> bool:
        if not ignore_case or len(one) != len(other):
            return one == other
        return all(folded(ord(a)) == folded(ord(b)) for a, b in zip(one, other, strict=True))

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        start, end = next((span for slot in slots if (span := state.spans[slot]) is not None), (0, 0))
        run.spend((end - start) // _UNITS_PER_STEP)
        place = state.position - (end - start) if backward else state.position
        if place < 0 or not same(run.subject[place : place + end - start], run.subject[start:end]):
            return None
        return state._replace(at=then, position=place if backward else place + end - start)

    return instruction


def _open_group(then: int) -> _Instruction:
    return lambda run, state, pending: state._replace(at=then, opened=(state.position, state.opened))


def _close_group(slot: int, then: int, backward: bool) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        assert state.opened is not None
        start, around = state.opened
        span = (state.position, start) if backward else (start, state.position)
        run.spend(len(state.spans) // _SPANS_PER_STEP)
        return _State(then, state.position, (*state.spans[:slot], span, *state.spans[slot + 1 :]), around)

    return instruction


def _look(body: int, negative: bool, then: int) -> _Instruction:
    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        found = run.final(state._replace(at=body))
        if negative:
            return state._replace(at=then) if found is None else None
        return None if found is None else state._replace(at=then, spans=found.spans)

    return instruction


def _choice(starts: list[int]) -> _Instruction:
    first, *others = starts

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        run.spend(len(others) // _SPANS_PER_STEP)
        pending += [state._replace(at=start) for start in reversed(others)]
        return state._replace(at=first)

    return instruction


def _enter_loop(head: int) -> _Instruction:
    return lambda run, state, pending: state._replace(at=head, opened=(0, None, state.opened))


def _next_turn(repeat: Repeat, slots: frozenset[int], body: int, then: int) -> _Instruction:
    """Begin the body once more, go on, or keep one of the two for later; captures inside are reset each time."""

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State:
        assert state.opened is not None
        count, _, around = state.opened
        _, position, spans, _ = state
        go_on = _State(then, position, spans, around)
        if repeat.maximum is not None and count >= repeat.maximum:
            return go_on
        if slots:
            run.spend(len(spans) // _SPANS_PER_STEP)
            spans = tuple(None if slot in slots else span for slot, span in enumerate(spans))
        turn = _State(body, position, spans, (count + 1, position, around))
        if count < repeat.minimum:
            return turn
        first, second = (turn, go_on) if repeat.greedy else (go_on, turn)
        pending.append(second)
        return first

    return instruction


def _end_of_turn(minimum: int, head: int) -> _Instruction:
    """A turn that consumed nothing leads nowhere, once the minimum is reached."""

    def instruction(run: _Run, state: _State, pending: list[_State]) -> _State | None:
        assert state.opened is not None
        count, began, _ = state.opened
        return None if count > minimum and began == state.position else state._replace(at=head)

    return instruction
