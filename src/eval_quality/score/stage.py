"""The score stage: the trials of one probe become outcomes, a reduction and a verdict (spec 09, section 17).

In order: qualify the probe and find its designated oracle; score each trial; reduce the votes; pool what is wrong with
the evidence over all trials; walk the ladder of the run's mode. A probe that does not qualify is scored all the same,
and makes the run Invalid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import ReducedProbeOutcome, TrialOutcome, TrialVote, UncitedFindingGap
from eval_quality.artifacts.preflight_verdict import PreflightVerdict
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.coverage import evaluate_coverage
from eval_quality.errors import PreconditionError
from eval_quality.ingest import ValidatedObservations

from .assessment import Assessment, EvidenceIntegrity, ScoredOutcome
from .designation import check_designated_oracle, derived_oracle_id
from .finding_map import uncited_defect_finding_gaps, uncited_finding_ids
from .outcome_tables import JudgeConduct, WaiverState
from .qualification import QualificationResult, SealedProbeSet, seal_probe_set
from .reduction import TrialSetResult, reduce_trial_set
from .trial import RunFacts, TrialScorer
from .trial_set import trial_set_disagreements
from .verdicts import LadderResolution, resolve_verdict


@dataclass(frozen=True)
class ScoredRun:
    """What scoring came to."""

    assessment: Assessment
    ladder: LadderResolution
    run_id: str
    contract: EvalContract
    policy: ScoringPolicy
    probe: Probe
    sealed_probes: SealedProbeSet
    probe_qualification: QualificationResult
    trial_set_result: TrialSetResult
    outcomes: tuple[TrialOutcome, ...]
    reduced_probe_outcomes: tuple[ReducedProbeOutcome, ...]
    uncited_findings: tuple[str, ...]


def score(
    contract: EvalContract,
    trials: Iterable[ValidatedObservations],
    probe: Probe,
    preflight_verdict: PreflightVerdict,
    policy: ScoringPolicy,
    waiver: WaiverState = "none",
    evaluation_fault: bool = False,
    designated_oracle_id: str | None = None,
    *,
    judge_results_unscored: bool | None = None,
) -> ScoredRun:
    """Score the trials of one probe, in ascending trial order; the contract need not have been compiled.

    ``judge_results_unscored`` says whether any trial has such, for trials that come one at a time; they are let go as
    soon as they are scored.

    Raises ``RuntimeFault`` for a check or a predicate that cannot be resolved and for a contract that has no digest,
    ``PreconditionError`` for an oracle that cannot be the designated one. What making a trial raises comes before that.
    """
    if judge_results_unscored is None:
        trials = [*trials]
        judge_results_unscored = any(
            each.kind == "judge-result-unscored" for trial in trials for each in trial.conditions
        )
    coming = iter(trials)
    try:
        run = _Run(contract, probe, policy, waiver, evaluation_fault, designated_oracle_id, judge_results_unscored)
        for trial in coming:
            run.take(trial)
    except Exception:
        deque(coming, maxlen=0)  # a trial that cannot be made is told first
        raise
    return run.result(preflight_verdict)


class _Run:
    """The trials of one probe as far as they have come; of each only what a verdict reads is kept."""

    def __init__(
        self,
        contract: EvalContract,
        probe: Probe,
        policy: ScoringPolicy,
        waiver: WaiverState,
        evaluation_fault: bool,
        designated_oracle_id: str | None,
        judge_results_unscored: bool,
    ) -> None:
        self._contract, self._probe, self._policy = contract, probe, policy
        self._sealed = seal_probe_set([probe], contract["permittedInterfaces"])
        (self._qualification,) = (each.result for each in (*self._sealed.admitted, *self._sealed.rejected))
        facts = RunFacts(
            self._qualification.qualified,
            _designated_oracle_id(contract, probe, designated_oracle_id),
            waiver,
            _judge_conduct(contract, judge_results_unscored),
            evaluation_fault,
        )
        self._scorer = TrialScorer(contract, probe, policy, facts)
        self._trials: list[ValidatedObservations] = []
        """Without their evidence."""
        self._scored: list[ScoredOutcome] = []
        self._outcomes: list[TrialOutcome] = []
        self._votes: list[TrialVote] = []
        self._uncited: list[str] = []
        self._uncited_defects: list[UncitedFindingGap] = []
        self._confidences: list[tuple[str, float]] = []

    def take(self, trial: ValidatedObservations) -> None:
        scored, outcomes, vote = self._scorer.score(trial)
        self._scored += scored
        self._outcomes += outcomes
        if vote is not None:
            self._votes.append(vote)
        self._uncited += uncited_finding_ids(trial.findings)
        self._uncited_defects += uncited_defect_finding_gaps(trial.findings)
        self._confidences += ((finding["findingId"], finding["confidence"]) for finding in trial.findings)
        self._trials.append(replace(trial, observations=(), findings=(), dispositions=()))

    def result(self, preflight_verdict: PreflightVerdict) -> ScoredRun:
        result = reduce_trial_set(self._votes, self._policy["catchThreshold"])
        assessment = self._assessment(result, preflight_verdict)
        reduced: ReducedProbeOutcome = {
            "probeId": self._probe["probeId"],
            "severity": self._scorer.probe_severity,
            "exercised": result.exercised,
            "caught": result.caught,
            "catchThreshold": self._policy["catchThreshold"],
            "trialVotes": self._votes,
            "validCount": result.valid_count,
            "caughtCount": result.caught_count,
            "invalidatedAttempts": result.invalidated_attempts,
        }
        return ScoredRun(
            assessment=assessment,
            ladder=resolve_verdict(assessment),
            run_id=self._trials[0].run_id if self._trials else "",
            contract=self._contract,
            policy=self._policy,
            probe=self._probe,
            sealed_probes=self._sealed,
            probe_qualification=self._qualification,
            trial_set_result=result,
            outcomes=tuple(self._outcomes),
            reduced_probe_outcomes=(reduced,),
            uncited_findings=tuple(self._uncited),
        )

    def _assessment(self, result: TrialSetResult, preflight_verdict: PreflightVerdict) -> Assessment:
        """What the ladder reads: everything of all trials, and the policy's bounds."""
        trials, policy = self._trials, self._policy
        return Assessment(
            mode=trials[0].mode if trials else "production",
            outcomes=self._scored,
            unwitnessed_quotations=[each for trial in trials for each in trial.unwitnessed_quotations],
            trials={
                "declaredMinimum": policy["minimumTrialCount"],
                "completed": len(trials),
                "completedAttempts": [trial.trial_index for trial in trials],
                "invalidatedAttempts": result.invalidated_attempts,
            },
            re_execution_cap=policy["reExecutionCap"],
            coverage_gaps=evaluate_coverage(self._contract),
            evidence=EvidenceIntegrity(
                isolation_violation=[each for trial in trials for each in trial.isolation_violation],
                conditions=[each for trial in trials for each in trial.conditions],
                trial_set_disagreements=trial_set_disagreements(self._contract, trials),
            ),
            evaluator_recommendation=trials[0].evaluator_recommendation if trials else "PASS",
            uncited_defect_findings=self._uncited_defects,
            finding_confidences=self._confidences,
            confidence_threshold=policy["confidenceThreshold"],
            remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
            preflight_passed=preflight_verdict["passed"],
            severity_floor=policy["severityFloor"],
        )


def _designated_oracle_id(contract: EvalContract, probe: Probe, requested: str | None) -> str | None:
    if requested is None:
        return derived_oracle_id(contract, probe)
    refusal = check_designated_oracle(contract, probe, requested)
    if refusal is not None:
        raise PreconditionError(f"score(): {refusal}")
    return requested


def _judge_conduct(contract: EvalContract, results_unscored: bool) -> JudgeConduct:
    """One value for the run: judges matter only where a contract has rubrics."""
    if not contract["rubrics"]:
        return "absent"
    return "malformed" if results_unscored else "conforming"
