"""The adapters of this package conform, over real processes and a real loopback server; so does one written by hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_quality.conformance import (
    CONFORMANCE_OUTCOME_COUNTS,
    ConformanceReport,
    assert_conforms,
    run_clock_port_conformance,
    run_command_line_probe_conformance,
    run_corpus_port_conformance,
    run_environment_probe_port_conformance,
    run_file_system_port_conformance,
    run_mcp_probe_conformance,
)
from tests.adapters.processes import linux_only, nothing_left
from tests.conformance_suite import http_subject
from tests.conformance_suite.http_adapter import loopback_exchange
from tests.conformance_suite.plain_subjects import clock_subject, corpus_subject, read_subject, write_subject
from tests.conformance_suite.process_subjects import FIXTURE_SERVER, command_subject, mcp_subject

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs scripts with interpreter lines")


@pytest.fixture
def _clean() -> Iterator[None]:
    with nothing_left():
        yield


def counts(report: ConformanceReport) -> bool:
    return len(report.outcomes) == CONFORMANCE_OUTCOME_COUNTS[report.port]


def test_the_clock() -> None:
    assert counts(assert_conforms(run_clock_port_conformance(clock_subject())))


def test_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    assert counts(assert_conforms(run_corpus_port_conformance(corpus_subject(tmp_path))))


def test_the_file_system() -> None:
    assert counts(assert_conforms(run_file_system_port_conformance(read_subject(), write_subject())))


@posix_only
@linux_only
@pytest.mark.usefixtures("_clean")
def test_the_command_line_over_real_commands(tmp_path: Path) -> None:
    assert counts(assert_conforms(run_command_line_probe_conformance(command_subject(tmp_path))))


@posix_only
@linux_only
@pytest.mark.usefixtures("_clean")
def test_mcp_over_a_real_server() -> None:
    assert counts(assert_conforms(run_mcp_probe_conformance(mcp_subject(*FIXTURE_SERVER))))


def test_an_http_adapter_over_a_loopback_server() -> None:
    async def main() -> ConformanceReport:
        async with http_subject.loopback_site() as port:
            subject = http_subject.subject(loopback_exchange, port)
            return await run_environment_probe_port_conformance(subject)

    assert counts(assert_conforms(asyncio.run(main())))


def test_subjects_that_need_no_process_or_network_conform_as_well() -> None:
    assert_conforms(run_environment_probe_port_conformance(http_subject.subject()))
    assert_conforms(run_command_line_probe_conformance(command_subject()))
    assert_conforms(run_mcp_probe_conformance(mcp_subject()))
