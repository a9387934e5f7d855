"""How a target is started and let go of: descriptors, cancellation, the watchdog, and doing without one (section 6)."""

from __future__ import annotations

import asyncio
import os
import resource
import signal as signals
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_command_line_adapter
from eval_quality.adapters.launch import running
from eval_quality.adapters.process_group import ExitStatus, TargetSpec, WatchdogLost, in_flight_count
from eval_quality.adapters.watched_target import WatchedTarget
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import MINUTES, command_policy, command_request, probe, probe_fault, text
from tests.adapters.processes import (
    PATIENCE,
    Process,
    children,
    descriptors,
    eventually,
    let_pass,
    linux_only,
    naming,
    nothing_left,
    until,
)

pytestmark = [linux_only, pytest.mark.usefixtures("patient")]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with nothing_left():
        yield
    assert in_flight_count() == 0


def sleeper(token: str) -> TargetSpec:
    """A target that waits, and a grandchild that waits longer."""
    return TargetSpec(("/bin/sh", "-c", f"sh -c 'sleep 600; : {token}' & sleep 500; : {token}"), "/", {})


def probe_sleeper(token: str, **policy: Any) -> Any:
    words = sleeper(token).argv[1:]
    return create_command_line_adapter(command_policy(**policy)).probe(command_request(*words), AbortSignal())


def watchdogs() -> list[Process]:
    return [each for each in naming("watchdog.py") if each.parent == os.getpid()]


def stop_at_every_step(make: Callable[[], Any]) -> int:
    """Cancel a coroutine at its first turn of the loop, at its second, and so on until it ends by itself."""
    steps = 0
    while steps < 400:

        async def main(turns: int) -> bool:
            task = asyncio.ensure_future(make())
            for turn in range(turns):
                if task.done():
                    break
                await asyncio.sleep(0 if turn < 15 else 0.003 * 1.02**turn)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return False
            finally:
                assert asyncio.all_tasks() == {asyncio.current_task()}
            return True

        if asyncio.run(main(steps)):
            return steps
        steps += 1
    raise AssertionError("it never ends")


def test_cancelled_while_starting(token: str) -> None:
    """Every turn of the loop from the first descriptor to the target's first breath."""

    async def start() -> None:
        async with running(sleeper(token), AbortSignal(), 20_000):
            pass

    before = descriptors()
    assert stop_at_every_step(start) > 5
    assert descriptors().keys() == before.keys()
    assert naming(token) == []


def test_cancelled_at_the_very_moment_of_the_start(token: str) -> None:
    """The result of the start is on its way to the caller who is cancelled."""

    async def main() -> None:
        task = asyncio.ensure_future(probe_sleeper(token))
        while in_flight_count() == 0:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert naming(token) == []


def test_cancelled_twice(token: str) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(probe_sleeper(token))
        await until(lambda: naming(token))
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert eventually(lambda: not naming(token) and not watchdogs())


def test_a_loop_that_ends_in_the_middle_of_a_run(token: str) -> None:
    async def main() -> None:
        asyncio.ensure_future(probe_sleeper(token))  # noqa: RUF006
        await until(lambda: naming(token))

    asyncio.run(main())
    assert naming(token) == []


def test_a_timeout_around_a_probe(token: str) -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await probe_sleeper(token)

    asyncio.run(main())
    assert naming(token) == []


