"""What a conformance run is given and what it reports (spec 13, sections 2 and 3.6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy

ScenarioKind: TypeAlias = Literal["resolves", "fails", "in-band-error", "hangs"]
ConformancePort: TypeAlias = Literal[
    "corpus", "clock", "file-system", "environment-probe", "command-probe", "mcp-probe"
]
PortCall: TypeAlias = Callable[[Any, AbortSignal], Awaitable[Any]]

CONFORMANCE_OUTCOME_COUNTS: Final[dict[ConformancePort, int]] = {
    "corpus": 6,
    "clock": 6,
    "file-system": 12,
    "environment-probe": 19,
    "command-probe": 16,
    "mcp-probe": 14,
}
"""How many outcomes a finished run reports, by port."""

DEFAULT_ABORT_BUDGET_MS: Final = 1000


@dataclass(frozen=True)
class BuiltSubject:
    """One fresh instance of a subject.

    ``port`` is the method under test; ``underlying_calls`` counts calls of the mechanism beneath it, not of the port;
    ``dispose`` lets go of whatever the instance holds.
    """

    port: PortCall
    underlying_calls: Callable[[], int]
    dispose: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, kw_only=True)
class PortSubject:
    """An implementation of a port, as its author presents it.

    ``build`` makes a fresh instance for a scenario: ``resolves`` answers the sample request, ``fails`` has a failing
    mechanism, ``in-band-error`` one that returns a value the response schema rejects, ``hangs`` one that never settles.
    """

    name: str
    sample_request: Any
    build: Callable[[ScenarioKind], Awaitable[BuiltSubject]]
    abort_budget_ms: float = DEFAULT_ABORT_BUDGET_MS


@dataclass(frozen=True, kw_only=True)
class DeniedAddressRequests:
    """Requests whose targets resolve to addresses that no authorization names."""

    loopback: Any
    private: Any
    link_local: Any
    metadata: Any


@dataclass(frozen=True, kw_only=True)
class ProbeSubject(PortSubject):
    """An environment probe over HTTP; its ``resolves`` build answers every request below as its name says."""

    policy: ProbeTargetPolicy
    authorized_request: Any
    unmapped_request: Any
    denied_address_requests: DeniedAddressRequests
    unauthorized_method_request: Any
    unauthorized_scheme_request: Any
    redirecting_request: Any
    over_redirect_request: Any
    oversize_response_request: Any
    slow_request: Any
    faulting_request: Any


@dataclass(frozen=True, kw_only=True)
class CommandProbeSubject(PortSubject):
    """An environment probe over commands; its ``resolves`` build answers every request below as its name says."""

    policy: CommandTargetPolicy
    authorized_request: Any
    unmapped_interface_request: Any
    unmapped_executable_request: Any
    unauthorized_subcommand_request: Any
    unauthorized_environment_key_request: Any
    non_zero_exit_request: Any
    injection_request: Any
    injection_argument_value: str
    artifact_request: Any
    artifact_id: str
    artifact_expected_text: str
    over_elapsed_request: Any
    over_output_request: Any


@dataclass(frozen=True, kw_only=True)
class McpProbeSubject(PortSubject):
    """An environment probe over MCP tools; its ``resolves`` build answers every request below as its name says."""

    policy: McpTargetPolicy
    authorized_request: Any
    unmapped_interface_request: Any
    unauthorized_tool_request: Any
    error_result_request: Any
    argument_echo_request: Any
    argument_echo_value: str
    argument_echo_result_key: str
    structured_result_request: Any
    structured_result_keys: tuple[str, ...]
    over_elapsed_request: Any
    over_result_bytes_request: Any


@dataclass(frozen=True)
class ConformanceOutcome:
    """One assertion: whether it passed, and the sentence that explains a failure (kept on a pass as well)."""

    id: str
    title: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class ConformanceReport:
    """Every assertion about one subject; ``passed`` when all were made and all passed."""

    subject: str
    port: ConformancePort
    outcomes: tuple[ConformanceOutcome, ...]
    passed: bool = field(init=False)

    def __post_init__(self) -> None:
        complete = len(self.outcomes) == CONFORMANCE_OUTCOME_COUNTS[self.port]
        object.__setattr__(self, "passed", complete and all(outcome.passed for outcome in self.outcomes))


def format_conformance_report(report: ConformanceReport) -> str:
    """A report as lines of text, without a final line break."""
    passed = sum(outcome.passed for outcome in report.outcomes)
    head = f'{report.port} conformance for "{report.subject}": {passed}/{len(report.outcomes)} assertions passed'
    lines = [f"{'PASS' if report.passed else 'FAIL'} {head}"]
    for outcome in report.outcomes:
        told = f"{outcome.id}: {outcome.title}"
        lines.append(f"pass {told}" if outcome.passed else f"FAIL {told} - {outcome.detail}")
    return "\n".join(lines)
