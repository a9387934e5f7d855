"""A target as a direct child, where no watchdog can run (spec 12, sections 6.11 and 6.12).

On Windows there are no process groups, so a kill reaches the target alone. A frozen application has no interpreter to
run a watchdog with; its targets still lead groups of their own. Either way only the exit hook covers this process's end.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from typing import Any, Final

from eval_quality.json_text import utf8

from .process_group import ExitStatus, Target, TargetSpec, kill_group, signal_group
from .racing import undisturbed

_POSIX: Final = os.name == "posix"


class DirectTarget(Target):
    """A target this process started by itself."""

    _process: Process | None = None
    _closed = False

    async def start(self) -> None:
        """Run the target; raises the ``OSError`` that kept it from running."""
        await undisturbed(self._spawn())  # cut short, it would kill the child and not the group

    async def _spawn(self) -> None:
        spec = self.spec
        process = self._process = await asyncio.create_subprocess_exec(
            *map(_native, spec.argv),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=_native(os.path.abspath(spec.cwd)),
            env=_environment(spec),
            start_new_session=_POSIX,
        )
        self._runs_as(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._input, self.stdout, self.stderr = process.stdin.transport, process.stdout, process.stderr
        if self._closed:
            await self.close()

    async def exited(self) -> ExitStatus:
        """How the target ended."""
        assert self._process is not None
        code = await self._process.wait()
        return ExitStatus(code=None, signal=-code) if code < 0 else ExitStatus(code=code, signal=None)

    async def close(self) -> None:
        """Let everything go, and kill the group unless it was released."""
        self._closed = True
        if self._process is None:
            return
        try:
            if not self.released:
                signal_group(self.group)
            self._process._transport.close()  # type: ignore[attr-defined]  # the one way to let go of all three pipes
            if not self.released:
                await undisturbed(kill_group(self.group))
        finally:
            self._let_go()


def _environment(spec: TargetSpec) -> Any:
    return {_native(key): _native(value) for key, value in spec.env.items()}


def _native(text: str) -> str | bytes:
    """Text as the operating system takes it: POSIX bytes, with U+FFFD for each lone surrogate."""
    return utf8(text) if _POSIX else text
