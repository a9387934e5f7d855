"""The words for one thing: an operation, a part of an exchange, a bound value (spec 06, sections 3.1-3.3 and 3.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.canonical import utf16_key
from eval_quality.declared_inputs import bound_channels_of, is_command_operation, is_mcp_operation
from eval_quality.json_text import json_text
from eval_quality.plan_index import EvidenceTarget, PlanIndex

Level = Literal["generic", "kind", "literal"]
LEVELS: Final[tuple[Level, ...]] = ("generic", "kind", "literal")
"""How much is said of a bound value, from the least: that there is one, of what sort it is, what it is."""

_LOCAL_PHRASES: Final[Mapping[str, tuple[str, str]]] = {
    "response-status": ("its transport status", "its transport status"),
    "exit-code": ("its exit code", "its exit code"),
    "call-inputs": ("the {input} {field} value you sent", "the {input} you sent"),
    "response-body": ("its {field} field", "the response body you obtained"),
    "response-headers": ("its {field} header", "the response headers you obtained"),
    "stdout": ("the {field} field of its standard output", "the standard output you obtained"),
    "stderr": ("the {field} field of its standard error", "the standard error you obtained"),
    "artifact": ("the {field} field of the {artifact} it wrote", "the {artifact} it wrote"),
}
"""What of an exchange a target names, by channel: with a field, and without one."""


class BoundInput(NamedTuple):
    """One input a step binds: its name in words, and the binding value."""

    name: str
    value: Mapping[str, Any]


def join_and(items: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    if len(items) <= 2:
        return " and ".join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def local_phrase(target: EvidenceTarget) -> str:
    """What of its exchange a target names."""
    field = ".".join(token for token in target.tail if token)
    with_field, without = _LOCAL_PHRASES[target.channel]
    template = with_field if field else without
    return template.format(input=target.input_channel, field=field, artifact=target.artifact_id)


def operation_reference(step: InteractionStep, operation: AnyOperation, index: PlanIndex) -> str:
    """The operation in words, with its interface where another one shares its name."""
    name = step["operationId"].replace("-", " ")
    noun = "command" if is_command_operation(operation) else "tool" if is_mcp_operation(operation) else "endpoint"
    shared = index.is_operation_id_shared(step["operationId"])
    qualifier = f' of interface "{step["interfaceId"]}"' if shared else ""
    return f"the {name} {noun}{qualifier}"


def bound_inputs(step: InteractionStep) -> Iterator[BoundInput]:
    """The inputs a step binds, by channel and key; a raw body is one of them, before the others."""
    body = cast(Mapping[str, Any], step["inputBinding"]).get("body")
    if body is not None and body.get("kind") == "raw":
        yield BoundInput("body raw bytes", {"literal": body})
    for channel, bound in bound_channels_of(step["inputBinding"]):
        for key in sorted(bound or (), key=utf16_key):
            yield BoundInput(f"{channel} {key}", cast(Mapping[str, Any], bound)[key])


def wording(bound: BoundInput, level: Level) -> str:
    """One bound input in words."""
    match bound.value, level:
        case {"matcher": "type-violating"}, _:
            return f"a malformed {bound.name} value"
        case ({"matcher": _}, _) | (_, "generic"):
            return f"the supplied {bound.name}"
        case {"principal": principal}, _:
            return f"the {bound.name} of the {principal} account"
        case {"captured": _}, _:
            return f"the {bound.name} you obtained earlier"
        case {"literal": _}, "kind":
            return f"the stated {bound.name}"
    return f"the {bound.name} {json_text(bound.value['literal'], sort_keys=True)}"
