"""What a report says, to the letter (spec 13, sections 2, 3.6 and 7), and the door it is reached through."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, ClassVar

import pytest

import eval_quality.conformance as door
from eval_quality.abort import AbortSignal
from eval_quality.adapters import ArtifactText, create_command_line_adapter
from eval_quality.conformance import (
    BuiltSubject,
    ConformanceOutcome,
    ConformanceReport,
    PortSubject,
    RuntimeFault,
    ScenarioKind,
    assert_conforms,
    format_conformance_report,
    run_clock_port_conformance,
    run_command_line_probe_conformance,
    run_environment_probe_port_conformance,
    run_file_system_port_conformance,
    run_mcp_probe_conformance,
)
from tests.conformance_suite import http_subject
from tests.conformance_suite.broken import CommandsBeneath
from tests.conformance_suite.plain_subjects import Mechanism, clock_subject, read_subject, write_subject
from tests.conformance_suite.process_subjects import (
    command_request,
    command_subject,
    mcp_request,
    mcp_subject,
)

CLOCK_TITLES = {
    "read/typed-fault": "a mechanism failure rejects with a declared RuntimeFault",
    "read/single-underlying-call-on-success": "exactly one underlying call on a successful invocation",
    "read/single-underlying-call-on-failure": (
        "exactly one underlying call on a failing invocation (no internal retry)"
    ),
    "read/prompt-abort": 'an aborted signal rejects promptly with code "aborted"',
    "read/no-in-band-error": "a value the response schema rejects throws rather than resolving",
    "read/schema-valid-return": "a successful invocation returns a schema-valid response",
}
NO_RETRY = "; more than one is an internal retry, which AD-28 forbids"
CONFORMING = {
    "read/typed-fault": "the port-failure fault carries an empty artifactPath",
    "read/single-underlying-call-on-success": "underlyingCalls() was 1, expected 1",
    "read/single-underlying-call-on-failure": f"underlyingCalls() was 1, expected 1{NO_RETRY}",
    "read/prompt-abort": 'rejected with code "aborted", expected the "aborted" fault',
    "read/no-in-band-error": (
        "rejected with RuntimeFault: port-contract-violation in ClockReadResponse: the mechanism result failed "
        "boundary validation, which carries no declared AD-28 code"
    ),
    "read/schema-valid-return": "the resolved value failed the port response schema",
}


def run_clock(subject: PortSubject) -> dict[str, str]:
    """The details of the outcomes that failed."""
    report = asyncio.run(run_clock_port_conformance(subject))
    return {outcome.id: outcome.detail for outcome in report.outcomes if not outcome.passed}


def test_a_passing_report_has_its_details_too() -> None:
    report = asyncio.run(run_clock_port_conformance(clock_subject()))
    assert (report.subject, report.port, report.passed) == ("clock", "clock", True)
    assert [(each.id, each.title) for each in report.outcomes] == list(CLOCK_TITLES.items())
    assert {each.id: each.detail for each in report.outcomes} == CONFORMING


def altered(**changes: Any) -> PortSubject:
    """The clock's subject, every instance changed."""

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        built = await clock_subject().build(scenario)
        return BuiltSubject(
            changes.get("port", built.port), changes.get("count", built.underlying_calls), changes.get("dispose")
        )

    return PortSubject(name="clock", sample_request={}, build=changes.get("build", build))


def test_a_build_that_fails() -> None:
    async def build(scenario: ScenarioKind) -> BuiltSubject:
        raise TypeError("nb")

    told = {
        name: f"build('{scenario}') threw TypeError: nb"
        for name, scenario in zip(
            CLOCK_TITLES, ("fails", "resolves", "fails", "hangs", "in-band-error", "resolves"), strict=True
        )
    }
    assert run_clock(altered(build=build)) == told


def test_a_counter_that_fails() -> None:
    def count() -> int:
        raise LookupError("cnt")

    told = "underlyingCalls() threw LookupError: cnt"
    assert run_clock(altered(count=count)) == {
        "read/single-underlying-call-on-success": told,
        "read/single-underlying-call-on-failure": told,
    }


