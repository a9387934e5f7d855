"""Raw inputs: what is refused in which order, and evidence that is read one artifact at a time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from eval_quality.aggregate import aggregate_digested, aggregate_strength
from eval_quality.canonical import digest_artifact, serialize_artifact
from eval_quality.errors import AggregationRefusal, EvalQualityError, RuntimeFault
from tests.scored_runs import A, Json, evidence, policy

STALE = {"schemaVersion": 3}
MALFORMED = {"schemaVersion": 4}


def error_of(evidence_list: Any, floors: Any = None, rules: Any = None) -> EvalQualityError:
    with pytest.raises(EvalQualityError) as raised:
        aggregate_strength(evidence_list, {} if floors is None else floors, policy() if rules is None else rules)
    return raised.value


def pointers(error: EvalQualityError) -> set[str]:
    assert isinstance(error, RuntimeFault)
    return {issue.pointer for issue in error.issues}


def test_each_kind_of_fault_hides_the_next() -> None:
    """Stale evidence, malformed evidence, floors, the policy's version, the policy, evidence against itself."""
    broken = evidence("P-001", "caught", scoringVersion=A)
    steps: list[tuple[Any, Any, Any, str, str]] = [
        ([broken, MALFORMED, STALE], 0, STALE, "schema-version-mismatch", "EvidenceArtifact[2].schemaVersion"),
        ([broken, MALFORMED], 0, STALE, "schema-parse-failure", "EvidenceArtifact[]"),
        ([broken], 0, STALE, "schema-parse-failure", "StrengthFloors"),
        ([broken], {}, STALE, "schema-version-mismatch", "ScoringPolicy.schemaVersion"),
        ([broken], {}, 0, "schema-parse-failure", "ScoringPolicy"),
        ([broken], {}, policy(), "strength-input-inconsistent", "EvidenceArtifact[0]"),
    ]
    for evidence_list, floors, rules, code, path in steps:
        error = error_of(evidence_list, floors, rules)
        assert (error.code, error.artifact_path) == (code, path)


def test_a_stale_stamp_says_what_would_rest_on_it() -> None:
    assert error_of([STALE]).detail == (
        'carries "schemaVersion" 3 where this build reads 4; an artifact written for another version is not read '
        "leniently, a class rate over a stale evidence artifact would rest on a reduction this build does not define "
        "(AD-11)"
    )


@pytest.mark.parametrize("stamp", ["3", None, True, [3]])
def test_a_stamp_that_is_no_number_is_left_to_the_parse(stamp: Any) -> None:
    error = error_of([evidence("P-001", "caught", schemaVersion=stamp)])
    assert (error.code, pointers(error)) == ("schema-parse-failure", {"/0/schemaVersion"})


def test_issues_name_the_place_of_their_artifact() -> None:
    malformed = evidence("P-002", "caught", runId="", exitCode="0")
    error = error_of([evidence("P-001", "caught"), malformed, 7])
    assert error.detail == "input does not conform to the EvidenceArtifact[] schema"
    assert pointers(error) == {"/1/runId", "/1/exitCode", "/2"}


@pytest.mark.parametrize("nothing", [[], None, {}, "evidence", 4, True])
def test_evidence_is_a_list_of_at_least_one(nothing: Any) -> None:
    error = error_of(nothing)
    assert (error.code, error.artifact_path) == ("schema-parse-failure", "EvidenceArtifact[]")
    assert pointers(error) == {""}


def test_a_floor_for_a_key_no_artifact_can_carry_is_refused_without_issues() -> None:
    error = error_of([evidence("P-001", "caught")], {"__proto__": 1, "defect": 2})
    assert (error.code, error.artifact_path) == ("schema-parse-failure", "StrengthFloors")
    assert pointers(error) == set()
    assert str(error.__cause__) == '"__proto__" is not a class and no floor reads it'


def test_floors_are_rates_of_known_classes() -> None:
    error = error_of([evidence("P-001", "caught")], {"canary": 1, "defect": 2, "gameability": None})
    assert pointers(error) == {"", "/defect", "/gameability"}


def test_what_cannot_be_digested_is_told_in_the_place_of_its_artifact() -> None:
    """A lone surrogate parses; the digest comes after the artifact's own checks and before the next artifact's."""
    unspeakable, broken = evidence("P-001", "caught", runId="\ud800"), evidence("P-002", "caught", scoringVersion=A)
    error = error_of([unspeakable, broken])
    assert (error.code, error.artifact_path) == ("non-canonicalizable-value", "EvidenceArtifact")
    assert error_of([broken, unspeakable]).code == "strength-input-inconsistent"


def test_inputs_are_left_as_they_are() -> None:
    evidence_list, floors, rules = [evidence("P-002", "caught"), evidence("P-001", "missed")], {"defect": 0.5}, policy()
    before = serialize_artifact([evidence_list, floors, rules], "inputs")
    aggregate_strength(evidence_list, floors, rules)
    assert serialize_artifact([evidence_list, floors, rules], "inputs") == before


def digested(*artifacts: Json) -> Iterator[tuple[Json, str]]:
    for artifact in artifacts:
        yield artifact, digest_artifact(artifact, "EvidenceArtifact")


def test_artifacts_read_with_their_digests_give_the_same_aggregate() -> None:
    run = [evidence("P-002", "caught"), evidence("P-001", "missed"), evidence("P-003", "caught", probe_class=None)]
    whole = aggregate_strength(run, {"defect": 0.5}, policy())
    assert aggregate_digested(digested(*run), floors=lambda: {"defect": 0.5}, policy=policy) == whole


def test_reading_goes_before_judging() -> None:
    read = []

    def stale_then_unreadable() -> Iterator[tuple[Json, str]]:
        read.append("evidence")
        yield STALE, A
        yield evidence("P-001", "caught", scoringVersion=A), A
        raise OSError("unreadable")

    def floors() -> Json:
        read.append("floors")
        return {}

    def rules() -> Json:
        read.append("policy")
        raise OSError("unreadable")

    with pytest.raises(OSError, match="unreadable"):
        aggregate_digested(stale_then_unreadable(), floors=floors, policy=rules)
    assert read == ["evidence"]
    with pytest.raises(OSError, match="unreadable"):
        aggregate_digested(digested(STALE), floors=floors, policy=rules)
    assert read == ["evidence", "floors", "policy"]


def test_artifacts_are_forgotten_once_they_are_read() -> None:
    """Forty artifacts of half a megabyte take no more memory than a few."""

    def run() -> Iterator[tuple[Json, str]]:
        for number in range(40):
            basis = [f"line {line} of artifact {number}" for line in range(6000)]
            artifact = evidence(f"P-{number + 100}", "caught", verdictBasis=basis)
            yield artifact, digest_artifact(artifact, "EvidenceArtifact")

    aggregate_strength([evidence("P-001", "caught")], {}, policy())
    tracemalloc.start()
    try:
        aggregate = aggregate_digested(run(), floors=dict, policy=policy)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(aggregate["inputs"]) == 40
    assert peak < 4_000_000


def test_no_artifact_is_kept_after_a_refusal_either() -> None:
    with pytest.raises(AggregationRefusal):
        aggregate_digested(digested(evidence("P-001", "caught", scoringVersion=A)), floors=dict, policy=policy)
