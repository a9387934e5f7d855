"""What a step may send, when compilation is strict (spec 05, section 5.11; AD-4, AD-19).

A step binds keys its operation declares and identities the contract's test data declares, and a body of raw bytes
states its own content type. It need not bind what the operation requires: the evaluator may be asked to leave it out.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from eval_quality.declared_inputs import bound_channels_of
from eval_quality.errors import StructuralFailure

from .paths import binding_path, step_path

if TYPE_CHECKING:
    from eval_quality.artifacts.plan import InteractionStep

    from .subject import Subject
    from .surface import Surface


def undeclared(path: str, detail: str) -> StructuralFailure:
    return StructuralFailure("undeclared-mandatory-input", path, detail)


def check_bound_inputs(subject: Subject) -> Iterator[StructuralFailure]:
    """Every step binds what its operation and the test data declare (row 15, strict)."""
    principals = subject.contract["testData"]["principals"] or {}
    for step in subject.contract["interactionPlan"]:
        surface = subject.surface_exercised_by(step)
        if surface is not None:
            yield from _typed_twice(step)
            yield from _undeclared_inputs(step, surface, principals.keys())


def _typed_twice(step: InteractionStep) -> Iterator[StructuralFailure]:
    match step["inputBinding"]:
        case {"body": {"kind": "raw"}, "header": dict(header)} if any(key.lower() == "content-type" for key in header):
            yield undeclared(
                f"{step_path(step['stepId'])}.inputBinding.header",
                "a Content-Type header is bound alongside raw body bytes; the raw body declares its own content type "
                "(AD-4)",
            )


def _undeclared_inputs(
    step: InteractionStep, surface: Surface, principals: Container[object]
) -> Iterator[StructuralFailure]:
    for channel, bound in bound_channels_of(step["inputBinding"]):
        declared = surface.request_keys.get(channel, ())
        for key, value in (bound or {}).items():
            path = binding_path(step["stepId"], channel, key)
            if key not in declared:
                yield undeclared(
                    path,
                    f'{surface.named} declares "{key}" in neither requiredKeys nor permittedKeys of its {channel} '
                    "channel (AD-4)",
                )
            elif (name := value.get("principal")) is not None and name not in principals:
                yield undeclared(
                    path, f'binds the principal "{name}", which testData.principals does not declare (AD-4, AD-19)'
                )
