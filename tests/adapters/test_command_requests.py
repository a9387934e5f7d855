"""What a command request comes to before anything runs, and what a run is observed as (spec 12, sections 4.1 to 4.7).

The mechanism is scripted here; real commands are in ``test_command_run``.
"""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import ArtifactText, CommandRunRequest, CommandRunResult, create_command_line_adapter
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import (
    ABSENT,
    Json,
    api_request,
    command_policy,
    command_request,
    json,
    mcp_request,
    probe,
    probe_fault,
    text,
)

NOTHING = CommandRunResult(0, "", "")


class Scripted:
    """A mechanism that remembers its runs and answers them all alike."""

    def __init__(
        self,
        result: CommandRunResult | Exception = NOTHING,
        artifacts: dict[str, ArtifactText | Exception] | None = None,
    ) -> None:
        self.result = result
        self.artifacts = artifacts or {}
        self.runs: list[CommandRunRequest] = []
        self.reads: list[tuple[str, int]] = []

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        self.runs.append(request)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        self.reads.append((path, max_bytes))
        found = self.artifacts[path]
        if isinstance(found, Exception):
            raise found
        return found


def run_of(request: Json, policy: Any = None) -> CommandRunRequest:
    """What the mechanism is asked to run."""
    mechanism = Scripted()
    probe(create_command_line_adapter(policy or command_policy(), mechanism), request)
    (run,) = mechanism.runs
    return run


def observed(stdout: str, stderr: str = "", exit_code: int = 0) -> Any:
    mechanism = Scripted(CommandRunResult(exit_code, stdout, stderr))
    return probe(create_command_line_adapter(command_policy(), mechanism), command_request())


OPTIONS: list[tuple[Json, list[str]]] = [
    ({}, []),
    ({"b": True}, ["--b"]),
    ({"c": False}, []),
    ({"k": ""}, ["--k", ""]),
    ({"n": None}, ["--n", "null"]),
    ({"l": []}, []),
    ({"e": [1, True, None, {"a": 1}]}, ["--e", "1", "--e", "true", "--e", "null", "--e", '{"a":1}']),
    ({"f": [False]}, ["--f", "false"]),
    ({"d": "$(x)"}, ["--d", "$(x)"]),
    ({"o": {"b": [1, "é"], "1": None}}, ["--o", '{"1":null,"b":[1,"é"]}']),
    ({"10": "ten", "x": 1, "2": "two"}, ["--2", "two", "--10", "ten", "--x", "1"]),
]
ARGUMENTS: list[tuple[Json, list[str]]] = [
    ({}, []),
    ({"a": "text"}, ["text"]),
    ({"a": ["p", "q"]}, ["p", "q"]),
    ({"a": []}, []),
    ({"a": True, "b": False, "c": None}, ["true", "false", "null"]),
    ({"a": 1e21, "b": 1e-7, "c": -0.0, "d": 1.5, "e": 100}, ["1e+21", "1e-7", "0", "1.5", "100"]),
    ({"z": "last", "a": ["p", "q"], "1": "one", "n": None}, ["one", "last", "p", "q", "null"]),
    ({"a": {"k": "\ud800"}}, ['{"k":"\\ud800"}']),
    ({"a": "a b; $(c) `d` *"}, ["a b; $(c) `d` *"]),
]


@pytest.mark.parametrize(("option", "words"), OPTIONS)
def test_options_as_words(option: Json, words: list[str]) -> None:
    assert list(run_of(command_request(option=option)).argv) == words


@pytest.mark.parametrize(("argument", "words"), ARGUMENTS)
def test_arguments_as_words(argument: Json, words: list[str]) -> None:
    assert list(run_of(command_request(argument=argument)).argv) == words


def test_options_come_before_arguments_and_subcommands_apart() -> None:
    option = {
        "b": True,
        "c": False,
        "d": "$(x)",
        "e": [1, True, None, {"a": 1}],
        "10": "ten",
        "2": "two",
        "k": "",
        "l": [],
    }
    argument = {"z": "last", "a": ["p", "q"], "1": "one", "n": None}
    policy = command_policy(permittedSubcommandPaths=[["sub", "path"]])
    run = run_of(command_request(option=option, argument=argument, subcommandPath=["sub", "path"]), policy)
    assert run.subcommand_path == ("sub", "path")
    assert list(run.argv) == [
        *("--2", "two", "--10", "ten", "--b", "--d", "$(x)", "--e", "1", "--e", "true", "--e", "null"),
        *("--e", '{"a":1}', "--k", "", "one", "last", "p", "q", "null"),
    ]


@pytest.mark.parametrize(
    ("stdin", "content"),
    [
        (ABSENT, b""),
        (text(""), b""),
        (text("é\r\n"), "é\r\n".encode()),
        (text("\ud800"), "\ufffd".encode()),
        (json({"b": 1.0, "1": "é"}), '{"1":"é","b":1}'.encode()),
        (json("\ud800"), b'"\\ud800"'),
        (json(None), b"null"),
    ],
)
def test_standard_input(stdin: Json, content: bytes) -> None:
    assert run_of(command_request(stdin=stdin)).stdin == content


