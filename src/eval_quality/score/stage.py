"""The score stage: trials of a probe become outcomes, a reduction and a verdict (spec 09, section 17).

Everything that does not depend on a trial is prepared once: the plan index, the binding order, what each oracle's check
addresses, the probe's home operation. Two severities exist on purpose: the ladder reads that of the finding or oracle, the
artifact's outcomes and its reduction carry the probe's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import (
    ReducedProbeOutcome,
    TrialOutcome,
    Trials,
    TrialVote,
    UncitedFindingGap,
)
from eval_quality.artifacts.oracles import Oracle
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.artifacts.preflight_verdict import PreflightVerdict
from eval_quality.artifacts.primitives import SEVERITY_LEVELS, Severity
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.sealed_run_record import DefectFinding, Finding, Observation, OracleDisposition
from eval_quality.coverage import evaluate_coverage
from eval_quality.errors import PreconditionError
from eval_quality.evaluate import (
    PointerDenotesCollection,
    make_pointer_denotes_collection,
    make_resolve_operand,
    reference_set_keys_of,
    resolve_check,
)
from eval_quality.expression_walk import evidence_pointers, is_bound
from eval_quality.ingest import LADDER_TARGETS, ValidatedObservations
from eval_quality.plan_index import build_plan_index

from .designation import behavior_of, check_designated_oracle, derived_oracle_id
from .home_operation import home_operation_of, signature_of
from .outcome import CitedFinding, JudgeConduct, OutcomeInputs, OutcomeResolution, WaiverState, resolve_outcome
from .qualification import QualificationResult, SealedProbe, SealedProbeSet, qualify_probe
from .reduction import INVALIDATING_STATES, TrialSetResult, reduce_trial_set
from .selection import PlanBindings, StepSelection, TrialSelection
from .trial_set import trial_set_disagreements
from .verdicts import Assessment, EvidenceIntegrity, LadderResolution, ScoredOutcome, resolve_verdict
from .witness_match import (
    FindingMapper,
    WitnessMatcher,
    uncited_defect_findings,
    uncited_finding_ids,
)


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


_POOLED: Final = frozenset(LADDER_TARGETS.values()) - {"unwitnessed_quotations", "isolation_violation"}
"""Evidence that trials contribute their conditions to; the other two arrive on their own."""


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

    Raises ``RuntimeFault`` for a check or a predicate that cannot be resolved, and ``PreconditionError`` for an oracle
    that cannot be the designated one.
    """
    home = home_operation_of(probe, contract["permittedInterfaces"])
    qualification = qualify_probe(probe, home)
    sealed = SealedProbe(probe, qualification)
    sealed_set = SealedProbeSet((sealed,), ()) if qualification.qualified else SealedProbeSet((), (sealed,))
    oracle_id = derived_oracle_id(contract, probe)
    if designated_oracle_id is not None:
        refusal = check_designated_oracle(contract, probe, designated_oracle_id)
        if refusal is not None:
            raise PreconditionError(f"score(): {refusal}")
        oracle_id = designated_oracle_id
    scorer = _TrialScorer(
        contract=contract,
        probe=probe,
        policy=policy,
        qualified=qualification.qualified,
        designated_oracle_id=oracle_id,
        waiver=waiver,
        judge_conduct=_judge_conduct(contract, trials),
        evaluation_fault=evaluation_fault,
    )
    for trial in trials:
        scorer.score(trial)
    result = reduce_trial_set(scorer.votes, policy["catchThreshold"])
    assessment = _assess(scorer, trials, preflight_verdict, policy, result)
    return ScoredRun(
        assessment=assessment,
        ladder=resolve_verdict(assessment),
        run_id=trials[0].run_id if trials else "",
        contract=contract,
        policy=policy,
        probe=probe,
        sealed_probes=sealed_set,
        probe_qualification=qualification,
        trial_set_result=result,
        outcomes=tuple(scorer.outcomes),
        reduced_probe_outcomes=(_reduced(scorer, policy, result),),
        uncited_findings=tuple(each for trial in trials for each in uncited_finding_ids(trial.findings)),
    )


def _judge_conduct(contract: EvalContract, trials: Sequence[ValidatedObservations]) -> JudgeConduct:
    """One value for the run: judges matter only where a contract has rubrics."""
    if not contract["rubrics"]:
        return "absent"
    unscored = any(each.kind == "judge-result-unscored" for trial in trials for each in trial.conditions)
    return "malformed" if unscored else "conforming"


def _reduced(scorer: _TrialScorer, policy: ScoringPolicy, result: TrialSetResult) -> ReducedProbeOutcome:
    return {
        "probeId": scorer.probe["probeId"],
        "severity": scorer.probe_severity,
        "exercised": result.exercised,
        "caught": result.caught,
        "catchThreshold": policy["catchThreshold"],
        "trialVotes": scorer.votes,
        "validCount": result.valid_count,
        "caughtCount": result.caught_count,
        "invalidatedAttempts": result.invalidated_attempts,
    }


