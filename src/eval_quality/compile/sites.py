"""Places where a contract or a probe holds an expression, as the rules about expressions see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from eval_quality.expression_walk import Node, PointerUse, is_bound, pointers_of, walk
from eval_quality.plan_index import EvidenceTarget, parse_evidence_target

from .surface import Surface

if TYPE_CHECKING:
    from eval_quality.artifacts.expressions import Expression
    from eval_quality.artifacts.interfaces import AnyOperation
    from eval_quality.artifacts.witnesses import SensitivityWitness


class Evidence(NamedTuple):
    """One pointer of an expression that is rooted at an interaction."""

    pointer: str
    target: EvidenceTarget
    base: str
    use: PointerUse | None
    """Where below ``base`` an expression reads it, if it stands in one."""

    @classmethod
    def at(cls, path: str, pointer: str) -> Evidence:
        """A pointer and where it stands; raises ``PreconditionError`` if it is rooted at no interaction."""
        return cls(pointer, parse_evidence_target(pointer), path, None)

    @property
    def path(self) -> str:
        """Where it stands, written when asked for: an expression may be deep."""
        return self.base if self.use is None else self.base + self.use.path


@dataclass(frozen=True)
class Site:
    """An expression, the artifact path it stands at, and the operation behind each step its pointers may name."""

    expression: Expression
    path: str
    surface_of: Callable[[str], Surface | None]
    """What the step or leg of that identifier exercises; ``None`` for one this site does not know."""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(walk(self.expression))

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """Interaction-rooted pointers in document order; bound-element pointers are none."""
        return tuple(
            Evidence(use.pointer, parse_evidence_target(use.pointer), self.path, use)
            for node in self.nodes
            for use in pointers_of(node)
            if not is_bound(use.pointer)
        )


@dataclass(frozen=True)
class WitnessSite(Site):
    """The relation of a sensitivity witness; the steps it may name are the two legs."""

    witness: SensitivityWitness
    surface: Surface
    witness_path: str


def bare_site(
    expression: Expression, path: str, operation: AnyOperation | None = None, step_ids: frozenset[str] = frozenset()
) -> Site:
    """A site of one expression outside a contract: ``step_ids`` all exercise ``operation``, no other step is known."""
    surface = None if operation is None else Surface(operation)
    return Site(expression, path, lambda step_id: surface if step_id in step_ids else None)
