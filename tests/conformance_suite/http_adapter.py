"""An environment probe over HTTP, as an adapter's author would write one: plain ``http``, GET and the like, no body.

The policy decides on every target before a packet leaves, on redirects as on the first; the connection goes to the
address that was decided on and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.target_policies import ProbeTargetAuthorization, ProbeTargetPolicy
from eval_quality.errors import RuntimeFault
from eval_quality.ports import probe_parsers
from eval_quality.targets import Denied, ResolvedTarget, evaluate_target

REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Exchange = Callable[[str, SplitResult, str, int], Awaitable[Answer]]
"""Sends one request (address, URL, method) and reads one response up to a number of bytes."""


class TooLarge(Exception):
    """A response went past its cap."""


class HttpAdapter:
    """An ``EnvironmentProbePort``."""

    def __init__(
        self,
        policy: ProbeTargetPolicy,
        places: Mapping[str, str],
        addresses: Mapping[str, str],
        exchange: Exchange,
    ) -> None:
        self._policy = policy
        self._places = places
        self._addresses = addresses
        self._exchange = exchange

    async def probe(self, request: Any, signal: AbortSignal) -> Any:
        """Make one request, redirects and all."""
        work = asyncio.ensure_future(self._probe(request))
        loop = asyncio.get_running_loop()

        def stop() -> None:
            loop.call_soon_threadsafe(work.cancel)

        signal.add_listener(stop)
        try:
            return await work
        except asyncio.CancelledError:
            work.cancel()
            if signal.aborted:
                raise RuntimeFault("aborted", "ProbeObservation", "the request was stopped") from None
            raise
        finally:
            signal.remove_listener(stop)

    async def _probe(self, request: Any) -> Any:
        place = self._places.get(request["interfaceId"])
        if request["kind"] != "api" or place is None:
            raise _forbidden("interface-not-authorized", "no place is known for this interface")
        path: str = request["pathTemplate"]
        for name, value in request["channels"]["path"].items():
            path = path.replace(f"{{{name}}}", str(value))
        url = urlsplit(urljoin(place, path))
        authorization, address = self._decide(request, url)
        try:
            async with asyncio.timeout(authorization["maxElapsedMs"] / 1000):
                answer = await self._follow(request, url, authorization, address)
        except TimeoutError:
            raise RuntimeFault("budget-exhausted", "ApiProbeRequest", "maxElapsedMs") from None
        except TooLarge:
            raise RuntimeFault("budget-exhausted", "ApiProbeRequest", "maxResponseBytes") from None
        except (OSError, ValueError) as error:
            raise RuntimeFault("port-failure", "ProbeObservation", "the exchange failed") from error
        return _observation(request, answer)

    async def _follow(
        self, request: Any, url: SplitResult, authorization: ProbeTargetAuthorization, address: str
    ) -> Answer:
        for _ in range(authorization["maxRedirects"] + 1):
            answer = await self._exchange(address, url, request["method"], authorization["maxResponseBytes"])
            if answer.status not in REDIRECTS:
                return answer
            url = urlsplit(urljoin(url.geturl(), answer.headers["location"]))
            _, address = self._decide(request, url)
        raise RuntimeFault("budget-exhausted", "ApiProbeRequest", "maxRedirects")

    def _decide(self, request: Any, url: SplitResult) -> tuple[ProbeTargetAuthorization, str]:
        host = url.hostname or ""
        port = url.port or (443 if url.scheme == "https" else 80)
        address = self._addresses.get(host, host)
        target = ResolvedTarget(request["interfaceId"], url.scheme, host, port, address, request["method"])
        decision = evaluate_target(self._policy, target)
        if isinstance(decision, Denied):
            raise _forbidden(decision.reason, decision.detail)
        return decision.authorization, decision.canonical_address


def _observation(request: Any, answer: Answer) -> Any:
    text = answer.body.decode("utf-8", "replace")
    observation = {
        **{key: request[key] for key in ("probeId", "interfaceId", "operationId", "kind")},
        "status": answer.status,
        "headers": dict(answer.headers),
        "body": {"kind": "text", "value": text} if text else {"kind": "absent"},
    }
    parsed = probe_parsers.response.parse(observation)
    if not parsed.ok:
        raise RuntimeFault("port-contract-violation", "ProbeObservation", "no observation", issues=parsed.issues)
    return parsed.value


def _forbidden(reason: str, detail: str) -> RuntimeFault:
    return RuntimeFault("forbidden-target", "ProbeRequest", detail, reason=reason)


async def loopback_exchange(address: str, url: SplitResult, method: str, max_bytes: int) -> Answer:
    """One exchange over a connection of its own."""
    reader, writer = await asyncio.open_connection(address, url.port or 80)
    try:
        writer.write(f"{method} {url.path or '/'} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = bytearray()
        while chunk := await reader.read(4096):
            body += chunk
            if len(body) > max_bytes:
                raise TooLarge
        return Answer(int(head[0].split()[1]), headers, bytes(body))
    finally:
        writer.close()
