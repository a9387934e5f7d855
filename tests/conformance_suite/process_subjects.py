"""Subjects over the command-line and MCP adapters: with real processes, or with mechanisms that play them in memory."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
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
    stdio_mechanism,
    subprocess_mechanism,
)
from eval_quality.conformance import BuiltSubject, CommandProbeSubject, McpProbeSubject, ScenarioKind
from eval_quality.errors import RuntimeFault

HERE = Path(__file__).parent
WRITTEN = "written by the run"
METACHARACTERS = "$(id) `id` ; rm -rf / | cat > x && '\"*? \\ é"
MakeCommandAdapter = Callable[[Any, CommandMechanism], Any]
MakeMcpAdapter = Callable[[Any, McpMechanism], Any]


def command_request(
    operation: str, *words: str, executable: str = "tool", interface: str = "shell", **channels: Any
) -> Any:
    """A request whose first word is the subcommand."""
    subcommand, *rest = words
    empty = {"argument": {"words": rest}, "option": {}, "environment": {}, "stdin": {"kind": "absent"}}
    return {
        "kind": "cli",
        "probeId": f"leg-{operation}",
        "interfaceId": interface,
        "operationId": operation,
        "executable": executable,
        "subcommandPath": [subcommand],
        "channels": empty | channels,
    }


def command_policy(target: str, cwd: Path) -> Any:
    """``tool`` may do this and that; ``slow`` and ``loud`` are held to little time and little output."""
    authorization = {
        "interfaceId": "shell",
        "executable": "tool",
        "target": target,
        "permittedSubcommandPaths": [["argv"], ["fail"], ["write"]],
        "permittedEnvironmentKeys": ["MODE"],
        "cwd": str(cwd),
        "artifacts": {"report": "report.txt"},
        "maxElapsedMs": 120_000,
        "maxOutputBytes": 1 << 20,
    }
    slow = {"executable": "slow", "permittedSubcommandPaths": [["sleep"]], "maxElapsedMs": 150, "artifacts": {}}
    loud = {"executable": "loud", "permittedSubcommandPaths": [["flood"]], "maxOutputBytes": 1000, "artifacts": {}}
    return {"authorizations": [authorization, authorization | slow, authorization | loud]}


class CommandInMemory:
    """Does what the fixture command does, without a process."""

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        match request.subcommand_path:
            case ("argv",):
                words = ",".join(f'"{_escaped(word)}"' for word in request.argv)
                return CommandRunResult(0, f'{{"argv":[{words}]}}', "")
            case ("sleep",):
                detail = f"exceeded maxElapsedMs ({request.max_elapsed_ms}ms) and was killed"
                raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail)
            case ("flood",):
                detail = f"stdout or stderr exceeded maxOutputBytes ({request.max_output_bytes})"
                raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail)
        return CommandRunResult(3 if request.subcommand_path == ("fail",) else 0, "", "")

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        return ArtifactText(present=True, text=WRITTEN)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"')


class CountedCommand:
    """A mechanism for one scenario, over another one that does the work; ``hangs`` keeps a real one waiting."""

    def __init__(self, scenario: ScenarioKind, beneath: CommandMechanism) -> None:
        self._scenario = scenario
        self._beneath = beneath
        self.calls = 0

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        self.calls += 1
        match self._scenario:
            case "fails":
                raise OSError("no such luck")
            case "in-band-error":
                return CommandRunResult("error", "", "")
            case "hangs" if isinstance(self._beneath, CommandInMemory):
                await asyncio.Event().wait()
            case "hangs":
                request = replace(request, subcommand_path=("sleep",))
        return await self._beneath.run(request, signal)

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        return await self._beneath.read_artifact(path, max_bytes)


def command_subject(
    folder: Path | None = None, make: MakeCommandAdapter = create_command_line_adapter, **changes: Any
) -> CommandProbeSubject:
    """A conforming subject: real commands in ``folder``, or none at all."""
    beneath: CommandMechanism = CommandInMemory()
    target = "tool"
    if folder is not None:
        beneath = subprocess_mechanism
        tool = folder / "tool"
        tool.write_text(f"#!{sys.executable} -IS\n{(HERE / 'fixture_command.py').read_text()}")
        tool.chmod(0o755)
        target = str(tool)
    policy = command_policy(target, folder or Path("/"))

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        mechanism = CountedCommand(scenario, beneath)
        return BuiltSubject(make(policy, mechanism).probe, lambda: mechanism.calls)

    given: dict[str, Any] = {
        "name": "command",
        "sample_request": command_request("sample", "argv"),
        "build": build,
        "policy": policy,
        "authorized_request": command_request("authorized", "argv", environment={"MODE": "fast"}),
        "unmapped_interface_request": command_request("interface", "argv", interface="nowhere"),
        "unmapped_executable_request": command_request("executable", "argv", executable="other"),
        "unauthorized_subcommand_request": command_request("subcommand", "erase"),
        "unauthorized_environment_key_request": command_request("environment", "argv", environment={"LD_PRELOAD": "x"}),
        "non_zero_exit_request": command_request("exit", "fail"),
        "injection_request": command_request("injection", "argv", METACHARACTERS),
        "injection_argument_value": METACHARACTERS,
        "artifact_request": command_request("artifact", "write"),
        "artifact_id": "report",
        "artifact_expected_text": WRITTEN,
        "over_elapsed_request": command_request("elapsed", "sleep", executable="slow"),
        "over_output_request": command_request("output", "flood", executable="loud"),
    }
    return CommandProbeSubject(**(given | changes))


def mcp_request(operation: str, tool: str, interface: str = "desk", **arguments: Any) -> Any:
    return {
        "kind": "mcp",
        "probeId": f"leg-{operation}",
        "interfaceId": interface,
        "operationId": operation,
        "toolName": tool,
        "channels": {"arguments": arguments},
    }


def mcp_policy(target: str, *args: str) -> Any:
    """``desk`` has its tools; ``slow`` and ``loud`` are held to little time and little output."""
    authorization = {
        "interfaceId": "desk",
        "target": target,
        "targetArgs": list(args),
        "tools": ["echo", "refuse", "describe"],
        "cwd": "/",
        "serverEnvironment": {},
        "maxElapsedMs": 120_000,
        "maxOutputBytes": 1 << 20,
    }
    slow = {"interfaceId": "slow", "tools": ["sleep"], "maxElapsedMs": 200}
    loud = {"interfaceId": "loud", "tools": ["flood"], "maxOutputBytes": 1000}
    return {"authorizations": [authorization, authorization | slow, authorization | loud]}


class ToolsInMemory:
    """Does what the fixture server does, without a process."""

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        match request.tool_name:
            case "refuse":
                return McpAnsweredCall(is_error=True, structured=True, structured_result={"reason": "closed"})
            case "describe":
                return McpAnsweredCall(is_error=False, structured=True, structured_result={"name": "n", "size": 1})
            case "sleep" | "flood":
                raise RuntimeFault("budget-exhausted", "McpProbeRequest", "a cap was met")
        return McpAnsweredCall(is_error=False, structured=True, structured_result=request.arguments)


class CountedTools:
    """A mechanism for one scenario, over another one that does the work; ``hangs`` keeps a real one waiting."""

    def __init__(self, scenario: ScenarioKind, beneath: McpMechanism) -> None:
        self._scenario = scenario
        self._beneath = beneath
        self.calls = 0

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        self.calls += 1
        match self._scenario:
            case "fails":
                raise OSError("no such luck")
            case "in-band-error":
                return McpAnsweredCall(is_error="maybe")
            case "hangs" if isinstance(self._beneath, ToolsInMemory):
                await asyncio.Event().wait()
            case "hangs":
                request = replace(request, tool_name="sleep")
        return await self._beneath.call_tool(request, signal)


def mcp_subject(*server: str, make: MakeMcpAdapter = create_mcp_adapter, **changes: Any) -> McpProbeSubject:
    """A conforming subject: over a real server, given by its command line, or over none at all."""
    beneath = stdio_mechanism if server else ToolsInMemory()
    policy = mcp_policy(*(server or ("server",)))

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        mechanism = CountedTools(scenario, beneath)
        return BuiltSubject(make(policy, mechanism).probe, lambda: mechanism.calls)

    given: dict[str, Any] = {
        "name": "mcp",
        "sample_request": mcp_request("sample", "echo", value="x"),
        "build": build,
        "policy": policy,
        "authorized_request": mcp_request("authorized", "echo", value="x"),
        "unmapped_interface_request": mcp_request("interface", "echo", interface="nowhere", value="x"),
        "unauthorized_tool_request": mcp_request("tool", "erase"),
        "error_result_request": mcp_request("error", "refuse", reason="closed"),
        "argument_echo_request": mcp_request("echo", "echo", value=METACHARACTERS),
        "argument_echo_value": METACHARACTERS,
        "argument_echo_result_key": "value",
        "structured_result_request": mcp_request("structured", "describe"),
        "structured_result_keys": ("name", "size"),
        "over_elapsed_request": mcp_request("elapsed", "sleep", interface="slow", seconds=60),
        "over_result_bytes_request": mcp_request("bytes", "flood", interface="loud", size=100_000),
    }
    return McpProbeSubject(**(given | changes))


FIXTURE_SERVER = (sys.executable, "-I", "-S", str(HERE / "fixture_server.py"))
