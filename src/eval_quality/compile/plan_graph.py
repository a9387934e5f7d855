"""How much an interaction plan may script (spec 05, section 5.13; AD-5, AD-39).

A step's parent is the step it comes after; a temporal clause that resolves to no single step gives it none. A plan is a
bounded set of witness relations: one level of temporal clauses, few steps hung on one, few such anchors, few pairs, and
few steps in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from eval_quality.errors import StructuralFailure

from .paths import step_path

if TYPE_CHECKING:
    from eval_quality.artifacts.plan import InteractionStep

    from .subject import Subject

MAX_CHILDREN: Final = 2
MAX_SHARED_ANCHORS: Final = 2
MAX_STEP_PAIRS: Final = 4
MAX_STEPS: Final = 16


def check_temporal_clauses(subject: Subject) -> Iterator[StructuralFailure]:
    """No step follows a step that itself follows one (row 19)."""
    for step in subject.contract["interactionPlan"]:
        parent = _parent(step["after"], subject)
        if parent is not None and _parent(parent["after"], subject) is not None:
            yield StructuralFailure(
                "nested-temporal-clause",
                f"{step_path(step['stepId'])}.after",
                f'names step "{parent["stepId"]}", which itself carries a temporal clause; a chain may not nest more '
                "than one level (AD-39)",
            )


def check_scripting_bound(subject: Subject) -> Iterator[StructuralFailure]:
    """The plan stays within the published bounds (row 20).

    Chains are one level deep by now (row 19), so that each component of the plan is a step with its children, and a
    pair is a step with a single child.
    """
    for text in _excesses(subject):
        yield StructuralFailure("plan-exceeds-scripting-bound", "EvalContract.interactionPlan", f"{text} (AD-5, AD-39)")


def _excesses(subject: Subject) -> Iterator[str]:
    plan = subject.contract["interactionPlan"]
    parents = [_parent(step["after"], subject) for step in plan]
    children = Counter(parent["stepId"] for parent in parents if parent is not None).values()
    widest = max(children, default=0)
    anchors = sum(count > 1 for count in children)
    pairs = sum(count == 1 for count in children)
    if widest > MAX_CHILDREN:
        yield f"one step anchors {widest} other steps, past the published width bound of {MAX_CHILDREN}"
    if anchors > MAX_SHARED_ANCHORS:
        yield (
            f"{anchors} steps each anchor more than one other step, past the published bound of {MAX_SHARED_ANCHORS} "
            "shared anchors"
        )
    if pairs > MAX_STEP_PAIRS:
        yield (
            f"{pairs} mutually disjoint two-step witness pairs appear in one plan, past the published bound of "
            f"{MAX_STEP_PAIRS}"
        )
    if len(plan) > MAX_STEPS:
        yield (
            f"the plan declares {len(plan)} steps, past the published bound of {MAX_STEPS}: an exhaustive operation "
            "inventory rather than a bounded set of witness relations"
        )


def _parent(after: str | None, subject: Subject) -> InteractionStep | None:
    """The step a temporal clause names; ``None`` without a clause, or when it names no single step."""
    return None if after is None else subject.plan.step_of(after)