@pytest.mark.parametrize(("number", "told"), [(0, "0"), (2, "2"), (True, "True"), (1.5, "1.5"), (None, "None")])
def test_a_count_that_is_not_one(number: Any, told: str) -> None:
    assert run_clock(altered(count=lambda: number)) == {
        "read/single-underlying-call-on-success": f"underlyingCalls() was {told}, expected 1",
        "read/single-underlying-call-on-failure": f"underlyingCalls() was {told}, expected 1{NO_RETRY}",
    }


def test_a_dispose_that_fails_fails_everything() -> None:
    async def dispose() -> None:
        raise ArithmeticError("d")

    told = {name: f"{detail}; dispose() threw ArithmeticError: d" for name, detail in CONFORMING.items()}
    assert run_clock(altered(dispose=dispose)) == told


def test_every_instance_is_disposed_of() -> None:
    disposed: list[str] = []

    async def dispose() -> None:
        disposed.append("once")

    assert run_clock(altered(dispose=dispose)) == {}
    assert len(disposed) == 4


async def _plain_error(request: Any, signal: AbortSignal) -> Any:
    raise KeyError("x")


async def _fault_without_a_path(request: Any, signal: AbortSignal) -> Any:
    raise RuntimeFault("port-failure", "", "d")


async def _fault_of_no_registry(request: Any, signal: AbortSignal) -> Any:
    raise RuntimeFault("nonsense", "P", "d")


async def _cancels_itself(request: Any, signal: AbortSignal) -> Any:
    raise asyncio.CancelledError


async def _always_answers(request: Any, signal: AbortSignal) -> Any:
    return {"now": "2030-01-01T00:00:00Z"}


class OtherFault(Exception):
    """A fault by its looks, of a class of its own."""

    code = "aborted"
    artifact_path = "Somewhere"


async def _looks_like_a_fault(request: Any, signal: AbortSignal) -> Any:
    raise OtherFault("o")


NO_CODE = "which carries no declared AD-28 code"


@pytest.mark.parametrize(
    ("port", "told"),
    [
        (
            _plain_error,
            {
                "read/typed-fault": f"rejected with KeyError: 'x', {NO_CODE}",
                "read/single-underlying-call-on-success": "the 'resolves' scenario rejected with KeyError: 'x'",
                "read/prompt-abort": "rejected with KeyError: 'x', expected the \"aborted\" fault",
                "read/no-in-band-error": f"rejected with KeyError: 'x', {NO_CODE}",
                "read/schema-valid-return": "the 'resolves' scenario rejected with KeyError: 'x'",
            },
        ),
        (
            _fault_without_a_path,
            {
                "read/typed-fault": "the port-failure fault carries an empty artifactPath",
                "read/single-underlying-call-on-success": (
                    "the 'resolves' scenario rejected with RuntimeFault: port-failure in : d"
                ),
                "read/prompt-abort": 'rejected with code "port-failure", expected the "aborted" fault',
                "read/schema-valid-return": "the 'resolves' scenario rejected with RuntimeFault: port-failure in : d",
            },
        ),
        (
            _fault_of_no_registry,
            {
                "read/typed-fault": f"rejected with RuntimeFault: nonsense in P: d, {NO_CODE}",
                "read/single-underlying-call-on-success": (
                    "the 'resolves' scenario rejected with RuntimeFault: nonsense in P: d"
                ),
                "read/prompt-abort": 'rejected with RuntimeFault: nonsense in P: d, expected the "aborted" fault',
                "read/no-in-band-error": f"rejected with RuntimeFault: nonsense in P: d, {NO_CODE}",
                "read/schema-valid-return": "the 'resolves' scenario rejected with RuntimeFault: nonsense in P: d",
            },
        ),
        (
            _cancels_itself,
            {
                "read/typed-fault": f"rejected with CancelledError: , {NO_CODE}",
                "read/single-underlying-call-on-success": "the 'resolves' scenario rejected with CancelledError: ",
                "read/prompt-abort": 'rejected with CancelledError: , expected the "aborted" fault',
                "read/no-in-band-error": f"rejected with CancelledError: , {NO_CODE}",
                "read/schema-valid-return": "the 'resolves' scenario rejected with CancelledError: ",
            },
        ),
        (
            _looks_like_a_fault,
            {
                "read/single-underlying-call-on-success": "the 'resolves' scenario rejected with OtherFault: o",
                "read/schema-valid-return": "the 'resolves' scenario rejected with OtherFault: o",
            },
        ),
        (
            _always_answers,
            {
                "read/typed-fault": "the 'fails' scenario resolved instead of rejecting",
                "read/prompt-abort": "the call resolved after the signal aborted instead of rejecting",
                "read/no-in-band-error": "the in-band error value was returned instead of thrown",
            },
        ),
    ],
)
def test_ports_that_end_otherwise(port: Any, told: dict[str, str]) -> None:
    subject = altered(port=port, count=lambda: 1)
    assert run_clock(subject) == told


