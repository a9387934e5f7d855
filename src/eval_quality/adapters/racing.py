"""Work raced against an abort signal and a deadline, and clean-up that a cancellation does not cut short."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from eval_quality.abort import AbortError, AbortSignal


class DeadlinePassed(Exception):
    """The time is up."""


LONGEST_DELAY_MS: Final = 2**31 - 1
"""A longer deadline counts as this one."""

Result = TypeVar("Result")


@contextmanager
def raised_before(work: asyncio.Future[Any], signal: AbortSignal) -> Iterator[asyncio.Future[None]]:
    """A future that is done once the signal is raised, unless the work was done by then.

    The signal may be raised from any thread; its listener never outlives the block.
    """
    loop = asyncio.get_running_loop()
    raised: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not raised.done():
            raised.set_result(None)

    def note() -> None:
        if not work.done():
            loop.call_soon_threadsafe(settle)

    signal.add_listener(note)
    if signal.aborted:
        settle()
    try:
        yield raised
    finally:
        signal.remove_listener(note)
        raised.cancel()


async def until_raised(work: Coroutine[Any, Any, Result], signal: AbortSignal, delay_ms: int) -> Result:
    """The result of some work; ``AbortError`` when the signal is raised first, ``DeadlinePassed`` when the time is up.

    Whichever way this ends, the work is finished or cancelled. A result can be lost to a cancellation of the caller, so
    it must not be something that has to be let go of.
    """
    task = asyncio.ensure_future(work)
    with raised_before(task, signal) as raised:
        try:
            seconds = min(delay_ms, LONGEST_DELAY_MS) / 1000
            contest: set[asyncio.Future[Any]] = {task, raised}
            await asyncio.wait(contest, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise abort_error(signal) if raised.done() else DeadlinePassed
        finally:
            if task.cancel():
                await asyncio.wait({task})
            disown(task)


def abort_error(signal: AbortSignal) -> AbortError:
    """What an aborted effect fails with: its cause is the signal's reason, if that is an exception."""
    error = AbortError()
    error.__cause__ = signal.reason if isinstance(signal.reason, BaseException) else None
    return error


async def undisturbed(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of some work that a cancellation waits for; only a second one breaks through."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        disown(task)
        raise


def disown(task: asyncio.Future[Any]) -> None:
    """Whatever becomes of the task, nobody is waiting: it is not to be reported as unhandled."""
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
