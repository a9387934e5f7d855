"""A target in a session and process group of its own: what both ways of starting one share (spec 12, section 6).

Every group that was started and not yet let go is remembered here; the exit hook kills what is left of them.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_KILL_TRIES: Final = 100
_KILL_PAUSE_SECONDS: Final = 0.005

_in_flight: set[int] = set()


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


class WatchdogLost(Exception):
    """The watchdog ended by itself; what it watched over has been killed."""


class Target(ABC):
    """A target: its output streams, its input, its end."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, spec: TargetSpec) -> None:
        self.spec = spec
        self.group = 0
        """The process id that leads the group; 0 until the target runs."""
        self.released = False
        """Whether closing leaves alone what the target left running."""
        self._input: asyncio.WriteTransport | None = None

    @property
    def name(self) -> str:
        """What was asked to be run."""
        return self.spec.argv[0]

    @abstractmethod
    async def start(self) -> None:
        """Run the target; raises the ``OSError`` that kept it from running, or ``WatchdogLost``."""

    @abstractmethod
    async def exited(self) -> ExitStatus:
        """How the target ended; raises ``WatchdogLost`` when nobody is left to say."""

    @abstractmethod
    async def close(self) -> None:
        """Let everything go, and kill the group unless it was released. May be called at any time, started or not."""

    def send(self, data: bytes, *, end: bool) -> None:
        """Hand the target input; a target that does not read it, or is gone, is none of our business."""
        if self._input is not None and not self._input.is_closing():
            if data:
                self._input.write(data)
            if end:
                self._input.close()

    def _runs_as(self, group: int) -> None:
        self.group = group
        _in_flight.add(group)

    def _let_go(self) -> None:
        _in_flight.discard(self.group)


def in_flight_count() -> int:
    """How many targets have been started and not yet let go."""
    return len(_in_flight)


def signal_group(group: int) -> bool:
    """SIGKILL a whole group, or a lone process where there are no groups; false when nothing of it is left."""
    try:
        if os.name == "posix":
            os.killpg(group, signal.SIGKILL)
        else:
            os.kill(group, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def kill_group(group: int) -> None:
    """SIGKILL a group again and again until nothing of it is left."""
    for _ in range(_KILL_TRIES):
        if not signal_group(group):
            return
        await asyncio.sleep(_KILL_PAUSE_SECONDS)


@atexit.register
def _kill_in_flight() -> None:
    for group in tuple(_in_flight):
        with contextlib.suppress(OSError):
            signal_group(group)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_flight.clear)