def _assess(
    scorer: _TrialScorer,
    trials: Sequence[ValidatedObservations],
    preflight_verdict: PreflightVerdict,
    policy: ScoringPolicy,
    result: TrialSetResult,
) -> Assessment:
    counts: Trials = {
        "declaredMinimum": policy["minimumTrialCount"],
        "completed": len(trials),
        "completedAttempts": [trial.trial_index for trial in trials],
        "invalidatedAttempts": result.invalidated_attempts,
    }
    pooled: dict[str, list[Any]] = {name: [] for name in _POOLED}
    for trial in trials:
        for condition in trial.conditions:
            if LADDER_TARGETS[condition.kind] in pooled:
                pooled[LADDER_TARGETS[condition.kind]].append(condition)
    coverage_gaps = evaluate_coverage(scorer.contract)
    evidence = EvidenceIntegrity(
        isolation_violation=[each for trial in trials for each in trial.isolation_violation],
        trial_set_disagreements=trial_set_disagreements(scorer.contract, trials),
        **pooled,
    )
    return Assessment(
        mode=trials[0].mode if trials else "production",
        outcomes=scorer.scored,
        unwitnessed_quotations=[each for trial in trials for each in trial.unwitnessed_quotations],
        trials=counts,
        re_execution_cap=policy["reExecutionCap"],
        evidence=evidence,
        evaluator_recommendation=trials[0].evaluator_recommendation if trials else "PASS",
        coverage_gaps=coverage_gaps,
        uncited_defect_findings=[_gap(each) for trial in trials for each in uncited_defect_findings(trial.findings)],
        finding_confidences=[
            (finding["findingId"], finding["confidence"]) for trial in trials for finding in trial.findings
        ],
        confidence_threshold=policy["confidenceThreshold"],
        remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        preflight_passed=preflight_verdict["passed"],
        severity_floor=policy["severityFloor"],
    )


def _gap(finding: DefectFinding) -> UncitedFindingGap:
    return {
        "findingId": finding["findingId"],
        "observationIds": finding["observationIds"],
        "quotedEvidence": finding["quotedEvidence"],
        "severity": finding["severity"],
    }


