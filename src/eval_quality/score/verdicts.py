"""The verdict ladders, as a table (spec 09, section 15; AD-21).

A rung is won by the highest one with a row that has something to say; its basis is everything the rung's rows say, in
their order. The production ladder has two rows more than the contract-scoring one: the evaluator's recommendation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from eval_quality.artifacts.evidence_artifact import OutcomeState
from eval_quality.artifacts.verdicts import VerdictName
from eval_quality.canonical import number_text
from eval_quality.ingest.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    JudgeResultUnscored,
)

from .assessment import Assessment
from .dominance import at_or_above
from .reduction import INVALIDATING_STATES

Rung = Literal["invalid", "FAIL", "CONCERNS", "WAIVED", "PASS"]
RUNGS: Final[tuple[Rung, ...]] = ("invalid", "FAIL", "CONCERNS", "WAIVED")
LADDER_EXIT_CODES: Final[Mapping[Rung, int]] = {"invalid": 3, "FAIL": 2, "CONCERNS": 0, "WAIVED": 0, "PASS": 0}
BEHAVIOURAL_FAILURES: Final[tuple[OutcomeState, ...]] = ("missed", "abstained", "bypassed", "false-positive")


class LadderRow(NamedTuple):
    """One row: its rung, its identifier, its guard in words, and the lines it has to say."""

    rung: Rung
    id: str
    guard: str
    lines: Callable[[Assessment], Iterator[str]]
    evidence_condition: bool = False
    production_only: bool = False


class LadderResolution(NamedTuple):
    """A verdict (``None`` for Invalid), its exit code, whether ``--strict`` promotes it, and why it is what it is."""

    verdict: VerdictName | None
    exit_code: int
    strict_promotable: bool
    basis: tuple[str, ...]


def _when(holds: Callable[[Assessment], bool], line: str) -> Callable[[Assessment], Iterator[str]]:
    return lambda a: iter([line] if holds(a) else [])


def _invalidating_states(a: Assessment) -> Iterator[str]:
    return (f"oracle {each.oracle_id} resolved {state}" for each, state in a.in_states(INVALIDATING_STATES))


def _cap_breach(a: Assessment) -> Iterator[str]:
    attempts = len(a.trials["invalidatedAttempts"])
    if attempts > a.re_execution_cap:
        cap = number_text(a.re_execution_cap)
        yield f"{attempts} invalidated attempts exceeded the re-execution cap of {cap}"


def _unresolved_checks(a: Assessment) -> Iterator[str]:
    for each in a.outcomes:
        if each.required and not each.check_resolved:
            yield f"oracle {each.oracle_id} is required and its check never resolved"


def _behavioural(a: Assessment, *, reaches_floor: bool) -> Iterator[str]:
    place = "at or above" if reaches_floor else "below"
    for each, state in a.in_states(BEHAVIOURAL_FAILURES):
        if at_or_above(each.severity, a.severity_floor) == reaches_floor:
            yield f"oracle {each.oracle_id} resolved {state} {place} the severity floor"


def _coverage(a: Assessment) -> Iterator[str]:
    for gap in a.coverage_gaps:
        if not gap["satisfied"] and at_or_above(gap["severity"], a.severity_floor):
            yield f"coverage gap {gap['rule']} unsatisfied at or above the severity floor"


def _low_confidence(a: Assessment) -> Iterator[str]:
    for finding_id, confidence in a.finding_confidences:
        if confidence < a.confidence_threshold:
            yield f"finding {finding_id} confidence {number_text(confidence)} below the policy threshold"


def _too_few_trials(a: Assessment) -> Iterator[str]:
    completed, minimum = a.trials["completed"], a.trials["declaredMinimum"]
    if completed < minimum:
        yield f"{number_text(completed)} completed trials below the declared minimum of {number_text(minimum)}"


LADDER_ROWS: Final = (
    LadderRow("invalid", "invalidating-state", "an oracle ended in an invalidating state", _invalidating_states),
    LadderRow(
        "invalid",
        "failed-preflight",
        "pre-flight did not pass",
        _when(lambda a: not a.preflight_passed, "pre-flight verdict did not pass"),
    ),
    LadderRow(
        "invalid",
        "isolation-manifest-violation",
        "the evaluator was not kept apart",
        lambda a: (f"isolation manifest violation: {each}" for each in a.evidence.isolation_violation),
    ),
    LadderRow("invalid", "re-execution-cap-breach", "too many trials were run again", _cap_breach),
    LadderRow(
        "invalid",
        "disposition-missing",
        "a required oracle has no disposition",
        lambda a: (
            f"oracle {each.oracle_id} is required and carries no disposition"
            for each in a.under_condition("disposition-missing")
        ),
    ),
    LadderRow("invalid", "required-check-unresolved", "a required oracle has no check", _unresolved_checks),
    LadderRow(
        "invalid",
        "selector-ambiguity",
        "several observations where one is planned",
        lambda a: (f"oracle {each.oracle_id}: selector ambiguity" for each in a.under_condition("selector-ambiguity")),
    ),
    LadderRow(
        "invalid",
        "unwitnessed-claim",
        "a finding cites nothing that shows the defect",
        lambda a: (
            f"oracle {each.oracle_id}: unwitnessed detection claim"
            for each in a.under_condition("unwitnessed-detection-claim")
        ),
    ),
    LadderRow(
        "invalid",
        "unwitnessed-quotation",
        "quoted words occur in no cited evidence",
        lambda a: (
            f"finding {each.finding_id}: unwitnessed quotation on channel {each.channel}"
            for each in a.unwitnessed_quotations
        ),
    ),
    LadderRow(
        "invalid",
        "duplicate-record-identifier",
        "a record gives one identifier to several things",
        lambda a: (
            f'duplicate {each.subject} identifier "{each.identifier}" ({number_text(each.occurrences)} occurrences)'
            for each in a.evidence.of(DuplicateRecordIdentifier)
        ),
    ),
    LadderRow(
        "invalid",
        "dangling-citation",
        "a finding cites observations that are not there",
        lambda a: (
            f"finding {each.finding_id} cites unresolved observation(s): {', '.join(each.unresolved_observation_ids)}"
            for each in a.evidence.of(DanglingCitation)
        ),
    ),
    LadderRow(
        "invalid",
        "dangling-disposition-citation",
        "a disposition cites observations that are not there",
        lambda a: (
            f"oracle {each.oracle_id} disposition cites unresolved observation(s): "
            f"{', '.join(each.unresolved_observation_ids)}"
            for each in a.evidence.of(DanglingDispositionCitation)
        ),
    ),
    LadderRow(
        "invalid",
        "forbidden-input-not-withheld",
        "the evaluator was given what must be kept from it",
        lambda a: (
            f"forbidden input admitted rather than withheld: {given}"
            for each in a.evidence.of(ForbiddenInputNotWithheld)
            for given in each.inputs
        ),
    ),
    LadderRow(
        "invalid",
        "cross-artifact-disagreement",
        "record and isolation manifest name different things",
        lambda a: (
            f'record and manifest disagree on {each.field}: record "{each.record_value}", '
            f'manifest "{each.manifest_value}"'
            for each in a.evidence.of(CrossArtifactDisagreement)
        ),
    ),
    LadderRow(
        "invalid",
        "evaluator-configuration-absent",
        "nothing says who evaluated",
        lambda a: ("evaluator configuration absent" for _ in a.evidence.of(EvaluatorConfigurationAbsent)),
    ),
    LadderRow(
        "invalid",
        "evaluator-configuration-digest-mismatch",
        "the evaluator configuration is another one",
        lambda a: (
            f'evaluator configuration digest mismatch: declared "{each.declared_digest}", '
            f'computed "{each.computed_digest}"'
            for each in a.evidence.of(EvaluatorConfigurationDigestMismatch)
        ),
    ),
    LadderRow(
        "invalid",
        "judge-result-unscored",
        "a judge left a criterion without a score",
        lambda a: (
            f"judge result unscored: rubric {each.rubric_id} criterion {each.criterion_id}"
            for each in a.evidence.of(JudgeResultUnscored)
        ),
    ),
    LadderRow(
        "invalid",
        "trial-set-field-disagreement",
        "the trials are not of one run",
        lambda a: (f"trial-set field disagreement: {each}" for each in a.evidence.trial_set_disagreements),
    ),
    LadderRow(
        "FAIL",
        "behavioural-failure-at-or-above-floor",
        "a behavioural failure reaches the severity floor",
        lambda a: _behavioural(a, reaches_floor=True),
    ),
    LadderRow(
        "FAIL",
        "evidence-incomplete",
        "the evaluator reports incomplete evidence",
        _when(lambda a: a.evidence.reported_incomplete, "evidence reported incomplete"),
    ),
    LadderRow(
        "FAIL",
        "evidence-over-truncated",
        "evidence was cut past what was disclosed",
        _when(lambda a: a.evidence.over_truncated, "evidence truncated past its disclosed bound"),
    ),
    LadderRow(
        "FAIL",
        "evidence-unavailable",
        "evidence is not to be had",
        _when(lambda a: a.evidence.unavailable, "evidence unavailable"),
    ),
    LadderRow(
        "FAIL",
        "evidence-internally-inconsistent",
        "evidence contradicts itself",
        _when(lambda a: a.evidence.internally_inconsistent, "evidence internally inconsistent"),
    ),
    LadderRow(
        "FAIL",
        "lineage-chain-inconsistent",
        "the chain of revisions is not sound",
        _when(lambda a: not all(a.remediation_state.values()), "presented lineage chain is internally inconsistent"),
    ),
    LadderRow(
        "FAIL",
        "evaluator-recommendation-fail",
        "the evaluator recommends FAIL",
        _when(lambda a: a.evaluator_recommendation == "FAIL", "evaluator recommendation FAIL"),
        production_only=True,
    ),
    LadderRow(
        "CONCERNS",
        "behavioural-failure-below-floor",
        "a behavioural failure stays below the severity floor",
        lambda a: _behavioural(a, reaches_floor=False),
    ),
    LadderRow(
        "CONCERNS",
        "coverage-gap-at-or-above-floor",
        "a discipline rule is not satisfied, at or above the severity floor",
        _coverage,
    ),
    LadderRow(
        "CONCERNS",
        "finding-confidence-below-threshold",
        "the evaluator is less sure of a finding than the policy asks",
        _low_confidence,
    ),
    LadderRow(
        "CONCERNS",
        "uncited-defect-finding",
        "a defect finding cites no oracle",
        lambda a: (
            f"finding {each['findingId']}: defect finding citing no oracle" for each in a.uncited_defect_findings
        ),
    ),
    LadderRow(
        "CONCERNS",
        "below-minimum-trial-count",
        "fewer trials than the policy asks for",
        _too_few_trials,
        evidence_condition=True,
    ),
    LadderRow(
        "CONCERNS",
        "oracle-unreached",
        "an oracle's steps were not reached",
        lambda a: (f"oracle {each.oracle_id} resolved unreached" for each, _ in a.in_states(("unreached",))),
        evidence_condition=True,
    ),
    LadderRow(
        "CONCERNS",
        "evaluator-recommendation-concerns",
        "the evaluator recommends CONCERNS",
        _when(lambda a: a.evaluator_recommendation == "CONCERNS", "evaluator recommendation CONCERNS"),
        production_only=True,
    ),
    LadderRow(
        "WAIVED",
        "waiver-honoured",
        "a failure was waived",
        lambda a: (
            f"oracle {each.oracle_id} waived (not-applicable)"
            for each in a.outcomes
            if each.resolution.waiver_rule == "waiver-honoured"
        ),
    ),
)
PRODUCTION_LADDER: Final = LADDER_ROWS
CONTRACT_LADDER: Final = tuple(row for row in LADDER_ROWS if not row.production_only)


def resolve_verdict(assessment: Assessment) -> LadderResolution:
    """The verdict of a run, by the ladder of its mode; total over every assessment."""
    ladder = PRODUCTION_LADDER if assessment.mode == "production" else CONTRACT_LADDER
    for rung in RUNGS:
        fired = [(row, lines) for row in ladder if row.rung == rung and (lines := list(row.lines(assessment)))]
        if fired:
            measured = all(row.evidence_condition for row, _ in fired)
            basis = tuple(line for _, lines in fired for line in lines)
            return LadderResolution(None if rung == "invalid" else rung, LADDER_EXIT_CODES[rung], not measured, basis)
    return LadderResolution("PASS", LADDER_EXIT_CODES["PASS"], True, ())
