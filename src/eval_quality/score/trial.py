"""One trial scored: what each oracle comes to, and what the trial votes (spec 09, section 17.4, step 5).

Two severities exist on purpose: the ladder reads that of the finding an oracle was resolved from, or of the behaviors
that list it; the artifact's outcomes carry the severity of the behavior the probe belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import CheckResolution, OutcomeState, TrialOutcome, TrialVote
from eval_quality.artifacts.oracles import Oracle
from eval_quality.artifacts.primitives import SEVERITY_LEVELS, Severity
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.sealed_run_record import Finding, Observation, OracleDisposition
from eval_quality.evaluate import (
    CheckResolver,
    ResolveOperand,
    make_pointer_denotes_collection,
    make_resolve_operand,
    reference_set_keys_of,
)
from eval_quality.expression_walk import evidence_pointers, is_bound
from eval_quality.ingest import ValidatedObservations

from .assessment import ScoredOutcome
from .designation import behavior_of
from .finding_map import FindingBucket, FindingMapper, MappedFinding
from .home_operation import signature_of
from .observations import TrialObservations
from .outcome import CitedFinding, OutcomeInputs, OutcomeResolution, resolve_outcome
from .outcome_tables import JudgeConduct, WaiverState
from .reduction import INVALIDATING_STATES
from .selection import PlannedStep, PreparedPlan, StepSelection, TrialSelection
from .witness_match import ProbeWitnessMatch, WitnessMatcher

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class RunFacts:
    """What is the same for every trial of a run, beside the artifacts."""

    probe_qualified: bool
    designated_oracle_id: str | None
    waiver: WaiverState
    judge_conduct: JudgeConduct
    evaluation_fault: bool


class TrialScore(NamedTuple):
    """What one trial came to: oracles as the ladder reads them, as the artifact keeps them, and the vote."""

    scored: list[ScoredOutcome]
    outcomes: list[TrialOutcome]
    vote: TrialVote | None
    """``None`` for a contract without oracles."""


class _PreparedOracle(NamedTuple):
    """An oracle, with everything that does not depend on a trial."""

    oracle: Oracle
    addressed: tuple[PlannedStep, ...]
    """Plan entries that its check reads something of, in plan order."""
    severity: Severity
    """The highest among the behaviors that list it."""


class TrialScorer:
    """Scores the trials of one probe over one contract, which are both read once."""

    def __init__(self, contract: EvalContract, probe: Probe, policy: ScoringPolicy, facts: RunFacts) -> None:
        interfaces = contract["permittedInterfaces"]
        behavior = behavior_of(contract, probe)
        self.probe_severity: Severity = "low" if behavior is None else behavior["severity"]
        self._probe = probe
        self._signed = signature_of(probe) is not None
        self._facts = facts
        self._plan = PreparedPlan(contract["interactionPlan"], interfaces)
        self._oracles = tuple(_prepared_oracles(contract, self._plan))
        self._checks = CheckResolver(
            make_pointer_denotes_collection(contract, self._plan.index),
            reference_set_keys_of(contract),
            policy["regexMatchStepBudget"],
        )
        sets = contract["referenceSets"] or {}
        self._reference_sets = {identifier: declared["members"] for identifier, declared in sets.items()}
        self._witness = WitnessMatcher.of(probe, interfaces)
        self._findings = FindingMapper.of([probe], interfaces)
        self._known: dict[ScoredOutcome, ScoredOutcome] = {}
        """One of each that is equal: an oracle comes to the same in most trials."""

    def score(self, trial: ValidatedObservations) -> TrialScore:
        """Score one trial; faults of the signature's predicate come before those of a check."""
        observations = TrialObservations(trial.observations)
        selection = TrialSelection(self._plan, observations)
        selections = {planned.step_id: selection.select(planned) for planned in self._plan.steps}
        read = dict(self._observations_read(selections, observations.last))
        witness = None if self._witness is None else self._witness.match(observations, trial.findings)
        evidence = _TrialEvidence(
            trial, selections, make_resolve_operand(read, self._reference_sets), witness, self._findings, observations
        )
        scored: list[ScoredOutcome] = []
        outcomes: list[TrialOutcome] = []
        for prepared in self._oracles:
            oracle_id = prepared.oracle["id"]
            check = self._resolved_check(prepared.oracle, evidence.resolve_operand)
            resolution = resolve_outcome(self._inputs(prepared, evidence, check))
            severity = evidence.severity_of(resolution.resolved_from) or prepared.severity
            came_to = ScoredOutcome(oracle_id, True, severity, check is not None, resolution)
            scored.append(self._known.setdefault(came_to, came_to))
            outcomes.append(self._outcome(oracle_id, evidence, resolution, check))
        return TrialScore(scored, outcomes, self._vote(trial.trial_index, outcomes))

    def _observations_read(
        self, selections: Mapping[str, StepSelection], by_id: Mapping[str, Observation]
    ) -> Iterable[tuple[str, Observation]]:
        """The observation that checks read for each step: its first, unless it should have been the only one."""
        for planned in self._plan.steps:
            selection = selections[planned.step_id]
            if selection.result != "none" and not planned.is_ambiguous(selection):
                yield planned.step_id, by_id[selection.matched_observation_ids[0]]

    def _resolved_check(self, oracle: Oracle, resolve_operand: ResolveOperand) -> CheckResolution | None:
        if oracle["check"] is None:
            return None
        return self._checks.resolve(oracle["check"], resolve_operand, f"EvalContract.oracles[id={oracle['id']}].check")

    def _inputs(
        self, prepared: _PreparedOracle, evidence: _TrialEvidence, check: CheckResolution | None
    ) -> OutcomeInputs:
        oracle_id, facts = prepared.oracle["id"], self._facts
        selections = [evidence.selections[planned.step_id] for planned in prepared.addressed]
        return OutcomeInputs(
            required=True,
            disposition=evidence.disposition_of(oracle_id),
            cited_finding=evidence.citation_of(oracle_id),
            witness=evidence.witness if oracle_id == facts.designated_oracle_id else None,
            selections=selections,
            selector_ambiguity=any(map(PlannedStep.is_ambiguous, prepared.addressed, selections)),
            check_resolution=None if check is None else check["resolution"],
            polarity=prepared.oracle["polarity"],
            probe_class=self._probe["probeClass"],
            expected_clean=self._probe["expectedClean"],
            probe_signed=self._signed,
            probe_qualified=facts.probe_qualified,
            waiver=facts.waiver,
            judge_conduct=facts.judge_conduct,
            evaluation_fault=facts.evaluation_fault,
        )

    def _outcome(
        self, oracle_id: str, evidence: _TrialEvidence, resolution: OutcomeResolution, check: CheckResolution | None
    ) -> TrialOutcome:
        disposition = evidence.disposition_of(oracle_id)
        return {
            "oracleId": oracle_id,
            "trialIndex": evidence.trial_index,
            "probeId": self._probe["probeId"],
            "state": resolution.state,
            "severity": self.probe_severity,
            "disposition": "not-attempted" if disposition is None else disposition["disposition"],
            "resolvedFrom": resolution.resolved_from,
            "corroboration": resolution.corroboration,
            "selectedObservationIds": list(resolution.selected_observation_ids),
            "checkResolution": check,
        }

    def _vote(self, trial_index: int, outcomes: Sequence[TrialOutcome]) -> TrialVote | None:
        """The designated oracle's state; else the first invalidating one, else that of the first oracle."""
        designated = [each["state"] for each in outcomes if each["oracleId"] == self._facts.designated_oracle_id]
        invalidating = [each["state"] for each in outcomes if each["state"] in INVALIDATING_STATES]
        states: list[OutcomeState] = [*designated, *invalidating, *(each["state"] for each in outcomes)]
        return {"trialIndex": trial_index, "state": states[0]} if states else None


