"""The development corpus: what its README claims of each contract, its index, and its door."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eval_quality import corpus, stages
from eval_quality.canonical import digest_artifact, read_json, serialize_artifact
from eval_quality.corpus import publish
from eval_quality.coverage import DISCIPLINE_RULES, coverage_relevance, coverage_satisfaction, evaluate_coverage
from eval_quality.errors import StructuralFailure

FOLDER = Path(__file__).parents[2] / "corpus" / "dev"
STATES = {  # (relevant, satisfied)
    "absent": (True, False),
    "explicitly empty": (False, True),
    "unwitnessed": (True, False),
    "witnessed": (True, True),
}
FAILING = {
    "empty-request-shapes": "unreachable-check-evidence",
    "no-operation-inventory": "unreachable-check-evidence",
    "no-state-change-marker": "undeclared-mandatory-input",
}


class Claim(NamedTuple):
    """One row of the table in the corpus's README."""

    name: str
    system: str
    rules: list[str]
    state: str
    gaps: list[str]
    failure: str | None


def claims() -> list[Claim]:
    table = (FOLDER / "README.md").read_text(encoding="utf-8").split("| name | system |")[1]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:] if line[:3] == "| `"
    ]
    return [
        Claim(
            name.strip("`"), system, rules.split(", "), state, gaps.split(", ") if gaps else [], code.strip("`") or None
        )
        for name, system, rules, state, gaps, code in rows
    ]


CLAIMS = claims()


def said(claim: Claim) -> str:
    return claim.name


def test_the_table_has_every_contract_once() -> None:
    assert [claim.name for claim in CLAIMS] == list(corpus.names())
    assert len(CLAIMS) == 24
    assert {claim.name: claim.failure for claim in CLAIMS if claim.failure} == FAILING


@pytest.mark.parametrize("claim", CLAIMS, ids=said)
def test_compilation_comes_to_what_the_table_says(claim: Claim) -> None:
    contract = corpus.load(claim.name)
    if claim.failure is None:
        assert digest_artifact(stages.compile(contract), "EvalContract") == digest_artifact(contract, "EvalContract")
        assert stages.seal(contract)["contractDigest"] == digest_artifact(contract, "EvalContract")
        return
    with pytest.raises(StructuralFailure) as failure:
        stages.compile(contract)
    assert failure.value.code == claim.failure


@pytest.mark.parametrize("claim", CLAIMS, ids=said)
def test_rules_are_in_the_state_the_table_says(claim: Claim) -> None:
    contract: Any = corpus.load(claim.name)
    relevance, satisfaction = coverage_relevance(contract), coverage_satisfaction(contract)
    found: dict[str, tuple[bool, bool]] = {
        rule: (relevance[rule].relevant, satisfaction[rule].satisfied) for rule in DISCIPLINE_RULES
    }
    reasons: dict[str, str] = {rule: satisfaction[rule].reason for rule in DISCIPLINE_RULES}
    assert {rule: found[rule] for rule in claim.rules} == dict.fromkeys(claim.rules, STATES[claim.state])
    assert [gap["rule"] for gap in evaluate_coverage(contract)] == claim.gaps
    for rule in claim.rules:  # what tells an absent declaration from one that no oracle looks at
        undeclared = re.search(r"declares no |nominates no ", reasons[rule]) is not None
        assert undeclared == (claim.state == "absent")


def test_every_rule_is_found_in_every_state() -> None:
    occupied = {(rule, claim.state) for claim in CLAIMS for rule in claim.rules}
    assert occupied == {(rule, state) for rule in DISCIPLINE_RULES for state in STATES}


@pytest.mark.parametrize("name", corpus.names())
def test_a_contract_carries_its_name_and_is_kept_readable(name: str) -> None:
    text = corpus.text(name)
    assert corpus.load(name)["contractId"] == name
    assert text.startswith('{\n  "schemaVersion": 7,')
    assert text.endswith("}\n")


def test_operations_react_to_their_inputs_and_not_merely_receive_them() -> None:
    """A witness relation that reads nothing but what was sent would hold of any operation."""
    for name in corpus.names():
        for interface in corpus.load(name)["permittedInterfaces"]:
            for operation in interface["operations"]:
                witness = operation["sensitivityWitness"]
                assert witness is None or "call-inputs" not in str(witness["relation"])


def test_the_example_is_what_the_stages_give() -> None:
    contract = corpus.load(publish.EXAMPLE)
    example = corpus.root() / "compile-seal-example"
    compiled = (example / "eval-contract.json").read_text(encoding="utf-8")
    assert compiled == serialize_artifact(stages.compile(contract), "EvalContract")
    brief = (example / "sealed-evaluator-brief.json").read_text(encoding="utf-8")
    assert brief == serialize_artifact(stages.seal(read_json(compiled)), "SealedEvaluatorBrief")


def test_the_index_names_every_file_with_its_digest() -> None:
    files = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*") if path.is_file()}
    del files["index.json"]
    assert corpus.index()["files"] == {
        name: f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in files.items()
    }
    assert list(corpus.index()["files"]) == sorted(files)
    listed = corpus.index()["contracts"]
    assert {name: entry["failureCode"] for name, entry in listed.items()} == {c.name: c.failure for c in CLAIMS}
    assert {name: entry["coverageGaps"] for name, entry in listed.items()} == {c.name: c.gaps for c in CLAIMS}


def test_the_check_finds_what_is_stale_and_what_is_foreign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "dev"
    shutil.copytree(FOLDER, folder)
    assert publish.main([str(folder), "--check"]) == 0
    (folder / "README.md").write_text("changed\n", encoding="utf-8")
    (folder / "compile-seal-example" / "eval-contract.json").unlink()
    assert publish.main([str(folder), "--check"]) == 1
    refused = capsys.readouterr().err
    assert "index.json: out of date" in refused
    assert "eval-contract.json: out of date" in refused
    assert publish.main([str(folder)]) == 0
    assert publish.main([str(folder), "--check"]) == 0
    (folder / "contracts" / "notes.txt").write_text("a stray file", encoding="utf-8")
    assert publish.main([str(folder), "--check"]) == 1
    assert "notes.txt: no part of the corpus" in capsys.readouterr().err


def test_the_door_refuses_names_it_does_not_have() -> None:
    for name in ("no-such-contract", "../index", "", "README"):
        with pytest.raises(KeyError, match="development corpus"):
            corpus.load(name)


def test_every_load_is_a_fresh_value() -> None:
    corpus.load("captured-read-back")["behaviors"].clear()
    assert corpus.load("captured-read-back")["behaviors"]
