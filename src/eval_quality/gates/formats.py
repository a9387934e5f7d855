"""How reports are printed: text as the reference prints it, JSON, SARIF 2.1.0, or annotations for GitHub Actions.

An outcome is a report, or the message of what kept a gate from reporting. Every format is a function from the
outcomes of a run to what goes to standard output and standard error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from eval_quality.canonical import well_formed
from eval_quality.version import VERSION

from .arguments import Format
from .gate import Block, Finding, Note, Report, Stale
from .refusals import GateError
from .registry import GATES

PROGRAM: Final = "eval-quality-gates"
SARIF_VERSION: Final = "2.1.0"


class Outcome(NamedTuple):
    """What running one gate came to."""

    gate: str
    result: Report | GateError

    @property
    def exit_code(self) -> int:
        return self.result.exit_code

    @property
    def status(self) -> str:
        return {0: "passed", 1: "failed"}.get(self.exit_code, "refused")

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.result.findings if isinstance(self.result, Report) else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The evidence: what was read and what passed."""
        if isinstance(self.result, GateError):
            return ()
        return tuple(line for part in self.result.parts if isinstance(part, Note) for line in part.lines)

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why the gate could not judge, or what in its configuration reaches nothing."""
        return (str(self.result),) if isinstance(self.result, GateError) else self.result.stale

    @property
    def enforced(self) -> bool:
        return isinstance(self.result, GateError) or self.result.enforced


class Printed(NamedTuple):
    """The text of the two standard streams."""

    stdout: str
    stderr: str


def exit_code_of(outcomes: Iterable[Outcome]) -> int:
    """The worst code: 64 outranks 1, since a gate that did not run proves nothing."""
    return max((outcome.exit_code for outcome in outcomes), default=0)


def render(outcomes: Sequence[Outcome], chosen: Format) -> Printed:
    """The outcomes of a run in the chosen format."""
    return _FORMATS[chosen](outcomes)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _text(outcomes: Sequence[Outcome]) -> Printed:
    streams: dict[str, list[str]] = {"stdout": [], "stderr": []}
    for outcome in outcomes:
        if isinstance(outcome.result, GateError):
            streams["stderr"].append(f"{PROGRAM}: {outcome.result}")
            continue
        for part in outcome.result.parts:
            match part:
                case Note(lines):
                    streams["stdout"].extend(lines)
                case Block(heading, findings, stream):
                    streams[stream].extend(() if heading is None else ("", heading))
                    streams[stream].extend(line for finding in findings for line in finding.lines)
                case Stale(message):
                    streams["stderr"].extend(("", f"{PROGRAM}: {message}"))
    return Printed(_lines(streams["stdout"]), _lines(streams["stderr"]))


def _json(outcomes: Sequence[Outcome]) -> Printed:
    document = {
        "exitCode": exit_code_of(outcomes),
        "gates": [
            {
                "gate": outcome.gate,
                "status": outcome.status,
                "exitCode": outcome.exit_code,
                "notes": outcome.notes,
                "findings": [
                    {
                        "file": finding.path,
                        "line": finding.line,
                        "rule": finding.rule,
                        "message": finding.message,
                        "reason": finding.reason,
                    }
                    for finding in outcome.findings
                ],
                "refusals": outcome.refusals,
            }
            for outcome in outcomes
        ],
    }
    return Printed(_pretty(document), "")


def _pretty(document: object) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _sarif(outcomes: Sequence[Outcome]) -> Printed:
    return Printed(_pretty({"version": SARIF_VERSION, "runs": [_sarif_run(outcome) for outcome in outcomes]}), "")


def _sarif_run(outcome: Outcome) -> dict[str, Any]:
    rules = list(dict.fromkeys(finding.rule for finding in outcome.findings))
    invocation: dict[str, Any] = {
        "executionSuccessful": not outcome.refusals,
        "exitCode": outcome.exit_code,
        "toolExecutionNotifications": [{"level": "note", "message": {"text": text}} for text in outcome.notes],
        "toolConfigurationNotifications": [{"level": "error", "message": {"text": text}} for text in outcome.refusals],
    }
    return {
        "tool": {
            "driver": {
                "name": PROGRAM,
                "version": VERSION,
                "rules": [
                    {"id": f"{outcome.gate}/{rule}", "shortDescription": {"text": GATES[outcome.gate].holds}}
                    for rule in rules
                ],
            }
        },
        "automationDetails": {"id": f"{outcome.gate}/"},
        "invocations": [invocation],
        "originalUriBaseIds": {"ROOT": {"description": {"text": "The directory that holds the configuration file."}}},
        "results": [
            {
                "ruleId": f"{outcome.gate}/{finding.rule}",
                "ruleIndex": rules.index(finding.rule),
                "level": "error" if outcome.enforced else "warning",
                "message": {"text": _explained(finding)},
                "locations": [_sarif_location(finding)],
            }
            for finding in outcome.findings
        ],
    }


def _sarif_location(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(well_formed(finding.file)), "uriBaseId": "ROOT"},
            "region": {"startLine": 1 if finding.inside else finding.line},
        }
    }
    if finding.inside:
        location["logicalLocations"] = [{"fullyQualifiedName": f"{finding.path}:{finding.line}"}]
    return location


def _explained(finding: Finding) -> str:
    return finding.message if finding.reason is None else f"{finding.message} ({finding.reason})"


def _github(outcomes: Sequence[Outcome]) -> Printed:
    return Printed(_lines(line for outcome in outcomes for line in _annotations(outcome)), "")


def _annotations(outcome: Outcome) -> Iterator[str]:
    yield from outcome.notes
    level = "error" if outcome.enforced else "warning"
    for finding in outcome.findings:
        properties = {
            "file": finding.file,
            "line": str(1 if finding.inside else finding.line),
            "title": f"{outcome.gate}/{finding.rule}",
        }
        spelled = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
        where = f"{finding.path}:{finding.line}: " if finding.inside else ""
        yield f"::{level} {spelled}::{_escape(where + _explained(finding))}"
    for refusal in outcome.refusals:
        yield f"::error title={outcome.gate}::{_escape(refusal)}"


def _escape(text: str, also: str = "") -> str:
    """``text`` as data of a workflow command."""
    return "".join(f"%{ord(character):02X}" if character in "%\r\n" + also else character for character in text)


_FORMATS: Final[dict[Format, Callable[[Sequence[Outcome]], Printed]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}


def render_list(chosen: Format) -> str:
    """The table of gates: one line each, or a JSON array."""
    if chosen == "json":
        return _pretty([{"gate": gate.name, "holds": gate.holds} for gate in GATES.values()])
    width = max(map(len, GATES)) + 2
    return _lines(f"{gate.name:<{width}}{gate.holds}" for gate in GATES.values())
