"""The MCP adapter: an environment probe that calls authorised tools over stdio (spec 12, section 5).

One server process and one session a call, opened and torn down inside it. Order: only ``mcp`` requests; the policy's
decision; then, and only then, the launch.
"""

from __future__ import annotations

from typing import Any

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import McpProbeRequest, ProbeObservation, ProbeRequest
from eval_quality.artifacts.target_policies import McpTargetAuthorization, McpTargetPolicy

from .mechanisms import McpAnsweredCall, McpCallToolRequest, McpCallToolResult, McpEndedSession, McpMechanism
from .probing import forbidden, host_path, probe_method


class _StdioMechanism:
    """The real thing; ``mcp_session`` is imported when the first tool is called."""

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        from .mcp_session import call_tool

        return await call_tool(request, signal)


stdio_mechanism: McpMechanism = _StdioMechanism()


class McpAdapter:
    """An ``EnvironmentProbePort`` over MCP servers."""

    def __init__(self, policy: McpTargetPolicy, mechanism: McpMechanism) -> None:
        self._policy = policy
        self._mechanism = mechanism
        self._probe = probe_method("mcp", self._call, _observed)

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """Call the requested tool; raises ``RuntimeFault`` (see the module's docstring)."""
        observation: ProbeObservation = await self._probe(request, signal)
        return observation

    async def _call(self, request: McpProbeRequest, signal: AbortSignal) -> McpCallToolResult:
        authorization = authorize_tool(self._policy, request)
        call = McpCallToolRequest(
            target=authorization["target"],
            target_args=tuple(authorization["targetArgs"]),
            tool_name=request["toolName"],
            arguments=request["channels"]["arguments"],
            env=host_path() | authorization["serverEnvironment"],
            cwd=authorization["cwd"],
            max_elapsed_ms=authorization["maxElapsedMs"],
            max_output_bytes=authorization["maxOutputBytes"],
        )
        return await self._mechanism.call_tool(call, signal)


def create_mcp_adapter(policy: McpTargetPolicy, mechanism: McpMechanism = stdio_mechanism) -> McpAdapter:
    """An environment probe that calls the tools a policy authorises, and no others (MCP over stdio, 2025-06-18).

    ``policy`` is taken as it is: read one from disk with ``parse_mcp_target_policy``.
    """
    return McpAdapter(policy, mechanism)


def authorize_tool(policy: McpTargetPolicy, request: McpProbeRequest) -> McpTargetAuthorization:
    """The first authorization of the interface, if it names the tool; raises ``forbidden-target`` otherwise."""
    interface, tool = request["interfaceId"], request["toolName"]
    for authorization in policy["authorizations"]:
        if authorization["interfaceId"] == interface:
            if tool in authorization["tools"]:
                return authorization
            raise forbidden(
                "tool-not-authorized", f'tool "{tool}" is not among the authorized tools for interface "{interface}"'
            )
    raise forbidden("interface-not-authorized", f'no authorization names interface "{interface}"')


def _observed(raw: McpCallToolResult) -> dict[str, Any]:
    match raw:
        case McpEndedSession(exit_code):
            return {"isError": True, "result": {"kind": "absent"}, "exitCode": exit_code}
        case McpAnsweredCall(is_error, True, value):
            return {"isError": is_error, "result": {"kind": "json", "value": value}}
        case McpAnsweredCall(is_error):
            return {"isError": is_error, "result": {"kind": "absent"}}
    raise TypeError(f"an MCP mechanism returns an answered call or an ended session, not {type(raw).__name__}")
