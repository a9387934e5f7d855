"""How outcomes are decided, as tables (spec 09, sections 11.2 to 11.5; AD-33).

1. ``INVALIDATING_CONDITIONS`` are independent of each other and of the state: every one that holds is reported.
2. ``STATE_LADDER`` is read from the top; the first row that holds gives the state. Its last row always holds.
3. ``WAIVER_RULES`` may replace the state of a failure that can be waived.
4. ``CORROBORATION_RULES`` say, of the final state, whether evaluator and evidence agree; the last row always holds.

The tables read ``Facts``, which have finitely many values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from eval_quality.artifacts.evidence_artifact import Corroboration, OutcomeState
from eval_quality.artifacts.expressions import Polarity
from eval_quality.artifacts.probe import ProbeClass
from eval_quality.artifacts.sealed_run_record import OracleDispositionName
from eval_quality.evaluate.resolution import Resolution

from .finding_map import FindingBucket
from .witness_match import WitnessResult

WaiverState = Literal["none", "applied-condition-met", "applied-condition-unmet", "expired"]
JudgeConduct = Literal["absent", "conforming", "malformed"]
Reach = Literal["no-step", "unreached", "reached"]
"""Whether an oracle's check addresses no step, steps without any observation, or at least one that has some."""


class Facts(NamedTuple):
    """What the tables read of the inputs."""

    required: bool
    disposition: OracleDispositionName | None
    supported: bool
    """Whether the disposition cites any observation."""
    bucket: FindingBucket | None
    """Where the citing finding was sorted; ``None`` when no single defect finding cites the oracle."""
    witness: WitnessResult | None
    reach: Reach
    selector_ambiguity: bool
    check: Resolution | None
    polarity: Polarity
    probe_class: ProbeClass | None
    expected_clean: bool | None
    probe_qualified: bool | None
    waiver: WaiverState
    judge_conduct: JudgeConduct
    evaluation_fault: bool

    @property
    def cited(self) -> bool:
        return self.bucket is not None

    @property
    def clean(self) -> bool:
        """Whether the probe is known to be a clean control."""
        return self.expected_clean is True

    @property
    def unqualified(self) -> bool:
        return self.probe_class is not None and self.probe_qualified is False

    @property
    def missed_canary(self) -> bool:
        return self.probe_class == "canary" and self.reach == "reached" and not self.cited

    @property
    def satisfies(self) -> bool:
        """Whether the check came out as its polarity expects."""
        return self.check == ("true" if self.polarity == "expects-hold" else "false")

    @property
    def unsupported(self) -> bool:
        """Whether the evaluator claims to have looked and cites nothing."""
        return self.disposition in ("held", "violated") and not self.supported

    @property
    def contradicted(self) -> bool:
        """Whether the evaluator's disposition and findings do not go together."""
        return self.disposition is not None and (self.disposition == "violated") != self.cited


Guard = Callable[[Facts], bool]


class InvalidatingCondition(NamedTuple):
    """A condition that is reported whatever the state."""

    id: str
    guard: str
    holds: Guard


class StateRule(NamedTuple):
    """One row of the state ladder; one that reads the citation resolves the oracle from the finding that cites it."""

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
    """One row of the corroboration table, with its value for an oracle that no finding cites and for one that is cited."""

    rule: str
    guard: str
    holds: Callable[[Facts, OutcomeState], bool]
    uncited: Corroboration
    cited: Corroboration


WAIVABLE_FAILURES: Final[tuple[OutcomeState, ...]] = ("missed",)

INVALIDATING_CONDITIONS: Final = (
    InvalidatingCondition("evaluation-fault", "the evaluation faulted", lambda f: f.evaluation_fault),
    InvalidatingCondition(
        "judge-malformed", "the judge's conduct is `malformed`", lambda f: f.judge_conduct == "malformed"
    ),
    InvalidatingCondition(
        "unqualified-probe-in-sealed-set", "there is a probe and it did not qualify", lambda f: f.unqualified
    ),
    InvalidatingCondition(
        "dangling-probe-citation", "the citing finding is `dangling`", lambda f: f.bucket == "dangling"
    ),
    InvalidatingCondition(
        "unwitnessed-detection-claim",
        "the witness match is `unwitnessed-claim`",
        lambda f: f.witness == "unwitnessed-claim",
    ),
    InvalidatingCondition("vacuous-signature", "the witness match is `vacuous`", lambda f: f.witness == "vacuous"),
    InvalidatingCondition(
        "selector-ambiguity",
        "an addressed step that is not of cardinality `any` has several observations",
        lambda f: f.selector_ambiguity,
    ),
    InvalidatingCondition(
        "canary-non-detection",
        "the probe is a `canary`, an addressed step was reached, and no finding cites the oracle",
        lambda f: f.missed_canary,
    ),
    InvalidatingCondition(
        "unsupported-disposition",
        "the disposition is `held` or `violated` and cites no observation",
        lambda f: f.unsupported,
    ),
    InvalidatingCondition(
        "disposition-missing",
        "the oracle is required and has no disposition",
        lambda f: f.required and f.disposition is None,
    ),
)

