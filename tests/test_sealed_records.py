"""Sealed records: taken in one at a time, refused in a fixed order, given by trial."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from eval_quality.errors import RuntimeFault
from eval_quality.sealed_records import SealedRecords
from tests.run_records import judged, observation, record

PRIVATE = {"storage": "private", "path": None, "privateRef": "isolation", "digest": f"sha256:{'a' * 64}"}


def refusal(records: SealedRecords) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as raised:
        records.check()
    return raised.value


@pytest.mark.parametrize("packed", [False, True])
def test_records_are_given_by_trial_as_often_as_asked(packed: bool) -> None:
    raw: list[Any] = [record(trialIndex=3), record(trialIndex=1, runId="\ud800"), record(trialIndex=3, runId="other")]
    records = SealedRecords(iter(raw), packed=packed)
    records.check()
    for _ in range(2):
        assert json.dumps([*records]) == json.dumps([raw[1], raw[0], raw[2]])
    assert [trial.trial_index for trial in records.trials] == [1, 3, 3]


def test_a_record_kept_packed_is_another_object_in_normal_form() -> None:
    raw: Any = record(observations=[observation("ob-1", 1, responseBody={"b": 1.0, "1": -0.0})])
    (kept,) = SealedRecords([raw], packed=True)
    assert kept is not raw
    assert json.dumps(kept["observations"][0]["responseBody"]) == '{"1": -0.0, "b": 1}'


def test_a_record_too_deep_to_be_packed_is_kept_as_it_is() -> None:
    deep: Any = 0
    for _ in range(3000):
        deep = [deep]
    raw: Any = record(observations=[observation("ob-1", 1, responseBody=deep)])
    records = SealedRecords([raw, record(trialIndex=2)], packed=True)
    assert [each is raw for each in records] == [True, False]


def test_stale_stamps_come_before_issues_and_every_issue_names_its_record() -> None:
    surplus: Any = record(surplus=True)
    fault = refusal(SealedRecords([surplus, record(), surplus]))
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "SealedRunRecord[]")
    assert [issue.pointer for issue in fault.issues] == ["/0", "/2"]
    assert refusal(SealedRecords([surplus, record(schemaVersion=1, trialIndex=7)])).artifact_path == (
        "SealedRunRecord[trialIndex=7].schemaVersion"
    )


def test_what_the_source_raises_comes_before_everything_else() -> None:
    def source() -> Iterator[Any]:
        yield record(schemaVersion=1)
        raise RuntimeFault("schema-parse-failure", "SealedRunRecord", "no JSON")

    with pytest.raises(RuntimeFault, match="no JSON"):
        SealedRecords(source())


def test_an_argument_is_a_list_of_trials_or_the_only_record() -> None:
    assert [issue.message for issue in refusal(SealedRecords.of([])).issues] == [
        "Too small: expected array to have >=1 items"
    ]
    alone = refusal(SealedRecords.of(record(surplus=True)))
    assert (alone.artifact_path, [issue.pointer for issue in alone.issues]) == ("SealedRunRecord", [""])
    records = SealedRecords.of([record()])
    assert SealedRecords.of(records) is records


def test_what_is_known_before_a_record_is_scored() -> None:
    results = [judged("R-001", "RC-001", 3), judged("R-001", "RC-002")]
    records = SealedRecords([record(judgeResults=results[:1]), record(judgeResults=results)])
    assert [trial.has_unscored_judge_result for trial in records.trials] == [False, True]
    assert not records.names_private_storage
    assert SealedRecords([record(isolationManifestArtifact=PRIVATE, surplus=True)]).names_private_storage
    malformed: list[Any] = [None, [], {"isolationManifestArtifact": "private"}, {"isolationManifestArtifact": {}}]
    for each in malformed:
        assert not SealedRecords([each]).names_private_storage
