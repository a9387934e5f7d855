"""Evidence pointers taken apart, and the index of an interaction plan (spec 06, section 2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, TypedDict, cast

from eval_quality.artifacts.interfaces import (
    AnyOperation,
    ApiOperation,
    CommandOperation,
    InterfaceKind,
    McpOperation,
    PermittedInterface,
)
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.artifacts.pointers import (
    INPUT_CHANNELS,
    SCALAR_CHANNELS,
    TAIL_BEARING_CHANNELS,
    EvidenceChannelName,
    InputChannel,
)
from eval_quality.errors import PreconditionError

_ID: Final = "[a-z0-9]+(?:-[a-z0-9]+)*"
_TAIL: Final = r"(?:/(?!\*(?:/|\Z))(?:[^/~]|~[01])*)*"
"""Reference tokens; a token that is exactly ``*`` parses in a contract and names no evidence."""


class EvidenceTarget(NamedTuple):
    """What an interaction-rooted pointer names; ``tail`` holds decoded tokens."""

    step_id: str
    channel: EvidenceChannelName
    input_channel: InputChannel | None
    artifact_id: str | None
    tail: tuple[str, ...]


OperationKey = tuple[str, str]
"""Interface and operation identifier."""


class OperationReference(TypedDict):
    """Anything that names an operation of an interface: a step, a witness, a sibling."""

    interfaceId: str
    operationId: str


@cache
def _evidence_pointer() -> re.Pattern[str]:
    return re.compile(
        f"/interactions/(?P<step>{_ID})/"
        f"(?:(?P<bearing>{'|'.join(TAIL_BEARING_CHANNELS)})(?P<bearing_tail>{_TAIL})"
        f"|(?P<scalar>{'|'.join(SCALAR_CHANNELS)})"
        f"|call-inputs/(?P<input>{'|'.join(INPUT_CHANNELS)})(?P<input_tail>{_TAIL})"
        f"|artifact/(?P<artifact>{_ID})(?P<artifact_tail>{_TAIL}))"
    )


def decode_token(token: str) -> str:
    """A reference token unescaped (RFC 6901)."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def decode_tail(source: str) -> tuple[str, ...]:
    """The tokens of a tail such as ``/a~1b/0``; none for the empty text."""
    return tuple(map(decode_token, source[1:].split("/"))) if source else ()


@lru_cache(maxsize=4096)
def parse_evidence_target(pointer: str) -> EvidenceTarget:
    """Take an interaction-rooted evidence pointer apart; raises ``PreconditionError`` for any other text."""
    match = _evidence_pointer().fullmatch(pointer)
    if match is None:
        raise PreconditionError(f"not an interaction-rooted evidence pointer of a recognized channel: {pointer}")
    step, artifact = match["step"], match["artifact"]
    if match["bearing"] is not None:
        channel = cast(EvidenceChannelName, match["bearing"])
        return EvidenceTarget(step, channel, None, None, decode_tail(match["bearing_tail"]))
    if match["scalar"] is not None:
        return EvidenceTarget(step, cast(EvidenceChannelName, match["scalar"]), None, None, ())
    if artifact is not None:
        return EvidenceTarget(step, "artifact", None, artifact, decode_tail(match["artifact_tail"]))
    return EvidenceTarget(
        step, "call-inputs", cast(InputChannel, match["input"]), None, decode_tail(match["input_tail"])
    )


def operation_key(interface_id: str, operation_id: str) -> OperationKey:
    """The pair that names an operation; its identifier alone is unique only within its interface."""
    return interface_id, operation_id


def key_of(reference: OperationReference) -> OperationKey:
    """The operation a step, a witness or a sibling names."""
    return reference["interfaceId"], reference["operationId"]


