"""A subject over ``HttpAdapter``: its policy, its requests, and a small web site behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult

from eval_quality.conformance import BuiltSubject, DeniedAddressRequests, ProbeSubject, ScenarioKind
from tests.conformance_suite.http_adapter import Answer, Exchange, HttpAdapter, TooLarge

MAX_REDIRECTS = 2
SITE: dict[str, Answer] = {
    "/latest": Answer(200, {}, b"secret"),
    "/ok": Answer(200, {"content-type": "text/plain"}, b"fine"),
    "/fault": Answer(500, {}, b"broken"),
    "/away": Answer(302, {"location": "http://metadata.test/latest"}, b""),
    "/loop": Answer(302, {"location": "/loop"}, b""),
    "/large": Answer(200, {}, b"x" * 5000),
}


def request(operation: str, path: str, interface: str = "site", method: str = "GET") -> Any:
    channels = {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}}
    return {
        "kind": "api",
        "probeId": f"leg-{operation}",
        "interfaceId": interface,
        "operationId": operation,
        "method": method,
        "pathTemplate": path,
        "channels": channels,
    }


MEMORY_PORT = 8080


def policy(port: int) -> Any:
    """``site`` may be reached on the loopback, and held to little time as ``slow``; the others resolve to where nobody
    may go."""
    authorization = {
        "interfaceId": "site",
        "scheme": "http",
        "host": "site.test",
        "port": port,
        "addresses": ["127.0.0.1"],
        "methods": ["GET"],
        "safeMethods": ["GET"],
        "maxRedirects": MAX_REDIRECTS,
        "maxElapsedMs": 120_000,
        "maxRequestBytes": 1000,
        "maxResponseBytes": 1000,
    }
    denied = ("loopback", "private", "link-local", "metadata", "secure")
    slow = authorization | {"interfaceId": "slow", "maxElapsedMs": 30}
    return {"authorizations": [authorization, *(authorization | {"interfaceId": each} for each in denied), slow]}


ADDRESSES = {
    "site.test": "127.0.0.1",
    "other.test": "127.0.0.2",
    "private.test": "10.0.0.7",
    "local.test": "169.254.7.7",
    "metadata.test": "169.254.169.254",
}


def places(port: int) -> dict[str, str]:
    return {
        "site": f"http://site.test:{port}",
        "slow": f"http://site.test:{port}",
        "loopback": f"http://other.test:{port}",
        "private": f"http://private.test:{port}",
        "link-local": f"http://local.test:{port}",
        "metadata": f"http://metadata.test:{port}",
        "secure": f"https://site.test:{port}",
    }


async def in_memory(address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
    """The site without a network."""
    if url.path == "/slow":
        await asyncio.Event().wait()
    answer = SITE[url.path]
    if len(answer.body) > max_bytes:
        raise TooLarge
    return answer


@dataclass
class Counted:
    """An exchange that is counted."""

    exchange: Exchange
    calls: int = field(default=0)

    async def __call__(self, address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
        self.calls += 1
        return await self.exchange(address, url, method, max_bytes)


async def _fails(address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
    raise ConnectionRefusedError


async def _errs_in_band(address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
    return Answer(99, {}, b"")


async def _hangs(address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


def subject(
    exchange: Exchange = in_memory,
    port: int = MEMORY_PORT,
    make: Callable[[Exchange], Any] | None = None,
    **changes: Any,
) -> ProbeSubject:
    """A conforming subject; ``make`` builds another adapter over a counted exchange."""
    known = places(port)

    def adapter(counted: Exchange) -> Any:
        return HttpAdapter(policy(port), known, ADDRESSES, counted)

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        exchanges = {"resolves": exchange, "fails": _fails, "in-band-error": _errs_in_band, "hangs": _hangs}
        counted = Counted(exchanges[scenario])
        return BuiltSubject((make or adapter)(counted).probe, lambda: counted.calls)

    given: dict[str, Any] = {
        "name": "http",
        "sample_request": request("sample", "/ok"),
        "build": build,
        "policy": policy(port),
        "authorized_request": request("authorized", "/ok"),
        "unmapped_request": request("unmapped", "/ok", "nowhere"),
        "denied_address_requests": DeniedAddressRequests(
            loopback=request("loopback", "/ok", "loopback"),
            private=request("private", "/ok", "private"),
            link_local=request("link-local", "/ok", "link-local"),
            metadata=request("metadata", "/ok", "metadata"),
        ),
        "unauthorized_method_request": request("method", "/ok", method="DELETE"),
        "unauthorized_scheme_request": request("scheme", "/ok", "secure"),
        "redirecting_request": request("redirecting", "/away"),
        "over_redirect_request": request("over-redirect", "/loop"),
        "oversize_response_request": request("oversize", "/large"),
        "slow_request": request("slow", "/slow", "slow"),
        "faulting_request": request("faulting", "/fault"),
    }
    return ProbeSubject(**(given | changes))


@asynccontextmanager
async def loopback_site() -> AsyncIterator[int]:
    """The site on a port of this machine's loopback."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
            if path == "/slow":
                await reader.read()
                return
            answer = SITE[path]
            head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
            writer.write(f"HTTP/1.1 {answer.status} X\r\n{head}\r\n".encode() + answer.body)
            await writer.drain()
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
