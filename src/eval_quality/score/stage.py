"""The score stage: the trials of one probe become outcomes, a reduction and a verdict (spec 09, section 17).

In order: qualify the probe and find its designated oracle; score each trial; reduce the votes; pool what is wrong with
the evidence over all trials; walk the ladder of the run's mode. A probe that does not qualify is scored all the same,
and makes the run Invalid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import ReducedProbeOutcome, TrialOutcome
from eval_quality.artifacts.preflight_verdict import PreflightVerdict
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.coverage import evaluate_coverage
from eval_quality.errors import PreconditionError
from eval_quality.ingest import ValidatedObservations

from .assessment import Assessment, EvidenceIntegrity
from .designation import check_designated_oracle, derived_oracle_id
from .finding_map import uncited_defect_finding_gaps, uncited_finding_ids
from .outcome_tables import JudgeConduct, WaiverState
from .qualification import QualificationResult, SealedProbeSet, seal_probe_set
from .reduction import TrialSetResult, reduce_trial_set
from .trial import RunFacts, TrialScore, TrialScorer
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
    trials: Sequence[ValidatedObservations],
    probe: Probe,
    preflight_verdict: PreflightVerdict,
    policy: ScoringPolicy,
    waiver: WaiverState = "none",
    evaluation_fault: bool = False,
    designated_oracle_id: str | None = None,
) -> ScoredRun:
    """Score the trials of one probe, in ascending trial order; the contract need not have been compiled.

    Raises ``RuntimeFault`` for a check or a predicate that cannot be resolved and for a contract that has no digest,
    ``PreconditionError`` for an oracle that cannot be the designated one.
    """
    sealed = seal_probe_set([probe], contract["permittedInterfaces"])
    (qualification,) = (each.result for each in (*sealed.admitted, *sealed.rejected))
    facts = RunFacts(
        qualification.qualified,
        _designated_oracle_id(contract, probe, designated_oracle_id),
        waiver,
        _judge_conduct(contract, trials),
        evaluation_fault,
    )
    scorer = TrialScorer(contract, probe, policy, facts)
    scores = [scorer.score(trial) for trial in trials]
    votes = [each.vote for each in scores if each.vote is not None]
    result = reduce_trial_set(votes, policy["catchThreshold"])
    assessment = _assess(contract, trials, scores, result, preflight_verdict, policy)
    reduced: ReducedProbeOutcome = {
        "probeId": probe["probeId"],
        "severity": scorer.probe_severity,
        "exercised": result.exercised,
        "caught": result.caught,
        "catchThreshold": policy["catchThreshold"],
        "trialVotes": votes,
        "validCount": result.valid_count,
        "caughtCount": result.caught_count,
        "invalidatedAttempts": result.invalidated_attempts,
    }
    return ScoredRun(
        assessment=assessment,
        ladder=resolve_verdict(assessment),
        run_id=trials[0].run_id if trials else "",
        contract=contract,
        policy=policy,
        probe=probe,
        sealed_probes=sealed,
        probe_qualification=qualification,
        trial_set_result=result,
        outcomes=tuple(outcome for each in scores for outcome in each.outcomes),
        reduced_probe_outcomes=(reduced,),
        uncited_findings=tuple(each for trial in trials for each in uncited_finding_ids(trial.findings)),
    )


def _designated_oracle_id(contract: EvalContract, probe: Probe, requested: str | None) -> str | None:
    if requested is None:
        return derived_oracle_id(contract, probe)
    refusal = check_designated_oracle(contract, probe, requested)
    if refusal is not None:
        raise PreconditionError(f"score(): {refusal}")
    return requested


def _judge_conduct(contract: EvalContract, trials: Sequence[ValidatedObservations]) -> JudgeConduct:
    """One value for the run: judges matter only where a contract has rubrics."""
    if not contract["rubrics"]:
        return "absent"
    unscored = any(each.kind == "judge-result-unscored" for trial in trials for each in trial.conditions)
    return "malformed" if unscored else "conforming"


def _assess(
    contract: EvalContract,
    trials: Sequence[ValidatedObservations],
    scores: Sequence[TrialScore],
    result: TrialSetResult,
    preflight_verdict: PreflightVerdict,
    policy: ScoringPolicy,
) -> Assessment:
    """What the ladder reads: everything of all trials, and the policy's bounds."""
    return Assessment(
        mode=trials[0].mode if trials else "production",
        outcomes=[scored for each in scores for scored in each.scored],
        unwitnessed_quotations=[each for trial in trials for each in trial.unwitnessed_quotations],
        trials={
            "declaredMinimum": policy["minimumTrialCount"],
            "completed": len(trials),
            "completedAttempts": [trial.trial_index for trial in trials],
            "invalidatedAttempts": result.invalidated_attempts,
        },
        re_execution_cap=policy["reExecutionCap"],
        coverage_gaps=evaluate_coverage(contract),
        evidence=EvidenceIntegrity(
            isolation_violation=[each for trial in trials for each in trial.isolation_violation],
            conditions=[each for trial in trials for each in trial.conditions],
            trial_set_disagreements=trial_set_disagreements(contract, trials),
        ),
        evaluator_recommendation=trials[0].evaluator_recommendation if trials else "PASS",
        uncited_defect_findings=[each for trial in trials for each in uncited_defect_finding_gaps(trial.findings)],
        finding_confidences=[
            (finding["findingId"], finding["confidence"]) for trial in trials for finding in trial.findings
        ],
        confidence_threshold=policy["confidenceThreshold"],
        remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        preflight_passed=preflight_verdict["passed"],
        severity_floor=policy["severityFloor"],
    )
