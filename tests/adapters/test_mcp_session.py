"""Sessions with real servers: the official SDK's, and a hand-written one with every bad manner (sections 5.2 to 5.4)."""

from __future__ import annotations

import asyncio
import contextlib
import json as jsonlib
import os
import signal as signals
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_mcp_adapter
from eval_quality.adapters.mcp_session import SessionFailure
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import ABSENT, MINUTES, Json, json, mcp_policy, mcp_request, probe, probe_fault
from tests.adapters.processes import PATIENCE, eventually, let_pass, linux_only, naming, nothing_left, until

pytestmark = [linux_only, pytest.mark.usefixtures("patient")]

SERVERS = Path(__file__).with_name("servers")
HANDSHAKE: Sequence[Any] = ["handshake"]
REQUEST: Any = mcp_request()
Step = Sequence[Any]
INITIALIZED = {"jsonrpc": "2.0", "id": 1, "result": {}}
NO_MESSAGE = "the server wrote bytes on stdout that are not a JSON-RPC message: "


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with nothing_left():
        yield


def scripted(*steps: Step, words: tuple[str, ...] = (), **policy: Any) -> Any:
    """An adapter over the server that does what it is told."""
    script = jsonlib.dumps(steps)
    server = str(SERVERS / "scripted_server.py")
    return create_mcp_adapter(mcp_policy(sys.executable, "-I", "-S", server, script, *words, **policy))


def session(*steps: Step, arguments: Json | None = None, **policy: Any) -> Any:
    return probe(scripted(*steps, **policy), mcp_request(arguments=arguments))


def session_fault(*steps: Step, **policy: Any) -> RuntimeFault:
    return probe_fault(scripted(*steps, **policy), mcp_request())


def failure(*steps: Step, **policy: Any) -> str:
    """Why a session was no session at all."""
    fault = session_fault(*steps, **policy)
    assert str(fault) == "port-failure in ProbeObservation: the underlying mechanism threw or rejected"
    assert isinstance(fault.__cause__, SessionFailure)
    return str(fault.__cause__)


def answer(**result: Any) -> Step:
    return ["answer", result]


def say(*messages: Any) -> Step:
    return ["say", *messages]


def reply(number: Any, **members: Any) -> Json:
    return {"jsonrpc": "2.0", "id": number, **members}


async def fault_of(task: asyncio.Future[Any]) -> RuntimeFault:
    """The fault a probe fails with, and soon."""
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(RuntimeFault) as caught:
            await task
    return caught.value


def outcome(observation: Any) -> tuple[bool, Json]:
    assert "exitCode" not in observation
    return observation["isError"], observation["result"]


def test_the_frames_to_the_letter() -> None:
    arguments = {"b": "é\u2028", "1": [1.0, None, "\ud800"]}
    observation = session(HANDSHAKE, ["tell"], arguments=arguments)
    assert observation["result"]["value"]["lines"] == [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"eval-quality","version":"0"}}}\n',
        '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}\n',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo",'
        '"arguments":{"1":[1,null,"\\ud800"],"b":"é\u2028"}}}\n',
    ]


