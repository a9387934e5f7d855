"""A target in a session and process group of its own, which ends with its host (spec 12, section 6).

On POSIX a small watchdog starts the target; see ``watchdog`` for what passes between the two. Where there are no process
groups (Windows), or no interpreter to run a watchdog with (a frozen application), the target is a direct child: a kill
reaches it alone there, and only the host's exit hook covers the host's end.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

START_ALLOWANCE_MS: Final = 30_000
LONGEST_DELAY_MS: Final = 2**31 - 1
_KILL_TRIES: Final = 100
_KILL_PAUSE_SECONDS: Final = 0.005
_WATCHDOG: Final = str(Path(__file__).with_name("watchdog.py"))
_LIBRARY_PATHS: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

_in_flight: set[int] = set()
"""Groups that were started and not yet let go; the exit hook kills what is left of them."""


class WatchdogLost(Exception):
    """The watchdog ended by itself; what it watched over has been killed."""


@dataclass(frozen=True)
class TargetSpec:
    """What to start: ``argv`` (the target first), working directory, and the whole environment."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]


@dataclass(frozen=True)
class ExitStatus:
    """How a target ended: an exit code, or the number of the signal that ended it."""

    code: int | None
    signal: int | None

    @property
    def signed(self) -> int:
        """The exit code; minus the signal's number; -1 when neither is known."""
        if self.code is not None:
            return self.code
        return -1 if self.signal is None else -self.signal


def in_flight_count() -> int:
    """How many targets have been started and not yet let go."""
    return len(_in_flight)


@atexit.register
def _kill_in_flight() -> None:
    for group in _in_flight:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL) if os.name == "posix" else os.kill(group, signal.SIGTERM)


class _Input(asyncio.BaseProtocol):
    """The writing end of the target's standard input; knows when it is gone."""

    gone = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True


class TargetProcess:
    """A started target: its output streams, its input, its end."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.pid = 0
        self._input = _Input()
        self._stdin: asyncio.WriteTransport
        self.stdout: asyncio.StreamReader
        self.stderr: asyncio.StreamReader
        self._outputs: list[asyncio.BaseTransport] = []
        self._control: tuple[asyncio.StreamReader, asyncio.StreamWriter]
        self._watchdog: asyncio.subprocess.Process
        self._exit: asyncio.Task[ExitStatus] | None = None

    async def exited(self) -> ExitStatus:
        """How the target ended; raises ``WatchdogLost`` when nobody is left to say."""
        assert self._exit is not None
        return await asyncio.shield(self._exit)

    def send(self, data: bytes, *, end: bool) -> None:
        """Hand the target input; a target that does not read it, or is gone, is none of our business."""
        if not self._stdin.is_closing():
            if data:
                self._stdin.write(data)
            if end:
                self._stdin.close()

    def close_outputs(self) -> None:
        """Let go of the output streams, whoever still holds their other ends."""
        for transport in self._outputs:
            transport.close()

    async def kill(self) -> None:
        """SIGKILL the whole group, again and again until nothing of it is left."""
        for _ in range(_KILL_TRIES):
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                return
            await asyncio.sleep(_KILL_PAUSE_SECONDS)

    async def close(self, *, release: bool) -> None:
        """Let everything go. ``release`` leaves alone what the target left running; else it is killed."""
        self.close_outputs()
        if not self._input.gone:
            self._stdin.abort()
        _, writer = self._control
        if release:
            with contextlib.suppress(OSError):
                writer.write(b"release\n")
        elif self.pid:
            await self.kill()
        writer.close()
        if self._exit is not None:
            self._exit.cancel()
        await self._watchdog.wait()
        _in_flight.discard(self.pid)
        await asyncio.gather(*([self._exit] if self._exit else []), return_exceptions=True)

    async def _report(self) -> ExitStatus:
        reader, _ = self._control
        line = await reader.readline()
        if not line:
            await self.kill()
            raise WatchdogLost(self.target)
        return ExitStatus(**json.loads(line)["exit"])

    async def _start(self, spec: TargetSpec) -> None:
        reader, writer = self._control
        request = {"argv": list(spec.argv), "cwd": os.path.abspath(spec.cwd), "env": dict(spec.env)}
        writer.write(json.dumps(request).encode() + b"\n")
        line = await reader.readline()
        if not line:
            raise WatchdogLost(f"the process-group watchdog for {self.target} ended before starting it")
        match json.loads(line):
            case {"spawned": int(pid)}:
                self.pid = pid
                _in_flight.add(pid)
                self._exit = asyncio.create_task(self._report())
                self._exit.add_done_callback(lambda task: task.cancelled() or task.exception())
            case {"error": {"errno": int(number), "path": path}}:
                raise OSError(number, os.strerror(number), path)


async def start_target(spec: TargetSpec) -> TargetProcess:
    """Start a target under a watchdog.

    Raises the ``OSError`` that kept it from starting, ``ValueError`` for what no operating system could start (an empty
    name, a NUL), ``WatchdogLost``. A caller that is cancelled leaves nothing behind.
    """
    _refuse_unstartable(spec)
    process = TargetProcess(spec.argv[0])
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as theirs:
        ours, control = socket.socketpair()
        theirs.callback(control.close)
        ends = [os.pipe() for _ in range(3)]
        child_ends = [ends[0][0], ends[1][1], ends[2][1]]
        host_ends = [ends[0][1], ends[1][0], ends[2][0]]
        for descriptor in child_ends:
            theirs.callback(os.close, descriptor)
        process._control = await asyncio.open_connection(sock=ours)
        process._stdin, _ = await loop.connect_write_pipe(lambda: process._input, open(host_ends[0], "wb", buffering=0))
        readers = []
        for descriptor in host_ends[1:]:
            reader = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await loop.connect_read_pipe(lambda each=protocol: each, open(descriptor, "rb", buffering=0))
            process._outputs.append(transport)
            readers.append(reader)
        process.stdout, process.stderr = readers
        process._watchdog = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            _WATCHDOG,
            str(control.fileno()),
            stdin=child_ends[0],
            stdout=child_ends[1],
            stderr=child_ends[2],
            pass_fds=[control.fileno()],
            start_new_session=True,
            cwd="/",
            env={key: os.environ[key] for key in _LIBRARY_PATHS if key in os.environ},
        )
    try:
        await process._start(spec)
    except BaseException:
        await asyncio.shield(asyncio.ensure_future(process.close(release=False)))
        raise
    return process


def _refuse_unstartable(spec: TargetSpec) -> None:
    if not spec.argv[0]:
        raise ValueError("the target to start has an empty name")
    words = (*spec.argv, spec.cwd, *spec.env.keys(), *spec.env.values())
    if any("\0" in word for word in words):
        raise ValueError("an argument, a path or an environment entry of the target contains a NUL")
