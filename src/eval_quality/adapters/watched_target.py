"""A target under a watchdog, which ends the target's group when this process is gone (spec 12, sections 6.3 to 6.9).

See ``watchdog`` for what passes between the two over a socket pair. Everything that needs no waiting is made in one go,
so that a caller who is cancelled at any point leaves neither a process nor a descriptor behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections import deque
from io import FileIO
from pathlib import Path
from typing import Final

from .process_group import ExitStatus, Target, TargetSpec, WatchdogLost, kill_group, signal_group
from .racing import disown, undisturbed

WATCHDOG: Final = Path(__file__).with_name("watchdog.py")
_LIBRARY_PATHS: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_WATCHDOG_SECONDS: Final = 5.0
"""How long a watchdog that was let go may take to end by itself."""


class WatchedTarget(Target):
    """A target and its watchdog."""

    def __init__(self, spec: TargetSpec) -> None:
        super().__init__(spec)
        self._input_end = _Input()
        self._outputs: list[asyncio.BaseTransport] = []
        self._control: asyncio.StreamWriter | None = None
        self._exit: asyncio.Future[ExitStatus] = asyncio.get_running_loop().create_future()
        self._listening: asyncio.Task[None] | None = None
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            host, watchdog = socket.socketpair()
            ours.enter_context(host)
            theirs.enter_context(watchdog)
            stdin, our_stdin = _pipe(theirs, ours)
            our_stdout, stdout = _pipe(ours, theirs)
            our_stderr, stderr = _pipe(ours, theirs)
            self._watchdog = subprocess.Popen(
                [sys.executable, "-I", "-S", str(WATCHDOG), str(watchdog.fileno())],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=[watchdog.fileno()],
                start_new_session=True,
                cwd="/",
                env={key: os.environ[key] for key in _LIBRARY_PATHS if key in os.environ},
            )
            self._socket = host
            self._pipes = deque((our_stdin, our_stdout, our_stderr))
            ours.pop_all()

    async def start(self) -> None:
        """Have the watchdog run the target; raises ``OSError``, ``WatchdogLost``."""
        reader, self._control = await asyncio.open_connection(sock=self._socket)
        loop = asyncio.get_running_loop()
        self._input, _ = await loop.connect_write_pipe(lambda: self._input_end, self._pipes.popleft())
        self.stdout = await self._output(loop)
        self.stderr = await self._output(loop)
        spec = self.spec
        request = {"argv": [*spec.argv], "cwd": os.path.abspath(spec.cwd), "env": {**spec.env}}
        self._control.write(json.dumps(request).encode() + b"\n")
        line = await _line(reader)
        if not line:
            raise WatchdogLost(f"the process-group watchdog for {self.name} ended before starting it")
        match json.loads(line):
            case {"spawned": int(group)}:
                self._runs_as(group)
                self._listening = asyncio.create_task(self._listen(reader))
            case {"error": int(number)}:
                raise OSError(number, os.strerror(number), self.name)

    async def exited(self) -> ExitStatus:
        """How the target ended; raises ``WatchdogLost`` when nobody is left to say."""
        return await asyncio.shield(self._exit)

    async def close(self) -> None:
        """Let everything go; what comes before the first wait already dooms a group that was not released."""
        if self._listening is not None:
            self._listening.cancel()
        self._close_streams()
        self._close_control()
        try:
            await undisturbed(self._ended())
        finally:
            self._let_go()
            self._exit.cancel()
            if self._watchdog.poll() is None:  # cancelled again while waiting
                threading.Thread(target=_outlive, args=(self._watchdog,), daemon=True).start()

    def _close_streams(self) -> None:
        for transport in self._outputs:
            transport.close()
        if self._input is not None and not self._input_end.gone:
            self._input.abort()
        for pipe in self._pipes:
            pipe.close()

    def _close_control(self) -> None:
        """Tell the watchdog to go, which kills the group unless it was released."""
        if self._control is None:
            self._socket.close()
        elif self.released:
            self._control.write(b"release\n")
            self._control.close()
        else:
            self._control.transport.abort()
            if self.group and not self._exit.done():
                signal_group(self.group)

    async def _ended(self) -> None:
        """The watchdog ends, or is ended; what a lost one leaves of the group is killed from here."""
        waited, pause = 0.0, 0.001
        while self._watchdog.poll() is None:
            if waited > _WATCHDOG_SECONDS:
                self._watchdog.kill()
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, 0.02)
        if self.group and not self.released and self._watchdog.returncode != 0:
            await kill_group(self.group)

    async def _output(self, loop: asyncio.AbstractEventLoop) -> asyncio.StreamReader:
        reader = asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._pipes.popleft())
        self._outputs.append(transport)
        return reader

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        """Take note of the target's end; a watchdog that ends unasked takes the group with it."""
        disown(self._exit)
        if line := await _line(reader):
            self._exit.set_result(ExitStatus(**json.loads(line)["exit"]))
            await _line(reader)
        await kill_group(self.group)
        if not self._exit.done():
            self._exit.set_exception(WatchdogLost(self.name))


class _Input(asyncio.BaseProtocol):
    """The writing end of the target's standard input; knows when it is gone, and nobody asks how writing to it went."""

    gone = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True


def _outlive(watchdog: subprocess.Popen[bytes]) -> None:
    """Wait for a watchdog that was let go, and end one that does not end."""
    try:
        watchdog.wait(_WATCHDOG_SECONDS)
    except subprocess.TimeoutExpired:
        watchdog.kill()
        watchdog.wait()


async def _line(reader: asyncio.StreamReader) -> bytes:
    """What the watchdog says next; nothing once it is gone."""
    try:
        return await reader.readline()
    except OSError:
        return b""


def _pipe(reading: contextlib.ExitStack, writing: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """The two ends of a pipe, each closed with its stack."""
    descriptors = os.pipe()
    return (
        reading.enter_context(FileIO(descriptors[0])),
        writing.enter_context(FileIO(descriptors[1], "w")),
    )