@dataclass
class PlanIndex:
    """Steps and operations by name. Every lookup is total: what is unknown, or named twice, is ``None``."""

    _steps: dict[str, InteractionStep] = field(default_factory=dict)
    _steps_by_operation: dict[OperationKey, list[InteractionStep]] = field(default_factory=lambda: defaultdict(list))
    _kinds: dict[str, InterfaceKind] = field(default_factory=dict)
    _operations: dict[OperationKey, tuple[InterfaceKind, AnyOperation]] = field(default_factory=dict)
    _duplicated: set[OperationKey] = field(default_factory=set)
    _interfaces_by_operation_id: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def step_of(self, step_id: str) -> InteractionStep | None:
        return self._steps.get(step_id)

    def interface_kind_of(self, interface_id: str) -> InterfaceKind | None:
        return self._kinds.get(interface_id)

    def steps_using(self, key: OperationKey) -> Sequence[InteractionStep]:
        """Steps of one operation in plan order, those with a repeated identifier included."""
        return self._steps_by_operation.get(key, ())

    def operation_of(self, key: OperationKey) -> ApiOperation | None:
        """The operation of an ``api`` or ``web`` interface."""
        return cast("ApiOperation | None", self._of_kind(key, ("api", "web")))

    def command_operation_of(self, key: OperationKey) -> CommandOperation | None:
        return cast("CommandOperation | None", self._of_kind(key, ("cli",)))

    def mcp_operation_of(self, key: OperationKey) -> McpOperation | None:
        return cast("McpOperation | None", self._of_kind(key, ("mcp",)))

    def any_operation_of(self, key: OperationKey) -> AnyOperation | None:
        """The operation of any kind."""
        return self._operations[key][1] if key in self._operations else None

    def _of_kind(self, key: OperationKey, kinds: Sequence[InterfaceKind]) -> AnyOperation | None:
        kind, operation = self._operations.get(key, (None, None))
        return operation if kind in kinds else None

    def is_operation_id_shared(self, operation_id: str) -> bool:
        """Whether more than one interface declares the identifier."""
        return len(self._interfaces_by_operation_id.get(operation_id, ())) > 1

    def is_operation_duplicated(self, key: OperationKey) -> bool:
        return key in self._duplicated


def build_plan_index(
    interaction_plan: Sequence[InteractionStep],
    permitted_interfaces: Sequence[PermittedInterface],
    duplicate_ids: Literal["throw", "unresolved"] = "throw",
) -> PlanIndex:
    """Index a plan and the interfaces it uses.

    A step or operation identifier that is declared twice raises ``PreconditionError``, or with ``"unresolved"`` names
    nothing. Steps are looked at before interfaces.
    """
    index = PlanIndex()
    repeated_steps: set[str] = set()
    for step in interaction_plan:
        step_id = step["stepId"]
        if step_id in index._steps or step_id in repeated_steps:
            if duplicate_ids == "throw":
                raise PreconditionError(f"duplicate interaction step id: {step_id}")
            index._steps.pop(step_id, None)
            repeated_steps.add(step_id)
        else:
            index._steps[step_id] = step
        index._steps_by_operation[key_of(step)].append(step)
    claimed: set[OperationKey] = set()
    for interface in permitted_interfaces:
        logical_id = interface["logicalId"]
        index._kinds[logical_id] = interface["kind"]
        for operation in interface["operations"]:
            key = operation_key(logical_id, operation["operationId"])
            if key not in claimed:
                claimed.add(key)
                index._interfaces_by_operation_id[operation["operationId"]].add(logical_id)
                index._operations[key] = (interface["kind"], operation)
            elif duplicate_ids == "throw":
                raise PreconditionError(
                    f"duplicate operation id within interface {logical_id}: {operation['operationId']}"
                )
            else:
                index._operations.pop(key, None)
                index._duplicated.add(key)
    return index


def resolve_step(index: PlanIndex, step_id: str) -> InteractionStep:
    """The step, which has to be declared; raises ``PreconditionError``."""
    step = index.step_of(step_id)
    if step is None:
        raise PreconditionError(f"evidence target names a step the interaction plan does not declare: {step_id}")
    return step


def undeclared_operation_clause(index: PlanIndex, reference: OperationReference) -> str:
    """Why an operation cannot be looked up, as the end of a sentence."""
    duplicated = index.is_operation_duplicated(key_of(reference))
    how = "declares more than once" if duplicated else "does not declare"
    return f'on interface "{reference["interfaceId"]}", which that interface {how}'


def resolve_operation(index: PlanIndex, reference: OperationReference) -> AnyOperation:
    """The operation, which has to be declared; raises ``PreconditionError``."""
    operation = index.any_operation_of(key_of(reference))
    if operation is None:
        clause = undeclared_operation_clause(index, reference)
        raise PreconditionError(f'step names operation "{reference["operationId"]}" {clause}')
    return operation