def test_the_environment_is_the_path_of_the_host_and_what_is_authorised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("SECRET", "s")
    policy = command_policy(permittedEnvironmentKeys=["MODE", "EMPTY"])
    request = command_request(environment={"MODE": "fast", "EMPTY": ""})
    assert run_of(request, policy).env == {"PATH": "/bin", "MODE": "fast", "EMPTY": ""}
    monkeypatch.delenv("PATH")
    assert run_of(command_request(), policy).env == {}


@pytest.mark.parametrize(
    ("environment", "permitted", "detail"),
    [
        ({"OTHER": "1"}, ["MODE"], 'environment key "OTHER" is not permitted by this authorization'),
        ({"mode": "1"}, ["MODE"], 'environment key "mode" is not permitted by this authorization'),
        ({"MODE": "1", "B": "", "A": ""}, ["MODE"], 'environment key "B" is not permitted by this authorization'),
        ({"PATH": "/"}, ["PATH"], 'environment key "PATH" is never permitted: it would choose which binary runs'),
        ({"pAth": "/"}, [], 'environment key "PATH" is never permitted: it would choose which binary runs'),
        ({"LD_PRELOAD": "x"}, [], 'environment key "LD_PRELOAD" is not permitted by this authorization'),
    ],
)
def test_an_environment_key_that_is_denied(environment: Json, permitted: list[str], detail: str) -> None:
    mechanism = Scripted()
    policy = command_policy(permittedEnvironmentKeys=permitted)
    fault = probe_fault(create_command_line_adapter(policy, mechanism), command_request(environment=environment))
    assert (fault.code, fault.reason, fault.detail) == ("forbidden-target", "environment-key-not-authorized", detail)
    assert mechanism.runs == []


@pytest.mark.parametrize(
    ("changes", "reason", "detail"),
    [
        (
            {"interfaceId": "other"},
            "interface-not-authorized",
            'no authorization names interface "other" and executable "tool" together',
        ),
        (
            {"executable": "other"},
            "executable-not-authorized",
            'no authorization names interface "shell" and executable "other" together',
        ),
        (
            {"subcommandPath": ["a", "b"]},
            "subcommand-not-authorized",
            'subcommand path [a, b] is not among the authorized paths for interface "shell" and executable "tool"',
        ),
        (
            {"subcommandPath": []},
            "subcommand-not-authorized",
            'subcommand path [] is not among the authorized paths for interface "shell" and executable "tool"',
        ),
    ],
)
def test_a_command_that_is_denied(changes: Json, reason: str, detail: str) -> None:
    mechanism = Scripted()
    policy = command_policy(permittedSubcommandPaths=[["a"]])
    fault = probe_fault(create_command_line_adapter(policy, mechanism), command_request(**changes))
    assert (fault.code, fault.artifact_path) == ("forbidden-target", "ProbeRequest")
    assert (fault.reason, fault.detail) == (reason, detail)
    assert mechanism.runs == []


@pytest.mark.parametrize(("kind", "request_"), [("api", api_request()), ("mcp", mcp_request())])
def test_requests_of_another_kind_are_denied(kind: str, request_: Json) -> None:
    fault = probe_fault(create_command_line_adapter(command_policy(), Scripted()), request_)
    assert fault.reason == "interface-not-authorized"
    assert fault.detail == f"this adapter runs cli requests only; no {kind} target is ever authorized"


def test_an_empty_policy_authorises_nothing() -> None:
    adapter = create_command_line_adapter({"authorizations": []}, Scripted())
    assert probe_fault(adapter, command_request()).reason == "interface-not-authorized"


def test_every_authorization_of_a_pair_is_tried_in_order() -> None:
    policies = [
        command_policy("/first", permittedSubcommandPaths=[["a"]]),
        command_policy("/second", permittedSubcommandPaths=[["b"], ["c"]]),
        command_policy("/third", permittedSubcommandPaths=[["c"]]),
    ]
    policy = {"authorizations": [each for one in policies for each in one["authorizations"]]}
    assert run_of(command_request(subcommandPath=["c"]), policy).target == "/second"


def test_caps_and_place_are_the_authorizations() -> None:
    run = run_of(command_request(), command_policy("tool", cwd="/tmp", maxElapsedMs=7, maxOutputBytes=9))
    assert (run.target, run.cwd, run.max_elapsed_ms, run.max_output_bytes) == ("tool", "/tmp", 7, 9)


BODIES: list[tuple[str, Json]] = [
    ("", text("")),
    ("plain\n", text("plain\n")),
    ("1\n", json(1)),
    (" 1 ", json(1)),
    ("-0", json(0)),
    ("\t\r\n 1", json(1)),
    ('"x"', json("x")),
    ("null", json(None)),
    ('{"a":1,"a":2}', json({"a": 2})),
    ("\ufeff1", text("\ufeff1")),
    ("[1,]", text("[1,]")),
    ("NaN", text("NaN")),
    ('{"a":NaN}', text('{"a":NaN}')),
    ("\u00a01", text("\u00a01")),
    ("12345678901234567890", json(12345678901234567000.0)),
    ('{"__proto__":1}', json({})),
    ('[{"__proto__":1,"a":{"__proto__":2}}]', json([{"a": {}}])),
    ('"\\ud800"', json("\ud800")),
    ("\x00", text("\x00")),
]