@pytest.mark.parametrize(("budget", "told"), [(0, "0"), (5, "5"), (2.5, "2.5"), (10.0, "10")])
def test_a_budget_that_is_not_met(budget: float, told: str) -> None:
    def port(mechanism: Mechanism) -> Any:
        async def deaf(request: Any, signal: AbortSignal) -> Any:
            return {"now": await mechanism()}

        return deaf

    details = run_clock(clock_subject(port, abort_budget_ms=budget))
    assert details["read/prompt-abort"] == f"the call had not settled {told}ms after the signal aborted"


def test_a_budget_of_nothing_is_met_by_a_call_that_ends_at_once() -> None:
    """Section 3.3: ending takes it some turns of the loop and no time, for the clock stands still from the abort on."""

    async def heeds(request: Any, signal: AbortSignal) -> Any:
        loop = asyncio.get_running_loop()
        raised = asyncio.Event()

        def stop() -> None:
            now = loop.time()
            loop.time = lambda: now  # type: ignore[method-assign]
            raised.set()

        signal.add_listener(stop)
        await raised.wait()
        for _ in range(3):
            await asyncio.sleep(0)
        raise RuntimeFault("aborted", "ClockReadResponse", "stopped")

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        built = await clock_subject().build(scenario)
        return replace(built, port=heeds) if scenario == "hangs" else built

    assert run_clock(PortSubject(name="clock", sample_request={}, build=build, abort_budget_ms=0)) == {}


def test_the_scenarios_are_built_in_their_own_order() -> None:
    """Section 3: it is not the order of the report."""
    built: list[ScenarioKind] = []

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        built.append(scenario)
        return await clock_subject().build(scenario)

    assert run_clock(altered(build=build)) == {}
    assert built == ["resolves", "fails", "hangs", "in-band-error"]


def test_a_run_can_be_cancelled() -> None:
    """That is no rejection of the port's."""
    called = asyncio.Event()

    async def hangs(request: Any, signal: AbortSignal) -> Any:
        called.set()
        await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.ensure_future(run_clock_port_conformance(altered(port=hangs)))
        await called.wait()
        task.cancel()
        await asyncio.wait({task}, timeout=60)
        assert task.cancelled()

    asyncio.run(main())


def test_a_port_that_throws_before_it_returns_anything_escapes_the_runner() -> None:
    def port(request: Any, signal: AbortSignal) -> Any:
        raise ValueError("at once")

    with pytest.raises(ValueError, match="at once"):
        run_clock(altered(port=port))


def test_the_text_of_a_report() -> None:
    outcomes = (ConformanceOutcome("a/b", "title", True, "kept"), ConformanceOutcome("a/c", "other", False, "detail"))
    report = ConformanceReport("it", "clock", outcomes)
    assert not report.passed
    assert format_conformance_report(report) == (
        'FAIL clock conformance for "it": 1/2 assertions passed\npass a/b: title\nFAIL a/c: other - detail'
    )


