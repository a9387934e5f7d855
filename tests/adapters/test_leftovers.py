"""However a probe ends, nothing stays behind; many probes at once neither wait for each other nor mix.

``EVAL_QUALITY_KILL_RUNS`` says how often in a row each way of ending is tried.
"""

from __future__ import annotations

import asyncio
import json as jsonlib
import os
import random
import signal as signals
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_command_line_adapter, create_mcp_adapter
from eval_quality.adapters.process_group import in_flight_count
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import MINUTES, command_policy, command_request, json, mcp_policy, mcp_request
from tests.adapters.processes import eventually, linux_only, naming, nothing_left, until

pytestmark = [linux_only, pytest.mark.usefixtures("patient")]

RUNS = int(os.environ.get("EVAL_QUALITY_KILL_RUNS", "4"))
SERVER = str(Path(__file__).with_name("servers") / "scripted_server.py")
COMETS = (
    "import os, time\n"
    "for _ in range(4):\n"
    "    if os.fork() == 0:\n"
    "        while True:\n"
    "            if os.fork():\n"
    "                os._exit(0)\n"
    "time.sleep(600)\n"
)
"""Processes that fork and are gone, over and over: none of them stands still for a signal."""

Probe = Callable[..., Coroutine[Any, Any, Any]]


def family(token: str, signal: AbortSignal, **policy: Any) -> Coroutine[Any, Any, Any]:
    """A command with children and grandchildren that wait, one of them without streams."""
    script = (
        f"trap '' TERM INT HUP; sh -c 'sleep 600; : {token}' & "
        f"sh -c '(sleep 600; : {token}) >/dev/null 2>&1 </dev/null & sleep 600; : {token}' & sleep 600; : {token}"
    )
    request: Any = command_request("-c", script)
    return create_command_line_adapter(command_policy(**policy)).probe(request, signal)


def comets(token: str, signal: AbortSignal, **policy: Any) -> Coroutine[Any, Any, Any]:
    """A command that is a storm of forks."""
    request: Any = command_request("-I", "-S", "-c", COMETS, token)
    return create_command_line_adapter(command_policy(sys.executable, **policy)).probe(request, signal)


def server(token: str, signal: AbortSignal, **policy: Any) -> Coroutine[Any, Any, Any]:
    """A server with a child that waits, and no answer."""
    steps = jsonlib.dumps([["ignore_signals"], ["leave_alone", 600], ["handshake"], ["sleep", 600]])
    request: Any = mcp_request()
    return create_mcp_adapter(mcp_policy(sys.executable, "-I", "-S", SERVER, steps, token, **policy)).probe(
        request, signal
    )


async def seen(token: str) -> None:
    """Until a target runs, and a little longer or not."""
    await until(lambda: naming(token))
    await asyncio.sleep(random.choice((0, 0.005, 0.02, 0.05)))


def past_its_time(probe: Probe, token: str) -> None:
    with pytest.raises(RuntimeFault, match="budget-exhausted"):
        asyncio.run(probe(token, AbortSignal(), maxElapsedMs=random.choice((1, 20, 60, 150))))


def aborted(probe: Probe, token: str) -> None:
    async def main() -> None:
        signal = AbortSignal()
        task = asyncio.ensure_future(probe(token, signal))
        await seen(token)
        signal.abort()
        with pytest.raises(RuntimeFault, match="aborted"):
            await task

    asyncio.run(main())


def cancelled(probe: Probe, token: str) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(probe(token, AbortSignal()))
        await asyncio.sleep(random.uniform(0, 0.12))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def host_killed(probe: Probe, token: str) -> None:
    """The host is a fork of this process, which has nothing in flight."""
    watchdog = f"/nowhere/{token}"
    host = os.fork()
    if host == 0:
        try:
            os.environ["LD_LIBRARY_PATH"] = watchdog
            asyncio.run(probe(token, AbortSignal()))
        finally:
            os._exit(1)
    try:
        assert eventually(lambda: naming(token))
        time.sleep(random.choice((0, 0.01, 0.05)))
    finally:
        os.kill(host, signals.SIGKILL)
        os.waitpid(host, 0)
    assert eventually(lambda: not naming(token))
    assert eventually(lambda: not naming(watchdog, "environ"))


@pytest.mark.parametrize("end", [past_its_time, aborted, cancelled, host_killed])
@pytest.mark.parametrize("probe", [family, comets, server])
def test_nothing_is_left(probe: Probe, end: Callable[[Probe, str], None], token: str) -> None:
    with nothing_left():
        for run in range(RUNS):
            end(probe, f"{token}-{run}-")
            assert naming(f"{token}-{run}-") == []
            assert in_flight_count() == 0


def echoing(number: int) -> Iterator[Coroutine[Any, Any, Any]]:
    """A command and a tool call that answer with the number they were given, in several pieces."""
    words: Any = command_request("-c", f"sleep 0.0{number % 7}; printf '[{number},'; sleep 0.01; printf '{number}]'")
    yield create_command_line_adapter(command_policy()).probe(words, AbortSignal())
    steps = jsonlib.dumps([["handshake"], ["sleep", 0.01], ["tell"]])
    call: Any = mcp_request(arguments={"number": number})
    yield create_mcp_adapter(mcp_policy(sys.executable, "-I", "-S", SERVER, steps)).probe(call, AbortSignal())


def test_fifty_probes_at_once_neither_deadlock_nor_mix() -> None:
    async def main() -> list[Any]:
        async with asyncio.timeout(60 * MINUTES):
            return await asyncio.gather(*(probe for number in range(25) for probe in echoing(number)))

    with nothing_left():
        observations = asyncio.run(main())
    for number in range(25):
        command, call = observations[2 * number : 2 * number + 2]
        assert command["stdout"] == json([number, number])
        assert jsonlib.loads(call["result"]["value"]["lines"][2])["params"]["arguments"] == {"number": number}


def test_one_signal_ends_fifty_probes(token: str) -> None:
    async def main() -> None:
        signal = AbortSignal()
        probes = [asyncio.ensure_future(family(f"{token}-{number}-", signal)) for number in range(25)]
        probes += [asyncio.ensure_future(server(f"{token}-{number}-", signal)) for number in range(25)]
        async with asyncio.timeout(60 * MINUTES):
            while in_flight_count() < 50:
                await asyncio.sleep(0.05)
            signal.abort()
            faults = await asyncio.gather(*probes, return_exceptions=True)
        assert {getattr(fault, "code", fault) for fault in faults} == {"aborted"}

    with nothing_left():
        asyncio.run(main())
    assert eventually(lambda: not naming(token))
