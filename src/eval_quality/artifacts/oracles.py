"""Oracles and the directions given to an evaluator (spec 01, section 10)."""

from typing import TypedDict

from .expressions import Expression, Polarity, Relation
from .pointers import InteractionPointer
from .primitives import OracleId


class Direction(TypedDict):
    """Where to look, without the answer: the part of an oracle that the sealed brief may tell."""

    evidenceTargets: list[InteractionPointer]
    """Evidence the oracle is about."""
    relation: Relation
    """Kind of relation that is checked."""
    polarity: Polarity
    """Whether the relation is expected to hold."""
    scope: str | None
    """What the direction covers, in the author's words."""
    negativeDomain: str | None
    """What it does not cover."""


class Oracle(TypedDict):
    """One check of the evaluation, with the direction that leads an evaluator to it."""

    id: OracleId
    """Stable identifier."""
    direction: Direction | None
    """What the evaluator is told."""
    check: Expression | None
    """What is checked; withheld from the evaluator."""
    polarity: Polarity
    """Whether the check is expected to hold."""
    commentary: str | None
    """Author's note; withheld."""
