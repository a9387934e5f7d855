"""The one way in and out of every adapter method (spec 12, section 2).

1. A signal already raised stops the call; 2. the request is parsed; 3. a pre-check may refuse, the mechanism runs once,
raced against the signal, and a post-check may refuse; 4. the result is assembled and parsed; 5. the parsed response is
returned. Faults raised on purpose pass through; every other failure becomes ``aborted`` or ``port-failure``.
Cancellation of the calling task is passed on to the mechanism and is never translated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.schema import issues_of, parse
from eval_quality.errors import RuntimeFault

from .racing import disown, raised_before

_HEED_SECONDS: Final = 0.1
"""How long a mechanism may take to end by itself when the signal was raised; then it is cancelled."""
_TEARDOWN_SECONDS: Final = 0.5
"""How long a mechanism may take to tear down once cancelled; then it is left behind."""


class _MechanismCancelled(Exception):
    """The mechanism was cancelled, and not by its caller."""


@dataclass(frozen=True)
class PortMethod:
    """What one adapter method does, and what its messages are called."""

    request_type: Any
    response_type: Any
    request_path: str
    response_path: str
    mechanism: Callable[[Any, AbortSignal], Awaitable[Any]]
    assemble: Callable[[Any, Any], Any]
    precheck: Callable[[Any], None] | None = None
    postcheck: Callable[[Any], Awaitable[None]] | None = None

    async def __call__(self, request: object, signal: AbortSignal) -> Any:
        """Carry one request through the boundary; raises ``RuntimeFault``."""
        if signal.aborted:
            raise self._aborted(self.request_path, "signal was already aborted before the port call", signal.reason)
        parsed = parse(
            self.request_type, request, self.request_path, detail="outbound request failed boundary validation"
        )
        try:
            if self.precheck is not None:
                self.precheck(parsed)
            raw = await self._race(self.mechanism(parsed, signal), signal)
        except RuntimeFault:
            raise
        except Exception as error:
            if signal.aborted:
                detail = "signal was aborted before the mechanism settled"
                raise self._aborted(self.response_path, detail, error) from error
            raise self._failed("the underlying mechanism threw or rejected") from error
        if self.postcheck is not None:
            try:
                await self._race(self.postcheck(parsed), signal)
            except RuntimeFault:
                raise
            except Exception as error:
                raise self._failed("a post-call check threw or rejected") from error
        response, issues = issues_of(self.response_type, self.assemble(raw, parsed))
        if issues:
            detail = "the mechanism result failed boundary validation"
            raise RuntimeFault("port-contract-violation", self.response_path, detail, issues=issues)
        return response

    def _failed(self, detail: str) -> RuntimeFault:
        return RuntimeFault("port-failure", self.response_path, detail)

    @staticmethod
    def _aborted(path: str, detail: str, cause: object) -> RuntimeFault:
        fault = RuntimeFault("aborted", path, detail)
        fault.__cause__ = cause if isinstance(cause, BaseException) else None
        return fault

    async def _race(self, work: Awaitable[Any], signal: AbortSignal) -> Any:
        """The result of the work, unless the signal is raised first: then the work has a moment to tear down."""
        task = asyncio.ensure_future(work)
        disown(task)
        with raised_before(task, signal) as raised:
            if signal.aborted:
                task.cancel()
                raise self._aborted(self.response_path, "the signal aborted before the raced work began", signal.reason)
            try:
                await asyncio.wait({task, raised}, return_when=asyncio.FIRST_COMPLETED)
                if not raised.done():
                    return _outcome(task)
                await asyncio.wait({task}, timeout=_HEED_SECONDS)
                await _cancel(task)
                detail = "the signal aborted while the mechanism was in flight"
                raise self._aborted(self.response_path, detail, signal.reason)
            except asyncio.CancelledError:
                await _cancel(task)
                raise


async def _cancel(task: asyncio.Future[Any]) -> None:
    if task.cancel():
        await asyncio.wait({task}, timeout=_TEARDOWN_SECONDS)


def _outcome(task: asyncio.Future[Any]) -> Any:
    if task.cancelled():
        raise _MechanismCancelled
    return task.result()