@pytest.mark.parametrize(
    ("members", "is_error", "body"),
    [
        ({"result": {}}, False, ABSENT),
        ({"result": {"content": [{"type": "text", "text": "x"}]}}, False, ABSENT),
        ({"result": {"structuredContent": {"a": 1}}}, False, json({"a": 1})),
        ({"result": {"structuredContent": None}}, False, json(None)),
        ({"result": {"structuredContent": [1]}}, False, json([1])),
        ({"result": {"structuredContent": "x", "isError": True}}, True, json("x")),
        ({"result": {"isError": True}}, True, ABSENT),
        ({"result": {"isError": 1}}, False, ABSENT),
        ({"result": {"isError": 1, "structuredContent": 2}}, False, json(2)),
        ({"result": {"isError": "true"}}, False, ABSENT),
        ({"result": None}, False, ABSENT),
        ({"result": [1]}, False, ABSENT),
        ({"result": "x"}, False, ABSENT),
        ({}, False, ABSENT),
        ({"error": {"code": -1, "message": "no"}}, True, json({"code": -1, "message": "no"})),
        ({"error": "no"}, True, json("no")),
        ({"error": False}, True, json(False)),
        ({"error": 0}, True, json(0)),
        ({"error": ""}, True, json("")),
        ({"error": None, "result": {"structuredContent": 1}}, False, json(1)),
        ({"error": 1, "result": {"structuredContent": 1}}, True, json(1)),
    ],
)
def test_answers_to_the_call(members: Json, is_error: bool, body: Json) -> None:
    assert outcome(session(HANDSHAKE, say(reply(2, **members)))) == (is_error, body)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        (
            {"error": {"code": -1, "message": "é"}},
            'the server refused the initialize handshake: {"code":-1,"message":"é"}',
        ),
        ({"error": 0, "result": {}}, "the server refused the initialize handshake: 0"),
        ({}, "the server answered the initialize handshake with neither a result nor an error"),
        ({"error": None}, "the server answered the initialize handshake with neither a result nor an error"),
    ],
)
def test_a_handshake_that_fails(members: Json, told: str) -> None:
    assert failure(["read"], say(reply(1, **members)), ["sleep", 600]) == told


def test_a_refusal_is_told_in_json() -> None:
    line = '{"jsonrpc":"2.0","id":1,"error":[1e400,-0]}'
    assert failure(["read"], ["write", f"{line}\n"]) == "the server refused the initialize handshake: [null,0]"


@pytest.mark.parametrize("result", [None, [], "x", {"protocolVersion": "1999-01-01"}])
def test_any_result_opens_the_session(result: Any) -> None:
    steps = [["read"], say(reply(1, result=result)), ["read", 2], answer(structuredContent=1)]
    assert outcome(session(*steps)) == (False, json(1))


@pytest.mark.parametrize("number", [2, 2.0, "2"])
def test_an_answer_is_known_by_the_text_of_its_number(number: Any) -> None:
    assert outcome(session(HANDSHAKE, say(reply(number, result={"structuredContent": "yes"})))) == (False, json("yes"))


def test_what_is_passed_over() -> None:
    strangers = [
        reply(3, result={"structuredContent": "no"}),
        reply("two", result={}),
        reply(True, result={}),
        reply(None, error={"code": -32700}),
        reply([2], result={}),
        reply(1, result={"structuredContent": "again"}),
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {}},
        reply(2, method="sampling/createMessage", params={}),
        reply(7, method="roots/list"),
    ]
    steps = [["read"], say(*strangers[:5], INITIALIZED), ["read", 2], say(*strangers), answer(structuredContent="yes")]
    assert outcome(session(*steps)) == (False, json("yes"))


def test_blank_lines_and_carriage_returns_are_harmless() -> None:
    spaces = "\n \t\r\n\u00a0\u1680\u2000\u2028\u3000\ufeff\n\v\f\n"
    line = jsonlib.dumps(reply(2, result={"structuredContent": 1}))
    assert outcome(session(HANDSHAKE, ["write", f"{spaces}  {line} \r\n"])) == (False, json(1))


def test_an_answer_without_a_line_end_counts_at_the_end_of_the_stream() -> None:
    line = jsonlib.dumps(reply(2, result={"structuredContent": "é"}), ensure_ascii=False)
    assert outcome(session(HANDSHAKE, ["write", line], ["close", 1], ["sleep", 600])) == (False, json("é"))


@pytest.mark.parametrize("size", [1, 3, 7])
def test_an_answer_in_pieces(size: int) -> None:
    line = (jsonlib.dumps(reply(2, result={"structuredContent": "€𝄞é"}), ensure_ascii=False) + "\n").encode()
    pieces = [list(line[start : start + size]) for start in range(0, len(line), size)]
    steps = [step for piece in pieces for step in (["octets", piece], ["sleep", 0.001])]
    assert outcome(session(HANDSHAKE, *steps)) == (False, json("€𝄞é"))


def test_separators_of_other_kinds_do_not_end_a_line() -> None:
    line = jsonlib.dumps(reply(2, result={"structuredContent": "a\u2028b\u0085c"}), ensure_ascii=False)
    assert outcome(session(HANDSHAKE, ["write", f"{line}\n"])) == (False, json("a\u2028b\u0085c"))


