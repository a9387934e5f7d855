"""What an artifact's type annotations may carry: constraints beyond the bare type, as ``Annotated`` metadata.

A field reads ``probeId: ProbeId`` with ``ProbeId = Annotated[str, Pattern(r"^P-[0-9]{3,}$")]``: the type is for readers and
checkers, the metadata is what ``eval_quality.artifacts.shapes`` enforces and what the published JSON Schema documents
state. Patterns are in the reference's own ECMAScript spelling, because refusals quote it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pattern:
    """The whole text matches ``source``, an anchored ECMAScript pattern; refusals quote it unless ``message`` is given."""

    source: str
    message: str | None = None


@dataclass(frozen=True)
class Length:
    """Bounds on the length of a text (in code points) or an array (in elements); ``exactly`` excludes the other two.

    ``hard`` makes a breach stop later rules on the same value.
    """

    minimum: int | None = None
    maximum: int | None = None
    exactly: int | None = None
    hard: bool = False


@dataclass(frozen=True)
class Range:
    """Inclusive bounds on a number, and an exclusive lower one."""

    minimum: int | None = None
    maximum: int | None = None
    above: int | None = None


@dataclass(frozen=True)
class Tag:
    """The union is told apart by the literal under ``key``."""

    key: str


@dataclass(frozen=True)
class Rule:
    """A cross-field rule: ``holds(value)`` on an otherwise sound value, reported as ``message`` at ``at`` below it."""

    holds: Callable[[Any], bool]
    message: str
    at: tuple[str, ...] = ()


@dataclass(frozen=True)
class Definition:
    """The published documents state this type once, under ``$defs`` by this name."""

    name: str


@dataclass(frozen=True)
class AnyJson:
    """Any JSON value; a failure inside surfaces at the value itself."""


@dataclass(frozen=True)
class Listed:
    """A vocabulary of one member that is published as a list, because it may grow."""


NON_EMPTY = Length(minimum=1)