def test_a_report_of_too_few_outcomes_has_not_passed() -> None:
    report = ConformanceReport("it", "clock", (ConformanceOutcome("a/b", "title", True, ""),))
    assert not report.passed
    assert format_conformance_report(report).startswith('FAIL clock conformance for "it": 1/1 assertions passed')


def test_the_assertion_of_a_test() -> None:
    report = asyncio.run(run_clock_port_conformance(clock_subject()))
    assert assert_conforms(report) is report
    assert assert_conforms(run_clock_port_conformance(clock_subject())) == report
    with pytest.raises(AssertionError, match=r"^FAIL clock conformance for \"clock\": 4/6 assertions passed\npass"):
        assert_conforms(run_clock_port_conformance(altered(count=lambda: 2)))


def test_the_two_subjects_of_the_file_system() -> None:
    run = run_file_system_port_conformance
    assert asyncio.run(run(read_subject(), write_subject())).subject == "files"
    assert asyncio.run(run(read_subject(), write_subject(name="writer"))).subject == "files + writer"


# What is wrong with a subject -----------------------------------------------------------------------------------------


def detail(report: ConformanceReport, name: str) -> str:
    (outcome,) = (each for each in report.outcomes if each.id == name)
    assert not outcome.passed
    return outcome.detail


def command_detail(name: str, **changes: Any) -> str:
    return detail(asyncio.run(run_command_line_probe_conformance(command_subject(**changes))), f"command/{name}")


def mcp_detail(name: str, **changes: Any) -> str:
    return detail(asyncio.run(run_mcp_probe_conformance(mcp_subject(**changes))), f"mcp/{name}")


RESOLVED = 'resolved instead of rejecting with "forbidden-target"; '
API = http_subject.request("api", "/ok")


@pytest.mark.parametrize(
    ("name", "field", "request_", "told"),
    [
        (
            "deny-unmapped-interface",
            "unmapped_interface_request",
            command_request("x", "argv"),
            f"{RESOLVED}the subject's policy names an authorization for unmappedInterfaceRequest.interfaceId, so the "
            "request it presents as unmapped is mapped",
        ),
        (
            "deny-unmapped-executable",
            "unmapped_executable_request",
            API,
            'unmappedExecutableRequest declares a "api" request, which names no executable for the policy to refuse',
        ),
        (
            "deny-unmapped-executable",
            "unmapped_executable_request",
            command_request("x", "argv"),
            f"{RESOLVED}the subject's policy pairs unmappedExecutableRequest's interface with its executable, so the "
            "pair it presents as unmapped is mapped",
        ),
        (
            "deny-unauthorized-subcommand",
            "unauthorized_subcommand_request",
            API,
            'unauthorizedSubcommandRequest declares a "api" request, which names no subcommand path for the policy to '
            "refuse",
        ),
        (
            "deny-unauthorized-subcommand",
            "unauthorized_subcommand_request",
            command_request("x", "erase", executable="other"),
            "the subject's policy names no authorization for unauthorizedSubcommandRequest's interface and "
            "executable, so this case cannot tell an unmapped pair from an unauthorized subcommand",
        ),
        (
            "deny-unauthorized-subcommand",
            "unauthorized_subcommand_request",
            command_request("x", "argv"),
            f'{RESOLVED}the subject\'s policy permits subcommand path ["argv"], so the request it presents as '
            "unauthorized is authorized",
        ),
        (
            "deny-unauthorized-environment-key",
            "unauthorized_environment_key_request",
            API,
            'unauthorizedEnvironmentKeyRequest declares a "api" request, which names no environment key for the policy '
            "to refuse",
        ),
        (
            "deny-unauthorized-environment-key",
            "unauthorized_environment_key_request",
            command_request("x", "argv", executable="other", environment={"A": ""}),
            "the subject's policy names no authorization for unauthorizedEnvironmentKeyRequest's interface and "
            "executable, so this case cannot tell an unmapped pair from an unauthorized environment key",
        ),
        (
            "deny-unauthorized-environment-key",
            "unauthorized_environment_key_request",
            command_request("x", "argv"),
            f"{RESOLVED}unauthorizedEnvironmentKeyRequest declares no environment key, so the policy has none to refuse",
        ),
        (
            "deny-unauthorized-environment-key",
            "unauthorized_environment_key_request",
            command_request("x", "argv", environment={"MODE": ""}),
            f"{RESOLVED}the subject's policy permits every environment key unauthorizedEnvironmentKeyRequest declares, "
            "so the request it presents as unauthorized is authorized",
        ),
        (
            "observe-nonzero-exit",
            "non_zero_exit_request",
            command_request("x", "argv"),
            "observed exit code 0, expected a non-zero exit",
        ),
        (
            "argument-passed-literally",
            "injection_request",
            command_request("x", "fail"),
            "the observation carries no parsed stdout to check the received argument against",
        ),
        (
            "argument-passed-literally",
            "injection_request",
            command_request("x", "argv", "a", "é"),
            'the process observed argv ["a","é"], expected exactly one element equal to the declared literal',
        ),
        (
            "allow-authorized-invocation",
            "authorized_request",
            command_request("x", "erase"),
            "rejected with RuntimeFault: forbidden-target in ProbeRequest: subcommand path [erase] is not among the "
            'authorized paths for interface "shell" and executable "tool" instead of returning an observation',
        ),
        (
            "cap-elapsed",
            "over_elapsed_request",
            command_request("x", "argv"),
            'resolved instead of rejecting with "budget-exhausted"',
        ),
        (
            "cap-elapsed",
            "over_elapsed_request",
            command_request("x", "erase"),
            'rejected with code "forbidden-target", expected "budget-exhausted"',
        ),
    ],
)
def test_command_subjects_that_do_not_hold_what_they_say(name: str, field: str, request_: Any, told: str) -> None:
    assert command_detail(name, **{field: request_}) == told


