"""Adapters with one defect each: what a conforming one would have to do to fail exactly one assertion."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from eval_quality.abort import AbortSignal
from eval_quality.adapters import (
    ArtifactText,
    CommandMechanism,
    CommandRunRequest,
    CommandRunResult,
    McpAnsweredCall,
    McpCallToolRequest,
    McpCallToolResult,
    McpMechanism,
    create_command_line_adapter,
    create_mcp_adapter,
)
from eval_quality.errors import RuntimeFault
from tests.conformance_suite import http_subject
from tests.conformance_suite.http_adapter import Exchange, HttpAdapter

Port = Callable[[Any, AbortSignal], Awaitable[Any]]
Beneath = Callable[[], Awaitable[Any]]
"""Calls what lies beneath a port once more."""
Json = dict[str, Any]


def _is_sample(request: Any) -> bool:
    return not isinstance(request, dict) or request.get("operationId", "sample") == "sample"


def lets_foreign_errors_out(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        try:
            return await port(request, signal)
        except RuntimeFault as fault:
            if fault.code == "port-failure" and fault.__cause__ is not None:
                raise fault.__cause__ from None
            raise

    return broken


def asks_twice(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        answer = await port(request, signal)
        if _is_sample(request):
            await beneath()
        return answer

    return broken


def retries(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        try:
            return await port(request, signal)
        except RuntimeFault as fault:
            if fault.code != "port-failure":
                raise
            return await port(request, signal)

    return broken


def is_deaf(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        return await port(request, AbortSignal())

    return broken


def returns_errors(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        try:
            return await port(request, signal)
        except RuntimeFault as fault:
            if fault.code != "port-contract-violation":
                raise
            return {"error": str(fault)}

    return broken


def says_too_much(port: Port, beneath: Beneath) -> Port:
    async def broken(request: Any, signal: AbortSignal) -> Any:
        answer = await port(request, signal)
        return answer | {"note": "more"} if _is_sample(request) else answer

    return broken


SHARED: Mapping[str, Callable[[Port, Beneath], Port]] = {
    "typed-fault": lets_foreign_errors_out,
    "single-underlying-call-on-success": asks_twice,
    "single-underlying-call-on-failure": retries,
    "prompt-abort": is_deaf,
    "no-in-band-error": returns_errors,
    "schema-valid-return": says_too_much,
}
"""One defect for each assertion that every port method is held to."""


class Wrapped:
    """A probe port around another, which sees requests and answers."""

    def __init__(self, beneath: Any, around: Callable[[Port], Port]) -> None:
        self.probe = around(beneath.probe)


def judging(judge: Callable[[Any], RuntimeFault | None]) -> Callable[[Port], Port]:
    """A port that takes some observations for faults."""

    def around(port: Port) -> Port:
        async def probe(request: Any, signal: AbortSignal) -> Any:
            observation = await port(request, signal)
            if (fault := judge(observation)) is not None:
                raise fault
            return observation

        return probe

    return around


def renaming(code: str, operation: str) -> Callable[[Port], Port]:
    """A port that calls the fault of one operation by another name."""

    def around(port: Port) -> Port:
        async def probe(request: Any, signal: AbortSignal) -> Any:
            try:
                return await port(request, signal)
            except RuntimeFault as fault:
                if request["operationId"] != operation:
                    raise
                raise RuntimeFault(code, fault.artifact_path, fault.detail) from fault

        return probe

    return around


def refusing(operation: str) -> Callable[[Port], Port]:
    """A port that refuses one operation it should not."""
    denied = RuntimeFault("forbidden-target", "ProbeRequest", "no", reason="interface-not-authorized")
    return judging(lambda observation: denied if observation["operationId"] == operation else None)


def failing(is_bad: Callable[[Any], bool]) -> Callable[[Port], Port]:
    """A port that takes bad answers for failures of its own."""
    failed = RuntimeFault("port-failure", "ProbeObservation", "a bad answer")
    return judging(lambda observation: failed if is_bad(observation) else None)


def launching_first(operation: str, beneath: Beneath) -> Callable[[Port], Port]:
    """A port that refuses one operation as it should, only too late."""

    def around(port: Port) -> Port:
        async def probe(request: Any, signal: AbortSignal) -> Any:
            if request["operationId"] == operation:
                await beneath()
            return await port(request, signal)

        return probe

    return around


def widened(policy: Any, index: int, **changes: Any) -> Any:
    """A policy with one authorization changed; a list is added to, everything else replaced."""
    wide = copy.deepcopy(policy)
    authorization = wide["authorizations"][index]
    for name, value in changes.items():
        authorization[name] = authorization[name] + value if isinstance(value, list) else value
    return wide


def extended(policy: Any, **changes: Any) -> Any:
    """A policy with one authorization more, like the first but for the changes."""
    wide = copy.deepcopy(policy)
    wide["authorizations"].append(wide["authorizations"][0] | changes)
    return wide


# HTTP -----------------------------------------------------------------------------------------------------------------

Web = Callable[[Exchange], Any]
PORT = http_subject.MEMORY_PORT
_INTERFACES = ("site", "loopback", "private", "link-local", "metadata", "secure")


def web(policy: Any = None, places: Mapping[str, str] | None = None) -> Web:
    known = places or http_subject.places(PORT)
    return lambda exchange: HttpAdapter(policy or http_subject.policy(PORT), known, http_subject.ADDRESSES, exchange)


def web_widened(interface: str, **changes: Any) -> Web:
    return web(widened(http_subject.policy(PORT), _INTERFACES.index(interface), **changes))


def web_around(around: Callable[[Port], Port]) -> Web:
    return lambda exchange: Wrapped(web()(exchange), around)


HTTP: Mapping[str, Web] = {
    "probe/allow-authorized-loopback": web_around(refusing("authorized")),
    "probe/observe-anomalous-status": web_around(failing(lambda observation: observation["status"] >= 500)),
    "probe/deny-unmapped-interface": web(
        extended(http_subject.policy(PORT), interfaceId="nowhere"),
        {**http_subject.places(PORT), "nowhere": f"http://site.test:{PORT}"},
    ),
    "probe/deny-unauthorized-loopback": web_widened("loopback", host="other.test", addresses=["127.0.0.2"]),
    "probe/deny-private": web_widened("private", host="private.test", addresses=["10.0.0.7"]),
    "probe/deny-link-local": web_widened("link-local", host="local.test", addresses=["169.254.7.7"]),
    "probe/deny-metadata": web_widened("metadata", host="metadata.test", addresses=["169.254.169.254"]),
    "probe/deny-unauthorized-method": web_widened("site", methods=["DELETE"]),
    "probe/deny-unauthorized-scheme": web_widened("secure", scheme="https"),
    "probe/deny-on-redirect": web(
        extended(http_subject.policy(PORT), host="metadata.test", port=80, addresses=["169.254.169.254"])
    ),
    "probe/cap-redirects": web_widened("site", maxRedirects=7),
    "probe/cap-response-bytes": web_widened("site", maxResponseBytes=1 << 20),
    "probe/cap-elapsed": web_around(renaming("aborted", "slow")),
}
HTTP_LATE: Mapping[str, str] = {
    "probe/deny-unmapped-interface": "unmapped",
    "probe/deny-unauthorized-loopback": "loopback",
    "probe/deny-private": "private",
    "probe/deny-link-local": "link-local",
    "probe/deny-metadata": "metadata",
    "probe/deny-unauthorized-method": "method",
    "probe/deny-unauthorized-scheme": "scheme",
}
"""The denials, and the operation that each is about."""

# Commands -------------------------------------------------------------------------------------------------------------

Shell = Callable[[Any, CommandMechanism], Any]


class CommandsBeneath:
    """A command mechanism around another."""

    def __init__(self, beneath: CommandMechanism) -> None:
        self.beneath = beneath

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        return await self.beneath.run(request, signal)

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        return await self.beneath.read_artifact(path, max_bytes)


class SplitsWords(CommandsBeneath):
    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        return await self.beneath.run(replace(request, argv=tuple(" ".join(request.argv).split())), signal)


class ReadsNothing(CommandsBeneath):
    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        return ArtifactText(present=False)


class ReturnsWhatThereIs(CommandsBeneath):
    """Returns part of an output instead of reporting the cap."""

    what = "sleep"

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        try:
            return await self.beneath.run(request, signal)
        except RuntimeFault:
            if request.subcommand_path != (self.what,):
                raise
            return CommandRunResult(-9, "part", "")


class ReturnsAPart(ReturnsWhatThereIs):
    what = "flood"


def shell_widened(index: int, **changes: Any) -> Shell:
    return lambda policy, mechanism: create_command_line_adapter(widened(policy, index, **changes), mechanism)


def shell_extended(**changes: Any) -> Shell:
    return lambda policy, mechanism: create_command_line_adapter(extended(policy, **changes), mechanism)


def shell_around(around: Callable[[Port], Port]) -> Shell:
    return lambda policy, mechanism: Wrapped(create_command_line_adapter(policy, mechanism), around)


def shell_over(beneath: Callable[[CommandMechanism], CommandMechanism]) -> Shell:
    return lambda policy, mechanism: create_command_line_adapter(policy, beneath(mechanism))


COMMAND: Mapping[str, Shell] = {
    "command/allow-authorized-invocation": shell_around(refusing("authorized")),
    "command/observe-nonzero-exit": shell_around(failing(lambda observation: observation["exitCode"] != 0)),
    "command/deny-unmapped-interface": shell_extended(interfaceId="nowhere"),
    "command/deny-unmapped-executable": shell_extended(executable="other"),
    "command/deny-unauthorized-subcommand": shell_widened(0, permittedSubcommandPaths=[["erase"]]),
    "command/deny-unauthorized-environment-key": shell_widened(0, permittedEnvironmentKeys=["LD_PRELOAD"]),
    "command/argument-passed-literally": shell_over(SplitsWords),
    "command/capture-declared-artifact": shell_over(ReadsNothing),
    "command/cap-elapsed": shell_over(ReturnsWhatThereIs),
    "command/cap-output-bytes": shell_over(ReturnsAPart),
}
COMMAND_LATE: Mapping[str, str] = {
    "command/deny-unmapped-interface": "interface",
    "command/deny-unmapped-executable": "executable",
    "command/deny-unauthorized-subcommand": "subcommand",
    "command/deny-unauthorized-environment-key": "environment",
}

# MCP ------------------------------------------------------------------------------------------------------------------

Desk = Callable[[Any, McpMechanism], Any]


class Answering:
    """An MCP mechanism around another, which answers some calls its own way."""

    def __init__(self, beneath: McpMechanism, tool: str, answer: McpAnsweredCall) -> None:
        self.beneath, self.tool, self.answer = beneath, tool, answer

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        try:
            result = await self.beneath.call_tool(request, signal)
        except RuntimeFault:
            if request.tool_name != self.tool:
                raise
            return self.answer
        return self.answer if request.tool_name == self.tool else result


class Shouting:
    """An MCP mechanism that changes what it passes on."""

    def __init__(self, beneath: McpMechanism) -> None:
        self.beneath = beneath

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        arguments = {name: str(value).upper() for name, value in request.arguments.items()}
        return await self.beneath.call_tool(replace(request, arguments=arguments), signal)


def desk_widened(index: int, **changes: Any) -> Desk:
    return lambda policy, mechanism: create_mcp_adapter(widened(policy, index, **changes), mechanism)


def desk_extended(**changes: Any) -> Desk:
    return lambda policy, mechanism: create_mcp_adapter(extended(policy, **changes), mechanism)


def desk_around(around: Callable[[Port], Port]) -> Desk:
    return lambda policy, mechanism: Wrapped(create_mcp_adapter(policy, mechanism), around)


def desk_answering(tool: str, answer: McpAnsweredCall) -> Desk:
    return lambda policy, mechanism: create_mcp_adapter(policy, Answering(mechanism, tool, answer))


_PART = McpAnsweredCall(is_error=True)

MCP: Mapping[str, Desk] = {
    "mcp/allow-authorized-tool-call": desk_around(refusing("authorized")),
    "mcp/observe-error-result": desk_around(failing(lambda observation: bool(observation["isError"]))),
    "mcp/deny-unmapped-interface": desk_extended(interfaceId="nowhere"),
    "mcp/deny-unauthorized-tool": desk_widened(0, tools=["erase"]),
    "mcp/arguments-passed-as-declared": lambda policy, mechanism: create_mcp_adapter(policy, Shouting(mechanism)),
    "mcp/observe-declared-result-channel": desk_answering("describe", McpAnsweredCall(is_error=False)),
    "mcp/cap-elapsed": desk_answering("sleep", _PART),
    "mcp/cap-result-bytes": desk_answering("flood", _PART),
}
MCP_LATE: Mapping[str, str] = {
    "mcp/deny-unmapped-interface": "interface",
    "mcp/deny-unauthorized-tool": "tool",
}
