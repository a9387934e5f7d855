"""What operations declare about their inputs and outputs."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.declared_inputs import (
    bound_channels_of,
    declared_artifacts_of,
    declares_no_request_keys,
    declares_no_required_keys,
    descriptor_artifact_of,
    descriptor_channel_of,
    input_channels_of,
    is_api_operation,
    is_command_operation,
    is_mcp_operation,
    request_channels_of,
    request_shape_of,
    targets_described_channel,
)
from tests.contracts import (
    export_command_operation,
    keyed_shape,
    list_orders_operation,
    place_order_operation,
    reset_tool_operation,
)

API: Any = place_order_operation()
COMMAND: Any = export_command_operation()
WRITER: Any = COMMAND | {"descriptorChannel": {"kind": "artifact", "artifactId": "log"}}
TOOL: Any = reset_tool_operation()


@pytest.mark.parametrize(
    ("operation", "kind", "channels", "described"),
    [
        (API, "api", ("path", "query", "header", "body"), ("response-body", None)),
        (COMMAND, "command", ("argument", "option", "environment", "stdin"), ("stdout", None)),
        (WRITER, "command", ("argument", "option", "environment", "stdin"), ("artifact", "log")),
        (TOOL, "mcp", ("arguments",), ("response-body", None)),
    ],
)
def test_kinds(operation: Any, kind: str, channels: tuple[str, ...], described: tuple[str, str | None]) -> None:
    kinds: dict[str, Any] = {"api": is_api_operation, "command": is_command_operation, "mcp": is_mcp_operation}
    assert [name for name, is_kind in kinds.items() if is_kind(operation)] == [kind]
    assert tuple(input_channels_of(operation)) == channels
    assert [channel for channel, _ in request_channels_of(operation)] == list(channels)
    assert all(request_shape_of(operation, name) is shape for name, shape in request_channels_of(operation))
    assert (descriptor_channel_of(operation), descriptor_artifact_of(operation)) == described
    assert targets_described_channel(operation, *described)
    assert not targets_described_channel(operation, "response-status", None)


def test_a_described_file_is_one_file() -> None:
    assert not targets_described_channel(WRITER, "artifact", "other")
    assert targets_described_channel(COMMAND, "stdout", "ignored")


def test_only_commands_write_files() -> None:
    assert [list(declared_artifacts_of(each)) for each in (API, COMMAND, TOOL)] == [[], ["log"], []]


def test_a_channel_of_another_kind_has_no_shape() -> None:
    assert request_shape_of(API, "arguments") is None
    assert request_shape_of(TOOL, "body") is None


def test_bound_channels_come_in_their_order() -> None:
    header = {"a": {"literal": 1}}
    raw: Any = {"body": {"kind": "raw", "base64": ""}, "path": None, "query": None, "header": header}
    assert list(bound_channels_of(raw)) == [("path", None), ("query", None), ("header", header), ("body", None)]


def test_a_parameter_named_kind_does_not_make_a_body_raw() -> None:
    body = {"kind": {"literal": "raw"}}
    binding: Any = {"path": None, "query": None, "header": None, "body": body}
    assert dict(bound_channels_of(binding))["body"] is body


def test_declaring_no_keys() -> None:
    optional: Any = list_orders_operation()
    optional["requestShape"]["path"] = keyed_shape()
    typed: Any = reset_tool_operation()
    typed["requestShape"]["arguments"]["types"] = {"x": "string"}
    assert [declares_no_request_keys(each) for each in (TOOL, API, optional, typed)] == [True, False, False, False]
    assert [declares_no_required_keys(each) for each in (TOOL, API, optional, typed)] == [True, False, True, True]
