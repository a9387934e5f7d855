"""Shapes that are one of several, or one with rules: null or another, unions, cross-field rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..constraints import Rule
from .base import NO_TYPE, Acceptor, Nesting, Shape, Steps, Types
from .findings import Finding, Path, Severity, below, worst
from .leaves import NULL


@dataclass(frozen=True)
class OneOf(Nesting):
    """A plain union: the first arm without an issue wins."""

    arms: tuple[Shape, ...]

    @cached_property
    def accepts(self) -> Acceptor:
        acceptors = [arm.accepts for arm in self.arms]

        def accepts_any(value: Any) -> bool:
            for accepts in acceptors:  # noqa: SIM110 - as in Array
                if accepts(value):
                    return True
            return False

        return accepts_any

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        soft: list[list[Finding]] = []
        for arm in self.arms:
            mine: list[Finding] = []
            result = yield arm, value, path, mine
            if not mine:
                return result
            if worst(mine) is Severity.SOFT:
                soft.append(mine)
        findings.extend(soft[0] if len(soft) == 1 else [Finding(path, "Invalid input", Severity.HARD)])
        return value


@dataclass(frozen=True)
class Nullable(Nesting):
    """Null, or the inner shape."""

    inner: Shape

    @property
    def types(self) -> Types:
        return self.inner.types | NULL.types if self.inner.types else NO_TYPE

    @cached_property
    def accepts(self) -> Acceptor:
        inner = self.inner.accepts
        return lambda value: value is None or inner(value)

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        return None if value is None else (yield self.inner, value, path, findings)


@dataclass(frozen=True)
class Ruled(Nesting):
    """A shape with cross-field rules, which run while no hard issue lies on or inside the value."""

    inner: Shape
    rules: tuple[Rule, ...]

    @cached_property
    def accepts(self) -> Acceptor:
        inner, rules = self.inner.accepts, [rule.holds for rule in self.rules]

        def accepts_ruled(value: Any) -> bool:
            if not inner(value):
                return False
            for holds in rules:  # noqa: SIM110 - as in Array
                if not holds(value):
                    return False
            return True

        return accepts_ruled

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        mine: list[Finding] = []
        result = yield self.inner, value, path, mine
        for rule in self.rules:
            if worst(mine) is Severity.SOFT and not rule.holds(result):
                mine.append(Finding(below(path, *rule.at), rule.message, Severity.SOFT))
        findings.extend(mine)
        return result
