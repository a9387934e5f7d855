"""The one way in and out of every adapter method (spec 12, section 2).

1. A signal already raised stops the call; 2. the request is parsed; 3. a pre-check may refuse, the mechanism runs once,
raced against the signal, and a post-check may refuse; 4. the result is assembled and parsed; 5. the parsed response is
returned. Faults raised on purpose pass through; every other failure becomes ``aborted`` or ``port-failure``. Cancellation
of the calling task is passed on to the mechanism and is never translated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.schema import issues_of, parse
from eval_quality.errors import RuntimeFault


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
                raise self._aborted(
                    self.response_path, "signal was aborted before the mechanism settled", error
                ) from error
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
        """The result of the work, unless the signal is raised first; then the work is stopped and left behind."""
        task = asyncio.ensure_future(work)
        if signal.aborted:
            task.cancel()
            _disown(task)
            raise self._aborted(self.response_path, "the signal aborted before the raced work began", signal.reason)
        raised = asyncio.get_running_loop().create_future()

        def note() -> None:
            if not raised.done():
                raised.set_result(None)

        signal.add_listener(note)
        try:
            await asyncio.wait({task, raised}, return_when=asyncio.FIRST_COMPLETED)
            if raised.done():
                await _settle(task)
                raise self._aborted(
                    self.response_path, "the signal aborted while the mechanism was in flight", signal.reason
                )
            return task.result()
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            signal.remove_listener(note)
            _disown(task)


async def _settle(task: asyncio.Future[Any]) -> None:
    """Give a mechanism that heeds the signal a moment to tear down before the call returns."""
    await asyncio.wait({task}, timeout=0.75)


def _disown(task: asyncio.Future[Any]) -> None:
    """Whatever becomes of the task, nobody is waiting: it is not to be reported as unhandled."""
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
