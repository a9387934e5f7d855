"""Sealed evaluator briefs: what an independent evaluator is told (spec 02, section 11)."""

from typing import Annotated, Final, TypedDict

from .constraints import NON_EMPTY, Range
from .eval_contract import Behavior, Budgets, ScopedResource
from .interfaces import InterfaceKind
from .lineage_fields import Lineage
from .primitives import Digest, Identifier, NonEmptyText, OracleId

SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION: Final = 2


class BriefDirection(TypedDict):
    """Where to look for one oracle's evidence, in words."""

    oracleId: OracleId
    """The oracle."""
    text: NonEmptyText
    """The direction."""


class BriefInterface(TypedDict):
    """An interface the evaluator may use."""

    logicalId: Identifier
    """Its name."""
    kind: InterfaceKind
    """Its kind."""


class SealedEvaluatorBrief(Lineage):
    """What the evaluator is told: where to look, never what is right."""

    contractDigest: Digest
    """The contract it was sealed from."""
    behaviors: Annotated[list[Behavior], NON_EMPTY]
    """Behaviors under evaluation."""
    directions: Annotated[list[BriefDirection], NON_EMPTY]
    """Where to look."""
    permittedInterfaces: list[BriefInterface]
    """Interfaces it may use."""
    scopedResources: list[ScopedResource]
    """What it may consult."""
    principals: list[Identifier]
    """Identities it may act as, sorted."""
    budgets: Budgets
    """What it may spend."""
    safetyLimits: list[str]
    """What it must not do."""
    probeStepBound: Annotated[int, Range(minimum=0)] | None
    """Most steps it may take."""