def test_no_descriptor_to_be_had() -> None:
    """Whichever descriptor is the one too many, the ones before it are closed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    adapter = create_command_line_adapter(command_policy("/bin/echo"))

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert await adapter.probe(command_request("hi"), AbortSignal())
        free = os.open(os.devnull, os.O_RDONLY)
        os.close(free)
        before = descriptors()
        for room in range(10):
            resource.setrlimit(resource.RLIMIT_NOFILE, (free + room, hard))
            try:
                with pytest.raises(OSError, match="Too many open files"):
                    async with running(TargetSpec(("/bin/echo",), "/", {}), AbortSignal(), 1000):
                        pass
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            await asyncio.sleep(0)
            assert descriptors() == before, room
        assert loop.is_running()

    asyncio.run(main())


def test_a_host_with_many_open_files() -> None:
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)] if _room_for(1200) else []
    try:
        assert probe(create_command_line_adapter(command_policy("/bin/echo")), command_request("hi"))["exitCode"] == 0
    finally:
        for number in opened:
            os.close(number)


def _room_for(count: int) -> bool:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    return count <= hard


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel for orphans")
def test_the_watchdog_is_the_parent_of_orphans(token: str) -> None:
    """So that it can bury them, and a killed group is gone at once."""

    async def main() -> None:
        script = f"(sh -c 'sleep 600; : {token}' &); sleep 600; : {token}"
        adapter = create_command_line_adapter(command_policy())
        task = asyncio.ensure_future(adapter.probe(command_request("-c", script), AbortSignal()))
        await until(watchdogs)
        (watchdog,) = watchdogs()
        await until(lambda: [each.parent for each in naming(token)] == [watchdog.pid] * 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


@pytest.mark.parametrize(
    ("code", "number", "signed"), [(0, None, 0), (255, None, 255), (None, 9, -9), (None, None, -1)]
)
def test_a_signed_exit_code(code: int | None, number: int | None, signed: int) -> None:
    """Section 4.5, its last paragraph."""
    assert ExitStatus(code, number).signed == signed


def test_a_watchdog_that_dies_takes_the_group_along(token: str) -> None:
    async def main() -> Any:
        task = asyncio.ensure_future(probe_sleeper(token))
        await until(lambda: len(naming(token)) == 2)
        (watchdog,) = watchdogs()
        os.kill(watchdog.pid, signals.SIGKILL)
        return await task

    assert asyncio.run(main())["exitCode"] == -signals.SIGKILL
    assert eventually(lambda: not naming(token))


def test_a_watchdog_that_dies_after_its_targets_end(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[ExitStatus] = []
    wait_for_end = WatchedTarget.exited

    async def exited(target: WatchedTarget) -> ExitStatus:
        ended.append(await wait_for_end(target))
        return ended[0]

    monkeypatch.setattr(WatchedTarget, "exited", exited)

    async def main() -> Any:
        script = f"sh -c 'sleep 600; : {token}' & exit 3"
        adapter = create_command_line_adapter(command_policy())
        task = asyncio.ensure_future(adapter.probe(command_request("-c", script), AbortSignal()))
        await until(lambda: ended)
        (watchdog,) = watchdogs()
        os.kill(watchdog.pid, signals.SIGKILL)
        return await task

    assert asyncio.run(main())["exitCode"] == 3
    assert eventually(lambda: not naming(token))


@pytest.mark.parametrize("cancels", [1, 2])
def test_a_stopped_watchdog_holds_nobody_up_and_is_ended(
    cancels: int, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_quality.adapters.watched_target._WATCHDOG_SECONDS", 0.3)

    async def main() -> None:
        task = asyncio.ensure_future(probe_sleeper(token))
        await until(lambda: len(naming(token)) == 2)
        (watchdog,) = watchdogs()
        os.kill(watchdog.pid, signals.SIGSTOP)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert eventually(lambda: not naming(token) and not watchdogs())


EXIT: Any = command_request("-c", "exit")


def interpreter(path: Path, *lines: str) -> str:
    """A stand-in for the interpreter that runs the watchdog."""
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o755)
    return str(path)


def test_a_watchdog_that_ends_before_it_starts_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path / "python", "exit 1"))
    fault = probe_fault(create_command_line_adapter(command_policy("tool")), command_request())
    assert str(fault) == "port-failure in ProbeObservation: the underlying mechanism threw or rejected"
    assert isinstance(fault.__cause__, WatchdogLost)
    assert str(fault.__cause__) == "the process-group watchdog for tool ended before starting it"


def test_starting_is_not_charged_to_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 4.5, step 2: what a target may take is counted from its start; starting it has 30 seconds more."""
    up, go = tmp_path / "up", tmp_path / "go"
    wait = f"until [ -e {go} ]; do sleep 0.01; done"
    slow = interpreter(tmp_path / "python", f"touch {up}", wait, f'exec {sys.executable} "$@"')
    monkeypatch.setattr(sys, "executable", slow)

    async def main() -> Any:
        adapter = create_command_line_adapter(command_policy())
        request: Any = command_request("-c", "echo hi")
        task = asyncio.ensure_future(adapter.probe(request, AbortSignal()))
        await until(up.exists)
        let_pass(60 * MINUTES + 1)
        go.touch()
        return await task

    assert asyncio.run(main())["stdout"] == text("hi\n")


def test_a_target_that_never_starts_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    up = tmp_path / "up"
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path / "python", f"touch {up}", "exec sleep 600"))
    monkeypatch.setattr("eval_quality.adapters.watched_target._WATCHDOG_SECONDS", 0.2)

    async def main() -> None:
        task = asyncio.ensure_future(create_command_line_adapter(command_policy()).probe(EXIT, AbortSignal()))
        await until(up.exists)
        let_pass(60 * MINUTES + 30)
        async with asyncio.timeout(PATIENCE):
            await task

    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(main())
    told = f"budget-exhausted in CommandProbeRequest: exceeded maxElapsedMs ({MINUTES * 60_000}ms) and was killed"
    assert str(caught.value) == told


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application packed into one executable, which cannot run a watchdog."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)


