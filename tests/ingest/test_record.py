"""What ingest finds wrong with a record, in the order in which it is recorded."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from eval_quality.artifacts.evaluator_configuration import EvaluatorConfiguration
from eval_quality.artifacts.isolation_manifest import IsolationManifest
from eval_quality.artifacts.schema import parse
from eval_quality.artifacts.sealed_run_record import SealedRunRecord
from eval_quality.canonical import digest_artifact
from eval_quality.errors import RuntimeFault
from eval_quality.ingest import ValidatedObservations, ingest
from eval_quality.ingest.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    IngestCondition,
    IsolationManifestAbsent,
    IsolationManifestViolation,
    JudgeResultUnscored,
    UnwitnessedQuotations,
)
from tests.run_records import configuration, defect, disposition, judged, manifest, observation, quote, record, remark
from tests.scored_runs import B, C, Json

PLAIN = object()


def taken_in(changes: Json, beside: Any = PLAIN, evaluator: Any = PLAIN) -> ValidatedObservations:
    """A record with those changes, ingested with the plain manifest and configuration unless others are given."""
    return ingest(
        parse(SealedRunRecord, record(**changes), "SealedRunRecord"),
        parse(IsolationManifest, manifest(), "IsolationManifest") if beside is PLAIN else beside,
        parse(EvaluatorConfiguration, configuration(), "EvaluatorConfiguration") if evaluator is PLAIN else evaluator,
    )


def test_a_record_nothing_is_wrong_with() -> None:
    product = taken_in({"findings": [remark("F-001")], "trialIndex": 3})
    assert (product.conditions, product.unwitnessed_quotations, product.isolation_violation) == ((), (), ())
    assert (product.run_id, product.trial_index, product.mode, product.evaluator_recommendation) == (
        "run",
        3,
        "production",
        "PASS",
    )


def test_everything_wrong_at_once_in_its_order() -> None:
    beside = manifest(
        runId="other run",
        evaluatorConfigurationDigest=B,
        violation="operator note",
        allowedMounts=["/ok"],
        observedMounts=["/x", "/ok", "/x", "/y"],
        observedNetworkTargets=["h:1"],
    )
    for each in ("human-labels", "repository"):
        beside["forbiddenInputAccounting"][each]["withheld"] = False
    evaluator = configuration(seed=7)
    product = taken_in(
        {
            "observations": [observation("obs-2", 2), observation("obs-1", 1), observation("obs-1", 3)],
            "findings": [remark("F-002", "x", "obs-1", "x", "a"), remark("F-001", "zz")],
            "oracleDispositions": [disposition("O-002"), disposition("O-001", "gone"), disposition("O-001", "obs-1")],
            "judgeResults": [
                judged("R-002", "RC-002"),
                judged("R-002", "RC-001"),
                judged("R-002", "RC-002"),
                judged("R-001", "RC-009", 1),
            ],
        },
        beside,
        evaluator,
    )
    assert product.conditions == (
        DuplicateRecordIdentifier("observation", "obs-1", 2),
        DuplicateRecordIdentifier("oracle-disposition", "O-001", 2),
        DuplicateRecordIdentifier("judge-result", "R-002/RC-002", 2),
        DanglingCitation("F-001", ("zz",)),
        DanglingCitation("F-002", ("x", "a")),
        DanglingDispositionCitation("O-001", ("gone",)),
        IsolationManifestViolation("operator note", ("/x", "/y"), ("h:1",), ()),
        ForbiddenInputNotWithheld(("repository", "human-labels")),
        CrossArtifactDisagreement("runId", "run", "other run"),
        CrossArtifactDisagreement("evaluatorConfigurationDigest", product.evaluator_configuration_digest, B),
        EvaluatorConfigurationDigestMismatch(
            product.evaluator_configuration_digest, digest_artifact(evaluator, "EvaluatorConfiguration")
        ),
        JudgeResultUnscored("R-002", "RC-001"),
        JudgeResultUnscored("R-002", "RC-002"),
    )
    assert product.isolation_violation == (
        "manifest violation: operator note",
        "mount outside allowlist: /x",
        "mount outside allowlist: /y",
        "network target outside allowlist: h:1",
    )


def test_nothing_beside_the_record() -> None:
    product = taken_in({}, None, None)
    assert product.conditions == (IsolationManifestAbsent(), EvaluatorConfigurationAbsent())
    assert product.isolation_violation == ("isolation manifest absent",)


def test_everything_in_the_order_in_which_scoring_reads_it() -> None:
    product = taken_in(
        {
            "observations": [observation("b", 2), observation("a", 10), observation("c", 1)],
            "findings": [remark("F-002"), remark("F-001", summary="first"), remark("F-001", summary="second")],
            "oracleDispositions": [disposition("O-900"), disposition("O-1000")],
        }
    )
    assert [each["observationId"] for each in product.observations] == ["c", "b", "a"]
    assert [(each["findingId"], each["summary"]) for each in product.findings] == [
        ("F-001", "first"),
        ("F-001", "second"),
        ("F-002", "seen"),
    ]
    assert [each["oracleId"] for each in product.dispositions] == ["O-1000", "O-900"]


def test_findings_that_share_an_identifier_dangle_each_for_itself() -> None:
    product = taken_in({"findings": [remark("F-001", "b"), remark("F-001", "a", "b"), remark("F-001", "a")]})
    dangling = [each for each in product.conditions if isinstance(each, DanglingCitation)]
    assert [each.unresolved_observation_ids for each in dangling] == [("a",), ("a", "b"), ("b",)]


@pytest.mark.parametrize(
    ("changes", "condition", "lines"),
    [
        (
            {"violation": "note"},
            IsolationManifestViolation("note", (), (), ()),
            ("manifest violation: note",),
        ),
        (
            {"observedToolCalls": ["ls", "rm", "ls"], "toolAllowlist": ["LS"]},
            IsolationManifestViolation(None, (), (), ("ls", "rm")),
            ("tool call outside allowlist: ls", "tool call outside allowlist: rm"),
        ),
        (
            {"observedMounts": ["/a/b"], "allowedMounts": ["/a", "/a/*"]},
            IsolationManifestViolation(None, ("/a/b",), (), ()),
            ("mount outside allowlist: /a/b",),
        ),
    ],
)
def test_isolation_is_broken_by_word_or_by_what_was_reached(
    changes: Json, condition: IngestCondition, lines: tuple[str, ...]
) -> None:
    product = taken_in({}, manifest(**changes))
    assert (product.conditions, product.isolation_violation) == ((condition,), lines)


def test_arm_and_mode_are_not_compared_and_the_contract_is() -> None:
    assert taken_in({"conditionArm": "x", "mode": "contract-scoring"}).conditions == ()
    assert taken_in({"contractDigest": C}).conditions == (
        CrossArtifactDisagreement("contractDigest", C, manifest()["contractDigest"]),
    )


def test_quotations_that_nothing_bears_out_are_one_condition() -> None:
    product = taken_in(
        {
            "observations": [observation("o", 1, responseBody={"id": "k7"})],
            "findings": [defect("F-001", "o", quotes=[quote('"id":"k7"'), quote('"id": "k7"'), quote("k8")])],
        }
    )
    (condition,) = product.conditions
    assert isinstance(condition, UnwitnessedQuotations)
    assert condition.quotations == product.unwitnessed_quotations
    assert [(each.quote_index, each.quote) for each in condition.quotations] == [(1, '"id": "k7"'), (2, "k8")]


def test_evidence_that_cannot_be_read_is_told_before_a_configuration_that_cannot() -> None:
    unspeakable = "\ud800"
    evaluator = configuration(evaluatorIdentity=unspeakable)
    changes = {
        "observations": [observation("o", 1, responseBody=unspeakable)],
        "findings": [defect("F-001", "o", quotes=[quote("k7")])],
    }
    with pytest.raises(RuntimeFault) as raised:
        taken_in(changes, evaluator=evaluator)
    assert raised.value.code == "non-canonicalizable-value"
    assert raised.value.artifact_path.startswith("SealedRunRecord.findings[findingId=F-001]")
    with pytest.raises(RuntimeFault) as raised:
        taken_in({}, evaluator=evaluator)
    assert raised.value.artifact_path.startswith("EvaluatorConfiguration")


def test_the_record_is_left_as_it_is() -> None:
    changes = {
        "observations": [observation("b", 2), observation("a", 1)],
        "findings": [remark("F-002"), remark("F-001")],
    }
    before = copy.deepcopy(changes)
    product = taken_in(changes)
    assert changes == before
    assert product.observations[0] is changes["observations"][1]
