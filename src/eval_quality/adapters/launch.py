"""Starting a target, under a watchdog wherever one can run, and letting go of it (spec 12, section 6)."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from eval_quality.abort import AbortSignal

from .direct_target import DirectTarget
from .process_group import Target, TargetSpec
from .racing import abort_error, until_raised
from .watched_target import WATCHDOG, WatchedTarget

START_ALLOWANCE_MS: Final = 30_000
"""What starting a target may take before its own time begins."""


@asynccontextmanager
async def running(spec: TargetSpec, signal: AbortSignal, limit_ms: int) -> AsyncIterator[Target]:
    """A target that runs; at the end of the block its group is killed, unless it was ``released``.

    Raises the ``OSError`` that kept it from starting, ``ValueError`` for what no operating system could start (an empty
    name, a NUL), ``WatchdogLost``, ``AbortError``, ``DeadlinePassed``. Whenever its caller is cancelled, nothing stays
    behind.
    """
    if signal.aborted:
        raise abort_error(signal)
    _refuse_unstartable(spec)
    target = WatchedTarget(spec) if _can_watch() else DirectTarget(spec)
    try:
        await until_raised(target.start(), signal, limit_ms + START_ALLOWANCE_MS)
        yield target
    finally:
        await target.close()


def _can_watch() -> bool:
    """Whether there are process groups, and an interpreter and a file to run a watchdog from."""
    return os.name == "posix" and bool(sys.executable) and not getattr(sys, "frozen", False) and WATCHDOG.is_file()


def _refuse_unstartable(spec: TargetSpec) -> None:
    if not spec.argv[0]:
        raise ValueError("the target to start has an empty name")
    words = (*spec.argv, spec.cwd, *spec.env.keys(), *spec.env.values())
    if any("\0" in word for word in words):
        raise ValueError("an argument, a path or an environment entry of the target contains a NUL")
