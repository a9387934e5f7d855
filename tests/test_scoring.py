"""Scoring as callers ask for it: inputs read in a fixed order, what is private resolved, one answer from both doors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from eval_quality import stages
from eval_quality.abort import AbortSignal
from eval_quality.artifacts.private_artifact_manifest import PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION
from eval_quality.canonical import digest_bytes
from eval_quality.errors import DesignatedOracleRefusal, PreconditionError, RuntimeFault
from eval_quality.scoring import ScoreResult
from tests.run_records import configuration, defect, manifest, quote
from tests.score import shop
from tests.scored_runs import A, lineage, policy

WORDS = b'{"not": "parsed"'
PRIVATE = {"storage": "private", "path": None, "privateRef": "isolation", "digest": digest_bytes(WORDS)}


class Corpus:
    """Keeps a few bytes, and what was asked for."""

    def __init__(self, **contents: bytes) -> None:
        self.contents, self.asked = contents, list[str]()

    async def resolve(self, request: Any, signal: AbortSignal) -> Any:
        self.asked.append(request["privateRef"])
        return {"privateRef": "another", "bytes": self.contents[request["privateRef"]]}


def inputs(*records: Any, **changes: Any) -> Any:
    trials = list(records or [shop.caught_trial()])
    return {
        "record": trials,
        "manifest": manifest(contractDigest=trials[0].get("contractDigest")),
        "configuration": configuration(),
        "contract": shop.contract(),
        "probe": shop.probe(),
        "preflight_verdict": shop.verdict(),
        "policy": policy(),
        "private_manifest": None,
        "corpus_digest": A,
    } | changes


def private(*entries: tuple[str, bytes]) -> Any:
    """A private manifest of references and the bytes they should lead to."""
    kept = {"artifactKind": "other", "publicSafeRunId": None, "sanitizationPolicy": None}
    told = [{"privateRef": reference, "digest": digest_bytes(content), **kept} for reference, content in entries]
    return {**lineage(PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION), "entries": told}


def run(given: Any, **changes: Any) -> ScoreResult:
    return asyncio.run(stages.run_score(**given, **changes))


def refusal(given: Any, **changes: Any) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as raised:
        stages.score(**given, **changes)
    return raised.value


def test_both_doors_lead_to_the_same_answer() -> None:
    given = inputs(shop.caught_trial(2), shop.caught_trial(1))
    result = stages.score(**given)
    assert result == run(given)
    assert result.artifact is not None
    assert result.artifact["trials"]["completedAttempts"] == [1, 2]
    assert result.qualification.qualified


def test_one_record_may_stand_by_itself() -> None:
    alone = inputs()
    assert stages.score(**alone | {"record": alone["record"][0]}) == stages.score(**alone)


def test_an_invalid_run_has_no_artifact() -> None:
    result = stages.score(**inputs(preflight_verdict=shop.verdict(passed=False)))
    assert (result.artifact, result.ladder.verdict, result.ladder.exit_code) == (None, None, 3)


def test_what_may_be_missing() -> None:
    result = stages.score(**inputs(manifest=None, configuration=None))
    assert result.ladder.basis == (
        "isolation manifest violation: isolation manifest absent",
        "evaluator configuration absent",
    )


ORDER = (
    ("record", "SealedRunRecord[]"),
    ("manifest", "IsolationManifest"),
    ("configuration", "EvaluatorConfiguration"),
    ("contract", "EvalContract"),
    ("probe", "Probe"),
    ("preflight_verdict", "PreflightVerdict"),
    ("policy", "ScoringPolicy"),
    ("private_manifest", "PrivateArtifactManifest"),
)


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_the_first_input_that_cannot_be_read_is_refused(position: int) -> None:
    given = inputs(private_manifest=private())
    for name, _ in ORDER[position:]:
        target = given[name][0] if name == "record" else given[name]
        target["surplus"] = True
    fault = refusal(given | {"corpus_digest": "none"})
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", ORDER[position][1])


def test_stamps_come_before_the_parse_of_any_record() -> None:
    fault = refusal(inputs(shop.caught_trial() | {"surplus": True}, shop.caught_trial(2) | {"schemaVersion": 1}))
    assert fault.code == "schema-version-mismatch"


def test_a_corpus_digest_is_a_digest_and_a_list_of_records_is_not_empty() -> None:
    for digest in ("", "sha256:abc", A.upper(), A + "\n", None):
        fault = refusal(inputs(corpus_digest=digest))
        assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "ScoringVersionInputs.corpusDigest")
    assert refusal(inputs() | {"record": []}).artifact_path == "SealedRunRecord[]"


def test_a_record_that_cannot_be_ingested_is_told_before_one_that_cannot_be_scored() -> None:
    bad = {"op": "deep-equality", "operands": [{"literal": "\ud800"}, {"literal": 1}]}
    of = shop.contract(oracles=[shop.answers_200(check=bad)])
    unspeakable = shop.seen("ob-1", 1, 500, responseBody="\ud800")
    quoting = shop.trial(2, observations=[unspeakable], findings=[defect("F-001", "ob-1", quotes=[quote("x")])])
    unscorable = shop.trial(1, observations=[shop.seen("ob-1", 1)])
    alone = refusal(inputs(unscorable, contract=of))
    assert (alone.code, alone.artifact_path) == (
        "non-canonicalizable-value",
        "EvalContract.oracles[id=O-001].check",
    )
    assert "SealedRunRecord" in refusal(inputs(unscorable, quoting, contract=of)).artifact_path


def test_a_designation_is_refused_before_anything_is_resolved() -> None:
    corpus = Corpus()
    given = inputs(private_manifest=private(("a", b"a")))
    for oracle_id in ("", "O-404"):
        with pytest.raises(DesignatedOracleRefusal, match="--designated-oracle"):
            run(given, port=corpus, designated_oracle_id=oracle_id)
    assert corpus.asked == []


def test_what_is_private_is_resolved_in_order_and_its_bytes_compared() -> None:
    corpus = Corpus(isolation=WORDS, a=b"a", b=b"b")
    record = shop.caught_trial(isolationManifestArtifact=PRIVATE)
    given = inputs(record, private_manifest=private(("b", b"b"), ("a", b"a")))
    assert run(given, port=corpus) == stages.score(**inputs())
    assert corpus.asked == ["b", "a", "isolation"]


def test_other_bytes_than_declared_are_refused() -> None:
    corpus = Corpus(isolation=b"other", a=b"other")
    by_manifest = inputs(private_manifest=private(("a", b"a")))
    one = inputs(shop.caught_trial(isolationManifestArtifact=PRIVATE))
    two = inputs(shop.caught_trial(2, isolationManifestArtifact=PRIVATE), shop.caught_trial())
    paths = []
    for given in (by_manifest, one, two):
        with pytest.raises(RuntimeFault) as raised:
            run(given, port=corpus)
        assert raised.value.code == "digest-mismatch"
        paths.append(raised.value.artifact_path)
    assert paths[1:] == [
        "SealedRunRecord.isolationManifestArtifact",
        "SealedRunRecord[trialIndex=2].isolationManifestArtifact",
    ]


def test_without_a_port_nothing_private_can_be_scored() -> None:
    private_record = inputs(shop.caught_trial(isolationManifestArtifact=PRIVATE))
    cases = (
        (inputs(private_manifest=private(("a", b"a"))), "PrivateArtifactManifest"),
        (private_record, "SealedRunRecord.isolationManifestArtifact"),
    )
    for given, path in cases:
        for door in (run, lambda each: stages.score(**each)):
            with pytest.raises(PreconditionError) as raised:
                door(given)
            told = f"runScore(): {path} names a private reference, but no CorpusPort was supplied"
            assert str(raised.value) == told
    assert stages.score(**inputs(private_manifest=private())).artifact is not None


def test_a_run_that_is_given_up_resolves_nothing() -> None:
    signal = AbortSignal()
    signal.abort("stop")
    corpus = Corpus(a=b"a")
    with pytest.raises(RuntimeFault) as raised:
        run(inputs(private_manifest=private(("a", b"a"))), port=corpus, signal=signal)
    assert (raised.value.code, corpus.asked) == ("aborted", [])


def test_a_port_that_fails_fails_the_run() -> None:
    with pytest.raises(RuntimeFault) as raised:
        run(inputs(private_manifest=private(("a", b"a"))), port=Corpus())
    assert (raised.value.code, raised.value.artifact_path) == ("port-failure", "CorpusResolveResponse")
