"""Running one command to its end, or to a cap, or to an abort (spec 12, section 4.5).

A run is over when the target has exited and both its streams have ended. The deadline counts from the moment the target
runs; starting it has an allowance of its own. A run cut short kills the target's whole group; one that ended by itself
leaves alone what the target left running.
"""

from __future__ import annotations

import asyncio
import codecs
from typing import TypeVar

from eval_quality.abort import AbortError, AbortSignal
from eval_quality.errors import RuntimeFault

from .command_line import CommandRunRequest, CommandRunResult
from .process_group import (
    LONGEST_DELAY_MS,
    START_ALLOWANCE_MS,
    ExitStatus,
    TargetProcess,
    TargetSpec,
    WatchdogLost,
    start_target,
)

_CHUNK = 1 << 16
_Result = TypeVar("_Result")
_KILLED = ExitStatus(code=None, signal=9)


class _OverCap(Exception):
    """A stream went past its cap."""


async def until_raised(work: asyncio.Task[_Result], signal: AbortSignal, delay_ms: int) -> _Result:
    """The result of some work; ``AbortError`` when the signal is raised first, ``TimeoutError`` when the time is up.

    Whichever way this ends, the work is finished or cancelled, and no listener stays on the signal.
    """
    raised: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def note() -> None:
        if not raised.done():
            raised.set_result(None)

    if signal.aborted:
        note()
    signal.add_listener(note)
    try:
        seconds = min(delay_ms, LONGEST_DELAY_MS) / 1000
        await asyncio.wait({work, raised}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        raise AbortError if raised.done() else TimeoutError
    finally:
        signal.remove_listener(note)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def run_command(request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
    """Run a command; raises ``RuntimeFault`` ``budget-exhausted``, ``AbortError``, or what kept it from starting."""
    limit = request.max_elapsed_ms
    timed_out = RuntimeFault(
        "budget-exhausted", "CommandProbeRequest", f"exceeded maxElapsedMs ({limit}ms) and was killed"
    )
    words = (request.target, *request.subcommand_path, *request.argv)
    starting = asyncio.ensure_future(start_target(TargetSpec(words, request.cwd, request.env)))
    try:
        target = await until_raised(starting, signal, limit + START_ALLOWANCE_MS)
    except TimeoutError:
        raise timed_out from None
    ended = False
    try:
        target.send(request.stdin, end=True)
        work = asyncio.ensure_future(_observe(target, request.max_output_bytes))
        result = await until_raised(work, signal, limit)
        ended = True
        return result
    except TimeoutError:
        raise timed_out from None
    except _OverCap:
        detail = f"stdout or stderr exceeded maxOutputBytes ({request.max_output_bytes}) and the process was killed"
        raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail) from None
    finally:
        await target.close(release=ended)


async def _observe(target: TargetProcess, limit: int) -> CommandRunResult:
    try:
        async with asyncio.TaskGroup() as group:
            stdout = group.create_task(_drain(target.stdout, limit))
            stderr = group.create_task(_drain(target.stderr, limit))
            status = group.create_task(_status(target))
    except* _OverCap as over:
        raise over.exceptions[0] from None
    return CommandRunResult(status.result().signed, stdout.result(), stderr.result())


async def _status(target: TargetProcess) -> ExitStatus:
    try:
        return await target.exited()
    except WatchdogLost:
        return _KILLED


async def _drain(stream: asyncio.StreamReader, limit: int) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text, size = [], 0
    while chunk := await stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise _OverCap
        text.append(decoder.decode(chunk))
    return "".join(text) + decoder.decode(b"", final=True)
