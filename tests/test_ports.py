"""The one way ports are called: what a caller hears of an abort, a bad message, or a port that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from eval_quality.artifacts.port_messages import CorpusResolveRequest
from eval_quality.errors import RuntimeFault
from eval_quality.ports import (
    AbortError,
    AbortSignal,
    clock_read_parsers,
    corpus_resolve_parsers,
    file_read_parsers,
    file_write_parsers,
    invoke_port,
    probe_parsers,
)

Resolve = Callable[[Any, AbortSignal], Awaitable[Any]]


def resolve(port: Resolve, request: Any = None, signal: AbortSignal | None = None) -> Any:
    return asyncio.run(
        invoke_port(
            port,
            CorpusResolveRequest(privateRef="r") if request is None else request,
            corpus_resolve_parsers,
            signal or AbortSignal(),
            request_path="Request",
            response_path="Response",
        )
    )


def fault(port: Resolve, request: Any = None, signal: AbortSignal | None = None) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        resolve(port, request, signal)
    return caught.value


async def settles(request: Any, signal: AbortSignal) -> Any:
    return {**request, "bytes": b"[]"}


async def unreachable(request: Any, signal: AbortSignal) -> Any:
    raise AssertionError("the port must not be called")


def test_an_answer_that_conforms() -> None:
    assert resolve(settles) == {"privateRef": "r", "bytes": b"[]"}


@pytest.mark.parametrize("reason", [None, "enough", ValueError("enough")])
def test_a_signal_raised_before(reason: object) -> None:
    signal = AbortSignal()
    signal.abort(reason)
    raised = fault(unreachable, signal=signal)
    assert str(raised) == "aborted in Request: signal was already aborted before the port call"
    assert raised.__cause__ is (signal.reason if isinstance(signal.reason, Exception) else None)


def test_a_request_that_does_not_conform_is_not_sent() -> None:
    raised = fault(unreachable, {"privateRef": ""})
    assert str(raised) == "schema-parse-failure in Request: outbound request failed boundary validation"
    assert [issue.pointer for issue in raised.issues] == ["/privateRef"]


@pytest.mark.parametrize("answer", [None, {"error": "no"}, {"privateRef": "r"}, {"privateRef": "r", "bytes": "[]"}])
def test_an_answer_that_does_not_conform(answer: Any) -> None:
    async def port(request: Any, signal: AbortSignal) -> Any:
        return answer

    raised = fault(port)
    assert str(raised) == "port-contract-violation in Response: the resolved value failed boundary validation"
    assert raised.issues


def test_a_fault_of_the_port_is_passed_on() -> None:
    own = RuntimeFault("forbidden-target", "ProbeRequest", "no", reason="port-not-authorized")

    async def port(request: Any, signal: AbortSignal) -> Any:
        signal.abort()
        raise own

    assert fault(port) is own


def raises_later(error: Exception, *, abort: bool) -> Resolve:
    async def port(request: Any, signal: AbortSignal) -> Any:
        if abort:
            signal.abort()
        raise error

    return port


def raises_at_once(error: Exception, *, abort: bool) -> Resolve:
    def port(request: Any, signal: AbortSignal) -> Awaitable[Any]:
        if abort:
            signal.abort()
        raise error

    return port


@pytest.mark.parametrize("failing", [raises_later, raises_at_once])
def test_an_error_of_the_port(failing: Callable[..., Resolve]) -> None:
    error = TimeoutError("too slow")
    failed = fault(failing(error, abort=False))
    assert str(failed) == "port-failure in Response: the port implementation threw or rejected"
    assert failed.__cause__ is error
    aborted = fault(failing(error, abort=True))
    assert str(aborted) == "aborted in Response: signal was aborted before the port settled"
    assert aborted.__cause__ is error


def test_an_answer_after_an_abort_counts() -> None:
    async def port(request: Any, signal: AbortSignal) -> Any:
        signal.abort()
        return await settles(request, signal)

    assert resolve(port)["bytes"] == b"[]"


def test_cancellation_is_no_failure_of_the_port() -> None:
    async def port(request: Any, signal: AbortSignal) -> Any:
        await asyncio.sleep(60)

    async def cancelled() -> None:
        task = asyncio.ensure_future(
            invoke_port(
                port,
                CorpusResolveRequest(privateRef="r"),
                corpus_resolve_parsers,
                AbortSignal(),
                request_path="Request",
                response_path="Response",
            )
        )
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_port_that_cancels_itself_has_failed() -> None:
    async def port(request: Any, signal: AbortSignal) -> Any:
        raise asyncio.CancelledError

    assert fault(port).code == "port-failure"


@pytest.mark.parametrize(
    ("parser", "conforming", "other"),
    [
        (clock_read_parsers.request, {}, {"now": "2030-01-01T00:00:00Z"}),
        (clock_read_parsers.response, {"now": "2030-01-01T00:00:00Z"}, {"now": "2030-01-01T00:00:00+01:00"}),
        (file_read_parsers.request, {"path": "a"}, {"path": ""}),
        (file_read_parsers.response, {"path": "a", "bytes": b""}, {"path": "a", "bytes": [0]}),
        (file_write_parsers.request, {"path": "a", "bytes": b"\0"}, {"path": "a"}),
        (file_write_parsers.response, {"path": "a", "byteLength": 0}, {"path": "a", "byteLength": -1}),
        (corpus_resolve_parsers.request, {"privateRef": "a"}, "a"),
        (corpus_resolve_parsers.response, {"privateRef": "a", "bytes": b"a"}, None),
        (
            probe_parsers.response,
            {
                "probeId": "a",
                "interfaceId": "b",
                "operationId": "c",
                "kind": "mcp",
                "isError": True,
                "result": {"kind": "absent"},
                "exitCode": 1,
            },
            {"kind": "grpc"},
        ),
    ],
)
def test_parser_pairs(parser: Any, conforming: Any, other: Any) -> None:
    accepted = parser.parse(conforming)
    assert accepted.ok
    assert accepted.value == conforming
    refused = parser.parse(other)
    assert not refused.ok
    assert refused.value is None
    assert refused.issues


def test_a_message_shares_nothing_with_what_was_parsed() -> None:
    given = {"probeId": "a", "interfaceId": "b", "operationId": "c", "kind": "mcp", "isError": False}
    given["result"] = {"kind": "json", "value": {"rows": [[1]]}}
    parsed: Any = probe_parsers.response.parse(given).value
    given["result"]["value"]["rows"][0].append(2)  # type: ignore[index]
    assert parsed["result"]["value"] == {"rows": [[1]]}


def test_a_signal_is_raised_once() -> None:
    heard: list[str] = []
    signal = AbortSignal()
    taken_back = lambda: heard.append("taken back")  # noqa: E731
    signal.add_listener(lambda: heard.append("first"))
    signal.add_listener(taken_back)
    signal.add_listener(lambda: heard.append("second"))
    signal.remove_listener(taken_back)
    signal.remove_listener(taken_back)
    assert (signal.aborted, signal.reason) == (False, None)
    signal.abort()
    signal.abort("again")
    signal.add_listener(lambda: heard.append("late"))
    assert signal.aborted
    assert isinstance(signal.reason, AbortError)
    assert heard == ["first", "second"]
