"""One MCP session over stdio: handshake, one tool call, teardown (spec 12, sections 5.2 to 5.4).

The first event that decides the session wins: the answer, a line that is no JSON-RPC message, the end of the process
(exit and both streams), a cap, an abort. Teardown kills the server's whole group, success included. A server that
never reads its input delays nothing: frames are handed over without waiting for them to be read.
"""

from __future__ import annotations

import asyncio
import codecs
from collections import deque
from typing import Any, Final

from eval_quality.abort import AbortSignal
from eval_quality.canonical import JS_WHITESPACE, JsonSyntaxError, read_json
from eval_quality.errors import RuntimeFault
from eval_quality.json_text import json_text, utf8

from .launch import running
from .mechanisms import McpAnsweredCall, McpCallToolRequest, McpCallToolResult, McpEndedSession
from .process_group import ExitStatus, Target, TargetSpec, WatchdogLost
from .racing import DeadlinePassed, until_raised

PROTOCOL_VERSION: Final = "2025-06-18"
_CHUNK: Final = 1 << 16
_SHOWN_UNITS: Final = 200
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

    Raises ``RuntimeFault`` ``budget-exhausted``, ``SessionFailure``, ``AbortError``, or what kept the server from
    starting.
    """
    session = _Session(request)
    words = (request.target, *request.target_args)
    limit = request.max_elapsed_ms
    try:
        async with running(TargetSpec(words, request.cwd, request.env), signal, limit) as server:
            return await until_raised(session.run(server), signal, limit)
    except DeadlinePassed:
        detail = f"the session exceeded maxElapsedMs ({limit}ms) during {session.phase} and was torn down"
        raise RuntimeFault("budget-exhausted", "McpProbeRequest", detail) from None


class _Session:
    """The state of one session: which request is being waited for, from the launch on the handshake."""

    def __init__(self, request: McpCallToolRequest) -> None:
        self._request = request
        self.phase = "initialize"

    async def run(self, server: Target) -> McpCallToolResult:
        """The outcome of the session: the first answer or failure, or else the end of the process and its streams."""
        conversation = asyncio.ensure_future(self._converse(server))
        stderr = asyncio.ensure_future(self._drain_stderr(server))
        exit_ = asyncio.ensure_future(self._exited(server))
        tasks: set[asyncio.Future[Any]] = {conversation, stderr, exit_}
        waiting = tasks
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if conversation in done and (answer := conversation.result()) is not None:
                    return answer
                for task in done:
                    task.result()
            if self.phase != "tools/call":
                raise SessionFailure(f"the server exited during {self.phase}")
            return McpEndedSession(exit_.result().signed)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _exited(self, server: Target) -> ExitStatus:
        try:
            return await server.exited()
        except WatchdogLost:
            raise SessionFailure(f"the process-group watchdog for {server.name} ended during {self.phase}") from None

    async def _converse(self, server: Target) -> McpCallToolResult | None:
        """The answered call; none when standard output ended first."""
        messages = _Messages(self._capped(server.stdout, "stdout"))
        self._say(server, _INITIALIZE)
        answer = await messages.answer_to(1)
        if answer is None:
            return None
        if answer.get("error") is not None:
            raise SessionFailure(f"the server refused the initialize handshake: {json_text(answer['error'])}")
        if "result" not in answer:
            raise SessionFailure("the server answered the initialize handshake with neither a result nor an error")
        messages.pass_over_lines_at_hand()
        self.phase = "tools/call"
        self._say(server, _INITIALIZED)
        call = {"name": self._request.tool_name, "arguments": self._request.arguments}
        self._say(server, {"jsonrpc": "2.0", "id": 2, "method": self.phase, "params": call})
        answer = await messages.answer_to(2)
        return None if answer is None else _answered(answer)

    @staticmethod
    def _say(server: Target, message: dict[str, Any]) -> None:
        server.send(utf8(f"{json_text(message)}\n"), end=False)

    def _capped(self, stream: asyncio.StreamReader, name: str) -> _CappedStream:
        return _CappedStream(stream, name, self._request.max_output_bytes)

    async def _drain_stderr(self, server: Target) -> None:
        stderr = self._capped(server.stderr, "its own stderr")
        while await stderr.read():
            pass


class _CappedStream:
    """A stream of the server, and how much has come out of it."""

    def __init__(self, stream: asyncio.StreamReader, name: str, limit: int) -> None:
        self._stream, self._name, self._limit, self._size = stream, name, limit, 0

    async def read(self) -> bytes:
        """What comes next; nothing at the end. Raises ``RuntimeFault`` ``budget-exhausted``."""
        chunk = await self._stream.read(_CHUNK)
        self._size += len(chunk)
        if self._size > self._limit:
            detail = (
                f"the server wrote past maxOutputBytes ({self._limit}) on {self._name} and the session was torn down"
            )
            raise RuntimeFault("budget-exhausted", "McpProbeRequest", detail)
        return chunk


class _Messages:
    """The messages on the server's standard output: text cut at line feeds, what follows the last one a line too."""

    def __init__(self, stdout: _CappedStream) -> None:
        self._stdout = stdout
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines: deque[str] = deque()
        self._unfinished: list[str] = []
        self._ended = False

    async def next(self) -> dict[str, Any] | None:
        """The next message; none at the end. Raises ``SessionFailure`` for a line that is no message."""
        while (message := self._at_hand()) is None and not self._ended:
            await self._read()
        return message

    def pass_over_lines_at_hand(self) -> None:
        """What came before a request was made answers nothing; it is held to be messages all the same."""
        while self._at_hand() is not None:
            pass

    def _at_hand(self) -> dict[str, Any] | None:
        """The next message among the lines that have been read."""
        while self._lines:
            line = self._lines.popleft()
            if line.strip(JS_WHITESPACE):
                return _message(line)
        return None

    async def _read(self) -> None:
        chunk = await self._stdout.read()
        self._ended = not chunk
        first, *rest = self._decoder.decode(chunk, final=self._ended).split("\n")
        self._unfinished.append(first)
        for piece in rest:
            self._lines.append("".join(self._unfinished))
            self._unfinished = [piece]
        if self._ended:
            self._lines.append("".join(self._unfinished))

    async def answer_to(self, number: int) -> dict[str, Any] | None:
        """The response to one request; notifications, the server's own requests and strangers are passed over."""
        while (message := await self.next()) is not None:
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
