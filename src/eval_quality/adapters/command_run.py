"""Running one command to its end, or to a cap, or to an abort (spec 12, section 4.5).

A run is over when the target has exited and both its streams have ended. The deadline counts from the moment the target
runs; starting it has an allowance of its own. A run cut short kills the target's whole group; one that ended by itself
leaves alone what the target left running.
"""

from __future__ import annotations

import asyncio
import codecs
from typing import Final

from eval_quality.abort import AbortSignal
from eval_quality.errors import RuntimeFault

from .launch import running
from .mechanisms import CommandRunRequest, CommandRunResult
from .process_group import ExitStatus, Target, TargetSpec, WatchdogLost
from .racing import DeadlinePassed, until_raised

_CHUNK: Final = 1 << 16
_KILLED: Final = ExitStatus(code=None, signal=9)


class _OverCap(Exception):
    """A stream went past its cap."""


async def run_command(request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
    """Run a command; raises ``RuntimeFault`` ``budget-exhausted``, ``AbortError``, or what kept it from starting."""
    words = (request.target, *request.subcommand_path, *request.argv)
    limit = request.max_elapsed_ms
    try:
        async with running(TargetSpec(words, request.cwd, request.env), signal, limit) as target:
            target.send(request.stdin, end=True)
            result = await until_raised(_observe(target, request.max_output_bytes), signal, limit)
            target.released = True
            return result
    except DeadlinePassed:
        detail = f"exceeded maxElapsedMs ({limit}ms) and was killed"
        raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail) from None
    except _OverCap:
        detail = f"stdout or stderr exceeded maxOutputBytes ({request.max_output_bytes}) and the process was killed"
        raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail) from None


async def _observe(target: Target, limit: int) -> CommandRunResult:
    try:
        async with asyncio.TaskGroup() as group:
            stdout = group.create_task(_drain(target.stdout, limit))
            stderr = group.create_task(_drain(target.stderr, limit))
            status = group.create_task(_status(target))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return CommandRunResult(status.result().signed, stdout.result(), stderr.result())


async def _status(target: Target) -> ExitStatus:
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