def _prepared_oracles(contract: EvalContract, plan: PreparedPlan) -> Iterable[_PreparedOracle]:
    severities: dict[str, Severity] = {}
    for behavior in contract["behaviors"]:
        for oracle_id in behavior["oracles"]:
            known = severities.get(oracle_id, "low")
            severities[oracle_id] = max(known, behavior["severity"], key=SEVERITY_LEVELS.index)
    places: dict[str, list[int]] = {}
    for place, planned in enumerate(plan.steps):
        places.setdefault(planned.step_id, []).append(place)
    for oracle in contract["oracles"]:
        read = sorted(place for step_id in set(_addressed_step_ids(oracle)) for place in places.get(step_id, ()))
        addressed = tuple(plan.steps[place] for place in read)
        yield _PreparedOracle(oracle, addressed, severities.get(oracle["id"], "low"))


def _addressed_step_ids(oracle: Oracle) -> Iterable[str]:
    """Identifiers of the steps that a check reads something of, declared or not."""
    for use in () if oracle["check"] is None else evidence_pointers(oracle["check"]):
        if not is_bound(use.pointer):
            yield use.pointer.removeprefix("/interactions/").partition("/")[0]


class _TrialEvidence:
    """The evidence of a trial by the oracle it is about; what is named twice is as good as not named."""

    def __init__(
        self,
        trial: ValidatedObservations,
        selections: Mapping[str, StepSelection],
        resolve_operand: ResolveOperand,
        witness: ProbeWitnessMatch | None,
        mapper: FindingMapper,
        observations: TrialObservations,
    ) -> None:
        self.trial_index = trial.trial_index
        self.selections = selections
        self.resolve_operand = resolve_operand
        self.witness = witness
        self._bucket_of = _bucket_of(mapper.map(observations, trial.findings))
        self._dispositions = _unique((each["oracleId"], each) for each in trial.dispositions)
        self._findings = _unique((each["findingId"], each) for each in trial.findings)
        self._citations = _unique(
            (each["oracleId"], each)
            for each in trial.findings
            if each["findingType"] == "defect" and each["oracleId"] is not None
        )

    def disposition_of(self, oracle_id: str) -> OracleDisposition | None:
        return self._dispositions.get(oracle_id)

    def citation_of(self, oracle_id: str) -> CitedFinding | None:
        """The defect finding that cites an oracle."""
        finding: Finding | None = self._citations.get(oracle_id)
        if finding is None:
            return None
        return CitedFinding(finding["findingId"], self._bucket_of.get(finding["findingId"], "dangling"))

    def severity_of(self, finding_id: str | None) -> Severity | None:
        finding = None if finding_id is None else self._findings.get(finding_id)
        return None if finding is None else finding["severity"]


def _bucket_of(buckets: Mapping[FindingBucket, Iterable[MappedFinding]]) -> dict[str, FindingBucket]:
    return {entry.finding_id: bucket for bucket, entries in buckets.items() for entry in entries}


def _unique(pairs: Iterable[tuple[str, _Item]]) -> dict[str, _Item]:
    """Items by name, those whose name is not their own left out."""
    named: dict[str, list[_Item]] = {}
    for name, item in pairs:
        named.setdefault(name, []).append(item)
    return {name: items[0] for name, items in named.items() if len(items) == 1}
