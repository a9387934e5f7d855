"""What a gate is: a configuration model and a place in, a report out. Printing and exiting happen elsewhere.

A report is a sequence of parts in the order a reader meets them: notes (what was read, and that it passed), blocks of
findings under a heading, and stale rows (configuration that no longer applies to anything). Findings carry both the
lines of the text format and the fields the machine formats need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from eval_quality.canonical import utf16_key

from .refusals import EXIT_FOUND, EXIT_REFUSED


class Place(NamedTuple):
    """Where a gate runs: its name, the directory its paths are relative to, and the file that configures it."""

    gate: str
    root: Path
    config: Path


@dataclass(frozen=True)
class Finding:
    """One thing a gate holds against the repository.

    ``file`` is relative to the root, ``inside`` what is meant within it (``!member`` of an archive, ``#field`` of a
    manifest), ``line`` starts at 1, ``rule`` is the name the finding is known by, ``reason`` the owner's own words,
    ``lines`` what the text format prints.
    """

    file: str
    line: int
    rule: str
    message: str
    lines: tuple[str, ...]
    reason: str | None = None
    inside: str = ""

    @property
    def path(self) -> str:
        """``file`` with what is meant inside it, as the text format spells it."""
        return self.file + self.inside


class Note(NamedTuple):
    """Lines of evidence for standard output."""

    lines: tuple[str, ...]


class Block(NamedTuple):
    """Findings under a heading, for standard error unless the owner asked for a report only."""

    heading: str | None
    findings: tuple[Finding, ...]
    stream: Literal["stdout", "stderr"] = "stderr"


class Stale(NamedTuple):
    """Rows of the configuration that reached nothing: a refusal, unless something was found."""

    message: str


Part = Note | Block | Stale


@dataclass(frozen=True)
class Report:
    """What one gate has to say. ``enforced`` is false when findings are printed and do not fail the run."""

    parts: tuple[Part, ...]
    enforced: bool = field(default=True, kw_only=True)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in the order it is printed."""
        return tuple(finding for part in self.parts if isinstance(part, Block) for finding in part.findings)

    @property
    def stale(self) -> tuple[str, ...]:
        """The messages about configuration that reached nothing."""
        return tuple(part.message for part in self.parts if isinstance(part, Stale))

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 when something was found, 64 when only stale rows were: a finding outranks them."""
        if self.enforced and self.findings:
            return EXIT_FOUND
        return EXIT_REFUSED if self.stale else 0


def note(*lines: str) -> Note:
    """A note of these lines."""
    return Note(lines)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings sorted by file (in UTF-16 order) and then line; equal ones stay in the order they were found."""
    return tuple(sorted(findings, key=lambda finding: (utf16_key(finding.path), finding.line)))


def summary_or_findings(passed: str, failed: str, findings: tuple[Finding, ...]) -> Iterator[Part]:
    """The passing line on standard output, or else the findings under their heading."""
    yield Block(failed, findings) if findings else note(passed)
