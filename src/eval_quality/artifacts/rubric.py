"""Rubrics for judged criteria (spec 01, section 10)."""

from typing import Annotated, TypedDict

from .constraints import Definition, Range
from .lineage_fields import Lineage
from .pointers import InteractionPointer
from .primitives import NonEmptyText, RubricCriterionId, RubricId


class ScaleLevel(TypedDict):
    """One level of the scale."""

    level: int
    """Its number."""
    anchor: str
    """What earns it."""


class FailureModePenalty(TypedDict):
    """A named way to fail."""

    name: NonEmptyText
    """Its name."""
    description: str
    """What it looks like."""


class RubricCriterion(TypedDict):
    """One criterion a judge scores."""

    id: RubricCriterionId
    """Stable identifier."""
    text: str
    """What is judged."""
    evidence: InteractionPointer
    """The evidence it is judged on."""


class RubricBody(TypedDict):
    """A rubric as a contract carries it."""

    id: RubricId
    """Stable identifier."""
    scaleLevels: list[ScaleLevel] | None
    """Levels of the scale."""
    failureModePenalties: list[FailureModePenalty] | None
    """Named ways to fail."""
    maxLength: Annotated[int, Range(minimum=1)] | None
    """Longest answer that is judged, in characters."""
    criteria: list[RubricCriterion]
    """What is judged."""


ContractRubric = Annotated[RubricBody, Definition("RubricBody")]


class Rubric(RubricBody, Lineage):
    """A rubric that stands alone."""
