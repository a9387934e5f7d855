"""What an MCP request comes to before a server starts, and what a call is observed as (spec 12, sections 5.1, 5.3).

The mechanism is scripted here; real servers are in ``test_mcp_session``.
"""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import (
    McpAnsweredCall,
    McpCallToolRequest,
    McpCallToolResult,
    McpEndedSession,
    create_mcp_adapter,
)
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import (
    ABSENT,
    Json,
    api_request,
    command_request,
    json,
    mcp_policy,
    mcp_request,
    probe,
    probe_fault,
)

CONTRACT_BROKEN = "port-contract-violation in ProbeObservation: the mechanism result failed boundary validation"


class Scripted:
    """A mechanism that remembers its calls and answers them all alike."""

    def __init__(self, result: Any = None) -> None:
        self.result = result or McpAnsweredCall(is_error=False)
        self.calls: list[McpCallToolRequest] = []

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        self.calls.append(request)
        if isinstance(self.result, Exception):
            raise self.result
        result: McpCallToolResult = self.result
        return result


@pytest.mark.parametrize(
    ("result", "is_error", "body"),
    [
        (McpAnsweredCall(is_error=False), False, ABSENT),
        (McpAnsweredCall(is_error=True), True, ABSENT),
        (McpAnsweredCall(False, structured=True, structured_result=None), False, json(None)),
        (McpAnsweredCall(False, structured=True, structured_result=[1]), False, json([1])),
        (McpAnsweredCall(True, structured=True, structured_result={"a": "b"}), True, json({"a": "b"})),
    ],
)
def test_an_answered_call(result: McpAnsweredCall, is_error: bool, body: Json) -> None:
    observation = probe(create_mcp_adapter(mcp_policy("server"), Scripted(result)), mcp_request())
    assert list(observation) == ["probeId", "interfaceId", "operationId", "kind", "isError", "result"]
    assert (observation["isError"], observation["result"]) == (is_error, body)


@pytest.mark.parametrize("exit_code", [0, 3, -9, -1])
def test_an_ended_session(exit_code: int) -> None:
    observation = probe(create_mcp_adapter(mcp_policy("server"), Scripted(McpEndedSession(exit_code))), mcp_request())
    assert list(observation) == ["probeId", "interfaceId", "operationId", "kind", "isError", "result", "exitCode"]
    assert (observation["isError"], observation["result"], observation["exitCode"]) == (True, ABSENT, exit_code)


@pytest.mark.parametrize(
    "result",
    [McpEndedSession(0.5), McpEndedSession(True), McpAnsweredCall("yes"), McpAnsweredCall(False, True, float("inf"))],
)
def test_a_result_that_breaks_the_contract(result: McpCallToolResult) -> None:
    assert (
        str(probe_fault(create_mcp_adapter(mcp_policy("server"), Scripted(result)), mcp_request())) == CONTRACT_BROKEN
    )


def test_a_mechanism_that_returns_something_else_is_a_defect() -> None:
    with pytest.raises(TypeError, match="an answered call or an ended session, not str"):
        probe(create_mcp_adapter(mcp_policy("server"), Scripted("done")), mcp_request())


def test_what_the_mechanism_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("SECRET", "s")
    mechanism = Scripted()
    policy = mcp_policy(
        "server", "--flag", "", serverEnvironment={"KEY": "v"}, cwd="/tmp", maxElapsedMs=7, maxOutputBytes=9
    )
    probe(create_mcp_adapter(policy, mechanism), mcp_request(arguments={"a": [1, None]}))
    assert mechanism.calls == [
        McpCallToolRequest(
            target="server",
            target_args=("--flag", ""),
            tool_name="echo",
            arguments={"a": [1, None]},
            env={"PATH": "/bin", "KEY": "v"},
            cwd="/tmp",
            max_elapsed_ms=7,
            max_output_bytes=9,
        )
    ]


def test_a_declared_path_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/bin")
    mechanism = Scripted()
    probe(create_mcp_adapter(mcp_policy("server", serverEnvironment={"PATH": "/own"}), mechanism), mcp_request())
    assert mechanism.calls[0].env == {"PATH": "/own"}


@pytest.mark.parametrize(
    ("request_", "reason", "detail"),
    [
        (mcp_request(interfaceId="other"), "interface-not-authorized", 'no authorization names interface "other"'),
        (
            mcp_request("other"),
            "tool-not-authorized",
            'tool "other" is not among the authorized tools for interface "shell"',
        ),
        (
            api_request(),
            "interface-not-authorized",
            "this adapter runs mcp requests only; no api target is ever authorized",
        ),
        (
            command_request(),
            "interface-not-authorized",
            "this adapter runs mcp requests only; no cli target is ever authorized",
        ),
    ],
)
def test_a_call_that_is_denied(request_: Json, reason: str, detail: str) -> None:
    mechanism = Scripted()
    fault = probe_fault(create_mcp_adapter(mcp_policy("server"), mechanism), request_)
    assert (fault.code, fault.artifact_path) == ("forbidden-target", "ProbeRequest")
    assert (fault.reason, fault.detail) == (reason, detail)
    assert mechanism.calls == []


def test_only_the_first_authorization_of_an_interface_counts() -> None:
    policies = [mcp_policy("one", tools=["a"]), mcp_policy("two", tools=["b"])]
    policy: Any = {"authorizations": [each for one in policies for each in one["authorizations"]]}
    assert probe_fault(create_mcp_adapter(policy, Scripted()), mcp_request("b")).reason == "tool-not-authorized"


def test_a_failing_mechanism() -> None:
    fault = probe_fault(create_mcp_adapter(mcp_policy("server"), Scripted(OSError(7, "too big"))), mcp_request())
    assert (fault.code, fault.port_failure_reason) == ("port-failure", None)
    own = RuntimeFault("budget-exhausted", "McpProbeRequest", "own")
    assert probe_fault(create_mcp_adapter(mcp_policy("server"), Scripted(own)), mcp_request()) is own
