"""Real commands: what ends them, what they leave, what of their output arrives (spec 12, section 4.5)."""

from __future__ import annotations

import asyncio
import os
import signal as signals
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortError, AbortSignal
from eval_quality.adapters import CommandRunRequest, CommandRunResult, create_command_line_adapter, subprocess_mechanism
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import ABSENT, MINUTES, command_policy, command_request, json, probe, probe_fault, text
from tests.adapters.processes import PATIENCE, eventually, let_pass, linux_only, naming, nothing_left, until

pytestmark = [linux_only, pytest.mark.usefixtures("patient")]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with nothing_left():
        yield


def shell(script: str, *words: str, stdin: Any = ABSENT, **policy: Any) -> Any:
    """What a shell script is observed as."""
    return probe(
        create_command_line_adapter(command_policy(**policy)), command_request("-c", script, *words, stdin=stdin)
    )


def shell_fault(script: str, *words: str, stdin: Any = ABSENT, **policy: Any) -> RuntimeFault:
    adapter = create_command_line_adapter(command_policy(**policy))
    return probe_fault(adapter, command_request("-c", script, *words, stdin=stdin))


def python(script: str, *words: str, stdin: Any = ABSENT, **policy: Any) -> Any:
    adapter = create_command_line_adapter(command_policy(sys.executable, **policy))
    return probe(adapter, command_request("-I", "-S", "-c", script, *words, stdin=stdin))


def test_code_and_streams() -> None:
    observation = shell("echo out; echo err >&2; exit 7")
    assert (observation["exitCode"], observation["stdout"], observation["stderr"]) == (7, text("out\n"), text("err\n"))


@pytest.mark.parametrize("number", [signals.SIGTERM, signals.SIGKILL, signals.SIGSEGV])
def test_death_by_signal(number: int) -> None:
    assert shell(f"kill -{number} $$")["exitCode"] == -number


def test_words_arrive_as_they_are() -> None:
    words = ["", " ", "$(id)", "`id`", "a;b|c>d", "*", "--", "é", "line\nbreak", '"q"', "\\"]
    script = "import json,sys; print(json.dumps(sys.argv[1:]))"
    assert python(script, *words)["stdout"] == json(words)


def test_a_lone_surrogate_arrives_as_a_replacement_character() -> None:
    adapter = create_command_line_adapter(command_policy("/bin/echo", permittedEnvironmentKeys=["A"]))
    request = command_request("\ud800x", environment={"A": "\udfff"})
    assert probe(adapter, request)["stdout"] == text("\ufffdx\n")


def test_the_target_sees_the_declared_environment_and_the_hosts_path_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    adapter = create_command_line_adapter(command_policy("env", permittedEnvironmentKeys=["MODE"]))
    observation = probe(adapter, command_request(environment={"MODE": "fast"}))
    assert sorted(observation["stdout"]["value"].splitlines()) == ["MODE=fast", f"PATH={os.environ['PATH']}"]


def test_input_ends() -> None:
    assert shell("cat; echo end")["stdout"] == text("end\n")
    assert shell("cat", stdin=text("é\r\n"))["stdout"] == text("é\r\n")
    assert shell("cat", stdin=json({"a": 1}))["stdout"] == json({"a": 1})


def test_input_that_nobody_reads_is_no_failure() -> None:
    assert shell("exec 0<&-; exit 4", stdin=text("x" * 3_000_000))["exitCode"] == 4
    assert shell("sleep 0.05; exit 5", stdin=text("x" * 3_000_000))["exitCode"] == 5


def test_much_input_and_much_output_at_once() -> None:
    content = "0123456789abcdef" * 200_000
    observation = shell("cat", stdin=text(content), maxOutputBytes=len(content))
    assert observation["stdout"] == text(content)


def test_a_target_leads_a_session_of_its_own_without_a_terminal() -> None:
    script = (
        "import os, json\n"
        "try: terminal = bool(os.open('/dev/tty', os.O_RDWR))\n"
        "except OSError: terminal = False\n"
        "print(json.dumps([os.getsid(0) == os.getpid() == os.getpgid(0), terminal]))"
    )
    assert python(script)["stdout"] == json([True, False])
    assert python("import os; print(os.getsid(0))")["stdout"] != json(os.getsid(0))


