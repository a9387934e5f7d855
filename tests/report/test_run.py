"""Artifacts of one run, and those that are not."""

from __future__ import annotations

from pathlib import Path

from .runs import CAUGHT, EXAMPLE, GAPS, changed, copied, read, run_of

P001 = EXAMPLE / "expected/evidence-artifact-P-001.json"
P003 = EXAMPLE / "expected/evidence-artifact-P-003.json"


def refusals(*paths: str | Path) -> list[str]:
    _, complaints = read(*paths)
    assert all(each.exit_code == 4 for each in complaints)
    return [str(each) for each in complaints]


def test_a_whole_run_is_put_together() -> None:
    run = run_of(*CAUGHT)
    assert list(run.evidence) == ["P-001", "P-002", "P-003", "P-004"]
    assert list(run.probes) == ["P-001", "P-002", "P-003", "P-004"]
    assert len(run.records) == 3
    assert run.run_ids == ("run-refund-2026-04",)
    assert None not in (run.contract, run.brief, run.preflight, run.aggregate, run.policy)


def test_the_same_artifact_twice_is_one(tmp_path: Path) -> None:
    copied(CAUGHT, tmp_path)
    assert run_of(*CAUGHT, tmp_path).evidence.keys() == run_of(*CAUGHT).evidence.keys()


def test_two_scores_of_one_probe_are_refused() -> None:
    other = EXAMPLE / "expected/evidence-artifact-P-001-overlooked.json"
    assert refusals(P001, other) == [f"{other}: mixed runs: is another score of probe P-001 than {P001}"]


def test_two_contracts_are_refused(tmp_path: Path) -> None:
    contract = EXAMPLE / "contract.json"
    other = changed(contract, tmp_path / "other.json", lambda it: it.update(contractId="another"))
    assert refusals(contract, other) == [f"{other}: mixed runs: is another contract than {contract}"]


def test_evidence_of_another_scoring_version_is_refused(tmp_path: Path) -> None:
    other = changed(P003, tmp_path / "other.json", lambda it: it.update(scoringVersion=f"sha256:{'0' * 64}"))
    assert refusals(P001, other) == [f"{other}: mixed runs: has another scoring version than {P001}"]


def test_evidence_of_another_basis_or_attestation_is_refused(tmp_path: Path) -> None:
    other = changed(P003, tmp_path / "other.json", lambda it: it["strength"].update(basis="reconstructed"))
    assert refusals(P001, other) == [f"{other}: mixed runs: has another basis than {P001}"]
    other = changed(P003, tmp_path / "other.json", lambda it: it.update(callerAttestedInputs=["mode"]))
    assert refusals(P001, other) == [f"{other}: mixed runs: has another list of attested inputs than {P001}"]


def test_run_identifiers_may_differ_as_they_may_in_an_aggregate(tmp_path: Path) -> None:
    other = changed(P003, tmp_path / "other.json", lambda it: it.update(runId="another"))
    assert run_of(P001, other).run_ids == ("run-refund-2026-04", "another")


def test_evidence_of_another_contract_is_refused() -> None:
    contract = GAPS / "eval-contract.json"
    assert refusals(contract, P001) == [f"{P001}: mixed runs: scores oracle O-003, which {contract} does not declare"]


def test_a_brief_and_a_record_of_another_contract_are_refused() -> None:
    contract = GAPS / "eval-contract.json"
    brief, record = EXAMPLE / "expected/sealed-evaluator-brief.json", EXAMPLE / "record-P-001-1.json"
    assert refusals(contract, brief, record) == [
        f"{each}: mixed runs: states the digest of another contract than {contract}" for each in (brief, record)
    ]


def test_evidence_under_another_policy_or_fixture_is_refused(tmp_path: Path) -> None:
    policy = changed(EXAMPLE / "scoring-policy.json", tmp_path / "p.json", lambda it: it.update(catchThreshold=0.9))
    assert refusals(P001, policy) == [f"{P001}: mixed runs: was scored under another policy than {policy}"]
    preflight = GAPS / "preflight-verdict.json"
    assert refusals(P001, preflight) == [
        f"{P001}: mixed runs: was scored against another fixture than {preflight} is about"
    ]


def test_evidence_that_is_not_what_was_aggregated_is_refused() -> None:
    aggregate = EXAMPLE / "expected/strength-aggregate.json"
    other = EXAMPLE / "expected/evidence-artifact-P-001-overlooked.json"
    assert refusals(aggregate, other) == [
        f"{other}: mixed runs: is another score of probe P-001 than went into {aggregate}"
    ]


def test_one_file_is_told_once(tmp_path: Path) -> None:
    other = changed(
        P003,
        tmp_path / "other.json",
        lambda it: it.update(scoringVersion=f"sha256:{'0' * 64}", callerAttestedInputs=[]),
    )
    assert len(refusals(P001, other)) == 1
