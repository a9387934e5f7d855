"""One MCP session over stdio: handshake, one tool call, teardown (spec 12, sections 5.2 to 5.4).

The first event that decides the session wins: the answer, a line that is no JSON-RPC message, the end of the process
(exit and both streams), a cap, an abort. Teardown kills the server's whole group, success included.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator
from typing import Any, Final, NoReturn

from eval_quality.abort import AbortSignal
from eval_quality.canonical import JsonSyntaxError, read_json
from eval_quality.errors import RuntimeFault

from .command_run import until_raised
from eval_quality.json_text import json_text, utf8
from .mcp import McpAnsweredCall, McpCallToolRequest, McpCallToolResult, McpEndedSession
from .process_group import START_ALLOWANCE_MS, TargetProcess, TargetSpec, WatchdogLost, start_target

PROTOCOL_VERSION: Final = "2025-06-18"
_CHUNK: Final = 1 << 16
_SHOWN_UNITS: Final = 200
_BLANK: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "eval-quality", "version": "0"},
    },
}
_INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}


class SessionFailure(Exception):
    """The session cannot be trusted: the server broke the protocol, or was gone before the call."""


async def call_tool(request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
    """Open a session, call one tool, tear the session down.

    Raises ``RuntimeFault`` ``budget-exhausted``, ``SessionFailure``, ``AbortError``, or what kept the server from starting.
    """
    session = _Session(request)
    words = (request.target, *request.target_args)
    starting = asyncio.ensure_future(start_target(TargetSpec(words, request.cwd, request.env)))
    try:
        server = await until_raised(starting, signal, request.max_elapsed_ms + START_ALLOWANCE_MS)
    except TimeoutError:
        session.out_of_time()
    try:
        return await until_raised(asyncio.ensure_future(session.run(server)), signal, request.max_elapsed_ms)
    except TimeoutError:
        session.out_of_time()
    finally:
        await server.close(release=False)


class _Session:
    """The state of one session: which request is being waited for."""

    def __init__(self, request: McpCallToolRequest) -> None:
        self._request = request
        self._phase = "launch"

    def out_of_time(self) -> NoReturn:
        limit = self._request.max_elapsed_ms
        detail = f"the session exceeded maxElapsedMs ({limit}ms) during {self._phase} and was torn down"
        raise RuntimeFault("budget-exhausted", "McpProbeRequest", detail)

    async def run(self, server: TargetProcess) -> McpCallToolResult:
        """The outcome of the session; whichever of conversation, end and stderr's cap decides first."""
        conversation = asyncio.ensure_future(self._converse(server))
        stderr = asyncio.ensure_future(self._drain_stderr(server))
        tasks = {conversation, stderr}
        try:
            while True:
                done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if conversation in done and (result := conversation.result()) is not None:
                    return result
                for task in done:
                    task.result()
                if not tasks:
                    return await self._ended(server)
        finally:
            for task in (conversation, stderr):
                task.cancel()
            await asyncio.gather(conversation, stderr, return_exceptions=True)

    async def _ended(self, server: TargetProcess) -> McpEndedSession:
        try:
            status = await server.exited()
        except WatchdogLost:
            raise SessionFailure(f"the process-group watchdog for {server.target} ended during {self._phase}") from None
        if self._phase != "tools/call":
            raise SessionFailure(f"the server exited during {self._phase}")
        return McpEndedSession(status.signed)

    async def _converse(self, server: TargetProcess) -> McpCallToolResult | None:
        """The answered call; none when standard output ended first."""
        messages = self._messages(server)
        self._say(server, _INITIALIZE, phase="initialize")
        answer = await _answer_to(1, messages)
        if answer is None:
            return None
        if answer.get("error") is not None:
            raise SessionFailure(f"the server refused the initialize handshake: {json_text(answer['error'])}")
        if "result" not in answer:
            raise SessionFailure("the server answered the initialize handshake with neither a result nor an error")
        self._say(server, _INITIALIZED)
        call = {"name": self._request.tool_name, "arguments": self._request.arguments}
        self._say(server, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, phase="tools/call")
        answer = await _answer_to(2, messages)
        return None if answer is None else _answered(answer)

    def _say(self, server: TargetProcess, message: dict[str, Any], phase: str | None = None) -> None:
        self._phase = phase or self._phase
        server.send(utf8(f"{json_text(message)}\n"), end=False)

    async def _messages(self, server: TargetProcess) -> AsyncIterator[dict[str, Any]]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest, size = "", 0
        while chunk := await server.stdout.read(_CHUNK):
            size += len(chunk)
            if size > self._request.max_output_bytes:
                self._over_cap("stdout")
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            for line in lines:
                if line.strip(_BLANK):
                    yield _message(line)
        rest += decoder.decode(b"", final=True)
        if rest.strip(_BLANK):
            yield _message(rest)

    async def _drain_stderr(self, server: TargetProcess) -> None:
        size = 0
        while chunk := await server.stderr.read(_CHUNK):
            size += len(chunk)
            if size > self._request.max_output_bytes:
                self._over_cap("its own stderr")

    def _over_cap(self, stream: str) -> NoReturn:
        detail = (
            f"the server wrote past maxOutputBytes ({self._request.max_output_bytes}) on {stream} "
            "and the session was torn down"
        )
        raise RuntimeFault("budget-exhausted", "McpProbeRequest", detail)


async def _answer_to(number: int, messages: AsyncIterator[dict[str, Any]]) -> dict[str, Any] | None:
    """The response to one request; notifications, the server's own requests and strangers are passed over."""
    async for message in messages:
        identifier = message.get("id")
        if isinstance(identifier, bool) or not isinstance(identifier, str | int | float) or "method" in message:
            continue
        if (identifier if isinstance(identifier, str) else json_text(identifier)) == str(number):
            return message
    return None


def _message(line: str) -> dict[str, Any]:
    try:
        message = read_json(line)
    except JsonSyntaxError:
        message = None
    match message:
        case {"jsonrpc": "2.0"} if "method" in message or "id" in message:
            return dict(message)
    raise SessionFailure(f"the server wrote bytes on stdout that are not a JSON-RPC message: {_first_units(line)}")


def _first_units(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * _SHOWN_UNITS]
    return units.decode("utf-16-le", "surrogatepass")


def _answered(answer: dict[str, Any]) -> McpAnsweredCall:
    if answer.get("error") is not None:
        return McpAnsweredCall(is_error=True, structured=True, structured_result=answer["error"])
    match answer.get("result"):
        case {"structuredContent": value, **rest}:
            return McpAnsweredCall(rest.get("isError") is True, structured=True, structured_result=value)
        case {**rest}:
            return McpAnsweredCall(rest.get("isError") is True)
        case _:
            return McpAnsweredCall(is_error=False)