def test_a_target_inherits_nothing_but_its_streams() -> None:
    with open(os.devnull, "rb") as file:
        os.set_inheritable(file.fileno(), True)
        observation = shell("ls /proc/self/fd | wc -l")
    assert observation["stdout"] == json(4)  # the three streams, and the listing itself


def test_signals_are_those_of_a_fresh_process() -> None:
    previous = signals.signal(signals.SIGTERM, signals.SIG_IGN)
    signals.pthread_sigmask(signals.SIG_BLOCK, [signals.SIGUSR1])
    try:
        lines = shell("grep -E '^Sig(Ign|Blk)' /proc/self/status")["stdout"]["value"].split()
    finally:
        signals.pthread_sigmask(signals.SIG_UNBLOCK, [signals.SIGUSR1])
        signals.signal(signals.SIGTERM, previous)
    settable = sum(1 << number - 1 for number in signals.valid_signals())  # the C library keeps a few to itself
    assert [int(word, 16) & settable for word in lines[1::2]] == [0, 0]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_characters_split_across_writes_survive(size: int) -> None:
    script = (
        "import os, sys, time\n"
        "content = '€𝄞é'.encode() * 3\n"
        f"for start in range(0, len(content), {size}):\n"
        f"    os.write(1, content[start:start + {size}])\n"
        "    time.sleep(0.002)"
    )
    assert python(script)["stdout"] == text("€𝄞é" * 3)


@pytest.mark.parametrize(
    ("octets", "shown"),
    [
        (r"\303", "\ufffd"),
        (r"a\360\235\204", "a\ufffd"),
        (r"\377\376b", "\ufffd\ufffdb"),
        (r"\357\273\2771", "\ufeff1"),
        (r"\355\240\200", "\ufffd\ufffd\ufffd"),
    ],
)
def test_what_is_no_utf8_is_replaced(octets: str, shown: str) -> None:
    assert shell(f"printf '{octets}'")["stdout"] == text(shown)


def test_output_up_to_the_cap_and_past_it() -> None:
    assert shell("printf 12345", maxOutputBytes=5)["stdout"] == json(12345)
    for script in ("printf 123456", "printf 123456 >&2"):
        fault = shell_fault(script, maxOutputBytes=5)
        assert str(fault) == (
            "budget-exhausted in CommandProbeRequest: stdout or stderr exceeded maxOutputBytes (5) "
            "and the process was killed"
        )
        assert fault.__cause__ is None


def test_the_cap_counts_octets_of_each_stream() -> None:
    assert shell("printf ééé; printf ééé >&2", maxOutputBytes=6)["exitCode"] == 0
    assert shell_fault("printf éééa", maxOutputBytes=6).code == "budget-exhausted"


def test_a_flood_is_cut_off(token: str) -> None:
    fault = shell_fault(f"yes {token}", maxOutputBytes=1_000_000)
    assert fault.detail == "stdout or stderr exceeded maxOutputBytes (1000000) and the process was killed"
    assert naming(token) == []


def test_a_target_past_its_time(token: str) -> None:
    fault = shell_fault(f"sleep 6000; : {token}", maxElapsedMs=150)
    assert str(fault) == "budget-exhausted in CommandProbeRequest: exceeded maxElapsedMs (150ms) and was killed"
    assert naming(token) == []


def test_a_target_that_ignores_signals_is_killed(token: str) -> None:
    script = f"trap '' TERM INT HUP QUIT; while :; do sleep 0.05; done; : {token}"
    assert shell_fault(script, maxElapsedMs=200).code == "budget-exhausted"
    assert naming(token) == []


def test_grandchildren_are_killed_with_a_target_cut_short(token: str) -> None:
    script = f"(sh -c 'sleep 600; : {token}' & sh -c 'sleep 600; : {token}' &) ; sleep 600; : {token}"
    assert shell_fault(script, maxElapsedMs=300).code == "budget-exhausted"
    assert naming(token) == []


def test_a_grandchild_that_holds_the_output_delays_the_end(token: str) -> None:
    observation = shell("(sleep 0.3; echo late) & echo early")
    assert observation["stdout"] == text("early\nlate\n")
    assert shell_fault(f"sh -c 'sleep 600; : {token}' & exit 0", maxElapsedMs=300).code == "budget-exhausted"
    assert naming(token) == []