@pytest.mark.parametrize(
    "line",
    [
        "Server listening on port 80",
        "[]",
        '"text"',
        "1",
        "null",
        "{}",
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"1.0","id":1,"result":{}}',
        '{"jsonrpc":2.0,"id":1,"result":{}}',
        '{"id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":NaN}',
        '\ufeff{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{}} trailing',
    ],
)
def test_a_line_that_is_no_message(line: str) -> None:
    assert failure(["read"], ["write", f"{line}\n"], ["sleep", 600]) == NO_MESSAGE + line
    assert failure(HANDSHAKE, ["write", f"{line}\n"], answer()) == NO_MESSAGE + line


def test_a_line_that_is_no_message_counts_though_the_server_is_gone() -> None:
    assert failure(HANDSHAKE, ["write", "half a mess"], ["end", 0]) == f"{NO_MESSAGE}half a mess"
    assert failure(["write", "early\n"], ["end", 3]) == f"{NO_MESSAGE}early"


def test_a_long_line_is_shown_up_to_its_two_hundredth_unit() -> None:
    line = "x" + "😀" * 150
    assert failure(["read"], ["write", f"{line}\n"], ["sleep", 600]) == f"{NO_MESSAGE}x{'😀' * 99}\ud83d"


@pytest.mark.parametrize(
    ("last", "code"),
    [(["end", 0], 0), (["end", 3], 3), (["die", 9], -9), (["die", 15], -15), (["die", 11], -11)],
)
def test_a_server_that_ends_after_the_handshake_is_observed(last: Step, code: int) -> None:
    observation = session(HANDSHAKE, last)
    assert (observation["isError"], observation["result"], observation["exitCode"]) == (True, ABSENT, code)


@pytest.mark.parametrize(
    "steps", [[["end", 0]], [["read"], ["die", 9]], [["read"], say(reply(9, result={})), ["end", 1]]]
)
def test_a_server_that_ends_before_the_handshake_is_a_failure(steps: list[Step]) -> None:
    assert failure(*steps) == "the server exited during initialize"


def test_an_answer_beats_the_end_that_follows_it() -> None:
    for _ in range(5):
        assert outcome(session(HANDSHAKE, answer(structuredContent=1), ["end", 3])) == (False, json(1))
        assert outcome(session(HANDSHAKE, answer(structuredContent=1), ["write", "junk\n"])) == (False, json(1))


def test_a_child_may_answer_for_a_launcher_that_is_gone() -> None:
    steps = [["leave_it_to_a_child", 3], HANDSHAKE, answer(structuredContent=1)]
    assert outcome(session(*steps)) == (False, json(1))


def test_the_code_is_the_launchers() -> None:
    assert session(["leave_it_to_a_child", 3], HANDSHAKE, ["end", 5])["exitCode"] == 3


def past_its_cap(phase: str) -> str:
    return f"the session exceeded maxElapsedMs ({MINUTES * 60_000}ms) during {phase} and was torn down"


def test_a_server_that_closes_its_output_and_lives_on_meets_its_cap(tmp_path: Path) -> None:
    closed = tmp_path / "closed"

    async def main() -> RuntimeFault:
        steps = [HANDSHAKE, ["close", 1], ["close", 2], ["mark", str(closed)], ["sleep", 600]]
        task = asyncio.ensure_future(scripted(*steps).probe(REQUEST, AbortSignal()))
        await until(closed.exists)
        let_pass(60 * MINUTES)
        return await fault_of(task)

    assert str(asyncio.run(main())) == f"budget-exhausted in McpProbeRequest: {past_its_cap('tools/call')}"


def test_a_server_that_says_nothing_meets_its_cap() -> None:
    fault = session_fault(["sleep", 600], maxElapsedMs=200)
    assert fault.detail == "the session exceeded maxElapsedMs (200ms) during initialize and was torn down"


