"""The outcome decision, as tables (spec 09, section 11; AD-33).

``INVALIDATING_CONDITIONS`` are independent; ``STATE_LADDER``, ``WAIVER_RULES`` and ``CORROBORATION_RULES`` are read from the
top, and the first row that holds decides. The last row of the state ladder holds always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from eval_quality.artifacts.evidence_artifact import Corroboration, OutcomeState
from eval_quality.artifacts.expressions import Polarity
from eval_quality.artifacts.probe import ProbeClass
from eval_quality.artifacts.sealed_run_record import OracleDisposition
from eval_quality.evaluate.resolution import Resolution

from .selection import StepSelection
from .witness_match import FindingBucket, ProbeWitnessMatch, WitnessResult

WaiverState = Literal["none", "applied-condition-met", "applied-condition-unmet", "expired"]
JudgeConduct = Literal["absent", "conforming", "malformed"]


class CitedFinding(NamedTuple):
    """The finding that cites an oracle, and the bucket it was sorted into."""

    finding_id: str
    bucket: FindingBucket


@dataclass(frozen=True)
class OutcomeInputs:
    """Everything the decision about one oracle in one trial reads."""

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

    @property
    def cited(self) -> bool:
        return self.cited_finding is not None

    @property
    def bucket(self) -> FindingBucket | None:
        return None if self.cited_finding is None else self.cited_finding.bucket

    @property
    def witness_result(self) -> WitnessResult | None:
        return None if self.witness is None else self.witness.result

    @property
    def clean(self) -> bool:
        return self.expected_clean is True

    @property
    def reached(self) -> bool:
        """Whether any addressed step has an observation."""
        return any(selection.result != "none" for selection in self.selections)

    @property
    def unqualified(self) -> bool:
        return self.probe_class is not None and self.probe_qualified is False

    @property
    def satisfies(self) -> bool:
        """Whether the check came out as its polarity expects."""
        return self.check_resolution == ("true" if self.polarity == "expects-hold" else "false")

    @property
    def unsupported(self) -> bool:
        """Whether the evaluator claims to have looked and cites nothing."""
        said = self.disposition
        return said is not None and said["disposition"] in ("held", "violated") and not said["observationIds"]

    @property
    def contradicted(self) -> bool:
        """Whether the evaluator's disposition and findings do not go together."""
        said = self.disposition
        return said is not None and (said["disposition"] == "violated") != self.cited


Guard = Callable[[OutcomeInputs], bool]


class InvalidatingCondition(NamedTuple):
    """A condition that makes the run Invalid, whatever the state."""

    id: str
    guard: str
    holds: Guard


class StateRule(NamedTuple):
    """One row of the state ladder."""

    rule: str
    guard: str
    holds: Guard
    state: OutcomeState
    reads_citation: bool = False


class WaiverRule(NamedTuple):
    """What a waiver makes of a failure it may excuse."""

    rule: str
    waiver: WaiverState
    state: OutcomeState


class CorroborationRule(NamedTuple):
    """One row of the corroboration table; ``value`` may depend on whether a finding cites the oracle."""

    rule: str
    guard: str
    holds: Callable[[OutcomeInputs, OutcomeState], bool]
    value: Callable[[OutcomeInputs], Corroboration]


WAIVABLE_FAILURES: Final[tuple[OutcomeState, ...]] = ("missed",)