def test_what_a_finished_target_left_running_is_untouched(token: str, tmp_path: Path) -> None:
    """It ends only when it is told to, and that is after the target's own end was observed."""
    go, mark = tmp_path / "go", tmp_path / "mark"
    left = f"until [ -e {go} ]; do sleep 0.01; done; echo done > {mark}; : {token}"
    assert shell(f"sh -c '{left}' >/dev/null 2>&1 </dev/null & exit 0")["exitCode"] == 0
    assert naming(token)
    go.touch()
    assert eventually(mark.exists)
    assert eventually(lambda: not naming(token))


def test_a_target_that_closes_its_streams_is_waited_for() -> None:
    assert shell("exec >&- 2>&- <&-; sleep 0.3; exit 6")["exitCode"] == 6


def test_a_target_that_closes_its_streams_and_lives_on_meets_its_cap(token: str) -> None:
    assert shell_fault(f"exec >&- 2>&- <&-; sleep 600; : {token}", maxElapsedMs=200).code == "budget-exhausted"
    assert naming(token) == []


def test_a_process_that_left_the_group_holds_nobody_up(token: str) -> None:
    """It holds the output open and is not killed along. Its deadline runs, for its input has ended."""
    script = "import os, time\nos.read(0, 1)\nif os.fork() == 0:\n    os.setsid()\ntime.sleep(600)"

    async def main() -> None:
        request: Any = command_request("-I", "-S", "-c", script, token)
        probing = create_command_line_adapter(command_policy(sys.executable)).probe(request, AbortSignal())
        task = asyncio.ensure_future(probing)
        await until(lambda: [each.pid == each.session for each in naming(token)] == [True, True])
        let_pass(60 * MINUTES)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RuntimeFault, match="budget-exhausted"):
                await task

    asyncio.run(main())
    (escaped,) = naming(token)
    os.kill(escaped.pid, signals.SIGKILL)
    assert eventually(lambda: not naming(token))


def test_an_abort_kills_the_group(token: str) -> None:
    async def main() -> None:
        signal = AbortSignal()
        script = f"sh -c 'sleep 600; : {token}' & sleep 600; : {token}"
        request: Any = command_request("-c", script)
        task = asyncio.ensure_future(create_command_line_adapter(command_policy()).probe(request, signal))
        await until(lambda: naming(token))
        signal.abort(ValueError("enough"))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RuntimeFault, match="aborted in ProbeObservation: the signal aborted while") as caught:
                await task
        assert isinstance(caught.value.__cause__, ValueError)
        assert signal._listeners == []

    asyncio.run(main())
    assert naming(token) == []


def run_request(**changes: Any) -> CommandRunRequest:
    given: dict[str, Any] = {
        "target": "/bin/sh",
        "subcommand_path": (),
        "argv": ("-c", "exit 0"),
        "env": {},
        "stdin": b"",
        "cwd": "/",
        "max_elapsed_ms": 120_000,
        "max_output_bytes": 1000,
    }
    return CommandRunRequest(**(given | changes))


def test_the_mechanism_by_itself() -> None:
    run = subprocess_mechanism.run
    assert asyncio.run(run(run_request(argv=("-c", "echo $0 $#", "a", "b")), AbortSignal())) == (
        CommandRunResult(0, "a 1\n", "")
    )


def test_the_mechanism_by_itself_is_aborted(token: str) -> None:
    """Section 4.5, step 3: before it starts anything and while it waits, with the signal's reason as the cause."""
    raised, signal = AbortSignal(), AbortSignal()
    raised.abort(ValueError("enough"))

    async def main() -> None:
        request = run_request(argv=("-c", f"sleep 6000; : {token}"))
        task = asyncio.ensure_future(subprocess_mechanism.run(request, signal))
        await until(lambda: naming(token))
        signal.abort(ValueError("enough"))
        await task

    for aborted in (subprocess_mechanism.run(run_request(), raised), main()):
        with pytest.raises(AbortError, match="The operation was aborted") as caught:
            asyncio.run(aborted)
        assert isinstance(caught.value.__cause__, ValueError)
    assert naming(token) == []


