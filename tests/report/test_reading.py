"""Files to artifacts: recognised by content, refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.report.reading import read_paths
from eval_quality.report.recognise import DISTINGUISHING_KEYS, recognise
from eval_quality.report.spelling import spelled_out, spelled_out_value

from .runs import EXAMPLE, changed, copied, load, save

EXPECTED_KINDS = {
    "contract.json": "eval-contract",
    "expected/sealed-evaluator-brief.json": "sealed-evaluator-brief",
    "expected/preflight-verdict.json": "preflight-verdict",
    "expected/evidence-artifact-P-001.json": "evidence-artifact",
    "expected/strength-aggregate.json": "strength-aggregate",
    "probe-P-001.json": "probe",
    "record-P-001-1.json": "sealed-run-record",
    "scoring-policy.json": "scoring-policy",
    "isolation-manifest.json": "isolation-manifest",
    "evaluator-configuration.json": "evaluator-configuration",
    "floors.json": "floors",
    "observations.json": "observations",
}


@pytest.mark.parametrize(("name", "kind"), EXPECTED_KINDS.items())
def test_a_file_is_recognised_by_what_it_holds(tmp_path: Path, name: str, kind: str) -> None:
    renamed = save(tmp_path / "anything.json", load(EXAMPLE / name))
    sources, complaints = read_paths([str(renamed)])
    assert complaints == []
    assert [source.kind for source in sources] == [kind]


def test_every_registered_artifact_can_be_told() -> None:
    assert DISTINGUISHING_KEYS.keys() == ARTIFACT_REGISTRY.keys()
    for kind, keys in DISTINGUISHING_KEYS.items():
        assert [each.kind for each in recognise(dict.fromkeys(keys))] == [kind]


def test_a_list_of_probes_is_as_many_artifacts() -> None:
    sources, complaints = read_paths([str(EXAMPLE / "probes.json")])
    assert complaints == []
    assert [source.value["probeId"] for source in sources] == ["P-001", "P-002", "P-003", "P-004"]


@pytest.mark.parametrize("value", [{}, [], [1], 3, None, "text", {"a": 1}, [{}], [{"probeClass": "defect"}]])
def test_what_is_no_artifact_is_not_recognised(value: object) -> None:
    assert recognise(value) == []


def test_a_directory_stands_for_the_json_files_below_it(tmp_path: Path) -> None:
    inner = tmp_path / "deep" / "er"
    inner.mkdir(parents=True)
    copied([str(EXAMPLE / "scoring-policy.json")], inner)
    hidden = tmp_path / ".cache"
    hidden.mkdir()
    (hidden / "x.json").write_text("no")
    (tmp_path / "notes.txt").write_text("no")
    sources, complaints = read_paths([str(tmp_path), str(inner / "scoring-policy.json")])
    assert complaints == []
    assert [source.file for source in sources] == [str(inner / "scoring-policy.json")]


def test_every_bad_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text('{"some": "thing"}')
    stale = changed(EXAMPLE / "contract.json", tmp_path / "c.json", lambda it: it.update(schemaVersion=6))
    evidence = EXAMPLE / "expected/evidence-artifact-P-001.json"
    old = changed(evidence, tmp_path / "d.json", lambda it: it.update(schemaVersion=3, trials={}))
    broken = changed(evidence, tmp_path / "e.json", lambda it: it.update(exitCode="0", runId=""))
    missing = str(tmp_path / "f.json")
    sources, complaints = read_paths([str(tmp_path), missing])
    assert sources == []
    lines = [str(each) for each in complaints]
    assert [each.exit_code for each in complaints] == [5, 5, 5, 5, 5, 64]
    assert lines[0].startswith(f"{tmp_path}/a.json: schema-parse-failure: is not JSON: ")
    assert lines[1] == (
        f"{tmp_path}/b.json: schema-parse-failure: is no artifact of an evaluation: its keys are those of no known kind"
    )
    assert lines[2].startswith(f"{stale}: schema-version-mismatch: EvalContract.schemaVersion carries ")
    assert lines[3].startswith(f"{old}: schema-version-mismatch: EvidenceArtifact.schemaVersion carries ")
    assert lines[4].startswith(f"{broken}: schema-parse-failure: does not conform to the EvidenceArtifact schema: /")
    assert lines[4].endswith("(and 1 more)")
    assert lines[5] == f'{missing}: open "{missing}": ENOENT'
    assert not any("\n" in line for line in lines)


def test_an_empty_directory_is_a_usage_error(tmp_path: Path) -> None:
    _, [complaint] = read_paths([str(tmp_path)])
    assert complaint.exit_code == 64
    assert complaint.text == "holds no JSON file"


def test_acting_characters_are_spelled_out() -> None:
    assert spelled_out("a\x1b[31m\u202eb\ud800\ufeff") == "a\\u001b[31m\\u202eb\\ud800\\ufeff"
    assert spelled_out("one\r\ntwo\tthree") == "one  two three"
    assert spelled_out("über 日本 🙂 “x”") == "über 日本 🙂 “x”"


def test_a_value_is_walked_when_its_source_may_hold_one() -> None:
    value = {"a": ["\x1b", 1, None, {"b": "\u202e"}]}
    assert spelled_out_value(value, '{"a": ["\\u001b", 1, null, {"b": "\u202e"}]}') == {
        "a": ["\\u001b", 1, None, {"b": "\\u202e"}]
    }
    plain = {"a": "b"}
    assert spelled_out_value(plain, '{\n\t"a": "b"\r\n}') is plain