@dataclass
class _TrialScorer:
    """Scores trials one after the other; what they share is prepared when it is made."""

    contract: EvalContract
    probe: Probe
    policy: ScoringPolicy
    qualified: bool
    designated_oracle_id: str | None
    waiver: WaiverState
    judge_conduct: JudgeConduct
    evaluation_fault: bool
    scored: list[ScoredOutcome] = field(default_factory=list)
    outcomes: list[TrialOutcome] = field(default_factory=list)
    votes: list[TrialVote] = field(default_factory=list)

    def __post_init__(self) -> None:
        contract, probe = self.contract, self.probe
        index = build_plan_index(contract["interactionPlan"], contract["permittedInterfaces"], "unresolved")
        self._bindings = PlanBindings(contract["interactionPlan"], index)
        self._denotes: PointerDenotesCollection = make_pointer_denotes_collection(contract, index)
        sets = contract["referenceSets"] or {}
        self._reference_sets = {name: declared["members"] for name, declared in sets.items()}
        self._reference_set_keys = reference_set_keys_of(contract)
        self._witness = WitnessMatcher.of(probe, contract["permittedInterfaces"])
        self._findings = FindingMapper.of([probe], contract["permittedInterfaces"])
        self._signed = signature_of(probe) is not None
        behavior = behavior_of(contract, probe)
        self.probe_severity: Severity = "low" if behavior is None else behavior["severity"]
        self._oracle_severity = _oracle_severities(contract)
        self._addressed = [self._addressed_steps(oracle) for oracle in contract["oracles"]]

    def _addressed_steps(self, oracle: Oracle) -> list[InteractionStep]:
        """Plan steps that a check reads something of."""
        if oracle["check"] is None:
            return []
        pointers = (use.pointer for use in evidence_pointers(oracle["check"]) if not is_bound(use.pointer))
        ids = {pointer.removeprefix("/interactions/").partition("/")[0] for pointer in pointers}
        return [step for step in self._bindings.plan if step["stepId"] in ids]

    def score(self, trial: ValidatedObservations) -> None:
        selection = TrialSelection(self._bindings, trial.observations)
        selections = {step["stepId"]: selection.select(step) for step in self._bindings.plan}
        resolve_operand = make_resolve_operand(self._step_observations(selection, selections), self._reference_sets)
        witness = self._witness.match(trial.observations, trial.findings) if self._signed else None
        buckets = {
            entry.finding_id: bucket
            for bucket, entries in self._findings.map(trial.observations, trial.findings).items()
            for entry in entries
        }
        evidence = _TrialEvidence(trial)
        states: list[tuple[str, OutcomeResolution]] = []
        for oracle, addressed in zip(self.contract["oracles"], self._addressed, strict=True):
            oracle_id = oracle["id"]
            tree = (
                None
                if oracle["check"] is None
                else resolve_check(
                    oracle["check"],
                    resolve_operand,
                    self._denotes,
                    self._reference_set_keys,
                    self.policy["regexMatchStepBudget"],
                    f"EvalContract.oracles[id={oracle_id}].check",
                )
            )
            cited = evidence.citation_of(oracle_id)
            resolution = resolve_outcome(
                OutcomeInputs(
                    required=True,
                    disposition=evidence.disposition_of(oracle_id),
                    cited_finding=None
                    if cited is None
                    else CitedFinding(cited["findingId"], buckets.get(cited["findingId"], "dangling")),
                    witness=witness if oracle_id == self.designated_oracle_id else None,
                    selections=[selections[step["stepId"]] for step in addressed],
                    selector_ambiguity=any(_is_ambiguous(step, selections[step["stepId"]]) for step in addressed),
                    check_resolution=None if tree is None else tree["resolution"],
                    polarity=oracle["polarity"],
                    probe_class=self.probe["probeClass"],
                    expected_clean=self.probe["expectedClean"],
                    probe_signed=self._signed,
                    probe_qualified=self.qualified,
                    waiver=self.waiver,
                    judge_conduct=self.judge_conduct,
                    evaluation_fault=self.evaluation_fault,
                )
            )
            states.append((oracle_id, resolution))
            severity = evidence.severity_of(resolution.resolved_from) or self._oracle_severity.get(oracle_id, "low")
            self.scored.append(ScoredOutcome(oracle_id, True, severity, tree is not None, resolution))
            disposition = evidence.disposition_of(oracle_id)
            self.outcomes.append(
                {
                    "oracleId": oracle_id,
                    "trialIndex": trial.trial_index,
                    "probeId": self.probe["probeId"],
                    "state": resolution.state,
                    "severity": self.probe_severity,
                    "disposition": "not-attempted" if disposition is None else disposition["disposition"],
                    "resolvedFrom": resolution.resolved_from,
                    "corroboration": resolution.corroboration,
                    "selectedObservationIds": list(resolution.selected_observation_ids),
                    "checkResolution": tree,
                }
            )
        self._vote(trial.trial_index, states)

    def _step_observations(
        self, selection: TrialSelection, selections: Mapping[str, StepSelection]
    ) -> dict[str, Observation]:
        """The observation each step is read from: its first, unless it should have been the only one."""
        observations: dict[str, Observation] = {}
        for step in self._bindings.plan:
            chosen = selections[step["stepId"]]
            if chosen.result != "none" and not _is_ambiguous(step, chosen):
                observation = selection.observation(chosen.matched_observation_ids[0])
                if observation is not None:
                    observations[step["stepId"]] = observation
        return observations

    def _vote(self, trial_index: int, states: Sequence[tuple[str, OutcomeResolution]]) -> None:
        """A trial votes with its designated oracle; else with the first invalidating state, else with its first oracle."""
        if not states:
            return
        designated = (each.state for oracle_id, each in states if oracle_id == self.designated_oracle_id)
        invalidating = (each.state for _, each in states if each.state in INVALIDATING_STATES)
        state = next(designated, None) or next(invalidating, None) or states[0][1].state
        self.votes.append({"trialIndex": trial_index, "state": state})


def _is_ambiguous(step: InteractionStep, selection: StepSelection) -> bool:
    return selection.result == "several" and step["cardinality"] != "any"


def _oracle_severities(contract: EvalContract) -> dict[str, Severity]:
    """The highest severity among the behaviors that list each oracle."""
    severities: dict[str, Severity] = {}
    for behavior in contract["behaviors"]:
        for oracle_id in behavior["oracles"]:
            known = severities.get(oracle_id, "low")
            severities[oracle_id] = max(known, behavior["severity"], key=SEVERITY_LEVELS.index)
    return severities


class _TrialEvidence:
    """Dispositions and findings of a trial by what they name; whatever is named twice names nothing."""

    def __init__(self, trial: ValidatedObservations) -> None:
        self._dispositions: dict[str, list[OracleDisposition]] = defaultdict(list)
        for disposition in trial.dispositions:
            self._dispositions[disposition["oracleId"]].append(disposition)
        self._citations: dict[str, list[Finding]] = defaultdict(list)
        self._by_id: dict[str, list[Finding]] = defaultdict(list)
        for finding in trial.findings:
            self._by_id[finding["findingId"]].append(finding)
            if finding["findingType"] == "defect" and finding["oracleId"] is not None:
                self._citations[finding["oracleId"]].append(finding)

    def disposition_of(self, oracle_id: str) -> OracleDisposition | None:
        return _only(self._dispositions.get(oracle_id, []))

    def citation_of(self, oracle_id: str) -> Finding | None:
        return _only(self._citations.get(oracle_id, []))

    def severity_of(self, finding_id: str | None) -> Severity | None:
        finding = None if finding_id is None else _only(self._by_id.get(finding_id, []))
        return None if finding is None else finding["severity"]


def _only(items: Sequence[Any]) -> Any:
    return items[0] if len(items) == 1 else None
