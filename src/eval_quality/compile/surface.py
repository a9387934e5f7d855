"""What an operation shows and accepts, and whether its exchange can hold evidence where a pointer says (spec 05, 5.4).

A pointer is judged against which channels the operation has, which keys it declares there, which of them are scalars, and
how many elements a root collection may hold. Only the first token of a pointer's tail is ever looked up; below it nothing
is declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from eval_quality.canonical import number_text
from eval_quality.declared_inputs import (
    declared_artifacts_of,
    descriptor_artifact_of,
    descriptor_channel_of,
    is_command_operation,
    is_mcp_operation,
    request_channels_of,
)
from eval_quality.plan_index import decode_tail

if TYPE_CHECKING:
    from eval_quality.artifacts.interfaces import AnyOperation
    from eval_quality.artifacts.primitives import KeyedShapeDescriptor, KeyTypeMap
    from eval_quality.plan_index import EvidenceTarget

SCALAR_TYPES: Final = frozenset({"string", "number", "boolean", "null"})
TOOL_CALL_CHANNELS: Final = frozenset({"response-status", "exit-code", "call-inputs"})
"""What a tool call carries besides its described result."""
HTTP_CHANNELS: Final = frozenset({"response-body", "response-headers", "response-status"})
_SAFE_INTEGER_DIGITS: Final = 16


def is_array_index(token: str) -> bool:
    """Whether a decoded token is the canonical decimal spelling of an array index."""
    return token.isascii() and token.isdigit() and (token == "0" or token[0] != "0")


def declared_keys(shape: KeyedShapeDescriptor) -> frozenset[str]:
    """Keys a shape requires or permits; the two lists are independent of each other."""
    return frozenset(shape["requiredKeys"]).union(shape["permittedKeys"])


class TailTree:
    """Tails by token, so that those above a pointer are found without asking each."""

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._below: dict[str, TailTree] = {}

    @classmethod
    def of(cls, tails: Iterable[Sequence[str]]) -> TailTree:
        root = cls()
        for position, tail in enumerate(tails):
            node = root
            for token in tail:
                node = node._below.setdefault(token, cls())
            node._ends.append(position)
        return root

    def covering(self, tail: Sequence[str]) -> list[int]:
        """Positions of the tails that are ``tail`` or an ancestor of it; a token ``*`` of theirs stands for any token."""
        found, level = [*self._ends], [self]
        for token in tail:
            names = {token, "*"}
            level = [node._below[name] for node in level for name in names if name in node._below]
            if not level:
                break
            found += [position for node in level for position in node._ends]
        return sorted(found)


@dataclass(frozen=True)
class Surface:
    """What an operation shows and accepts, ready to be asked about many pointers."""

    operation: AnyOperation

    @cached_property
    def named(self) -> str:
        """The operation as messages name it."""
        return f'operation "{self.operation["operationId"]}"'

    @cached_property
    def channel(self) -> str:
        """The channel the response descriptor describes."""
        return descriptor_channel_of(self.operation)

    @cached_property
    def artifact(self) -> str | None:
        """The artifact the response descriptor describes, if it describes one."""
        return descriptor_artifact_of(self.operation)

    @cached_property
    def artifacts(self) -> frozenset[str]:
        """Every artifact the operation declares that it writes."""
        return frozenset(declared_artifacts_of(self.operation))

    @cached_property
    def response_keys(self) -> frozenset[str]:
        """Keys of the described payload."""
        return declared_keys(self.operation["responseDescriptor"])

    @cached_property
    def request_shapes(self) -> dict[str, KeyedShapeDescriptor]:
        """Request shapes by input channel, in the operation's own order."""
        return dict(request_channels_of(self.operation))

    @cached_property
    def request_keys(self) -> dict[str, frozenset[str]]:
        """Declared request keys by input channel."""
        return {channel: declared_keys(shape) for channel, shape in self.request_shapes.items()}

    @cached_property
    def volatile_tails(self) -> tuple[tuple[str, ...], ...]:
        """Decoded volatile pointers, in declaration order."""
        return tuple(tuple(decode_tail(pointer)) for pointer in self.operation["volatilePointers"])

    @cached_property
    def volatile_tree(self) -> TailTree:
        """The volatile pointers, by position in ``volatile_tails``."""
        return TailTree.of(self.volatile_tails)

    @cached_property
    def root_bound(self) -> tuple[str, int] | None:
        """Mode and bound of the collection the described payload itself is, if it is one."""
        for location in self.operation["responseDescriptor"]["collectionLocations"] or ():
            if location["pointer"] == "":
                size = location["expectedCardinality"]
                return size["mode"], size["count"] if size["mode"] == "exact" else size["max"]
        return None

    def describes(self, target: EvidenceTarget) -> bool:
        """Whether a target addresses what the response descriptor describes."""
        return target.channel == self.channel and (self.channel != "artifact" or target.artifact_id == self.artifact)

    def unreachable(self, target: EvidenceTarget) -> str | None:
        """Why evidence of this operation cannot be at ``target``; ``None`` when it can. The first case decides."""
        artifact = f'the "{target.artifact_id}" artifact'
        match target.channel:
            case "artifact" if target.artifact_id not in self.artifacts:
                return f"names {artifact}, which {self.named} does not declare it writes"
            case "artifact" if target.artifact_id != self.artifact:
                return (
                    f"addresses a field inside {artifact}, which {self.named} declares it writes but declares no "
                    "structure for"
                    if target.tail
                    else None
                )
            case "artifact":
                return self._undescribed(target.tail, artifact)
            case channel if channel == self.channel:
                return self._undescribed(target.tail, channel)
            case channel if is_mcp_operation(self.operation) and channel not in TOOL_CALL_CHANNELS:
                return (
                    f"addresses {channel} on {self.named}, which is a tool call and carries its result on "
                    "response-body, its error flag on response-status and, when its server ended the session, the exit "
                    "code on exit-code, and nothing else"
                )
            case "stdout" | "stderr" as stream:
                return (
                    f"addresses a field inside {stream}, which {self.named} declares no structure for"
                    if target.tail
                    else None
                )
            case channel if channel in HTTP_CHANNELS and is_command_operation(self.operation):
                return f"addresses {channel} on {self.named}, which runs behind a command and produces no HTTP response"
            case "call-inputs":
                return self._unsent(target.tail, target.input_channel or "")
            case _:
                return None

    def _undescribed(self, tail: Sequence[str], label: str) -> str | None:
        """Why the response descriptor has no place for ``tail`` (section 5.4.3)."""
        if not tail:
            return None
        token = tail[0]
        if self.root_bound is not None and is_array_index(token):
            mode, bound = self.root_bound
            if len(token) <= _SAFE_INTEGER_DIGITS and int(token) < bound:
                return None
            return (
                f"addresses {label} index {token}, out of bounds for the declared root collection's "
                f"expectedCardinality ({mode} {number_text(bound)})"
            )
        if token not in self.response_keys:
            return self._undeclared(label, token)
        return self._blocked_by_scalar(self.operation["responseDescriptor"]["types"], tail, label)

    def _unsent(self, tail: Sequence[str], channel: str) -> str | None:
        """Why the request shape has no place for ``tail`` on an input channel (section 5.4.2, row 8)."""
        label = f"call-inputs {channel}"
        if channel not in self.request_shapes:
            return f"addresses {label}, a channel {self.named} does not accept input on"
        if tail and tail[0] not in self.request_keys[channel]:
            return self._undeclared(label, tail[0])
        return self._blocked_by_scalar(self.request_shapes[channel]["types"], tail, label)

    def _undeclared(self, label: str, key: str) -> str:
        return f'addresses {label} field "{key}", which {self.named} declares in neither requiredKeys nor permittedKeys'

    def _blocked_by_scalar(self, types: KeyTypeMap, tail: Sequence[str], label: str) -> str | None:
        if len(tail) < 2 or types.get(tail[0]) not in SCALAR_TYPES:
            return None
        return (
            f'descends into {label} field "{tail[0]}", which {self.named} declares a scalar with no further structure'
        )