@pytest.mark.usefixtures("frozen")
class TestWithoutWatchdog:
    def test_code_and_streams(self) -> None:
        adapter = create_command_line_adapter(command_policy(permittedEnvironmentKeys=["A"]))
        request = command_request("-c", 'echo "$0 $A"; cat; exit 3', "\ud800", environment={"A": "é"}, stdin=text("in"))
        observation = probe(adapter, request)
        assert (observation["exitCode"], observation["stdout"]) == (3, text("\ufffd é\nin"))
        assert watchdogs() == []

    def test_death_by_signal(self) -> None:
        adapter = create_command_line_adapter(command_policy())
        assert probe(adapter, command_request("-c", "kill -TERM $$"))["exitCode"] == -signals.SIGTERM

    def test_a_session_of_its_own(self) -> None:
        adapter = create_command_line_adapter(command_policy(sys.executable))
        script = "import os; print(os.getsid(0) == os.getpid() == os.getpgid(0))"
        assert probe(adapter, command_request("-c", script))["stdout"] == text("True\n")

    def test_a_target_past_its_time(self, token: str) -> None:
        words = sleeper(token).argv[1:]
        fault = probe_fault(create_command_line_adapter(command_policy(maxElapsedMs=300)), command_request(*words))
        assert fault.code == "budget-exhausted"
        assert eventually(lambda: not naming(token))

    def test_cancelled(self, token: str) -> None:
        async def main() -> None:
            task = asyncio.ensure_future(probe_sleeper(token))
            await until(lambda: len(naming(token)) == 2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert eventually(lambda: not naming(token))

    def test_what_a_finished_target_left_running_is_untouched(self, token: str, tmp_path: Path) -> None:
        go = tmp_path / "go"
        left = f"until [ -e {go} ]; do sleep 0.01; done; : {token}"
        script = f"sh -c '{left}' >/dev/null 2>&1 </dev/null & exit 0"
        assert probe(create_command_line_adapter(command_policy()), command_request("-c", script))["exitCode"] == 0
        assert naming(token)
        go.touch()
        assert eventually(lambda: not naming(token))

    def test_what_cannot_start(self) -> None:
        fault = probe_fault(create_command_line_adapter(command_policy("no-such-command")), command_request())
        assert isinstance(fault.__cause__, FileNotFoundError)
        fault = probe_fault(create_command_line_adapter(command_policy("/bin/true")), command_request("x" * 3_000_000))
        assert fault.port_failure_reason == "launch-too-large"


HOST = """
import asyncio, signal, sys
from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_command_line_adapter
from tests.adapters.messages import command_policy, command_request

async def main():
    adapter = create_command_line_adapter(command_policy())
    task = asyncio.ensure_future(adapter.probe(command_request("-c", sys.argv[1]), AbortSignal()))
    while True:
        await asyncio.sleep(0.01)
        {turn}

{ending}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is born ignoring it
asyncio.run(main())
"""


def run_host(script: str, *, turn: str = "pass", ending: str = "", **environment: str) -> subprocess.Popen[bytes]:
    """A host of its own, which runs one command."""
    program = HOST.format(turn=turn, ending=ending)
    return subprocess.Popen([sys.executable, "-c", program, script], env=os.environ | environment)


@pytest.mark.parametrize("ending", ["SIGKILL", "SIGTERM", "SIGINT", "SIGABRT"])
def test_a_host_that_dies_takes_the_group_and_the_watchdog_along(ending: str, token: str) -> None:
    host = run_host(sleeper(token).argv[2], LD_LIBRARY_PATH=f"/nowhere/{token}")
    try:
        assert eventually(lambda: len(naming(f": {token}")) >= 2)
        assert naming(f"/nowhere/{token}", "environ")
        host.send_signal(getattr(signals, ending))
        host.wait(PATIENCE)
        assert eventually(lambda: not naming(f": {token}"))
        assert eventually(lambda: not naming(f"/nowhere/{token}", "environ"))
    finally:
        host.kill()
        host.wait()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs descriptors of processes")
def test_a_fork_of_the_host_that_outlives_it_does_not_keep_the_group(token: str) -> None:
    """The fork holds a copy of the host's end of the socket."""
    turn = "done = [each for each in sys.argv if each == 'forked'] or fork()"
    ending = (
        "import os, time\n"
        "from eval_quality.adapters.process_group import in_flight_count\n"
        "def fork():\n"
        "    if in_flight_count():\n"
        "        sys.argv.append('forked')\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(600)\n"
        "            os._exit(0)\n"
    )
    host = run_host(sleeper(token).argv[2], turn=turn, ending=ending)
    try:
        assert eventually(lambda: len(naming(token)) == 4)  # host, fork, target and grandchild
        host.kill()
        host.wait()
        assert eventually(lambda: [each.group for each in naming(token)] == [os.getpgid(0)])
    finally:
        host.kill()
        host.wait()
        for left in naming(token):
            os.kill(left.pid, signals.SIGKILL)
        assert eventually(lambda: not naming(token))


def test_the_exit_hook_covers_what_has_no_watchdog(token: str) -> None:
    """``sys.exit`` inside the loop's signal handler leaves no chance to clean up."""
    ending = "import os\nsys.frozen = True"
    turn = "import os, atexit; from eval_quality.adapters.process_group import in_flight_count as n; n() and finish()"
    ending += (
        "\ndef finish():\n"
        "    import time\n"
        "    time.sleep(0.2)\n"
        "    import atexit\n"
        "    atexit._run_exitfuncs()\n"
        "    os._exit(0)\n"
    )
    host = run_host(sleeper(token).argv[2], turn=turn, ending=ending)
    try:
        host.wait(PATIENCE)
        assert eventually(lambda: not naming(token))
    finally:
        host.kill()
        host.wait()


def test_children_are_reaped_at_once() -> None:
    before = children()
    probe(create_command_line_adapter(command_policy("/bin/true")), command_request())
    assert children() == before
