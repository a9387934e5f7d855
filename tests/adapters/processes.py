"""What is running and what is open, read from /proc (Linux); and waiting for what is to come, however long it takes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

PATIENCE = 60.0
"""How many seconds a test waits for what is sure to come, before it says that it never came."""

linux_only = pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="reads /proc")


class Process(NamedTuple):
    """One process."""

    pid: int
    parent: int
    group: int
    session: int
    state: str


def processes() -> Iterator[Process]:
    """Every process, but for the dead that process 1 is slow to bury."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        state, parent, group, session, *_ = stat.rpartition(")")[2].split()
        process = Process(int(folder.name), int(parent), int(group), int(session), state)
        if not (state == "Z" and process.parent == 1):
            yield process


def naming(token: str, place: str = "cmdline") -> list[Process]:
    """The processes whose command line (or environment) names a token."""
    return [each for each in processes() if each.pid != os.getpid() and token in _read(each.pid, place)]


def _read(pid: int, place: str) -> str:
    try:
        return Path(f"/proc/{pid}/{place}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def children() -> set[int]:
    """The processes this one is the parent of, the dead included."""
    lists = (folder / "children" for folder in Path("/proc/self/task").iterdir())
    return {int(number) for each in lists for number in each.read_text().split()}


def descriptors() -> dict[str, str]:
    """What this process has open, but for the listing itself."""
    opened = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            opened[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
    return opened


def eventually(done: Callable[[], object]) -> bool:
    """Whether something comes to be."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


async def until(done: Callable[[], object]) -> None:
    """Let the loop run until something has come to be."""
    async with asyncio.timeout(PATIENCE):
        while not done():
            await asyncio.sleep(0.005)


def let_pass(seconds: float) -> None:
    """Have every timer of the running loop due that much sooner: a deadline is met when the test says so."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds  # type: ignore[method-assign]


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fail unless the block leaves no child and no open descriptor more than it found."""
    before, born = len(descriptors()), children()
    yield
    assert len(descriptors()) == before, descriptors()
    assert eventually(lambda: children() <= born), children()
