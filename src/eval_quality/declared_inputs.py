"""What operations declare about their inputs and outputs (spec 01, section 17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard, cast

from eval_quality.artifacts.interfaces import AnyOperation, ApiOperation, CommandOperation, McpOperation
from eval_quality.artifacts.plan import BindingValue, InputBinding
from eval_quality.artifacts.pointers import (
    COMMAND_CHANNELS,
    INPUT_CHANNELS,
    MCP_CHANNELS,
    TRANSPORT_CHANNELS,
    EvidenceChannelName,
    InputChannel,
)
from eval_quality.artifacts.primitives import KeyedShapeDescriptor


def is_command_operation(operation: AnyOperation) -> TypeGuard[CommandOperation]:
    return "invocation" in operation


def is_mcp_operation(operation: AnyOperation) -> TypeGuard[McpOperation]:
    return "toolName" in operation


def is_api_operation(operation: AnyOperation) -> TypeGuard[ApiOperation]:
    return "method" in operation


def descriptor_channel_of(operation: AnyOperation) -> EvidenceChannelName:
    """The channel that the operation's response descriptor describes."""
    if is_command_operation(operation):
        described = operation["descriptorChannel"]
        return described["channel"] if described["kind"] == "stream" else "artifact"
    return "response-body"


def descriptor_artifact_of(operation: AnyOperation) -> str | None:
    """The written file that the response descriptor describes, when it describes one."""
    if is_command_operation(operation) and operation["descriptorChannel"]["kind"] == "artifact":
        return operation["descriptorChannel"]["artifactId"]
    return None


def targets_described_channel(operation: AnyOperation, channel: str, artifact_id: str | None) -> bool:
    """Whether evidence on this channel is what the response descriptor describes."""
    if channel != descriptor_channel_of(operation):
        return False
    return channel != "artifact" or artifact_id == descriptor_artifact_of(operation)


def declared_artifacts_of(operation: AnyOperation) -> Sequence[str]:
    """Files the operation may write; only a command can."""
    return operation["artifacts"] if is_command_operation(operation) else ()


def input_channels_of(operation: AnyOperation) -> Sequence[InputChannel]:
    """The input channels of the operation's kind, in order."""
    if is_command_operation(operation):
        return COMMAND_CHANNELS
    return MCP_CHANNELS if is_mcp_operation(operation) else TRANSPORT_CHANNELS


def request_channels_of(operation: AnyOperation) -> Iterator[tuple[InputChannel, KeyedShapeDescriptor]]:
    """Each input channel with the shape declared for it, in order."""
    shapes = cast(Mapping[str, KeyedShapeDescriptor], operation["requestShape"])
    return ((channel, shapes[channel]) for channel in input_channels_of(operation))


def request_shape_of(operation: AnyOperation, channel: str) -> KeyedShapeDescriptor | None:
    """The shape declared for a channel; none when operations of this kind have no such channel."""
    if channel not in input_channels_of(operation):
        return None
    return cast(Mapping[str, KeyedShapeDescriptor], operation["requestShape"])[channel]


def bound_channels_of(
    input_binding: InputBinding,
) -> Iterator[tuple[InputChannel, Mapping[str, BindingValue] | None]]:
    """Each channel of a binding with its parameters, or none when it is unbound or sends raw bytes."""
    binding = cast(Mapping[str, Any], input_binding)
    for channel in INPUT_CHANNELS:
        if channel in binding:
            bound = binding[channel]
            raw = channel == "body" and bound is not None and bound.get("kind") == "raw"
            yield channel, None if raw else bound


def declares_no_request_keys(operation: AnyOperation) -> bool:
    """Whether no channel declares a key of any sort."""
    return not any(
        shape["requiredKeys"] or shape["permittedKeys"] or shape["types"] for _, shape in request_channels_of(operation)
    )


def declares_no_required_keys(operation: AnyOperation) -> bool:
    """Whether no channel requires a key."""
    return not any(shape["requiredKeys"] for _, shape in request_channels_of(operation))
