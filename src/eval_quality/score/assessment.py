"""Everything a verdict is found from (spec 09, section 15.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from eval_quality.artifacts.evidence_artifact import CoverageGap, LineageChain, OutcomeState, Trials, UncitedFindingGap
from eval_quality.artifacts.primitives import Severity
from eval_quality.artifacts.sealed_run_record import RunMode
from eval_quality.artifacts.verdicts import RecommendationName
from eval_quality.ingest import IngestCondition
from eval_quality.ingest.quotation import UnwitnessedQuotation

from .outcome import OutcomeResolution

_Condition = TypeVar("_Condition", bound=IngestCondition)


class ScoredOutcome(NamedTuple):
    """One oracle in one trial, as the ladder reads it."""

    oracle_id: str
    required: bool
    severity: Severity
    check_resolved: bool
    resolution: OutcomeResolution


@dataclass(frozen=True)
class EvidenceIntegrity:
    """What is wrong with the evidence of a run."""

    reported_incomplete: bool = False
    over_truncated: bool = False
    unavailable: bool = False
    internally_inconsistent: bool = False
    isolation_violation: Sequence[str] = ()
    conditions: Sequence[IngestCondition] = ()
    """Of all trials, in their order."""
    trial_set_disagreements: Sequence[str] = ()

    def of(self, kind: type[_Condition]) -> Iterator[_Condition]:
        """The conditions of one kind."""
        return (each for each in self.conditions if isinstance(each, kind))


@dataclass(frozen=True)
class Assessment:
    """Everything a ladder reads."""

    mode: RunMode
    outcomes: Sequence[ScoredOutcome]
    unwitnessed_quotations: Sequence[UnwitnessedQuotation]
    trials: Trials
    re_execution_cap: int
    evidence: EvidenceIntegrity
    evaluator_recommendation: RecommendationName
    coverage_gaps: Sequence[CoverageGap]
    uncited_defect_findings: Sequence[UncitedFindingGap]
    finding_confidences: Sequence[tuple[str, float]]
    confidence_threshold: float
    remediation_state: LineageChain
    preflight_passed: bool
    severity_floor: Severity

    def in_states(self, states: Sequence[OutcomeState]) -> Iterator[tuple[ScoredOutcome, OutcomeState]]:
        for outcome in self.outcomes:
            if outcome.resolution.state in states:
                yield outcome, outcome.resolution.state

    def under_condition(self, condition: str) -> Iterator[ScoredOutcome]:
        return (each for each in self.outcomes if condition in each.resolution.invalidating_conditions)
