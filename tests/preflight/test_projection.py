"""What is compared and digested of an observation, and how it is read as evidence."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from eval_quality.errors import PreconditionError
from eval_quality.preflight.evidence import evidence_of
from eval_quality.preflight.projection import fixture_digest, project, prune_volatile
from tests.contracts import (
    Json,
    export_command_operation,
    list_orders_operation,
    place_order_operation,
    reset_tool_operation,
    transport_inputs,
)

from .environments import ABSENT, json_body

COMMAND_INPUTS: Json = {"argument": {}, "option": {"format": "full"}, "environment": {}, "stdin": {"kind": "absent"}}


def api(operation_id: str, body: Json, status: int = 200) -> Any:
    return {
        "probeId": "leg",
        "interfaceId": "shop-api",
        "operationId": operation_id,
        "kind": "api",
        "status": status,
        "headers": {"x-trace": "1"},
        "body": body,
    }


def command(**changes: Any) -> Any:
    return {
        "probeId": "leg",
        "interfaceId": "shop-cli",
        "operationId": "export-orders",
        "kind": "cli",
        "exitCode": 3,
        "stdout": json_body({"rows": []}),
        "stderr": {"kind": "text", "value": "warning"},
        "artifacts": {},
    } | changes


def tool(**changes: Any) -> Any:
    return {
        "probeId": "leg",
        "interfaceId": "shop-tools",
        "operationId": "reset-shop",
        "kind": "mcp",
        "isError": False,
        "result": json_body({"done": True}),
    } | changes


def described_by(descriptor_channel: Json) -> Any:
    return export_command_operation() | {"descriptorChannel": descriptor_channel}


@pytest.mark.parametrize(
    ("pointers", "kept"),
    [
        (["/1", "/1"], [1, 4]),
        (["/01", "/9", "/-", "/1e0", "/4"], [1, 2, 3, 4]),
        (["/3", "/0"], [2, 3]),
    ],
)
def test_items_shift_as_they_are_removed(pointers: list[str], kept: list[int]) -> None:
    assert prune_volatile(json_body([1, 2, 3, 4]), pointers, "X") == json_body(kept)


@pytest.mark.parametrize(
    ("value", "pointers", "kept"),
    [
        ({"a": {"b": 1}}, ["/a/b", "/a/c/d", "/z"], {"a": {}}),
        ({"a/b": 1, "c~d": 2, "": 3, "~1": 4}, ["/a~1b", "/c~0d", "/", "/~01"], {}),
        ({"a": [{"t": 1, "n": 2}, {"t": 3}]}, ["/a/0/t", "/a/1/t"], {"a": [{"n": 2}, {}]}),
        ({"*": 1, "a": 2}, ["/*"], {"a": 2}),
        ({"a": "text"}, ["/a/0", "/a/length"], {"a": "text"}),
        ("text", ["/0"], "text"),
    ],
)
def test_members_that_are_there_are_removed(value: Any, pointers: list[str], kept: Any) -> None:
    body: Any = json_body(value)
    before = copy.deepcopy(body)
    assert prune_volatile(body, pointers, "X") == json_body(kept)
    assert body == before


def test_the_whole_body_may_be_volatile() -> None:
    assert prune_volatile(json_body({"a": 1}), ["", "/a"], "X") == ABSENT
    text: Any = {"kind": "text", "value": "now"}
    assert prune_volatile(text, [""], "X") == text


@pytest.mark.parametrize("pointer", ["a", "/a~", "/~2", "/a/b~"])
def test_what_is_no_pointer_is_refused_whatever_the_body(pointer: str) -> None:
    with pytest.raises(PreconditionError, match="is not a descriptor-relative pointer"):
        prune_volatile({"kind": "absent"}, ["/ok", pointer], "X")


def test_a_body_nests_as_deep_as_it_likes() -> None:
    value: Any = {"t": 1}
    for _ in range(5000):
        value = [value]
    pruned: Any = prune_volatile(json_body(value), ["/0" * 5000 + "/t"], "X")
    innermost = pruned["value"]
    while innermost:
        [innermost] = innermost
    assert innermost == {}


def test_an_http_answer() -> None:
    operation: Any = place_order_operation()
    projected = project(api("place-order", json_body({"id": "7", "tea": "oolong"})), operation)
    assert projected == {
        "legId": "leg",
        "interfaceId": "shop-api",
        "operationId": "place-order",
        "status": 200,
        "exitCode": None,
        "toolError": None,
        "body": json_body({"tea": "oolong"}),
    }


@pytest.mark.parametrize(
    ("described", "artifacts", "body"),
    [
        ({"kind": "stream", "channel": "stdout"}, {}, json_body({"rows": []})),
        ({"kind": "stream", "channel": "stderr"}, {}, {"kind": "text", "value": "warning"}),
        ({"kind": "artifact", "artifactId": "log"}, {"log": json_body([1])}, json_body([1])),
        ({"kind": "artifact", "artifactId": "log"}, {"other": json_body([1])}, ABSENT),
        ({"kind": "artifact", "artifactId": "constructor"}, {}, ABSENT),
    ],
)
def test_only_the_described_output_of_a_command_is_projected(described: Json, artifacts: Json, body: Json) -> None:
    operation, observation = described_by(described), command(artifacts=artifacts)
    projected = project(observation, operation)
    assert projected["body"] == body
    assert (projected["status"], projected["exitCode"], projected["toolError"]) == (None, 3, None)
    evidence = evidence_of(projected, observation, COMMAND_INPUTS, operation)
    channel = described.get("channel")
    assert evidence["stdout"] == (body if channel == "stdout" else ABSENT)
    assert evidence["stderr"] == (body if channel == "stderr" else ABSENT)
    assert evidence["artifacts"] == ({} if channel else {described["artifactId"]: body})
    assert (evidence["responseBody"], evidence["responseStatus"], evidence["exitCode"]) == (None, None, 3)


@pytest.mark.parametrize(
    ("changes", "exit_code", "tool_error"),
    [
        ({}, None, False),
        ({"isError": True}, None, True),
        ({"isError": True, "result": ABSENT, "exitCode": 9}, 9, True),
    ],
)
def test_the_result_of_a_tool(changes: Json, exit_code: int | None, tool_error: bool) -> None:
    operation: Any = reset_tool_operation()
    observation = tool(**changes)
    projected = project(observation, operation)
    assert (projected["status"], projected["exitCode"]) == (None, exit_code)
    assert projected["toolError"] is tool_error
    evidence = evidence_of(projected, observation, {"arguments": {"hard": True}}, operation)
    assert evidence["responseStatus"] == int(tool_error)
    assert evidence["callInputs"]["arguments"] == {"hard": True}
    assert evidence["responseBody"] == (None if "result" in changes else {"done": True})


@pytest.mark.parametrize(
    ("body", "value", "encoding"),
    [
        (json_body({"tea": "oolong"}), {"tea": "oolong"}, None),
        (json_body([1]), None, None),
        (json_body(True), None, None),
        (ABSENT, None, None),
        (
            {"kind": "raw", "base64": "AA==", "contentType": "a/b"},
            {"kind": "raw", "base64": "AA==", "contentType": "a/b"},
            "raw",
        ),
    ],
)
def test_the_inputs_of_an_http_leg_as_evidence(body: Json, value: Any, encoding: str | None) -> None:
    operation: Any = list_orders_operation()
    observation = api("list-orders", {"kind": "text", "value": "no"}, 404)
    inputs: Any = transport_inputs(query={"limit": 1}, body=body)
    evidence = evidence_of(project(observation, operation), observation, inputs, operation)
    assert evidence["callInputs"] == {
        "path": {},
        "query": {"limit": 1},
        "header": {},
        "body": value,
        "bodyEncoding": encoding,
        "argument": None,
        "option": None,
        "environment": None,
        "stdin": None,
        "arguments": None,
    }
    assert (evidence["responseBody"], evidence["responseStatus"]) == ("no", 404)
    assert evidence["responseHeaders"] == {"x-trace": "1"}


def test_the_golden_digest() -> None:
    projection: Any = {
        "body": json_body({"id": "a"}),
        "exitCode": None,
        "interfaceId": "items-api",
        "legId": "get-a",
        "operationId": "get-item",
        "status": 200,
        "toolError": None,
    }
    golden = "sha256:fa81a7b83caa78e7119b2fc823533ebe962487b7758dfb86067cd1e36187ee3f"
    assert fixture_digest([projection], "PreflightVerdict") == golden


def test_an_index_longer_than_any_list_reaches_nothing() -> None:
    body: Any = json_body([1, 2])
    assert prune_volatile(body, ["/1" + "0" * 5000], "PreflightVerdict") == body


def test_no_observation_no_digest() -> None:
    with pytest.raises(PreconditionError, match="certify a pre-flight that verified nothing"):
        fixture_digest([], "PreflightVerdict")