def test_time_covers_handshake_and_call_together(tmp_path: Path) -> None:
    asked, go, called = tmp_path / "asked", tmp_path / "go", tmp_path / "called"

    async def main() -> RuntimeFault:
        handshake = [["read"], ["mark", str(asked)], ["wait_for", str(go)], say(INITIALIZED)]
        steps = [*handshake, ["read", 2], ["mark", str(called)], ["sleep", 600]]
        task = asyncio.ensure_future(scripted(*steps).probe(REQUEST, AbortSignal()))
        await until(asked.exists)
        let_pass(60 * MINUTES * 0.6)
        go.touch()
        await until(called.exists)
        let_pass(60 * MINUTES * 0.6)
        return await fault_of(task)

    assert asyncio.run(main()).detail == past_its_cap("tools/call")


def test_a_server_that_never_comes_up_is_missed_at_the_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Section 5.2: the handshake is what is waited for from the launch on."""
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 600\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stuck))
    monkeypatch.setattr("eval_quality.adapters.launch.START_ALLOWANCE_MS", 100)
    monkeypatch.setattr("eval_quality.adapters.watched_target._WATCHDOG_SECONDS", 0.1)
    fault = probe_fault(create_mcp_adapter(mcp_policy("server", maxElapsedMs=100)), REQUEST)
    assert fault.detail == "the session exceeded maxElapsedMs (100ms) during initialize and was torn down"


def test_a_server_that_never_reads_cannot_hang_its_caller() -> None:
    """Frames go out without waiting for them to be read: one is larger than what the server's input holds."""
    arguments = {"value": "x" * 3_000_000}
    steps = [say(INITIALIZED), ["leave_unread", 2000], answer(structuredContent=1)]
    assert outcome(session(*steps, arguments=arguments)) == (False, json(1))
    adapter = scripted(say(INITIALIZED), ["sleep", 600], maxElapsedMs=300)
    assert probe_fault(adapter, mcp_request(arguments=arguments)).code == "budget-exhausted"


def test_an_answer_to_a_call_that_was_not_made_yet_is_passed_over() -> None:
    """Section 5.2, rule 3: only a pending request can be answered."""
    early = [INITIALIZED, reply(2, result={"structuredContent": "early"})]
    assert outcome(session(["read"], say(*early), ["read", 2], answer(structuredContent=1))) == (False, json(1))
    steps = [["read"], ["write", jsonlib.dumps(INITIALIZED) + "\njunk\n"], ["sleep", 600]]
    assert failure(*steps) == f"{NO_MESSAGE}junk"


def test_output_up_to_the_cap_and_past_it() -> None:
    line = jsonlib.dumps(reply(2, result={"structuredContent": "x" * 500})) + "\n"
    opening = jsonlib.dumps(INITIALIZED) + "\n"
    steps: list[Step] = [["read"], ["write", opening], ["read", 2], ["write", line]]
    size = len(opening) + len(line)
    assert session(*steps, maxOutputBytes=size)["result"]["kind"] == "json"
    assert str(session_fault(*steps, maxOutputBytes=size - 1)) == (
        f"budget-exhausted in McpProbeRequest: the server wrote past maxOutputBytes ({size - 1}) on stdout "
        "and the session was torn down"
    )


@pytest.mark.parametrize(("stream", "name"), [(1, "stdout"), (2, "its own stderr")])
def test_a_flood_is_cut_off(stream: int, name: str) -> None:
    fault = session_fault(HANDSHAKE, ["flood", stream], maxOutputBytes=1_000_000)
    assert fault.detail == f"the server wrote past maxOutputBytes (1000000) on {name} and the session was torn down"


def test_standard_error_is_drained_and_otherwise_ignored() -> None:
    steps = [["complain", "x", 500_000], HANDSHAKE, ["complain", "{}\n", 100_000], answer(structuredContent=1)]
    assert outcome(session(*steps)) == (False, json(1))