def with_artifact(text: str) -> Any:
    """A command adapter whose runs all write the same text."""

    class Writes(CommandsBeneath):
        async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
            return ArtifactText(present=True, text=text)

    return lambda policy, mechanism: create_command_line_adapter(policy, Writes(mechanism))


def test_artifacts_a_subject_says_wrong() -> None:
    name = "capture-declared-artifact"
    assert (
        command_detail(name, artifact_id="nope")
        == 'artifacts["nope"] was undefined, expected the fixture\'s declared text'
    )
    assert command_detail(name, make=with_artifact('"x"'), artifact_expected_text="x") == (
        'artifacts["report"] was {"kind":"json","value":"x"}, expected the fixture\'s declared text'
    )
    assert command_detail(name, artifact_expected_text="else") == (
        'artifacts["report"] was {"kind":"text","value":"written by the run"}, expected the fixture\'s declared text'
    )


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        (
            "deny-unmapped-interface",
            {"unmapped_interface_request": mcp_request("x", "echo")},
            f"{RESOLVED}the subject's policy names an authorization for unmappedInterfaceRequest.interfaceId, so the "
            "request it presents as unmapped is mapped",
        ),
        (
            "deny-unauthorized-tool",
            {"unauthorized_tool_request": API},
            'unauthorizedToolRequest declares a "api" request, which names no tool for the policy to refuse',
        ),
        (
            "deny-unauthorized-tool",
            {"unauthorized_tool_request": mcp_request("x", "erase", interface="nowhere")},
            "the subject's policy names no authorization for unauthorizedToolRequest.interfaceId, so this case cannot "
            "tell an unmapped interface from an unauthorized tool",
        ),
        (
            "deny-unauthorized-tool",
            {"unauthorized_tool_request": mcp_request("x", "echo")},
            f'{RESOLVED}the subject\'s policy permits tool "echo" on interface "desk", so the request it presents as '
            "unauthorized is authorized",
        ),
        (
            "observe-error-result",
            {"error_result_request": mcp_request("x", "echo")},
            "observed a tool call reporting no error, expected the envelope's error flag set",
        ),
        (
            "arguments-passed-as-declared",
            {"argument_echo_result_key": "none"},
            'the tool reported receiving undefined on "none", expected the declared literal',
        ),
        (
            "arguments-passed-as-declared",
            {"argument_echo_request": mcp_request("x", "echo", value=1), "argument_echo_value": "1"},
            'the tool reported receiving 1 on "value", expected the declared literal',
        ),
        (
            "observe-declared-result-channel",
            {"structured_result_keys": ("size", "weight", "price")},
            'the result channel is missing ["weight","price"]',
        ),
    ],
)
def test_mcp_subjects_that_do_not_hold_what_they_say(name: str, changes: dict[str, Any], told: str) -> None:
    assert mcp_detail(name, **changes) == told