@pytest.mark.parametrize(("output", "body"), BODIES)
def test_output_as_a_body(output: str, body: Json) -> None:
    observation = observed(output, output)
    assert observation["stdout"] == observation["stderr"] == body


def test_array_indices_come_first_in_an_object() -> None:
    assert list(observed('{"b":1,"1":3}')["stdout"]["value"]) == ["1", "b"]


def test_an_infinite_number_breaks_the_contract_of_the_port() -> None:
    fault = probe_fault(
        create_command_line_adapter(command_policy(), Scripted(CommandRunResult(0, "1e400", ""))), command_request()
    )
    assert str(fault) == "port-contract-violation in ProbeObservation: the mechanism result failed boundary validation"


def test_deeply_nested_output_is_a_body_like_any_other() -> None:
    depth = 20_000
    value = observed("[" * depth + "]" * depth)["stdout"]["value"]
    for _ in range(depth - 1):
        (value,) = value
    assert value == []


@pytest.mark.parametrize("exit_code", [0, 1, 255, -9, -15, -1])
def test_an_exit_code_is_an_observation(exit_code: int) -> None:
    observation = observed("", exit_code=exit_code)
    assert list(observation) == [
        *("probeId", "interfaceId", "operationId", "kind", "exitCode", "stdout", "stderr", "artifacts"),
    ]
    assert observation["exitCode"] == exit_code


def artifact_probe(mechanism: Scripted, **paths: str) -> tuple[Any, Json]:
    policy = command_policy(cwd="/folder", artifacts=paths, maxOutputBytes=10)
    return create_command_line_adapter(policy, mechanism), command_request()


def test_artifacts_are_read_from_their_places() -> None:
    found: dict[str, ArtifactText | Exception] = {
        "/folder/log.txt": ArtifactText(present=True, text="log"),
        "/elsewhere/data": ArtifactText(present=True, text="[1]"),
        "/up": ArtifactText(present=False),
    }
    mechanism = Scripted(CommandRunResult(3, "", ""), found)
    paths = {"log": "./x/../log.txt", "data": "/elsewhere/data", "none": "../up"}
    observation = probe(*artifact_probe(mechanism, **paths))
    assert observation["artifacts"] == {"log": text("log"), "data": json([1]), "none": ABSENT}
    assert observation["exitCode"] == 3
    assert mechanism.reads == [(path, 10) for path in found]


def test_an_artifact_past_the_cap() -> None:
    mechanism = Scripted(artifacts={"/folder/a": ArtifactText(present=True, truncated=True)})
    fault = probe_fault(*artifact_probe(mechanism, big="a"))
    assert str(fault) == 'budget-exhausted in CommandProbeRequest: artifact "big" exceeded maxOutputBytes (10)'


def test_an_artifact_that_cannot_be_read_fails_the_port() -> None:
    found: dict[str, ArtifactText | Exception] = {
        "/folder/a": NotADirectoryError(errno.ENOTDIR, "no"),
        "/folder/b": ArtifactText(present=True),
    }
    fault = probe_fault(*artifact_probe(Scripted(artifacts=found), a="a", b="b"))
    assert str(fault) == "port-failure in ProbeObservation: the underlying mechanism threw or rejected"
    assert isinstance(fault.__cause__, NotADirectoryError)


def test_a_relative_place_is_taken_against_the_hosts_directory() -> None:
    mechanism = Scripted(artifacts={os.path.join(os.getcwd(), "sub/a"): ArtifactText(present=False)})
    adapter = create_command_line_adapter(command_policy(cwd="sub", artifacts={"a": "a"}), mechanism)
    assert probe(adapter, command_request())["artifacts"] == {"a": ABSENT}


def test_a_launch_too_large_is_told_from_one_that_cannot_start() -> None:
    too_large = Scripted(OSError(errno.E2BIG, "too big"))
    fault = probe_fault(create_command_line_adapter(command_policy(), too_large), command_request())
    assert (fault.code, fault.artifact_path, fault.port_failure_reason) == (
        *("port-failure", "ProbeObservation", "launch-too-large"),
    )
    assert fault.detail == (
        "the operating system refused the launch for the size of its arguments and environment (E2BIG)"
    )
    missing = Scripted(FileNotFoundError(errno.ENOENT, "none"))
    fault = probe_fault(create_command_line_adapter(command_policy(), missing), command_request())
    assert (fault.code, fault.port_failure_reason) == ("port-failure", None)
    assert fault.detail == "the underlying mechanism threw or rejected"


def test_a_fault_of_the_mechanism_passes_unchanged() -> None:
    own = RuntimeFault("budget-exhausted", "CommandProbeRequest", "own")
    assert probe_fault(create_command_line_adapter(command_policy(), Scripted(own)), command_request()) is own
