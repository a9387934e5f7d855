"""Evidence that is not of one run or not of the policy supplied, in the order in which that is told."""

from __future__ import annotations

import pytest

from eval_quality.aggregate import aggregate_strength
from eval_quality.canonical import digest_artifact
from eval_quality.errors import AggregationRefusal
from eval_quality.score.identity import comparability_key, scoring_version
from tests.scored_runs import A, Json, evidence, policy, scoring_version_inputs

POLICY = policy()
OTHER_POLICY = policy(remediationCap=9)
DIGEST, OTHER_DIGEST = (digest_artifact(each, "ScoringPolicy") for each in (POLICY, OTHER_POLICY))


def refusal(*artifacts: Json, under: Json = POLICY) -> tuple[str, str]:
    with pytest.raises(AggregationRefusal) as raised:
        aggregate_strength([*artifacts], {}, under)
    assert raised.value.code == "strength-inputs-disagree"
    return raised.value.artifact_path, raised.value.detail


def other_run(probe_id: str, **changes: str) -> Json:
    """Sound evidence of a run with other inputs."""
    inputs = scoring_version_inputs(DIGEST) | changes
    return evidence(probe_id, "caught", scoringVersionInputs=inputs, scoringVersion=scoring_version(inputs))


def reconstructed(probe_id: str) -> Json:
    artifact = evidence(probe_id, "caught")
    artifact["strength"]["basis"] = "reconstructed"
    return artifact


def test_evidence_scored_under_another_policy() -> None:
    assert refusal(evidence("P-001", "caught"), evidence("P-002", "caught", under=OTHER_POLICY)) == (
        "EvidenceArtifact[1]",
        f"scoringPolicyDigest {OTHER_DIGEST} (P-002) is not the digest {DIGEST} of the scoring policy supplied",
    )


def test_evidence_that_states_the_policy_and_not_its_minimum() -> None:
    artifact = evidence("P-001", "caught", "caught")
    artifact["trials"]["declaredMinimum"] = 2
    assert refusal(artifact) == (
        "EvidenceArtifact[0]",
        "trials.declaredMinimum 2 (P-001) is not the supplied policy's minimumTrialCount 1",
    )


@pytest.mark.parametrize(("stated", "told"), [(0, "0"), (0.25, "0.25"), (1e-7, "1e-7")])
def test_evidence_that_states_the_policy_and_not_its_threshold(stated: float, told: str) -> None:
    artifact = evidence("P-001", "caught")
    artifact["reducedProbeOutcomes"][0]["catchThreshold"] = stated
    assert refusal(artifact) == (
        "EvidenceArtifact[0]",
        f"catchThreshold {told} (P-001) is not the supplied policy's catchThreshold 0.5",
    )


def test_a_probe_counts_once() -> None:
    run = [evidence("P-001", "caught"), evidence("P-002", "caught"), evidence("P-001", "missed")]
    repeated = ("EvidenceArtifact[2]", "probe P-001 is also scored by EvidenceArtifact[0]: a probe counts once")
    assert refusal(*run) == repeated
    assert refusal(*run, evidence("P-002", "caught")) == repeated


def test_evidence_of_another_run() -> None:
    mine, other = evidence("P-001", "caught"), other_run("P-002", corpusDigest=DIGEST)
    assert refusal(mine, other) == (
        "EvidenceArtifact[1]",
        f"scoringVersion {other['scoringVersion']} (P-002) differs from {mine['scoringVersion']} (P-001): "
        "the artifacts are not one run",
    )


def test_evidence_on_another_basis() -> None:
    assert refusal(evidence("P-001", "caught"), reconstructed("P-002")) == (
        "EvidenceArtifact[1]",
        "strength.basis reconstructed (P-002) differs from measured (P-001): the artifacts are not one run",
    )


def test_evidence_with_other_attested_inputs() -> None:
    first = evidence("P-001", "caught", callerAttestedInputs=["mode", "corpusDigest"])
    twice = evidence("P-002", "caught", callerAttestedInputs=["corpusDigest", "mode", "mode"])
    assert refusal(first, twice) == (
        "EvidenceArtifact[1]",
        'callerAttestedInputs ["corpusDigest","mode","mode"] (P-002) differs from ["corpusDigest","mode"] (P-001): '
        "the artifacts are not one run",
    )


def test_attested_inputs_in_another_order_are_the_same_and_come_out_sorted() -> None:
    first = evidence("P-001", "caught", callerAttestedInputs=["mode", "corpusDigest"])
    second = evidence("P-002", "caught", callerAttestedInputs=["corpusDigest", "mode"])
    assert aggregate_strength([first, second], {}, POLICY)["callerAttestedInputs"] == ["corpusDigest", "mode"]


def test_what_is_told_first() -> None:
    """The policy before everything, a repeated probe before other runs, and each loop over all artifacts in turn."""
    plain, other = evidence("P-001", "caught"), other_run("P-002", corpusDigest=DIGEST)
    foreign = evidence("P-009", "caught", under=OTHER_POLICY)
    assert refusal(plain, plain, other, foreign)[1].startswith("scoringPolicyDigest")
    assert refusal(plain, other, plain)[1].startswith("probe P-001 is also scored")
    assert refusal(plain, reconstructed("P-003"), other)[1].startswith("scoringVersion")
    attesting = evidence("P-004", "caught", callerAttestedInputs=[])
    assert refusal(plain, attesting, reconstructed("P-003"))[1].startswith("strength.basis")


def test_an_artifact_that_contradicts_itself_is_told_before_any_disagreement() -> None:
    foreign, broken = evidence("P-001", "caught", under=OTHER_POLICY), evidence("P-002", "caught", scoringVersion=A)
    with pytest.raises(AggregationRefusal) as raised:
        aggregate_strength([foreign, broken], {}, POLICY)
    assert (raised.value.code, raised.value.artifact_path) == ("strength-input-inconsistent", "EvidenceArtifact[1]")


def test_runs_and_comparability_keys_of_the_artifacts_may_differ() -> None:
    aggregate = aggregate_strength([evidence("P-002", "caught"), evidence("P-001", "caught")], {}, POLICY)
    assert [each["runId"] for each in aggregate["inputs"]] == ["run-P-001", "run-P-002"]
    assert aggregate["comparabilityKey"] == comparability_key(DIGEST, ["P-001", "P-002"])