@pytest.mark.parametrize(
    ("steps", "policy"),
    [
        ([HANDSHAKE, ["leave_alone", 600], answer(), ["sleep", 600]], {}),
        ([["ignore_signals"], ["leave_alone", 600], HANDSHAKE, ["sleep", 600]], {"maxElapsedMs": 600}),
        ([["leave_alone", 600], HANDSHAKE, ["write", "junk\n"], ["sleep", 600]], {}),
    ],
)
def test_a_session_leaves_nothing_running(steps: list[Step], policy: Any, token: str) -> None:
    adapter = scripted(*steps, words=(token,), **policy)
    with contextlib.suppress(RuntimeFault):
        probe(adapter, mcp_request())
    assert naming(token) == []


def test_an_abort_tears_the_session_down(token: str) -> None:
    async def main() -> None:
        signal = AbortSignal()
        adapter = scripted(HANDSHAKE, ["leave_alone", 600], ["sleep", 600], words=(token,))
        task = asyncio.ensure_future(adapter.probe(REQUEST, signal))
        await until(lambda: len(naming(token)) == 2)
        signal.abort()
        fault = await fault_of(task)
        assert str(fault) == "aborted in ProbeObservation: the signal aborted while the mechanism was in flight"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert naming(token) == []


def test_a_watchdog_that_dies_is_a_failure_and_no_end_of_the_session(token: str, tmp_path: Path) -> None:
    called = tmp_path / "called"

    async def main() -> RuntimeFault:
        adapter = scripted(HANDSHAKE, ["mark", str(called)], ["sleep", 600], words=(token,))
        task = asyncio.ensure_future(adapter.probe(REQUEST, AbortSignal()))
        await until(called.exists)
        (watchdog,) = [each for each in naming("watchdog.py") if each.parent == os.getpid()]
        os.kill(watchdog.pid, signals.SIGKILL)
        return await fault_of(task)

    fault = asyncio.run(main())
    assert fault.code == "port-failure"
    assert str(fault.__cause__) == f"the process-group watchdog for {sys.executable} ended during tools/call"
    assert eventually(lambda: not naming(token))


def test_a_server_that_cannot_start() -> None:
    fault = probe_fault(create_mcp_adapter(mcp_policy("no-such-server")), mcp_request())
    assert fault.code == "port-failure"
    assert isinstance(fault.__cause__, FileNotFoundError)
    fault = probe_fault(create_mcp_adapter(mcp_policy("/bin/true", "x" * 3_000_000)), mcp_request())
    assert (fault.code, fault.port_failure_reason) == ("port-failure", None)


def test_the_server_sees_its_declared_environment_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET", "s")
    out = tmp_path / "environment"
    adapter = create_mcp_adapter(
        mcp_policy("/bin/sh", "-c", f"env > {out}", serverEnvironment={"KEY": "v", "PATH": "/bin"}, cwd=str(tmp_path))
    )
    assert probe_fault(adapter, mcp_request()).code == "port-failure"
    lines = set(out.read_text().splitlines())
    assert {"KEY=v", "PATH=/bin"} <= lines
    assert not any(line.startswith("SECRET") for line in lines)


SDK_TOOLS = ("echo", "add", "say", "refuse", "crash", "leave", "flood")


@pytest.mark.parametrize(
    ("tool", "arguments", "is_error", "body"),
    [
        ("echo", {"value": "$(id) é😀\u2028"}, False, json({"value": "$(id) é😀\u2028", "length": 9})),
        ("refuse", {"reason": "closed"}, True, json({"reason": "closed"})),
        ("say", {"text": "hello"}, False, ABSENT),
    ],
)
def test_a_server_of_the_official_sdk(tool: str, arguments: Json, is_error: bool, body: Json) -> None:
    pytest.importorskip("mcp")
    adapter = create_mcp_adapter(mcp_policy(sys.executable, str(SERVERS / "sdk_server.py"), tools=SDK_TOOLS))
    assert outcome(probe(adapter, mcp_request(tool, arguments))) == (is_error, body)


def test_a_server_of_the_official_sdk_that_ends_in_the_middle_of_a_call() -> None:
    pytest.importorskip("mcp")
    adapter = create_mcp_adapter(mcp_policy(sys.executable, str(SERVERS / "sdk_server.py"), tools=SDK_TOOLS))
    assert probe(adapter, mcp_request("leave", {"code": 4}))["exitCode"] == 4
