"""Steps a direction refers to can be told apart in the brief (spec 05, section 5.17; AD-3, AD-16).

The evaluator is told of a step in words made from what the step binds. Compilation renders those words once, so that a
contract whose declared structure cannot distinguish two steps is refused here and not when it is sealed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eval_quality.errors import StructuralFailure

from .paths import oracle_path

if TYPE_CHECKING:
    from .subject import Subject


def check_step_references(subject: Subject) -> Iterator[StructuralFailure]:
    """Every direction's evidence has a phrase of its own (row 31); a failure of the renderer concerns the oracle."""
    from eval_quality.seal.references import render_evidence_references

    for oracle in subject.contract["oracles"]:
        targets = oracle["direction"]["evidenceTargets"] if oracle["direction"] else []
        if targets:
            try:
                render_evidence_references(targets, subject.plan)
            except StructuralFailure as failure:
                path = f"{oracle_path(oracle['id'])}.direction.evidenceTargets"
                yield StructuralFailure(failure.code, path, failure.detail)
