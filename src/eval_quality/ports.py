"""Ports: the effects a caller brings, and the one way the library calls them (spec 08, sections 8 and 12).

A port method is an async callable of a request and an ``AbortSignal``. An environment probe applies its target policy
before anything reaches the system under test and again to everything the first target leads to; acts on exactly what
was validated; reports a denial as ``forbidden-target``, a cap as ``budget-exhausted``, an abort as ``aborted``, a
failure to reach the system as ``port-failure``; and returns every answer, whatever it says, as an observation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast, runtime_checkable

from eval_quality.abort import AbortError, AbortSignal
from eval_quality.artifacts.port_messages import (
    ClockReadRequest,
    ClockReadResponse,
    CorpusResolveRequest,
    CorpusResolveResponse,
    FileReadRequest,
    FileReadResponse,
    FileWriteRequest,
    FileWriteResponse,
    ProbeObservation,
    ProbeRequest,
)
from eval_quality.artifacts.schema import issues_of
from eval_quality.canonical import copied
from eval_quality.errors import Issue, RuntimeFault

__all__ = [
    "AbortError",
    "AbortSignal",
    "BoundaryParser",
    "ClockPort",
    "CorpusPort",
    "EnvironmentProbePort",
    "FileSystemPort",
    "ParseResult",
    "ParserPair",
    "clock_read_parsers",
    "corpus_resolve_parsers",
    "file_read_parsers",
    "file_write_parsers",
    "invoke_port",
    "probe_parsers",
]

Request = TypeVar("Request")
Response = TypeVar("Response")
Message = TypeVar("Message")


@runtime_checkable
class EnvironmentProbePort(Protocol):
    """Touches the system under test."""

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """Make one request and return what came back."""
        ...


@runtime_checkable
class CorpusPort(Protocol):
    """Keeps what is private."""

    async def resolve(self, request: CorpusResolveRequest, signal: AbortSignal) -> CorpusResolveResponse:
        """The bytes behind a private reference."""
        ...


@runtime_checkable
class ClockPort(Protocol):
    """Tells the time."""

    async def read(self, request: ClockReadRequest, signal: AbortSignal) -> ClockReadResponse:
        """Now, in UTC."""
        ...


@runtime_checkable
class FileSystemPort(Protocol):
    """Reads and writes files."""

    async def read_file(self, request: FileReadRequest, signal: AbortSignal) -> FileReadResponse:
        """A file's bytes."""
        ...

    async def write_file(self, request: FileWriteRequest, signal: AbortSignal) -> FileWriteResponse:
        """Put a file in place."""
        ...


@dataclass(frozen=True)
class ParseResult(Generic[Message]):
    """A message that conforms, in normal form, or the issues that keep it from conforming."""

    value: Message | None
    issues: tuple[Issue, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.issues


@dataclass(frozen=True)
class BoundaryParser(Generic[Message]):
    """Judges one kind of message; never raises."""

    annotation: Any

    def parse(self, value: object) -> ParseResult[Message]:
        """The message, or its issues; what either side does to its own object later does not show in the message."""
        parsed, issues = issues_of(self.annotation, value)
        return ParseResult(None if issues else cast(Message, copied(parsed)), tuple(issues))


@dataclass(frozen=True)
class ParserPair(Generic[Request, Response]):
    """The two messages of one port method."""

    request: BoundaryParser[Request]
    response: BoundaryParser[Response]


probe_parsers: ParserPair[ProbeRequest, ProbeObservation] = ParserPair(
    BoundaryParser(ProbeRequest), BoundaryParser(ProbeObservation)
)
corpus_resolve_parsers: ParserPair[CorpusResolveRequest, CorpusResolveResponse] = ParserPair(
    BoundaryParser(CorpusResolveRequest), BoundaryParser(CorpusResolveResponse)
)
clock_read_parsers: ParserPair[ClockReadRequest, ClockReadResponse] = ParserPair(
    BoundaryParser(ClockReadRequest), BoundaryParser(ClockReadResponse)
)
file_read_parsers: ParserPair[FileReadRequest, FileReadResponse] = ParserPair(
    BoundaryParser(FileReadRequest), BoundaryParser(FileReadResponse)
)
file_write_parsers: ParserPair[FileWriteRequest, FileWriteResponse] = ParserPair(
    BoundaryParser(FileWriteRequest), BoundaryParser(FileWriteResponse)
)


def _is_cancelled() -> bool:
    """Whether somebody asked for the running task to be cancelled."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def invoke_port(
    port: Callable[[Request, AbortSignal], Awaitable[Response]],
    request: Request,
    parsers: ParserPair[Request, Response],
    signal: AbortSignal,
    *,
    request_path: str,
    response_path: str,
) -> Response:
    """Call one port method exactly once and return its parsed response.

    Raises ``RuntimeFault``: ``aborted``, ``schema-parse-failure`` (the request), ``port-failure``,
    ``port-contract-violation`` (the response), or the port's own fault unchanged. Cancellation of the calling task is
    passed on; a port that cancels itself has failed. A port that settles after an abort still returns its response.
    """
    if signal.aborted:
        cause = signal.reason if isinstance(signal.reason, BaseException) else None
        raise RuntimeFault("aborted", request_path, "signal was already aborted before the port call") from cause
    outbound = parsers.request.parse(request)
    if outbound.value is None:
        detail = "outbound request failed boundary validation"
        raise RuntimeFault("schema-parse-failure", request_path, detail, issues=outbound.issues)
    try:
        answer = await port(outbound.value, signal)
    except RuntimeFault:
        raise
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        if signal.aborted:
            detail = "signal was aborted before the port settled"
            raise RuntimeFault("aborted", response_path, detail) from error
        detail = "the port implementation threw or rejected"
        raise RuntimeFault("port-failure", response_path, detail) from error
    inbound = parsers.response.parse(answer)
    if inbound.value is None:
        detail = "the resolved value failed boundary validation"
        raise RuntimeFault("port-contract-violation", response_path, detail, issues=inbound.issues)
    return inbound.value
