"""Captured bindings: what a step sends that an earlier step returned (spec 05, section 5.5; AD-26, AD-39).

1. A captured pointer addresses evidence its step can yield, a single declared field of it, and that field is a scalar
   of the very type the bound parameter is declared as (``check_captures``).
2. A capture has an earlier step to resolve from: captures and temporal clauses form no cycle (``check_cycles``).
3. It reads the channel the referenced operation's response descriptor describes (``check_captured_channels``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from eval_quality.errors import StructuralFailure
from eval_quality.plan_index import EvidenceTarget

from .paths import binding_path
from .reachability import unreachable_in_plan
from .surface import SCALAR_TYPES, Surface, is_array_index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eval_quality.artifacts.plan import InteractionStep

    from .captures import CapturedBinding
    from .subject import Subject

INHERITED_TYPES: Final = {
    "constructor": "function Object() { [native code] }",
    "__proto__": "[object Object]",
} | {
    name: f"function {name}() {{ [native code] }}"
    for name in (
        "toString",
        "toLocaleString",
        "valueOf",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    )
}
"""What the type map of the reference answers for a key it does not declare but every JavaScript object inherits."""

UNDECLARED: Final = "does not declare"
INDETERMINATE: Final = "declares indeterminate"


class Declared(NamedTuple):
    """The declared type of a key, or why there is none."""

    type: str | None
    missing: str = ""


def check_captures(subject: Subject) -> Iterator[StructuralFailure]:
    """A captured value exists, is a declared scalar, and has the type of the parameter it fills (row 7)."""
    for step, captures in subject.captures:
        for binding in captures:
            if reason := _unfit(binding, step, subject):
                path = binding_path(step["stepId"], binding.input_channel, binding.key)
                detail = f'captured pointer "{binding.pointer}" {reason}'
                yield StructuralFailure("unreachable-check-evidence", path, detail)


def check_cycles(subject: Subject) -> Iterator[StructuralFailure]:
    """No capture closes a cycle of captures and temporal clauses (row 21).

    Steps are nodes by identifier. The scripting bound has been checked by now, so that the plan is small.
    """
    leads_to: dict[str, set[str]] = {step["stepId"]: set() for step, _ in subject.captures}
    for step, captures in subject.captures:
        ends = {step["after"], *(binding.target.step_id for binding in captures)}
        leads_to[step["stepId"]] |= leads_to.keys() & ends
    reached = {step_id: _reachable(step_id, leads_to) for step_id in leads_to}
    for step, captures in subject.captures:
        for binding in captures:
            if step["stepId"] in reached.get(binding.target.step_id, ()):
                yield StructuralFailure(
                    "binding-cycle",
                    binding_path(step["stepId"], binding.input_channel, binding.key),
                    f'captured pointer "{binding.pointer}" closes a cycle over the capture and temporal-clause edges; '
                    "a captured value has no earlier step to resolve from (AD-39)",
                )


def check_captured_channels(subject: Subject) -> Iterator[StructuralFailure]:
    """A capture reads the channel that the referenced operation's response descriptor describes (row 22).

    A capture from an operation that does not resolve has been refused by now (row 7).
    """
    for step, captures in subject.captures:
        for binding in captures:
            surface = subject.surface_of_step(binding.target.step_id)
            if surface is not None and not surface.describes(binding.target):
                yield StructuralFailure(
                    "captured-channel-undeclared",
                    binding_path(step["stepId"], binding.input_channel, binding.key),
                    f'captured pointer "{binding.pointer}" names the {binding.target.channel} channel, which the '
                    "referenced operation's response descriptor does not declare (AD-26)",
                )


def declared_type(types: Mapping[str, str | None], key: str) -> Declared:
    """The declared type of a key that is listed in a shape."""
    if key not in types and key not in INHERITED_TYPES:
        return Declared(None, UNDECLARED)
    name = types.get(key, INHERITED_TYPES.get(key))
    return Declared(name, INDETERMINATE if name is None else "")


def _reachable(start: str, leads_to: Mapping[str, set[str]]) -> set[str]:
    """Every step that ``start`` leads to, itself included."""
    found, pending = {start}, [start]
    while pending:
        fresh = leads_to[pending.pop()] - found
        found |= fresh
        pending += fresh
    return found


def _unfit(binding: CapturedBinding, step: InteractionStep, subject: Subject) -> str | None:
    """Why a captured value cannot fill the parameter it is bound to; ``None`` if it can or another check has it."""
    source, reason = subject.surface_of_step(binding.target.step_id), unreachable_in_plan(binding.target, subject)
    if source is None:
        return reason
    if not source.describes(binding.target):
        return None  # row 22 reports the channel
    if reason is not None:
        return reason
    captured = _captured_type(binding.target, source)
    if captured.type is None:
        return captured.missing
    receiver = subject.surface_exercised_by(step)
    if receiver is None or binding.key not in receiver.request_keys.get(binding.input_channel, ()):
        return None  # undeclared inputs are the strict checks' to refuse
    bound = declared_type(receiver.request_shapes[binding.input_channel]["types"], binding.key)
    parameter = f'{binding.input_channel} parameter "{binding.key}"'
    if bound.type is None:
        return (
            f'resolves to a declared "{captured.type}", but the step binds {parameter}, whose type {receiver.named} '
            f"{bound.missing}, so no type equality is decidable"
        )
    if bound.type != captured.type:
        return (
            f'resolves to a declared "{captured.type}", which is not the "{bound.type}" the bound {parameter} is '
            "declared as"
        )
    return None


def _captured_type(target: EvidenceTarget, source: Surface) -> Declared:
    """The scalar type of what a capture addresses, or what is wrong with the address."""
    channel = target.channel
    match target.tail:
        case []:
            return Declared(None, f"addresses the whole {channel}, which declares no scalar to capture")
        case [token] if is_array_index(token):
            return Declared(None, f"addresses {channel} element {token}, which no declaration gives a type")
        case [token]:
            declared = declared_type(source.operation["responseDescriptor"]["types"], token)
            field = f'addresses {channel} field "{token}"'
            if declared.type is None:
                return Declared(None, f"{field}, whose type {source.named} {declared.missing}")
            if declared.type not in SCALAR_TYPES:
                return Declared(None, f'{field}, which {source.named} declares "{declared.type}" rather than a scalar')
            return declared
        case deep:
            segments = f"a {channel} path {len(deep)} segments deep"
            return Declared(None, f"addresses {segments}, which declares no scalar to capture")
