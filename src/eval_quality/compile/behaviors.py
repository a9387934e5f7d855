"""What a behavior declares (spec 05, section 5.2; AD-19)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eval_quality.errors import StructuralFailure

from .paths import behavior_path

if TYPE_CHECKING:
    from .subject import Subject


def check_linkage(subject: Subject) -> Iterator[StructuralFailure]:
    """A behavior comes from a requirement or answers a risk (row 3)."""
    for behavior in subject.contract["behaviors"]:
        if not behavior["requirementLinks"] and not behavior["riskLinks"]:
            yield StructuralFailure(
                "missing-requirement-linkage",
                behavior_path(behavior["id"]),
                "declares neither a requirementLinks nor a riskLinks entry (AD-19)",
            )


def check_success_criteria(subject: Subject) -> Iterator[StructuralFailure]:
    """A behavior says what an outsider sees when it succeeds (row 4)."""
    for behavior in subject.contract["behaviors"]:
        if behavior["observableSuccessCriterion"] is None:
            yield StructuralFailure(
                "no-observable-success-criterion",
                f"{behavior_path(behavior['id'])}.observableSuccessCriterion",
                "declares no observable success criterion (AD-19)",
            )