INVALIDATING_CONDITIONS: Final = (
    InvalidatingCondition("evaluation-fault", "the evaluation faulted", lambda i: i.evaluation_fault),
    InvalidatingCondition(
        "judge-malformed", "a judge left a result unscored", lambda i: i.judge_conduct == "malformed"
    ),
    InvalidatingCondition("unqualified-probe-in-sealed-set", "the probe did not qualify", lambda i: i.unqualified),
    InvalidatingCondition(
        "dangling-probe-citation", "the finding names another probe", lambda i: i.bucket == "dangling"
    ),
    InvalidatingCondition(
        "unwitnessed-detection-claim",
        "a finding cites nothing that shows the defect",
        lambda i: i.witness_result == "unwitnessed-claim",
    ),
    InvalidatingCondition(
        "vacuous-signature", "the signature decides nothing", lambda i: i.witness_result == "vacuous"
    ),
    InvalidatingCondition(
        "selector-ambiguity", "several observations where one is planned", lambda i: i.selector_ambiguity
    ),
    InvalidatingCondition(
        "canary-non-detection",
        "a canary was reached and not reported",
        lambda i: i.probe_class == "canary" and i.reached and not i.cited,
    ),
    InvalidatingCondition("unsupported-disposition", "a disposition cites nothing", lambda i: i.unsupported),
    InvalidatingCondition(
        "disposition-missing",
        "a required oracle has no disposition",
        lambda i: i.required and i.disposition is None,
    ),
)

STATE_LADDER: Final = (
    StateRule("evaluation-fault", "the evaluation faulted", lambda i: i.evaluation_fault, "oracle-error"),
    StateRule(
        "judge-malformed", "a judge left a result unscored", lambda i: i.judge_conduct == "malformed", "judge-error"
    ),
    StateRule("probe-unqualified", "the probe did not qualify", lambda i: i.unqualified, "infrastructure-error"),
    StateRule(
        "finding-dangling-probe",
        "the citing finding names another probe",
        lambda i: i.bucket == "dangling",
        "infrastructure-error",
        reads_citation=True,
    ),
    StateRule(
        "witness-unwitnessed-claim",
        "a finding cites nothing that shows the defect",
        lambda i: i.witness_result == "unwitnessed-claim",
        "infrastructure-error",
    ),
    StateRule(
        "witness-vacuous",
        "the signature decides nothing",
        lambda i: i.witness_result == "vacuous",
        "infrastructure-error",
    ),
    StateRule(
        "selector-ambiguous",
        "several observations where one is planned",
        lambda i: i.selector_ambiguity,
        "infrastructure-error",
    ),
    StateRule(
        "witness-unexercised",
        "the evaluator never exercised the seeded operation",
        lambda i: i.witness_result == "unexercised" and not i.clean,
        "not-applicable",
    ),
    StateRule(
        "steps-unreached",
        "no addressed step has an observation",
        lambda i: i.witness_result in (None, "not-triggered") and bool(i.selections) and not i.reached,
        "unreached",
    ),
    StateRule(
        "zero-action-detected",
        "a seeded zero-action probe was witnessed and claimed",
        lambda i: i.probe_class == "zero-action" and i.expected_clean is False and i.witness_result == "matched",
        "caught",
    ),
    StateRule(
        "clean-control-false-positive",
        "a finding cites the oracle on a clean control",
        lambda i: i.clean and i.cited,
        "false-positive",
        reads_citation=True,
    ),
    StateRule(
        "clean-control-passed",
        "a clean control, and the check had evidence",
        lambda i: i.clean and i.check_resolution != "insufficient-evidence",
        "passed-clean-control",
    ),
    StateRule(
        "canary-detected",
        "a finding cites the oracle on a canary",
        lambda i: i.probe_class == "canary" and i.cited,
        "caught",
        reads_citation=True,
    ),
    StateRule(
        "canary-undetected",
        "a canary was reached and not reported",
        lambda i: i.probe_class == "canary" and i.reached and not i.cited,
        "infrastructure-error",
    ),
    StateRule(
        "witness-matched",
        "the defect showed and a finding says so",
        lambda i: i.witness_result == "matched" and not i.clean,
        "caught",
    ),
    StateRule(
        "witness-manifested-unclaimed",
        "the defect showed and no finding says so",
        lambda i: i.witness_result == "manifested-unclaimed" and not i.clean,
        "missed",
    ),
    StateRule(
        "oracle-cited-defect",
        "no witness reaches the oracle, and a finding about the seeded operation cites it",
        lambda i: i.witness_result is None and i.bucket == "mapped",
        "caught",
        reads_citation=True,
    ),
    StateRule(
        "check-insufficient-evidence",
        "the check had no evidence to decide on",
        lambda i: i.check_resolution == "insufficient-evidence",
        "abstained",
    ),
    StateRule(
        "witness-not-triggered",
        "the defect did not show",
        lambda i: i.witness_result == "not-triggered",
        "confirmed",
    ),
    StateRule("outcome-clear", "none of the above", lambda i: True, "confirmed"),
)

