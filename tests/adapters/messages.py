"""Requests and policies for adapters under test, and small ways to call an adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.errors import RuntimeFault

Json = dict[str, Any]

CORRELATION = {"probeId": "leg-1", "interfaceId": "shell", "operationId": "run"}
ABSENT = {"kind": "absent"}
MINUTES = 2
"""What a target may take unless a test says otherwise: more than it takes on the busiest machine."""


def text(value: str) -> Json:
    return {"kind": "text", "value": value}


def json(value: Any) -> Json:
    return {"kind": "json", "value": value}


def command_request(
    *words: str,
    option: Mapping[str, Any] | None = None,
    argument: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: Json = ABSENT,
    **changes: Any,
) -> Json:
    """A request to run the executable ``tool``; ``words`` are its positional arguments."""
    channels = {
        "argument": {"words": list(words)} if argument is None else argument,
        "option": option or {},
        "environment": environment or {},
        "stdin": stdin,
    }
    request = {"kind": "cli", "executable": "tool", "subcommandPath": [], "channels": channels}
    return CORRELATION | request | changes


def command_policy(target: Any = "/bin/sh", *, cwd: str | Path = "/", **changes: Any) -> Any:
    """A policy that lets ``tool`` of interface ``shell`` run without a subcommand."""
    authorization = {
        "interfaceId": "shell",
        "executable": "tool",
        "target": target,
        "permittedSubcommandPaths": [[]],
        "permittedEnvironmentKeys": [],
        "cwd": str(cwd),
        "artifacts": {},
        "maxElapsedMs": MINUTES * 60_000,
        "maxOutputBytes": 1 << 20,
    }
    return {"authorizations": [authorization | changes]}


def mcp_request(tool: str = "echo", arguments: Mapping[str, Any] | None = None, **changes: Any) -> Json:
    """A request to call a tool of interface ``shell``."""
    return CORRELATION | {"kind": "mcp", "toolName": tool, "channels": {"arguments": arguments or {}}} | changes


def mcp_policy(target: str, *args: str, tools: Sequence[str] = ("echo",), **changes: Any) -> Any:
    """A policy that lets the tools of one server be called."""
    authorization = {
        "interfaceId": "shell",
        "target": target,
        "targetArgs": list(args),
        "tools": list(tools),
        "cwd": "/",
        "serverEnvironment": {},
        "maxElapsedMs": MINUTES * 60_000,
        "maxOutputBytes": 1 << 20,
    }
    return {"authorizations": [authorization | changes]}


def api_request(**changes: Any) -> Json:
    """A request for ``GET /things``."""
    channels = {"path": {}, "query": {}, "header": {}, "body": ABSENT}
    return CORRELATION | {"kind": "api", "method": "GET", "pathTemplate": "/things", "channels": channels} | changes


def probe(adapter: Any, request: Any, signal: AbortSignal | None = None) -> Any:
    """What an adapter observes."""
    return asyncio.run(adapter.probe(request, signal or AbortSignal()))


def probe_fault(adapter: Any, request: Any, signal: AbortSignal | None = None) -> RuntimeFault:
    """The fault an adapter fails with."""
    with pytest.raises(RuntimeFault) as caught:
        probe(adapter, request, signal)
    return caught.value
