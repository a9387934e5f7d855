"""What a contract must and must not declare (spec 05, sections 5.14 and 5.16; AD-5, AD-16, AD-18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from eval_quality.artifacts.eval_contract import FORBIDDEN_INPUT_FLOOR, EvalContract
from eval_quality.artifacts.schema import shape_of
from eval_quality.canonical import json_string, utf16_key
from eval_quality.errors import StructuralFailure
from eval_quality.excluded_content import scan_excluded_content

if TYPE_CHECKING:
    from .subject import Subject

WAIVER_PARTS: Final[tuple[Literal["rule", "rationale", "approval", "expiresAt"], ...]] = (
    "rule",
    "rationale",
    "approval",
    "expiresAt",
)
"""What every waiver names; its condition alone may be null."""


def check_forbidden_inputs(subject: Subject) -> Iterator[StructuralFailure]:
    """What no evaluator may see is on the contract's list (row 27)."""
    for member in FORBIDDEN_INPUT_FLOOR:
        if member not in subject.contract["forbiddenInputs"]:
            yield StructuralFailure(
                "forbidden-input-floor-incomplete",
                "EvalContract.forbiddenInputs",
                f'omits mandatory floor member "{member}" (AD-16)',
            )


def check_excluded_content(subject: Subject) -> Iterator[StructuralFailure]:
    """No text of the contract looks like a secret or personal data (row 28).

    Where several do, the first in the order of the schema is meant, however the document orders its keys.
    """
    if next(scan_excluded_content(subject.contract, "EvalContract"), None) is None:
        return
    in_declared_order = shape_of(EvalContract).report(subject.contract, (), [])
    for hit in scan_excluded_content(in_declared_order, "EvalContract"):
        yield StructuralFailure(
            "excluded-content-in-declaration",
            hit.path,
            f"carries a value shaped like {hit.category}, which AD-18 excludes from every artifact this package "
            "produces; store a digest or an AD-8 opaque reference instead. The matched text is not quoted here, since "
            "a failure message travels further than the contract does",
        )


def check_scoped_resources(subject: Subject) -> Iterator[StructuralFailure]:
    """The evaluator is given no resource to consult (row 29)."""
    for position, resource in enumerate(subject.contract["scopedResources"] or ()):
        yield StructuralFailure(
            "scoped-reference-resolves-forbidden",
            f"EvalContract.scopedResources[{position}].reference",
            f'scoped resource reference "{resource["reference"]}" is forbidden (AD-16)',
        )
    for name in sorted(subject.contract["testData"]["resources"] or (), key=utf16_key):
        yield StructuralFailure(
            "scoped-reference-resolves-forbidden",
            f"EvalContract.testData.resources[{json_string(name)}]",
            f'declared test-data resource "{name}" is a scoped resource reference and is forbidden (AD-16)',
        )


def check_waivers(subject: Subject) -> Iterator[StructuralFailure]:
    """A waiver says what is waived, why, by whom and until when (row 30)."""
    for waiver in subject.contract["waivers"]:
        for part in WAIVER_PARTS:
            if waiver[part] is None:
                yield StructuralFailure(
                    "waiver-incomplete",
                    f"EvalContract.waivers[id={waiver['id']}].{part}",
                    f"a waiver requires {part}; AD-5 requires the named rule, an explicit rationale, the recorded "
                    "approval, and an RFC 3339 expiry",
                )
