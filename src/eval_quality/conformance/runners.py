"""The six runners: one a port, and one a kind of environment probe (spec 13, section 3.5)."""

from __future__ import annotations

from eval_quality.artifacts.port_messages import (
    ClockReadResponse,
    CorpusResolveResponse,
    FileReadResponse,
    FileWriteResponse,
    ProbeObservation,
)

from .arms import run_arm
from .command_arm import COMMAND_ASSERTIONS
from .http_arm import HTTP_ASSERTIONS
from .mcp_arm import MCP_ASSERTIONS
from .model import CommandProbeSubject, ConformanceReport, McpProbeSubject, PortSubject, ProbeSubject
from .shared import run_shared


async def run_corpus_port_conformance(subject: PortSubject) -> ConformanceReport:
    """Hold a ``CorpusPort.resolve`` to its six assertions."""
    outcomes = await run_shared("resolve", subject, CorpusResolveResponse)
    return ConformanceReport(subject.name, "corpus", tuple(outcomes))


async def run_clock_port_conformance(subject: PortSubject) -> ConformanceReport:
    """Hold a ``ClockPort.read`` to its six assertions."""
    outcomes = await run_shared("read", subject, ClockReadResponse)
    return ConformanceReport(subject.name, "clock", tuple(outcomes))


async def run_file_system_port_conformance(read_subject: PortSubject, write_subject: PortSubject) -> ConformanceReport:
    """Hold both methods of a ``FileSystemPort`` to their six assertions each."""
    outcomes = [
        *await run_shared("readFile", read_subject, FileReadResponse),
        *await run_shared("writeFile", write_subject, FileWriteResponse),
    ]
    names = (read_subject.name, write_subject.name)
    name = names[0] if names[0] == names[1] else " + ".join(names)
    return ConformanceReport(name, "file-system", tuple(outcomes))


async def run_environment_probe_port_conformance(subject: ProbeSubject) -> ConformanceReport:
    """Hold an environment probe over HTTP to the six assertions and its thirteen own."""
    outcomes = [
        *await run_shared("probe", subject, ProbeObservation),
        *await run_arm(subject, HTTP_ASSERTIONS),
    ]
    return ConformanceReport(subject.name, "environment-probe", tuple(outcomes))


async def run_command_line_probe_conformance(subject: CommandProbeSubject) -> ConformanceReport:
    """Hold an environment probe over commands to the six assertions and its ten own."""
    outcomes = [
        *await run_shared("probe", subject, ProbeObservation),
        *await run_arm(subject, COMMAND_ASSERTIONS),
    ]
    return ConformanceReport(subject.name, "command-probe", tuple(outcomes))


async def run_mcp_probe_conformance(subject: McpProbeSubject) -> ConformanceReport:
    """Hold an environment probe over MCP tools to the six assertions and its eight own."""
    outcomes = [
        *await run_shared("probe", subject, ProbeObservation),
        *await run_arm(subject, MCP_ASSERTIONS),
    ]
    return ConformanceReport(subject.name, "mcp-probe", tuple(outcomes))
