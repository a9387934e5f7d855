"""What became of one oracle in one trial (spec 09, section 11; AD-33).

The decision is that of ``outcome_tables``, made once for each combination of facts that occurs. What it leaves to say
is which finding an oracle was resolved from or declined, and which observations were looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from eval_quality.artifacts.evidence_artifact import Corroboration, OutcomeState
from eval_quality.artifacts.expressions import Polarity
from eval_quality.artifacts.probe import ProbeClass
from eval_quality.artifacts.sealed_run_record import OracleDisposition
from eval_quality.evaluate.resolution import Resolution

from .finding_map import FindingBucket
from .outcome_tables import (
    CORROBORATION_RULES,
    INVALIDATING_CONDITIONS,
    STATE_LADDER,
    WAIVABLE_FAILURES,
    WAIVER_RULES,
    CorroborationRule,
    Facts,
    JudgeConduct,
    Reach,
    StateRule,
    WaiverRule,
    WaiverState,
)
from .selection import StepSelection
from .witness_match import ProbeWitnessMatch


class CitedFinding(NamedTuple):
    """The finding that cites an oracle, and the bucket it was sorted into."""

    finding_id: str
    bucket: FindingBucket


class OutcomeInputs(NamedTuple):
    """Everything there is to know about one oracle in one trial."""

    required: bool
    disposition: OracleDisposition | None
    cited_finding: CitedFinding | None
    witness: ProbeWitnessMatch | None
    selections: Sequence[StepSelection]
    selector_ambiguity: bool
    check_resolution: Resolution | None
    polarity: Polarity
    probe_class: ProbeClass | None
    expected_clean: bool | None
    probe_signed: bool | None
    probe_qualified: bool | None
    waiver: WaiverState
    judge_conduct: JudgeConduct
    evaluation_fault: bool


_DECLINED: Final = ("unmapped", "signatureless")
"""Buckets of citations that only a row which reads the citation may resolve from."""


class Decision(NamedTuple):
    """The rows that decided, and what they decided."""

    state_rule: StateRule
    waiver_rule: WaiverRule | None
    corroboration_rule: CorroborationRule
    state: OutcomeState
    corroboration: Corroboration
    invalidating_conditions: tuple[str, ...]
    """Sorted."""


class OutcomeResolution(NamedTuple):
    """What became of one oracle in one trial, and which rows decided it."""

    rule: str
    waiver_rule: str | None
    corroboration_rule: str
    state: OutcomeState
    corroboration: Corroboration
    resolved_from: str | None
    selected_observation_ids: tuple[str, ...]
    declined_finding_ids: tuple[str, ...]
    invalidating_conditions: tuple[str, ...]


def facts_of(inputs: OutcomeInputs) -> Facts:
    """What the tables read."""
    disposition, cited = inputs.disposition, inputs.cited_finding
    return Facts(
        required=inputs.required,
        disposition=None if disposition is None else disposition["disposition"],
        supported=disposition is not None and bool(disposition["observationIds"]),
        bucket=None if cited is None else cited.bucket,
        witness=None if inputs.witness is None else inputs.witness.result,
        reach=_reach(inputs.selections),
        selector_ambiguity=inputs.selector_ambiguity,
        check=inputs.check_resolution,
        polarity=inputs.polarity,
        probe_class=inputs.probe_class,
        expected_clean=inputs.expected_clean,
        probe_qualified=inputs.probe_qualified,
        waiver=inputs.waiver,
        judge_conduct=inputs.judge_conduct,
        evaluation_fault=inputs.evaluation_fault,
    )


def _reach(selections: Sequence[StepSelection]) -> Reach:
    if not selections:
        return "no-step"
    return "reached" if any(selection.result != "none" for selection in selections) else "unreached"


@lru_cache(maxsize=4096)
def decide(facts: Facts) -> Decision:
    """Walk the tables; total over every combination of facts."""
    row = next(rule for rule in STATE_LADDER if rule.holds(facts))
    waivers = WAIVER_RULES if row.state in WAIVABLE_FAILURES else ()
    waiver = next((rule for rule in waivers if rule.waiver == facts.waiver), None)
    state = row.state if waiver is None else waiver.state
    corroboration = next(rule for rule in CORROBORATION_RULES if rule.holds(facts, state))
    return Decision(
        row,
        waiver,
        corroboration,
        state,
        corroboration.cited if facts.cited else corroboration.uncited,
        tuple(sorted(condition.id for condition in INVALIDATING_CONDITIONS if condition.holds(facts))),
    )


def resolve_outcome(inputs: OutcomeInputs) -> OutcomeResolution:
    """Decide about one oracle in one trial."""
    decision = decide(facts_of(inputs))
    cited, reads_citation = inputs.cited_finding, decision.state_rule.reads_citation
    declined = cited is not None and not reads_citation and cited.bucket in _DECLINED
    selected = dict.fromkeys(each for selection in inputs.selections for each in selection.matched_observation_ids)
    if inputs.witness is not None:
        selected |= dict.fromkeys(inputs.witness.observation_ids)
    return OutcomeResolution(
        rule=decision.state_rule.rule,
        waiver_rule=None if decision.waiver_rule is None else decision.waiver_rule.rule,
        corroboration_rule=decision.corroboration_rule.rule,
        state=decision.state,
        corroboration=decision.corroboration,
        resolved_from=cited.finding_id if cited is not None and reads_citation else None,
        selected_observation_ids=tuple(selected),
        declined_finding_ids=(cited.finding_id,) if cited is not None and declined else (),
        invalidating_conditions=decision.invalidating_conditions,
    )