@pytest.mark.parametrize(
    ("target", "changes", "cause"),
    [
        ("no-such-command", {}, FileNotFoundError),
        ("/no/such/command", {}, FileNotFoundError),
        ("./no-such-command", {}, FileNotFoundError),
        ("/dev/null", {}, PermissionError),
        ("/", {}, PermissionError),
        ("/bin/sh", {"cwd": "/no/such/directory"}, FileNotFoundError),
        ("/bin/sh", {"cwd": "/dev/null"}, NotADirectoryError),
        ("x" * 100_000, {}, OSError),
        ("a\0b", {}, ValueError),
        ("/bin/sh", {"cwd": "/\0"}, ValueError),
    ],
)
def test_a_target_that_cannot_start(target: str, changes: Any, cause: type[Exception]) -> None:
    fault = probe_fault(create_command_line_adapter(command_policy(target, **changes)), command_request())
    assert str(fault) == "port-failure in ProbeObservation: the underlying mechanism threw or rejected"
    assert isinstance(fault.__cause__, cause)
    assert fault.port_failure_reason is None


def test_the_error_names_the_target() -> None:
    fault = probe_fault(create_command_line_adapter(command_policy("no-such-command")), command_request())
    assert isinstance(fault.__cause__, OSError)
    assert fault.__cause__.filename == "no-such-command"


@pytest.mark.parametrize("words", [("x" * 3_000_000,), ("x" * 100_000,) * 50])
def test_a_launch_too_large(words: tuple[str, ...]) -> None:
    fault = probe_fault(create_command_line_adapter(command_policy("/bin/true")), command_request(*words))
    assert (fault.code, fault.port_failure_reason) == ("port-failure", "launch-too-large")


def test_a_nul_in_what_is_passed() -> None:
    adapter = create_command_line_adapter(command_policy("/bin/true", permittedEnvironmentKeys=["A"]))
    for request in (command_request("a\0"), command_request(environment={"A": "\0"})):
        assert isinstance(probe_fault(adapter, request).__cause__, ValueError)


def executable(path: Path, content: str) -> Path:
    path.write_text(content)
    path.chmod(0o755)
    return path


def test_where_a_target_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    executable(folder / "greet", "#!/bin/sh\necho found\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "greet").write_text("not executable")
    monkeypatch.setenv("PATH", f"{tmp_path}/other:/no/such/place:{folder}")
    for target, cwd in (("greet", "/"), ("./greet", folder), ("bin/greet", tmp_path), (str(folder / "greet"), "/")):
        observation = probe(create_command_line_adapter(command_policy(target, cwd=cwd)), command_request())
        assert observation["stdout"] == text("found\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/other")
    fault = probe_fault(create_command_line_adapter(command_policy("greet")), command_request())
    assert isinstance(fault.__cause__, PermissionError)


def test_a_relative_directory_is_taken_against_the_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert shell("pwd", cwd="sub")["stdout"] == text(f"{tmp_path.resolve()}/sub\n")


def test_a_script_without_interpreter_line_goes_to_the_shell(tmp_path: Path) -> None:
    script = executable(tmp_path / "script", 'echo "$0 $1"\n')
    observation = probe(create_command_line_adapter(command_policy(str(script))), command_request("a b"))
    assert observation["stdout"] == text(f"{script} a b\n")


def test_artifacts_a_run_wrote(tmp_path: Path) -> None:
    script = "printf 'plain' > log; printf '[1]' > data; printf 123456 > big; mkdir folder; mkfifo pipe; exit 3"
    observation = shell(script, cwd=tmp_path, artifacts={"log": "log", "data": str(tmp_path / "data"), "none": "none"})
    assert observation["artifacts"] == {"log": text("plain"), "data": json([1]), "none": ABSENT}
    assert observation["exitCode"] == 3
    fault = shell_fault("exit 0", cwd=tmp_path, artifacts={"big": "big"}, maxOutputBytes=5)
    assert str(fault) == 'budget-exhausted in CommandProbeRequest: artifact "big" exceeded maxOutputBytes (5)'
    assert shell("exit 0", cwd=tmp_path, artifacts={"big": "big"}, maxOutputBytes=6)["artifacts"]["big"] == json(123456)
    for artifact in ("folder", "log/below"):
        assert shell_fault("exit 0", cwd=tmp_path, artifacts={"a": artifact}).code == "port-failure"
    assert shell("exit 0", cwd=tmp_path, artifacts={"a": "pipe"})["artifacts"] == {"a": text("")}
    assert shell_fault("exit 0", artifacts={"a": "/dev/zero"}).code == "budget-exhausted"


def test_an_absurd_cap_reserves_nothing() -> None:
    observation = shell("exit 0", artifacts={"none": "/etc/passwd"}, maxOutputBytes=2**53 - 1, maxElapsedMs=2**31 - 1)
    assert observation["artifacts"]["none"]["kind"] == "text"