def answering(observation: dict[str, Any]) -> Any:
    """An MCP adapter whose every answer is changed."""
    from eval_quality.adapters import create_mcp_adapter
    from tests.conformance_suite.broken import Wrapped

    def around(port: Any) -> Any:
        async def probe(request: Any, signal: AbortSignal) -> Any:
            return await port(request, signal) | observation

        return probe

    return lambda policy, mechanism: Wrapped(create_mcp_adapter(policy, mechanism), around)


@pytest.mark.parametrize(
    ("observation", "name", "told"),
    [
        (
            {"isError": True, "result": {"kind": "absent"}},
            "observe-error-result",
            "the error came back on an absent result channel; errorResultRequest has to name a tool whose failure "
            "carries structured content, since a tool that publishes none looks the same here as an adapter that "
            "dropped it",
        ),
        (
            {"result": {"kind": "json", "value": [1, "x"]}},
            "arguments-passed-as-declared",
            "the observation carries no structured result to read the received argument from",
        ),
        (
            {"result": {"kind": "json", "value": [1, "x"]}},
            "observe-declared-result-channel",
            'the result channel carried {"kind":"json","value":[1,"x"]}, expected the structured result carrying '
            '["name","size"]',
        ),
        (
            {"result": {"kind": "absent"}},
            "observe-declared-result-channel",
            'the result channel carried {"kind":"absent"}, expected the structured result carrying ["name","size"]',
        ),
        (
            {"operationId": "other", "interfaceId": "elsewhere"},
            "allow-authorized-tool-call",
            'observed interfaceId "elsewhere" for a request carrying "desk", so the answer does not correlate with the '
            "question",
        ),
        (
            {"operationId": "other", "probeId": "leg-other"},
            "allow-authorized-tool-call",
            'observed probeId "leg-other" for a request carrying "leg-authorized", so the answer does not correlate '
            "with the question",
        ),
        (
            {"operationId": "other"},
            "allow-authorized-tool-call",
            'observed operationId "other" for a request carrying "authorized", so the answer does not correlate with '
            "the question",
        ),
        (
            {"kind": "shell"},
            "allow-authorized-tool-call",
            "the resolved value is not a schema-valid ProbeObservation",
        ),
    ],
)
def test_observations_that_do_not_hold(observation: dict[str, Any], name: str, told: str) -> None:
    assert mcp_detail(name, make=answering(observation)) == told


def test_a_redirect_cap_that_nobody_knows() -> None:
    subject = http_subject.subject(over_redirect_request=http_subject.request("x", "/loop", "nowhere"))
    report = asyncio.run(run_environment_probe_port_conformance(subject))
    assert detail(report, "probe/cap-redirects") == (
        'rejected with code "forbidden-target", expected "budget-exhausted"; the subject\'s policy names no '
        "authorization for overRedirectRequest.interfaceId, so maxRedirects is unknown"
    )


def test_a_redirect_that_is_refused_before_it_is_seen() -> None:
    subject = http_subject.subject(redirecting_request=http_subject.request("x", "/ok", "private"))
    report = asyncio.run(run_environment_probe_port_conformance(subject))
    assert detail(report, "probe/deny-on-redirect") == "underlyingCalls() was 0, expected 1"


def test_a_status_that_is_no_fault() -> None:
    subject = http_subject.subject(faulting_request=http_subject.request("x", "/ok"))
    report = asyncio.run(run_environment_probe_port_conformance(subject))
    assert detail(report, "probe/observe-anomalous-status") == "observed status 200, expected status 500"


