"""Every assertion is failed by an adapter with the one defect it is about, and by that adapter no other is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.conformance import (
    CONFORMANCE_OUTCOME_COUNTS,
    BuiltSubject,
    ConformanceReport,
    PortSubject,
    ScenarioKind,
    run_clock_port_conformance,
    run_command_line_probe_conformance,
    run_corpus_port_conformance,
    run_environment_probe_port_conformance,
    run_file_system_port_conformance,
    run_mcp_probe_conformance,
)
from tests.conformance_suite import broken, http_subject
from tests.conformance_suite.plain_subjects import clock_subject, corpus_subject, read_subject, write_subject
from tests.conformance_suite.process_subjects import command_subject, mcp_subject

Run = Callable[[Any], Coroutine[Any, Any, ConformanceReport]]

SUBJECTS: dict[str, tuple[str, Callable[[Path], PortSubject], Run]] = {
    "clock": ("read", lambda folder: clock_subject(), run_clock_port_conformance),
    "corpus": ("resolve", corpus_subject, run_corpus_port_conformance),
    "reading": (
        "readFile",
        lambda folder: read_subject(),
        lambda subject: run_file_system_port_conformance(subject, write_subject()),
    ),
    "writing": (
        "writeFile",
        lambda folder: write_subject(),
        lambda subject: run_file_system_port_conformance(read_subject(), subject),
    ),
    "http": ("probe", lambda folder: http_subject.subject(), run_environment_probe_port_conformance),
    "command": ("probe", lambda folder: command_subject(), run_command_line_probe_conformance),
    "mcp": ("probe", lambda folder: mcp_subject(), run_mcp_probe_conformance),
}


def failed(report: ConformanceReport) -> list[str]:
    assert len(report.outcomes) == CONFORMANCE_OUTCOME_COUNTS[report.port]
    assert report.passed == all(outcome.passed for outcome in report.outcomes)
    return [outcome.id for outcome in report.outcomes if not outcome.passed]


def with_defect(subject: PortSubject, defect: Callable[[broken.Port, broken.Beneath], broken.Port]) -> PortSubject:
    """A subject whose instances all have one defect, and count a call beneath that it makes on its own."""

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        built = await subject.build(scenario)
        own = 0

        async def beneath() -> None:
            nonlocal own
            own += 1

        return BuiltSubject(defect(built.port, beneath), lambda: built.underlying_calls() + own, built.dispose)

    return replace(subject, build=build, abort_budget_ms=60_000)


@pytest.mark.parametrize("assertion", broken.SHARED)
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_defect_that_every_port_can_have(name: str, assertion: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    prefix, make, run = SUBJECTS[name]
    subject = with_defect(make(tmp_path), broken.SHARED[assertion])
    if assertion == "prompt-abort":
        subject = replace(subject, abort_budget_ms=60)
    assert failed(asyncio.run(run(subject))) == [f"{prefix}/{assertion}"]


@pytest.mark.parametrize("assertion", broken.HTTP)
def test_a_defect_of_an_http_adapter(assertion: str) -> None:
    subject = http_subject.subject(make=broken.HTTP[assertion])
    assert failed(asyncio.run(run_environment_probe_port_conformance(subject))) == [assertion]


@pytest.mark.parametrize("assertion", broken.COMMAND)
def test_a_defect_of_a_command_adapter(assertion: str) -> None:
    subject = command_subject(make=broken.COMMAND[assertion])
    assert failed(asyncio.run(run_command_line_probe_conformance(subject))) == [assertion]


@pytest.mark.parametrize("assertion", broken.MCP)
def test_a_defect_of_an_mcp_adapter(assertion: str) -> None:
    subject = mcp_subject(make=broken.MCP[assertion])
    assert failed(asyncio.run(run_mcp_probe_conformance(subject))) == [assertion]


@pytest.mark.parametrize(
    ("name", "assertion", "operation"),
    [
        (name, assertion, operation)
        for name, late in (("http", broken.HTTP_LATE), ("command", broken.COMMAND_LATE), ("mcp", broken.MCP_LATE))
        for assertion, operation in late.items()
    ],
)
def test_a_refusal_that_comes_after_the_effect(name: str, assertion: str, operation: str, tmp_path: Path) -> None:
    _, make, run = SUBJECTS[name]

    def defect(port: broken.Port, beneath: broken.Beneath) -> broken.Port:
        return broken.launching_first(operation, beneath)(port)

    report = asyncio.run(run(with_defect(make(tmp_path), defect)))
    assert failed(report) == [assertion]
    (outcome,) = (each for each in report.outcomes if each.id == assertion)
    assert outcome.detail == "underlyingCalls() was 1, expected 0"


@pytest.mark.parametrize(
    ("run", "subject", "own"),
    [
        (run_environment_probe_port_conformance, http_subject.subject, broken.HTTP),
        (run_command_line_probe_conformance, command_subject, broken.COMMAND),
        (run_mcp_probe_conformance, mcp_subject, broken.MCP),
    ],
)
def test_no_assertion_goes_without_a_defect(run: Run, subject: Callable[[], PortSubject], own: dict[str, Any]) -> None:
    report = asyncio.run(run(subject()))
    assert {outcome.id for outcome in report.outcomes} == {f"probe/{each}" for each in broken.SHARED} | set(own)


def test_a_port_that_never_lets_go_is_given_up() -> None:
    """It ignores the signal and even its cancellation."""

    def defect(port: broken.Port, beneath: broken.Beneath) -> broken.Port:
        async def deaf(request: Any, signal: AbortSignal) -> Any:
            for _ in range(2):
                try:
                    return await port(request, AbortSignal())
                except asyncio.CancelledError:
                    continue
            return None
            return None

        return deaf

    subject = replace(with_defect(clock_subject(), defect), abort_budget_ms=20)
    report = asyncio.run(asyncio.wait_for(run_clock_port_conformance(subject), 60))
    assert failed(report) == ["read/prompt-abort"]
