"""The verdict ladders: every row has a case, rungs do not mix, and what --strict promotes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eval_quality.artifacts.primitives import SEVERITY_LEVELS
from eval_quality.ingest import IngestCondition
from eval_quality.ingest.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    IsolationManifestAbsent,
    JudgeResultUnscored,
)
from eval_quality.ingest.quotation import UnwitnessedQuotation
from eval_quality.score.assessment import Assessment, EvidenceIntegrity, ScoredOutcome
from eval_quality.score.outcome import OutcomeResolution
from eval_quality.score.verdicts import (
    CONTRACT_LADDER,
    LADDER_EXIT_CODES,
    LADDER_ROWS,
    PRODUCTION_LADDER,
    RUNGS,
    LadderResolution,
    resolve_verdict,
)

PASS = LadderResolution("PASS", 0, True, ())


def outcome(state: Any = "confirmed", severity: Any = "material", *conditions: str, **changes: Any) -> ScoredOutcome:
    resolution = OutcomeResolution("rule", None, "rule", state, "agrees", None, (), (), conditions)
    return ScoredOutcome("O-001", True, severity, True, resolution)._replace(**changes)


def waived() -> ScoredOutcome:
    scored = outcome("not-applicable")
    return scored._replace(resolution=scored.resolution._replace(waiver_rule="waiver-honoured"))


def trials(completed: int = 3, *invalidated: int) -> Any:
    return {
        "declaredMinimum": 3,
        "completed": completed,
        "completedAttempts": [*range(1, completed + 1)],
        "invalidatedAttempts": [{"attempt": each, "reason": "oracle-error"} for each in invalidated],
    }


def assessment(*conditions: IngestCondition, evidence: dict[str, Any] | None = None, **changes: Any) -> Assessment:
    """A run that nothing is wrong with, but for the changes."""
    plain = Assessment(
        mode="production",
        outcomes=(outcome(),),
        unwitnessed_quotations=(),
        trials=trials(),
        re_execution_cap=1,
        evidence=EvidenceIntegrity(conditions=conditions, **(evidence or {})),
        evaluator_recommendation="PASS",
        coverage_gaps=(),
        uncited_defect_findings=(),
        finding_confidences=(("F-001", 0.5),),
        confidence_threshold=0.5,
        remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        preflight_passed=True,
        severity_floor="material",
    )
    return replace(plain, **changes)


def gap(severity: str, *, satisfied: bool = False) -> Any:
    return {"rule": "whole-body", "predicate": "whole-body-satisfaction", "severity": severity, "satisfied": satisfied}


CASES: dict[str, tuple[Assessment, str]] = {
    "invalidating-state": (assessment(outcomes=(outcome("judge-error"),)), "oracle O-001 resolved judge-error"),
    "failed-preflight": (assessment(preflight_passed=False), "pre-flight verdict did not pass"),
    "isolation-manifest-violation": (
        assessment(evidence={"isolation_violation": ["isolation manifest absent"]}),
        "isolation manifest violation: isolation manifest absent",
    ),
    "re-execution-cap-breach": (
        assessment(trials=trials(3, 1, 2)),
        "2 invalidated attempts exceeded the re-execution cap of 1",
    ),
    "disposition-missing": (
        assessment(outcomes=(outcome("confirmed", "low", "disposition-missing"),)),
        "oracle O-001 is required and carries no disposition",
    ),
    "required-check-unresolved": (
        assessment(outcomes=(outcome(check_resolved=False),)),
        "oracle O-001 is required and its check never resolved",
    ),
    "selector-ambiguity": (
        assessment(outcomes=(outcome("confirmed", "low", "selector-ambiguity"),)),
        "oracle O-001: selector ambiguity",
    ),
    "unwitnessed-claim": (
        assessment(outcomes=(outcome("confirmed", "low", "unwitnessed-detection-claim"),)),
        "oracle O-001: unwitnessed detection claim",
    ),
    "unwitnessed-quotation": (
        assessment(unwitnessed_quotations=(UnwitnessedQuotation("F-001", 0, "stdout", "q", ()),)),
        "finding F-001: unwitnessed quotation on channel stdout",
    ),
    "duplicate-record-identifier": (
        assessment(DuplicateRecordIdentifier("judge-result", "R-1/RC-1", 2)),
        'duplicate judge-result identifier "R-1/RC-1" (2 occurrences)',
    ),
    "dangling-citation": (
        assessment(DanglingCitation("F-001", ("ob-1", "ob-2"))),
        "finding F-001 cites unresolved observation(s): ob-1, ob-2",
    ),
    "dangling-disposition-citation": (
        assessment(DanglingDispositionCitation("O-001", ("ob-1",))),
        "oracle O-001 disposition cites unresolved observation(s): ob-1",
    ),
    "forbidden-input-not-withheld": (
        assessment(ForbiddenInputNotWithheld(("source-code",))),
        "forbidden input admitted rather than withheld: source-code",
    ),
    "cross-artifact-disagreement": (
        assessment(CrossArtifactDisagreement("runId", "a", "b")),
        'record and manifest disagree on runId: record "a", manifest "b"',
    ),
    "evaluator-configuration-absent": (
        assessment(EvaluatorConfigurationAbsent()),
        "evaluator configuration absent",
    ),
    "evaluator-configuration-digest-mismatch": (
        assessment(EvaluatorConfigurationDigestMismatch("sha256:a", "sha256:b")),
        'evaluator configuration digest mismatch: declared "sha256:a", computed "sha256:b"',
    ),
    "judge-result-unscored": (
        assessment(JudgeResultUnscored("R-001", "RC-001")),
        "judge result unscored: rubric R-001 criterion RC-001",
    ),
    "trial-set-field-disagreement": (
        assessment(evidence={"trial_set_disagreements": ["trialIndex: duplicate value 1"]}),
        "trial-set field disagreement: trialIndex: duplicate value 1",
    ),
    "behavioural-failure-at-or-above-floor": (
        assessment(outcomes=(outcome("missed"),)),
        "oracle O-001 resolved missed at or above the severity floor",
    ),
    "evidence-incomplete": (assessment(evidence={"reported_incomplete": True}), "evidence reported incomplete"),
    "evidence-over-truncated": (
        assessment(evidence={"over_truncated": True}),
        "evidence truncated past its disclosed bound",
    ),
    "evidence-unavailable": (assessment(evidence={"unavailable": True}), "evidence unavailable"),
    "evidence-internally-inconsistent": (
        assessment(evidence={"internally_inconsistent": True}),
        "evidence internally inconsistent",
    ),
    "lineage-chain-inconsistent": (
        assessment(remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": False}),
        "presented lineage chain is internally inconsistent",
    ),
    "evaluator-recommendation-fail": (
        assessment(evaluator_recommendation="FAIL"),
        "evaluator recommendation FAIL",
    ),
    "behavioural-failure-below-floor": (
        assessment(outcomes=(outcome("bypassed", "low"),)),
        "oracle O-001 resolved bypassed below the severity floor",
    ),
    "coverage-gap-at-or-above-floor": (
        assessment(coverage_gaps=(gap("low"), gap("material", satisfied=True), gap("material"))),
        "coverage gap whole-body unsatisfied at or above the severity floor",
    ),
    "finding-confidence-below-threshold": (
        assessment(finding_confidences=(("F-001", 0.5), ("F-002", 1e-7))),
        "finding F-002 confidence 1e-7 below the policy threshold",
    ),
    "uncited-defect-finding": (
        assessment(uncited_defect_findings=({"findingId": "F-001"},)),
        "finding F-001: defect finding citing no oracle",
    ),
    "below-minimum-trial-count": (
        assessment(trials=trials(1)),
        "1 completed trials below the declared minimum of 3",
    ),
    "oracle-unreached": (assessment(outcomes=(outcome("unreached"),)), "oracle O-001 resolved unreached"),
    "evaluator-recommendation-concerns": (
        assessment(evaluator_recommendation="CONCERNS"),
        "evaluator recommendation CONCERNS",
    ),
    "waiver-honoured": (assessment(outcomes=(waived(),)), "oracle O-001 waived (not-applicable)"),
}
BY_ID = {row.id: row for row in LADDER_ROWS}


def test_every_row_is_named_once_and_has_a_case() -> None:
    assert [row.id for row in LADDER_ROWS] == [*CASES]
    assert (len(PRODUCTION_LADDER), len(CONTRACT_LADDER)) == (33, 31)
    assert [row.rung for row in LADDER_ROWS] == sorted((row.rung for row in LADDER_ROWS), key=RUNGS.index)


def test_nothing_wrong_is_a_pass() -> None:
    assert resolve_verdict(assessment()) == PASS
    assert resolve_verdict(assessment(IsolationManifestAbsent())) == PASS, "a kind that arrives by another field"


@pytest.mark.parametrize("row_id", CASES)
def test_one_row_alone_decides(row_id: str) -> None:
    run, line = CASES[row_id]
    row = BY_ID[row_id]
    resolution = resolve_verdict(run)
    assert resolution.basis == (line,)
    assert resolution.verdict == (None if row.rung == "invalid" else row.rung)
    assert resolution.exit_code == LADDER_EXIT_CODES[row.rung]
    assert resolution.strict_promotable != row.evidence_condition


@pytest.mark.parametrize("row_id", CASES)
def test_contract_scoring_does_not_read_the_recommendation(row_id: str) -> None:
    run = replace(CASES[row_id][0], mode="contract-scoring")
    expected = PASS if BY_ID[row_id].production_only else resolve_verdict(CASES[row_id][0])
    assert resolve_verdict(run) == expected


def test_rows_of_one_rung_speak_together_and_lower_rungs_not_at_all() -> None:
    run = assessment(
        outcomes=(outcome("missed"), outcome("missed"), outcome("abstained", "low")), evaluator_recommendation="FAIL"
    )
    line = "oracle O-001 resolved missed at or above the severity floor"
    assert resolve_verdict(run).basis == (line, line, "evaluator recommendation FAIL")


def test_strict_promotes_concerns_unless_all_they_say_is_that_evidence_is_thin() -> None:
    thin = assessment(trials=trials(1), outcomes=(outcome("unreached"),))
    assert resolve_verdict(thin).strict_promotable is False
    assert resolve_verdict(replace(thin, evaluator_recommendation="CONCERNS")).strict_promotable is True


@pytest.mark.parametrize("floor", SEVERITY_LEVELS)
@pytest.mark.parametrize("severity", SEVERITY_LEVELS)
def test_the_floor_parts_failures(severity: Any, floor: Any) -> None:
    run = assessment(outcomes=(outcome("false-positive", severity),), severity_floor=floor)
    reaches = SEVERITY_LEVELS.index(severity) >= SEVERITY_LEVELS.index(floor)
    assert resolve_verdict(run).verdict == ("FAIL" if reaches else "CONCERNS")


def test_the_cap_may_be_reached() -> None:
    assert resolve_verdict(assessment(trials=trials(3, 1))) == PASS
