"""What emit reads of a scored run; the score stage's product is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import (
    CoverageGap,
    LineageChain,
    ReducedProbeOutcome,
    TrialOutcome,
    Trials,
    UncitedFindingGap,
)
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.sealed_run_record import RunMode
from eval_quality.artifacts.verdicts import RecommendationName, VerdictName
from eval_quality.score.reduction import TrialSetResult


class Qualification(Protocol):
    """Whether the probe was admitted."""

    @property
    def qualified(self) -> bool: ...


class Ladder(Protocol):
    """The verdict and what it rests on."""

    @property
    def verdict(self) -> VerdictName | None: ...
    @property
    def exit_code(self) -> int: ...
    @property
    def basis(self) -> Sequence[str]: ...


class OutcomeState(Protocol):
    @property
    def trials(self) -> Trials: ...


class Assessment(Protocol):
    """What the verdict was found from."""

    @property
    def mode(self) -> RunMode: ...
    @property
    def outcome_state(self) -> OutcomeState: ...
    @property
    def coverage_gaps(self) -> Sequence[CoverageGap]: ...
    @property
    def uncited_defect_findings(self) -> Sequence[UncitedFindingGap]: ...
    @property
    def evaluator_recommendation(self) -> RecommendationName: ...
    @property
    def remediation_state(self) -> LineageChain: ...


class ScoredRun(Protocol):
    """A scored run."""

    @property
    def run_id(self) -> str: ...
    @property
    def contract(self) -> EvalContract: ...
    @property
    def policy(self) -> ScoringPolicy: ...
    @property
    def probe(self) -> Probe: ...
    @property
    def probe_qualification(self) -> Qualification: ...
    @property
    def assessment(self) -> Assessment: ...
    @property
    def ladder(self) -> Ladder: ...
    @property
    def trial_set_result(self) -> TrialSetResult: ...
    @property
    def outcomes(self) -> Sequence[TrialOutcome]: ...
    @property
    def reduced_probe_outcomes(self) -> Sequence[ReducedProbeOutcome]: ...
    @property
    def uncited_findings(self) -> Sequence[str]: ...
