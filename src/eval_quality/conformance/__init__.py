"""Conformance: the suite a port is held to, and the vocabulary of ports (spec 13). A public door of the package.

An adapter's author describes the port as a ``PortSubject`` (or the ``ProbeSubject`` of its kind) and has a runner hold
it to its assertions; the runner returns a report and never prints or raises an assertion. In a test::

    def test_my_clock_conforms() -> None:
        assert_conforms(run_clock_port_conformance(MY_CLOCK))

A subject's ``build`` gives a fresh instance for each scenario; ``underlying_calls`` of an instance counts the calls of
what lies beneath the port, so that a retry, or an effect before a refusal, shows.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eval_quality.abort import AbortError, AbortSignal
    from eval_quality.artifacts.bodies import ProbeObservedBody, ProbeRequestBody
    from eval_quality.artifacts.port_messages import (
        ClockReadRequest,
        ClockReadResponse,
        CorpusResolveRequest,
        CorpusResolveResponse,
        FileReadRequest,
        FileReadResponse,
        FileWriteRequest,
        FileWriteResponse,
        ProbeObservation,
        ProbeRequest,
    )
    from eval_quality.artifacts.target_policies import (
        CommandTargetAuthorization,
        CommandTargetPolicy,
        McpTargetAuthorization,
        McpTargetPolicy,
        ProbeTargetAuthorization,
        ProbeTargetPolicy,
    )
    from eval_quality.errors import (
        FORBIDDEN_TARGET_REASONS,
        PORT_FAILURE_REASONS,
        RUNTIME_FAULT_CODES,
        ForbiddenTargetReason,
        PortFailureReason,
        RuntimeFault,
        RuntimeFaultCode,
    )
    from eval_quality.ports import (
        BoundaryParser,
        ClockPort,
        CorpusPort,
        EnvironmentProbePort,
        FileSystemPort,
        ParseResult,
        ParserPair,
        clock_read_parsers,
        corpus_resolve_parsers,
        file_read_parsers,
        file_write_parsers,
        probe_parsers,
    )

    from .assertion import assert_conforms
    from .model import (
        CONFORMANCE_OUTCOME_COUNTS,
        BuiltSubject,
        CommandProbeSubject,
        ConformanceOutcome,
        ConformancePort,
        ConformanceReport,
        DeniedAddressRequests,
        McpProbeSubject,
        PortCall,
        PortSubject,
        ProbeSubject,
        ScenarioKind,
        format_conformance_report,
    )
    from .runners import (
        run_clock_port_conformance,
        run_command_line_probe_conformance,
        run_corpus_port_conformance,
        run_environment_probe_port_conformance,
        run_file_system_port_conformance,
        run_mcp_probe_conformance,
    )

_HOMES = {
    "eval_quality.abort": ("AbortError", "AbortSignal"),
    "eval_quality.artifacts.bodies": ("ProbeObservedBody", "ProbeRequestBody"),
    "eval_quality.artifacts.port_messages": (
        "ClockReadRequest",
        "ClockReadResponse",
        "CorpusResolveRequest",
        "CorpusResolveResponse",
        "FileReadRequest",
        "FileReadResponse",
        "FileWriteRequest",
        "FileWriteResponse",
        "ProbeObservation",
        "ProbeRequest",
    ),
    "eval_quality.artifacts.target_policies": (
        "CommandTargetAuthorization",
        "CommandTargetPolicy",
        "McpTargetAuthorization",
        "McpTargetPolicy",
        "ProbeTargetAuthorization",
        "ProbeTargetPolicy",
    ),
    "eval_quality.errors": (
        "FORBIDDEN_TARGET_REASONS",
        "PORT_FAILURE_REASONS",
        "RUNTIME_FAULT_CODES",
        "ForbiddenTargetReason",
        "PortFailureReason",
        "RuntimeFault",
        "RuntimeFaultCode",
    ),
    "eval_quality.ports": (
        "BoundaryParser",
        "ClockPort",
        "CorpusPort",
        "EnvironmentProbePort",
        "FileSystemPort",
        "ParseResult",
        "ParserPair",
        "clock_read_parsers",
        "corpus_resolve_parsers",
        "file_read_parsers",
        "file_write_parsers",
        "probe_parsers",
    ),
    "eval_quality.conformance.assertion": ("assert_conforms",),
    "eval_quality.conformance.model": (
        "CONFORMANCE_OUTCOME_COUNTS",
        "BuiltSubject",
        "CommandProbeSubject",
        "ConformanceOutcome",
        "ConformancePort",
        "ConformanceReport",
        "DeniedAddressRequests",
        "McpProbeSubject",
        "PortCall",
        "PortSubject",
        "ProbeSubject",
        "ScenarioKind",
        "format_conformance_report",
    ),
    "eval_quality.conformance.runners": (
        "run_clock_port_conformance",
        "run_command_line_probe_conformance",
        "run_corpus_port_conformance",
        "run_environment_probe_port_conformance",
        "run_file_system_port_conformance",
        "run_mcp_probe_conformance",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CONFORMANCE_OUTCOME_COUNTS",
    "FORBIDDEN_TARGET_REASONS",
    "PORT_FAILURE_REASONS",
    "RUNTIME_FAULT_CODES",
    "AbortError",
    "AbortSignal",
    "BoundaryParser",
    "BuiltSubject",
    "ClockPort",
    "ClockReadRequest",
    "ClockReadResponse",
    "CommandProbeSubject",
    "CommandTargetAuthorization",
    "CommandTargetPolicy",
    "ConformanceOutcome",
    "ConformancePort",
    "ConformanceReport",
    "CorpusPort",
    "CorpusResolveRequest",
    "CorpusResolveResponse",
    "DeniedAddressRequests",
    "EnvironmentProbePort",
    "FileReadRequest",
    "FileReadResponse",
    "FileSystemPort",
    "FileWriteRequest",
    "FileWriteResponse",
    "ForbiddenTargetReason",
    "McpProbeSubject",
    "McpTargetAuthorization",
    "McpTargetPolicy",
    "ParseResult",
    "ParserPair",
    "PortCall",
    "PortFailureReason",
    "PortSubject",
    "ProbeObservation",
    "ProbeObservedBody",
    "ProbeRequest",
    "ProbeRequestBody",
    "ProbeSubject",
    "ProbeTargetAuthorization",
    "ProbeTargetPolicy",
    "RuntimeFault",
    "RuntimeFaultCode",
    "ScenarioKind",
    "assert_conforms",
    "clock_read_parsers",
    "corpus_resolve_parsers",
    "file_read_parsers",
    "file_write_parsers",
    "format_conformance_report",
    "probe_parsers",
    "run_clock_port_conformance",
    "run_command_line_probe_conformance",
    "run_corpus_port_conformance",
    "run_environment_probe_port_conformance",
    "run_file_system_port_conformance",
    "run_mcp_probe_conformance",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
