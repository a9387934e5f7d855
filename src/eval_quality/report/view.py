"""Everything a report shows, in words and in the order it is shown. Renderers read this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .words import STATES, Tone, listed

MOST_NAMED: Final = 8
"""Identifiers that a line names; it says how many more there are, or that there are."""


@dataclass(frozen=True)
class Fact:
    """Something by its name."""

    label: str
    value: str


@dataclass(frozen=True)
class Mark:
    """A word with the colour it is told in."""

    word: str
    tone: Tone


@dataclass(frozen=True)
class Condition:
    """One line of a verdict's basis: as the artifact has it, what it means, and how often it was met."""

    line: str
    meaning: str
    times: str = ""
    probe_ids: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """``P-001, P-002, in 3 trials``: the probes it holds for, the first of many, and how often."""
        named = ", ".join(self.probe_ids[:MOST_NAMED]) + (" and more" if len(self.probe_ids) > MOST_NAMED else "")
        return ", ".join(filter(None, (named, self.times)))


@dataclass(frozen=True)
class VerdictView:
    """The verdict of the run, and why."""

    mark: Mark
    headline: str
    because: tuple[str, ...]
    """Sentences about the run as a whole."""
    conditions: tuple[Condition, ...]
    tally: tuple[tuple[Mark, int], ...]
    """Probes by verdict, worst first."""


@dataclass(frozen=True)
class ClassView:
    """One probe class against its floor."""

    title: str
    meaning: str
    caught: int
    exercised: int
    eligible: int
    rate: str
    share: float | None
    """The rate, 0 to 1, for a bar."""
    floor: str
    decision: Mark
    why: str


@dataclass(frozen=True)
class StateKey:
    """One line of the legend."""

    state: str
    letter: str
    tone: Tone
    meaning: str


@dataclass(frozen=True)
class Cell:
    """One oracle over the trials of one probe: runs of equal states, in the order of the trials."""

    states: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """``caught, 2 times missed``."""
        return ", ".join(state if number == 1 else f"{number} times {state}" for state, number in self.states)

    @property
    def short(self) -> str:
        """``C2M``: a letter and, where it stands for several trials in a row, their number."""
        return "".join(f"{STATES[state].letter}{'' if number == 1 else number}" for state, number in self.states)


@dataclass(frozen=True)
class MatrixRow:
    """One probe over all oracles; a cell is ``None`` where the oracle has no outcome."""

    probe_id: str
    status: Mark
    kind: str
    """The ``status_key`` of the probe."""
    attention: bool
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class OracleColumn:
    """One oracle, with what it watches when the contract says so."""

    oracle_id: str
    about: str


@dataclass(frozen=True)
class MatrixView:
    """Probes by oracles."""

    columns: tuple[OracleColumn, ...]
    rows: tuple[MatrixRow, ...]
    legend: tuple[StateKey, ...]
    quiet: str = ""
    """What to say of oracles left out because the table would be too large; empty when none is."""


@dataclass(frozen=True)
class TrialView:
    """What trials that agree said about a probe: the state that counts, the finding behind it, or why there is none."""

    trials: tuple[int, ...]
    state: str
    letter: str
    tone: Tone
    findings: tuple[str, ...]
    observations: tuple[str, ...]
    why: str

    @property
    def label(self) -> str:
        """``Trial 2``, ``Trials 1 and 3``."""
        return f"{'Trial' if len(self.trials) == 1 else 'Trials'} {listed([str(each) for each in self.trials])}"


@dataclass(frozen=True)
class ProbeView:
    """One probe."""

    probe_id: str
    class_key: str
    class_title: str
    status: Mark
    status_key: str
    """``good``, ``failed``, ``invalid`` or ``incomparable``: what a test report makes of it."""
    why: str
    """The status in a sentence."""
    verdict: Mark
    severity: str
    behavior: str
    seeded: tuple[Fact, ...]
    """What was planted, how, and why."""
    facts: tuple[Fact, ...]
    trials: tuple[TrialView, ...]
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]

    @property
    def planted(self) -> str:
        """What was planted, in a line."""
        return self.seeded[0].value if self.seeded else ""

    @property
    def needs_attention(self) -> bool:
        return self.status_key != "good" or self.verdict.word not in ("PASS", "No verdict")


@dataclass(frozen=True)
class WaiverView:
    """A gap somebody accepts."""

    waiver_id: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class GapView:
    """A discipline rule that is not satisfied."""

    rule: str
    asks: str
    severity: str
    missing: str
    """Where exactly, when the contract is at hand."""
    closed_by: str
    waivers: tuple[WaiverView, ...]


@dataclass(frozen=True)
class CoverageView:
    """Discipline coverage."""

    summary: str
    gaps: tuple[GapView, ...]
    other_waivers: tuple[WaiverView, ...]


@dataclass(frozen=True)
class CheckView:
    """One pre-flight check that did not simply hold."""

    what: str
    where: str
    outcome: Mark
    note: str


@dataclass(frozen=True)
class PreflightView:
    """Whether the environment was fit to be scored."""

    mark: Mark
    summary: str
    checks: tuple[CheckView, ...]


@dataclass(frozen=True)
class Change:
    """One difference from the baseline."""

    subject: str
    text: str
    regression: bool


@dataclass(frozen=True)
class ChangeGroup:
    """Differences of one sort."""

    title: str
    changes: tuple[Change, ...]
    otherwise: str
    """What to say when there is none."""


@dataclass(frozen=True)
class ComparisonView:
    """This run held against a baseline."""

    mark: Mark
    summary: str
    groups: tuple[ChangeGroup, ...]

    @property
    def regressions(self) -> tuple[Change, ...]:
        return tuple(change for group in self.groups for change in group.changes if change.regression)


@dataclass(frozen=True)
class FactGroup:
    """Facts under a title."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Report:
    """The whole report."""

    title: str
    subtitle: str
    verdict: VerdictView
    preflight: PreflightView | None
    comparison: ComparisonView | None
    classes: tuple[ClassView, ...]
    matrix: MatrixView
    probes: tuple[ProbeView, ...]
    coverage: CoverageView
    incomparable: tuple[Fact, ...]
    provenance: tuple[FactGroup, ...]
