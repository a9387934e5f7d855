"""Evidence artifacts: what of a scored run is written down, and what keeps it from being written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
from eval_quality.artifacts.schema import parse
from eval_quality.canonical import digest_artifact
from eval_quality.emit import emit
from eval_quality.errors import PreconditionError
from eval_quality.score.assessment import Assessment, EvidenceIntegrity
from eval_quality.score.identity import comparability_key, scoring_version
from eval_quality.score.qualification import QualificationResult, SealedProbeSet
from eval_quality.score.reduction import reduce_trial_set
from eval_quality.score.stage import ScoredRun
from eval_quality.score.verdicts import LadderResolution
from tests.contracts import minimal_contract
from tests.scored_runs import A, B, C, Json, outcome, policy, reduction

PASS = LadderResolution("PASS", 0, True, ())


def scored(
    *votes: str,
    minimum: int = 1,
    qualified: bool = True,
    mode: Any = "production",
    ladder: LadderResolution = PASS,
    **changes: Any,
) -> ScoredRun:
    """A run of one probe whose only oracle came out as its trials voted."""
    rules: Any = policy(minimumTrialCount=minimum)
    contract: Any = minimal_contract() | {"revisionCount": 2}
    probe: Any = {"probeId": "P-001", "probeClass": "defect", "expectedClean": False}
    reduced: Any = reduction("P-001", votes)
    trials: Any = {
        "declaredMinimum": minimum,
        "completed": len(votes),
        "completedAttempts": [*range(1, len(votes) + 1)],
        "invalidatedAttempts": reduced["invalidatedAttempts"],
    }
    gap: Any = {"findingId": "F-001", "observationIds": ["o"], "quotedEvidence": [], "severity": "low"}
    gap["quotedEvidence"] = [{"quote": "q", "channel": "stdout", "artifactId": None}]
    outcomes: Any = tuple(outcome("P-001", trial, state) for trial, state in enumerate(votes, 1))
    run = ScoredRun(
        assessment=Assessment(
            mode=mode,
            outcomes=(),
            unwitnessed_quotations=(),
            trials=trials,
            re_execution_cap=1,
            evidence=EvidenceIntegrity(),
            evaluator_recommendation="CONCERNS",
            coverage_gaps=(),
            uncited_defect_findings=(gap,),
            finding_confidences=(),
            confidence_threshold=0.5,
            remediation_state={"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
            preflight_passed=True,
            severity_floor="material",
        ),
        ladder=ladder,
        run_id="run",
        contract=contract,
        policy=rules,
        probe=probe,
        sealed_probes=SealedProbeSet((), ()),
        probe_qualification=QualificationResult(qualified, (), True),
        trial_set_result=reduce_trial_set(reduced["trialVotes"], 0.5),
        outcomes=outcomes,
        reduced_probe_outcomes=(reduced,),
        uncited_findings=("F-001",),
    )
    return replace(run, **changes)


def emitted(run: ScoredRun) -> Json:
    artifact: Any = emit(run, A, B, C)
    assert parse(EvidenceArtifact, artifact, "EvidenceArtifact") == artifact
    return artifact


def test_an_artifact_begins_a_lineage_and_names_what_it_was_scored_over() -> None:
    run = scored("caught")
    artifact, policy_digest = emitted(run), digest_artifact(run.policy, "ScoringPolicy")
    assert (artifact["schemaVersion"], artifact["parentDigest"], artifact["revisionCount"]) == (4, None, 0)
    assert artifact["scoringVersionInputs"] == {
        "contractSchemaVersion": 7,
        "corpusDigest": A,
        "fixtureDigest": B,
        "evaluatorConfigurationDigest": C,
        "scoringPolicyDigest": policy_digest,
        "mode": "production",
    }
    assert artifact["scoringVersion"] == scoring_version(artifact["scoringVersionInputs"])
    assert artifact["comparabilityKey"] == comparability_key(policy_digest, ["P-001"])
    assert artifact["callerAttestedInputs"] == [
        "corpusDigest",
        "fixtureDigest",
        "evaluatorConfigurationDigest",
        "mode",
    ]
    assert artifact["remediation"] == {
        "revisionCount": 2,
        "cap": 3,
        "capSource": "caller-attested",
        "lineageChain": {"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
    }
    assert artifact["strength"]["vector"] == {
        "defect": {"caught": 1, "exercised": 1, "rate": 1},
        "gameability": None,
        "zero-action": None,
    }


def test_only_a_contract_scoring_run_says_what_the_evaluator_made_of_the_system() -> None:
    own = {"contractVerdict", "uncitedFindingGaps", "systemRecommendationRecorded", "systemRecommendationNote"}
    production, contract_scoring = emitted(scored("caught")), emitted(scored("caught", mode="contract-scoring"))
    assert contract_scoring.keys() - production.keys() == own
    assert production.keys() - contract_scoring.keys() == {"productionVerdict"}
    assert contract_scoring["systemRecommendationRecorded"] == "CONCERNS"
    assert contract_scoring["systemRecommendationNote"] is None
    assert [each["findingId"] for each in contract_scoring["uncitedFindingGaps"]] == ["F-001"]


def test_a_failing_verdict_is_written_with_its_exit_code_and_basis() -> None:
    artifact = emitted(scored("missed", ladder=LadderResolution("FAIL", 2, True, ("first", "second"))))
    assert (artifact["productionVerdict"], artifact["exitCode"]) == ("FAIL", 2)
    assert artifact["verdictBasis"] == ["first", "second"]


def test_a_rejected_probe_is_excluded_and_counts_nowhere() -> None:
    run = scored("caught", qualified=False)
    artifact = emitted(run)
    assert artifact["excludedProbeIds"] == ["P-001"]
    assert artifact["comparabilityKey"] == comparability_key(digest_artifact(run.policy, "ScoringPolicy"), [])
    assert set(artifact["strength"]["vector"].values()) == {None}
    assert artifact["strength"]["note"] == "0 admitted probe over 1 completed trial."


UNCOMPARED = "The vector is reported and marked non-comparable."


@pytest.mark.parametrize(
    ("votes", "minimum", "comparable", "note"),
    [
        (["caught"] * 3, 3, True, "1 admitted probe over 3 completed trials."),
        (
            ["caught"],
            3,
            False,
            f"1 admitted probe over 1 completed trial. Below the declared minimum of 3. {UNCOMPARED}",
        ),
        (
            ["caught", "unreached", "unreached"],
            3,
            False,
            f"1 admitted probe over 3 completed trials. O-001, O-001 resolved unreached. {UNCOMPARED}",
        ),
        (
            [],
            1,
            False,
            f"1 admitted probe over 0 completed trials. Below the declared minimum of 1. {UNCOMPARED}",
        ),
    ],
)
def test_the_note_says_what_was_measured_and_why_it_may_not_be_compared(
    votes: list[str], minimum: int, comparable: bool, note: str
) -> None:
    strength = emitted(scored(*votes, minimum=minimum))["strength"]
    assert (strength["comparable"], strength["note"]) == (comparable, note)
    trials = "trial" if len(votes) == 1 else "trials"
    across = f"across {len(votes)} completed {trials}"
    assert strength["denominator"] == f"unique qualified probe identifiers exercised per class, {across}"


def complaint(run: ScoredRun) -> str:
    with pytest.raises(PreconditionError) as raised:
        emit(run, A, B, C)
    return str(raised.value)


def test_a_run_without_a_verdict_has_no_artifact() -> None:
    invalid = LadderResolution(None, 3, True, ("reason",))
    assert complaint(scored("caught", ladder=invalid)) == (
        'emit(): assembled an artifact that failed EvidenceArtifact validation: 1 issue, first at "productionVerdict"'
    )
    assert complaint(scored("caught", ladder=invalid, run_id="", uncited_findings=("x",))) == (
        'emit(): assembled an artifact that failed EvidenceArtifact validation: 3 issues, first at "runId"'
    )


INCONSISTENT = "emit(): assembled an artifact whose trial reduction is inconsistent, first at "


def test_a_reduction_that_does_not_follow_from_the_outcomes_is_not_written() -> None:
    other = outcome("P-001", 1, "missed")
    place = '"reducedProbeOutcomes[0].trialVotes[0]"'
    assert complaint(scored("caught", outcomes=(other,))) == f"{INCONSISTENT}{place}"


@pytest.mark.parametrize(
    "changes",
    [
        {"trial_set_result": reduce_trial_set([{"trialIndex": 1, "state": "missed"}], 0.5)},
        {"policy": policy(catchThreshold=0.25)},
    ],
)
def test_a_reduction_that_is_not_the_one_the_run_was_scored_with_is_not_written(changes: Json) -> None:
    assert complaint(scored("caught", **changes)) == f'{INCONSISTENT}"reducedProbeOutcomes"'


def test_digests_of_identity() -> None:
    assert comparability_key(A, ["P-001"]) == "sha256:dbe8a37beac093958394696465ff20f4c93733ddb711c6d1b66eed35dd3abf90"
    assert comparability_key(A, []) == "sha256:8107911492c959adb9444717013917afc0236e36ca5c79d73ae2693c03debe61"
    both = "sha256:1848b06b51f8d367c12609ec391dd2b94f63afb807b1532d29e11137129fe3f6"
    assert comparability_key(A, ["P-002", "P-001"]) == both == comparability_key(A, ["P-001", "P-002"])
    inputs: Any = {
        "contractSchemaVersion": 7,
        "corpusDigest": A,
        "fixtureDigest": A,
        "evaluatorConfigurationDigest": B,
        "scoringPolicyDigest": A,
        "mode": "production",
    }
    assert scoring_version(inputs) == "sha256:959759668ec4f36379da3cb31946456ee6165e2bc30562d0990433bc7610b7a3"