WAIVER_RULES: Final = (
    WaiverRule("waiver-honoured", "applied-condition-met", "not-applicable"),
    WaiverRule("waiver-bypassed", "applied-condition-unmet", "bypassed"),
)


def _always(value: Corroboration) -> Callable[[OutcomeInputs], Corroboration]:
    return lambda inputs: value


CORROBORATION_RULES: Final = (
    CorroborationRule(
        "disposition-unsupported", "the disposition cites nothing", lambda i, _: i.unsupported, _always("disagrees")
    ),
    CorroborationRule(
        "disposition-contradicts-evidence",
        "disposition and findings do not go together",
        lambda i, _: i.contradicted,
        _always("disagrees"),
    ),
    CorroborationRule(
        "citation-declined",
        "the citing finding is about another operation, or the probe has no signature",
        lambda i, _: i.bucket in ("unmapped", "signatureless"),
        _always("disagrees"),
    ),
    CorroborationRule(
        "examined-nothing",
        "the check had no evidence to decide on",
        lambda i, _: i.check_resolution == "insufficient-evidence",
        lambda i: "disagrees" if i.cited else "agrees",
    ),
    CorroborationRule(
        "never-ran",
        "no step was reached, or there is no check",
        lambda i, state: state == "unreached" or i.check_resolution is None,
        _always("not-evaluable"),
    ),
    CorroborationRule(
        "check-confirms-silence",
        "the check came out as expected and no finding cites the oracle",
        lambda i, _: i.satisfies and not i.cited,
        _always("agrees"),
    ),
    CorroborationRule(
        "check-confirms-finding",
        "the check came out against expectation and a finding cites the oracle",
        lambda i, _: not i.satisfies and i.cited,
        _always("agrees"),
    ),
    CorroborationRule(
        "check-and-findings-diverge",
        "check and findings say different things",
        lambda i, _: True,
        _always("disagrees"),
    ),
)


@dataclass(frozen=True)
class OutcomeResolution:
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


def resolve_outcome(inputs: OutcomeInputs) -> OutcomeResolution:
    """Decide; total over every combination of inputs."""
    row = next(rule for rule in STATE_LADDER if rule.holds(inputs))
    waiver = next(
        (rule for rule in WAIVER_RULES if rule.waiver == inputs.waiver and row.state in WAIVABLE_FAILURES), None
    )
    state = row.state if waiver is None else waiver.state
    corroboration = next(rule for rule in CORROBORATION_RULES if rule.holds(inputs, state))
    cited = inputs.cited_finding
    declined = cited is not None and not row.reads_citation and cited.bucket in ("unmapped", "signatureless")
    selected = [each for selection in inputs.selections for each in selection.matched_observation_ids]
    witnessed = () if inputs.witness is None else inputs.witness.observation_ids
    return OutcomeResolution(
        rule=row.rule,
        waiver_rule=None if waiver is None else waiver.rule,
        corroboration_rule=corroboration.rule,
        state=state,
        corroboration=corroboration.value(inputs),
        resolved_from=cited.finding_id if cited is not None and row.reads_citation else None,
        selected_observation_ids=tuple(dict.fromkeys([*selected, *witnessed])),
        declined_finding_ids=(cited.finding_id,) if declined and cited is not None else (),
        invalidating_conditions=tuple(
            sorted(condition.id for condition in INVALIDATING_CONDITIONS if condition.holds(inputs))
        ),
    )