class AnswersAnything:
    """An adapter that answers a request of any kind in its kind."""

    ANSWERS: ClassVar[dict[str, dict[str, Any]]] = {
        "api": {"status": 200.0, "headers": {}, "body": {"kind": "absent"}},
        "mcp": {"isError": False, "result": {"kind": "absent"}},
        "cli": {
            "exitCode": 0,
            "stdout": {"kind": "text", "value": ""},
            "stderr": {"kind": "text", "value": ""},
            "artifacts": {},
        },
    }

    def __init__(self, *beneath: Any) -> None:
        pass

    async def probe(self, request: Any, signal: AbortSignal) -> Any:
        if request["operationId"] == "undeclared":
            raise KeyError("x")
        echoed = {key: request[key] for key in ("kind", "probeId", "interfaceId", "operationId")}
        return echoed | self.ANSWERS[request["kind"]]


TOOL_CALL = mcp_request("x", "echo")


@pytest.mark.parametrize(
    ("name", "field", "told"),
    [
        (
            "observe-nonzero-exit",
            "non_zero_exit_request",
            'observed an observation of kind "mcp", expected a non-zero exit',
        ),
        (
            "argument-passed-literally",
            "injection_request",
            "the observation carries no parsed stdout to check the received argument against",
        ),
        ("capture-declared-artifact", "artifact_request", "the observation is not a command observation"),
    ],
)
def test_a_command_arm_that_is_answered_in_another_kind(name: str, field: str, told: str) -> None:
    assert command_detail(name, make=AnswersAnything, **{field: TOOL_CALL}) == told


@pytest.mark.parametrize(
    ("name", "field", "told"),
    [
        (
            "observe-error-result",
            "error_result_request",
            'observed an observation of kind "api", expected the envelope\'s error flag set',
        ),
        (
            "arguments-passed-as-declared",
            "argument_echo_request",
            'observed an observation of kind "api", expected a tool call',
        ),
        (
            "observe-declared-result-channel",
            "structured_result_request",
            'observed an observation of kind "api", expected a tool call',
        ),
    ],
)
def test_an_mcp_arm_that_is_answered_in_another_kind(name: str, field: str, told: str) -> None:
    assert mcp_detail(name, make=AnswersAnything, **{field: API}) == told


def test_an_http_arm_that_is_answered_in_another_kind() -> None:
    subject = http_subject.subject(make=AnswersAnything, faulting_request=TOOL_CALL)
    report = asyncio.run(run_environment_probe_port_conformance(subject))
    assert detail(report, "probe/observe-anomalous-status") == (
        'observed an observation of kind "mcp", expected status 500'
    )


def test_an_observation_is_judged_in_its_normal_form() -> None:
    """Section 4.0, step 3: the adapter's status is a float."""
    report = asyncio.run(run_environment_probe_port_conformance(http_subject.subject(make=AnswersAnything)))
    assert detail(report, "probe/observe-anomalous-status") == "observed status 200, expected status 500"


def test_a_denial_that_no_registry_declares() -> None:
    told = command_detail(
        "deny-unauthorized-subcommand",
        make=AnswersAnything,
        unauthorized_subcommand_request=command_request("undeclared", "erase"),
    )
    assert told == "rejected with KeyError: 'x', which carries no declared AD-28 code"


def test_an_instance_that_an_assertion_of_an_arm_cannot_get() -> None:
    async def build(scenario: ScenarioKind) -> BuiltSubject:
        raise TypeError("nb")

    assert command_detail("cap-elapsed", build=build) == "build('resolves') threw TypeError: nb"


# The door -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", door.__all__)
def test_every_name_of_the_door_is_there(name: str) -> None:
    assert getattr(door, name) is not None


def test_no_other_name_is() -> None:
    assert set(door.__all__) <= set(dir(door))
    with pytest.raises(AttributeError, match=r"'eval_quality\.conformance' has no attribute 'nothing'"):
        door.nothing  # noqa: B018
