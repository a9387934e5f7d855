"""What every shape is, how those with shapes inside report, and the two kinds that only stand for another."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .findings import Finding, Path, Severity

Acceptor = Callable[[Any], bool]
Types = frozenset[type]
NO_TYPE: Final[Types] = frozenset()
_DEEPEST: Final = 10_000
"""Most shapes inside each other that a report follows, some two thousand expressions."""


class TooDeep(RecursionError):
    """A value nests deeper than a report follows."""

    def __init__(self) -> None:
        super().__init__("nested deeper than can be read")


class Shape:
    """One kind of value. Subclasses say how it is accepted and how a departure is reported."""

    @property
    def types(self) -> Types:
        """Types of which it accepts every value, so that there is nothing else to ask."""
        return NO_TYPE

    @cached_property
    def accepts(self) -> Acceptor:
        """Whether a value conforms and is in normal form already."""
        raise NotImplementedError

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        """Append every issue; return the value in normal form (of no use when there are issues).

        Raises ``TooDeep``.
        """
        raise NotImplementedError

    def judge(self, value: Any) -> tuple[Any, list[Finding]]:
        """The value in normal form, and every issue; without issues it may be the very object given."""
        findings: list[Finding] = []
        try:
            if self.accepts(value):
                return value, []
        except RecursionError:
            pass  # accepting nests calls as deep as the value; reporting does not
        try:
            return self.report(value, (), findings), findings
        except TooDeep as error:
            return value, [Finding((), str(error), Severity.HARD)]


Steps = Generator[tuple[Shape, Any, Path, list[Finding]], Any, Any]
"""Asks for the reports of shapes inside, each with the arguments of its ``report``; is sent what each returned."""


class Nesting(Shape):
    """A shape with shapes inside. Its report keeps a stack of its own, so that depth takes none of the interpreter's."""

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        """The report, with those of shapes inside left to the caller."""
        raise NotImplementedError

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        steps, result = self.steps(value, path, findings), None
        opened: list[Steps] = []
        while True:
            try:
                shape, value, path, findings = steps.send(result)
            except StopIteration as ended:
                if not opened:
                    return ended.value
                steps, result = opened.pop(), ended.value
                continue
            if isinstance(shape, Nesting):
                if len(opened) == _DEEPEST:
                    raise TooDeep
                opened.append(steps)
                steps, result = shape.steps(value, path, findings), None
            else:
                result = shape.report(value, path, findings)


@dataclass(frozen=True)
class Named(Nesting):
    """A shape that published documents state once, by name."""

    name: str
    inner: Shape

    @property
    def types(self) -> Types:
        return self.inner.types

    @cached_property
    def accepts(self) -> Acceptor:
        return self.inner.accepts

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        return (yield self.inner, value, path, findings)


@dataclass(eq=False)
class Deferred(Nesting):
    """A shape named before it is built, so that shapes can nest in themselves."""

    target: Shape | None = None

    @cached_property
    def accepts(self) -> Acceptor:
        def accepts_target(value: Any) -> bool:
            assert self.target is not None
            return self.target.accepts(value)

        return accepts_target

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        assert self.target is not None
        return (yield self.target, value, path, findings)
