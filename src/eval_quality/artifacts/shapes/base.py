"""What every shape is, and the two kinds that only stand for another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .findings import Finding, Path

Acceptor = Callable[[Any], bool]
Types = frozenset[type]
NO_TYPE: Final[Types] = frozenset()


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
        """Append every issue; return the value in normal form (of no use when there are issues)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Named(Shape):
    """A shape that published documents state once, by name."""

    name: str
    inner: Shape

    @property
    def types(self) -> Types:
        return self.inner.types

    @cached_property
    def accepts(self) -> Acceptor:
        return self.inner.accepts

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        return self.inner.report(value, path, findings)


@dataclass(eq=False)
class Deferred(Shape):
    """A shape named before it is built, so that shapes can nest in themselves."""

    target: Shape | None = None

    @cached_property
    def accepts(self) -> Acceptor:
        def accepts_target(value: Any) -> bool:
            assert self.target is not None
            return self.target.accepts(value)

        return accepts_target

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        assert self.target is not None
        return self.target.report(value, path, findings)
