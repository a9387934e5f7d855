"""Whether evidence can be where a pointer says it is, in a plan and in one operation (spec 05, section 5.4).

``None`` means reachable, any text is the reason why not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eval_quality.errors import StructuralFailure
from eval_quality.plan_index import undeclared_operation_clause

if TYPE_CHECKING:
    from eval_quality.plan_index import EvidenceTarget

    from .sites import Site
    from .subject import Subject
    from .surface import Surface


def unreachable_in_plan(target: EvidenceTarget, subject: Subject) -> str | None:
    """Why no step of the plan can have evidence at ``target`` (section 5.4.1); ``None`` when one can."""
    step = subject.plan.step_of(target.step_id)
    if step is None:
        return "names a step the interaction plan does not declare"
    surface = subject.surface_of_step(target.step_id)
    if surface is None:
        clause = undeclared_operation_clause(subject.plan, step)
        return f'names step "{target.step_id}", which names operation "{step["operationId"]}" {clause}'
    return surface.unreachable(target)


def check_evidence(subject: Subject) -> Iterator[StructuralFailure]:
    """Every pointer of an oracle's check addresses evidence the plan can yield (row 6)."""
    for site in subject.oracle_sites:
        for each in site.evidence:
            if reason := unreachable_in_plan(each.target, subject):
                yield StructuralFailure("unreachable-check-evidence", each.path, f'"{each.pointer}" {reason}')


def unreachable_evidence(site: Site, surface: Surface) -> Iterator[StructuralFailure]:
    """Pointers of one expression that a single operation's exchange cannot hold."""
    for each in site.evidence:
        if reason := surface.unreachable(each.target):
            yield StructuralFailure("unreachable-check-evidence", each.path, f'"{each.pointer}" {reason}')