STATE_LADDER: Final = (
    StateRule("evaluation-fault", "the evaluation faulted", lambda f: f.evaluation_fault, "oracle-error"),
    StateRule(
        "judge-malformed",
        "the judge's conduct is `malformed`",
        lambda f: f.judge_conduct == "malformed",
        "judge-error",
    ),
    StateRule(
        "probe-unqualified",
        "there is a probe and it did not qualify",
        lambda f: f.unqualified,
        "infrastructure-error",
    ),
    StateRule(
        "finding-dangling-probe",
        "the citing finding is `dangling`",
        lambda f: f.bucket == "dangling",
        "infrastructure-error",
        reads_citation=True,
    ),
    StateRule(
        "witness-unwitnessed-claim",
        "the witness match is `unwitnessed-claim`",
        lambda f: f.witness == "unwitnessed-claim",
        "infrastructure-error",
    ),
    StateRule(
        "witness-vacuous",
        "the witness match is `vacuous`",
        lambda f: f.witness == "vacuous",
        "infrastructure-error",
    ),
    StateRule(
        "selector-ambiguous",
        "an addressed step that is not of cardinality `any` has several observations",
        lambda f: f.selector_ambiguity,
        "infrastructure-error",
    ),
    StateRule(
        "witness-unexercised",
        "the witness match is `unexercised`, and the probe is not a clean control",
        lambda f: f.witness == "unexercised" and not f.clean,
        "not-applicable",
    ),
    StateRule(
        "steps-unreached",
        "there is no witness match or it is `not-triggered`, and steps are addressed of which none was reached",
        lambda f: f.witness in (None, "not-triggered") and f.reach == "unreached",
        "unreached",
    ),
    StateRule(
        "zero-action-detected",
        "the probe is of class `zero-action` and not a clean control, and the witness match is `matched`",
        lambda f: f.probe_class == "zero-action" and f.expected_clean is False and f.witness == "matched",
        "caught",
    ),
    StateRule(
        "clean-control-false-positive",
        "the probe is a clean control, and a finding cites the oracle",
        lambda f: f.clean and f.cited,
        "false-positive",
        reads_citation=True,
    ),
    StateRule(
        "clean-control-passed",
        "the probe is a clean control, and the check is not `insufficient-evidence`",
        lambda f: f.clean and f.check != "insufficient-evidence",
        "passed-clean-control",
    ),
    StateRule(
        "canary-detected",
        "the probe is a `canary`, and a finding cites the oracle",
        lambda f: f.probe_class == "canary" and f.cited,
        "caught",
        reads_citation=True,
    ),
    StateRule(
        "canary-undetected",
        "the probe is a `canary`, an addressed step was reached, and no finding cites the oracle",
        lambda f: f.missed_canary,
        "infrastructure-error",
    ),
    StateRule(
        "witness-matched",
        "the witness match is `matched`, and the probe is not a clean control",
        lambda f: f.witness == "matched" and not f.clean,
        "caught",
    ),
    StateRule(
        "witness-manifested-unclaimed",
        "the witness match is `manifested-unclaimed`, and the probe is not a clean control",
        lambda f: f.witness == "manifested-unclaimed" and not f.clean,
        "missed",
    ),
    StateRule(
        "oracle-cited-defect",
        "there is no witness match, and the citing finding is `mapped`",
        lambda f: f.witness is None and f.bucket == "mapped",
        "caught",
        reads_citation=True,
    ),
    StateRule(
        "check-insufficient-evidence",
        "the check is `insufficient-evidence`",
        lambda f: f.check == "insufficient-evidence",
        "abstained",
    ),
    StateRule(
        "witness-not-triggered",
        "the witness match is `not-triggered`",
        lambda f: f.witness == "not-triggered",
        "confirmed",
    ),
    StateRule("outcome-clear", "everything else", lambda f: True, "confirmed"),
)

WAIVER_RULES: Final = (
    WaiverRule("waiver-honoured", "applied-condition-met", "not-applicable"),
    WaiverRule("waiver-bypassed", "applied-condition-unmet", "bypassed"),
)

CORROBORATION_RULES: Final = (
    CorroborationRule(
        "disposition-unsupported",
        "the disposition is `held` or `violated` and cites no observation",
        lambda f, _: f.unsupported,
        "disagrees",
        "disagrees",
    ),
    CorroborationRule(
        "disposition-contradicts-evidence",
        "the disposition is `violated` and no finding cites the oracle, or it is another one and a finding does",
        lambda f, _: f.contradicted,
        "disagrees",
        "disagrees",
    ),
    CorroborationRule(
        "citation-declined",
        "the citing finding is `unmapped` or `signatureless`",
        lambda f, _: f.bucket in ("unmapped", "signatureless"),
        "disagrees",
        "disagrees",
    ),
    CorroborationRule(
        "examined-nothing",
        "the check is `insufficient-evidence`",
        lambda f, _: f.check == "insufficient-evidence",
        "agrees",
        "disagrees",
    ),
    CorroborationRule(
        "never-ran",
        "the state is `unreached`, or there is no check",
        lambda f, state: state == "unreached" or f.check is None,
        "not-evaluable",
        "not-evaluable",
    ),
    CorroborationRule(
        "check-confirms-silence",
        "the check came out as its polarity expects, and no finding cites the oracle",
        lambda f, _: f.satisfies and not f.cited,
        "agrees",
        "agrees",
    ),
    CorroborationRule(
        "check-confirms-finding",
        "the check came out otherwise, and a finding cites the oracle",
        lambda f, _: not f.satisfies and f.cited,
        "agrees",
        "agrees",
    ),
    CorroborationRule("check-and-findings-diverge", "everything else", lambda f, _: True, "disagrees", "disagrees"),
)
