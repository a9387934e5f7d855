"""What a report says about a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_quality.artifacts.evidence_artifact import OUTCOME_STATES
from eval_quality.artifacts.preflight_verdict import PREFLIGHT_CHECK_KINDS
from eval_quality.artifacts.probe_qualification import QUALIFICATION_ROUTES
from eval_quality.artifacts.strength_aggregate import FLOOR_BASES as BASES
from eval_quality.artifacts.strength_aggregate import FLOOR_DECISIONS as DECISIONS
from eval_quality.artifacts.verdicts import VERDICTS
from eval_quality.coverage import DISCIPLINE_RULES
from eval_quality.report import words
from eval_quality.report.strength import percent

from .runs import CAUGHT, EXAMPLE, GAPS, UNREACHED, WEAKER, WORKFLOW, changed, probe, report_of

EXPECTED = EXAMPLE / "expected"


def test_every_vocabulary_has_its_words() -> None:
    assert words.STATES.keys() == set(OUTCOME_STATES)
    assert words.PREFLIGHT_CHECKS.keys() == set(PREFLIGHT_CHECK_KINDS)
    assert words.ROUTES.keys() == set(QUALIFICATION_ROUTES)
    assert words.FLOOR_BASES.keys() == set(BASES)
    assert words.FLOOR_DECISIONS.keys() == set(DECISIONS)
    assert words.RULES.keys() == set(DISCIPLINE_RULES)
    assert set(VERDICTS) < words.HEADLINES.keys()
    assert words.HEADLINES.keys() == words.VERDICT_TONES.keys() == set(words.VERDICT_RANK)


def test_every_state_has_a_letter_of_its_own() -> None:
    letters = [each.letter for each in words.STATES.values()]
    assert len(set(letters)) == len(letters)
    assert all(len(letter) == 1 for letter in letters)


def test_a_run_that_passes() -> None:
    report = report_of(*CAUGHT)
    assert report.title == "refund-api"
    assert report.subtitle == "run run-refund-2026-04"
    assert report.verdict.mark.word == "PASS"
    assert report.verdict.headline == "The evaluation did its work on every probe that was scored."
    assert report.verdict.conditions == ()
    assert [
        (each.title, each.caught, each.exercised, each.eligible, each.rate, each.floor) for each in report.classes
    ] == [
        ("Defect", 1, 1, 1, "100%", "90%"),
        ("Gameability", 1, 1, 1, "100%", "100%"),
        ("Zero action", 1, 1, 1, "100%", "50%"),
    ]
    assert {each.decision.word for each in report.classes} == {"meets its floor"}
    assert [each.status.word for each in report.probes] == ["caught", "clean", "caught", "caught"]
    assert not any(each.needs_attention for each in report.probes)
    assert report.incomparable == ()
    assert report.coverage.gaps == ()


def test_a_caught_probe_names_the_finding_and_the_observation_that_shows_the_defect() -> None:
    first = probe(report_of(*CAUGHT), "P-001")
    assert first.planted == "a malformed amount opens a refund (D-001, critical)"
    assert first.behavior == "B-001, “The agent refuses a malformed refund and creates no record for it”"
    [trials] = first.trials
    assert trials.trials == (1, 2, 3)
    assert trials.label == "Trials 1, 2 and 3"
    assert trials.state == "caught"
    assert trials.observations == ("obs-open-bad", "obs-list-after-bad")
    assert trials.findings == (
        'F-001 against O-001 (0.95 sure): a refund with the amount "twelve" was opened and stored; cites obs-open-bad, '
        "obs-list-after-bad. The defect shows in obs-open-bad.",
    )


def test_without_records_a_catch_says_where_the_words_are() -> None:
    third = probe(report_of(*CAUGHT), "P-003")
    assert [trial.findings for trial in third.trials] == [()]
    assert "run record, which was not given" in third.trials[0].why


def test_without_a_contract_identifiers_remain() -> None:
    report = report_of(EXPECTED / "evidence-artifact-P-001-overlooked.json")
    [condition] = report.verdict.conditions
    assert condition.meaning.startswith(
        "The planted defect showed, and the evaluator did not report it against O-001. "
    )
    assert report.title == "evaluation"
    assert probe(report, "P-001").class_title == "Defect"
    assert "the probe itself was not given" in probe(report, "P-001").planted
    assert report.classes[0].decision.word == "no aggregate"


def test_a_run_that_fails() -> None:
    report = report_of(*WEAKER)
    assert report.verdict.mark.word == "FAIL"
    assert [(mark.word, number) for mark, number in report.verdict.tally] == [("FAIL", 2), ("CONCERNS", 1), ("PASS", 1)]
    missed, alarm, thin = report.verdict.conditions
    assert missed.line == "oracle O-001 resolved missed at or above the severity floor"
    assert missed.times == "in 2 trials"
    assert missed.probe_ids == ("P-001",)
    assert "“a refund request whose amount is no number is refused and leaves no record”" in missed.meaning
    assert "false alarm" in alarm.meaning
    assert thin.meaning == "Only 1 of the 3 trials that the policy asks for count, which is too thin a basis."
    assert [each.status.word for each in report.probes] == [
        "not caught",
        "false alarm",
        "caught",
        "caught, not comparable",
    ]
    assert [each.status_key for each in report.probes] == ["failed", "failed", "good", "incomparable"]
    [incomparable] = report.incomparable
    assert incomparable.label == "P-004"
    assert "Below the declared minimum of 3" in incomparable.value


def test_trials_that_differ_are_told_apart() -> None:
    first = probe(report_of(*WEAKER), "P-001")
    assert [(trial.label, trial.state) for trial in first.trials] == [
        ("Trial 1", "caught"),
        ("Trials 2 and 3", "missed"),
    ]
    assert first.trials[1].why == "The defect showed, and no finding says so."


def test_the_matrix_has_a_letter_a_trial() -> None:
    matrix = report_of(*WEAKER).matrix
    assert [column.oracle_id for column in matrix.columns] == ["O-001", "O-002", "O-003", "O-004"]
    assert [[cell.short for cell in row.cells if cell is not None] for row in matrix.rows] == [
        ["CM2", "H3", "H3", "H3"],
        ["PFP", "P3", "P3", "P3"],
        ["H3", "C3", "H3", "H3"],
        ["H", "C", "H", "H"],
    ]
    assert [key.letter for key in matrix.legend] == ["C", "M", "F", "H", "P"]
    assert matrix.rows[0].cells[0] is not None
    assert matrix.rows[0].cells[0].text == "caught, 2 times missed"


def test_a_table_too_large_leaves_out_oracles_that_have_nothing_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_quality.report.build.MOST_CELLS", 10)
    matrix = report_of(*WEAKER).matrix
    assert [column.oracle_id for column in matrix.columns] == ["O-001", "O-002"]
    assert matrix.quiet == "2 oracles held on every probe and left out here."


def test_gaps_with_what_is_missing_what_closes_them_and_who_accepts_them() -> None:
    report = report_of(GAPS)
    assert report.verdict.mark.word == "CONCERNS"
    assert [gap.rule for gap in report.coverage.gaps] == [
        "success-indicator-separation",
        "whole-body",
        "malformed-input",
    ]
    malformed = report.coverage.gaps[2]
    assert malformed.missing.startswith("no step invoking operation fetch-ticket binds a type-violating matcher")
    assert malformed.closed_by.startswith("add a step that binds a type-violating value")
    assert [waiver.waiver_id for waiver in malformed.waivers] == ["W-001"]
    assert report.coverage.other_waivers == ()
    assert {condition.probe_ids for condition in report.verdict.conditions} == {("P-001", "P-002")}
    gameability = next(each for each in report.classes if each.title == "Gameability")
    assert (gameability.eligible, gameability.rate, gameability.decision.word) == (0, "none", "does not meet its floor")
    assert "The declared floor for gameability is not met." in report.verdict.because


def test_coverage_of_a_contract_that_nothing_was_scored_with() -> None:
    report = report_of(GAPS / "eval-contract.json")
    assert len(report.coverage.gaps) == 3
    assert report.verdict.mark.word == "No verdict"
    assert report.subtitle == "no run yet"
    assert report.probes == ()


def test_oracles_that_were_never_reached() -> None:
    report = report_of(UNREACHED)
    first = probe(report, "P-001")
    assert first.status_key == "incomparable"
    assert [key.state for key in report.matrix.legend] == ["caught", "unreached", "confirmed"]
    [condition] = [each for each in report.verdict.conditions if "unreached" in each.line]
    assert condition.times == "in 3 trials"
    assert "never happened" in condition.meaning


def test_a_pass_without_a_catch_is_not_praised() -> None:
    report = report_of(WORKFLOW / "expected/evidence-artifact-P-003-cut-short.json")
    assert report.verdict.mark.word == "PASS"
    assert report.verdict.headline == "Every score passes, and not every probe is as it should be: its result says why."
    assert report.probes[0].status.word == "not exercised"
    assert report.probes[0].status_key == "failed"


def test_a_preflight_that_did_not_pass_makes_everything_invalid() -> None:
    report = report_of(WORKFLOW / "preflight-verdict-dirty.json")
    assert report.verdict.mark.word == "Invalid"
    assert report.preflight is not None
    assert report.preflight.mark.word == "did not pass"
    assert any(check.outcome.word == "failed" for check in report.preflight.checks)


def test_a_probe_without_a_score() -> None:
    report = report_of(EXPECTED / "evidence-artifact-P-001.json", EXAMPLE / "probe-P-002.json")
    second = probe(report, "P-002")
    assert (second.status_key, second.verdict.word) == ("invalid", "Not scored")
    assert report.verdict.mark.word == "Not scored"
    assert any("P-002 has no evidence artifact here" in each for each in report.verdict.because)


def test_a_probe_that_only_the_aggregate_knows() -> None:
    report = report_of(EXPECTED / "evidence-artifact-P-001.json", EXPECTED / "strength-aggregate.json")
    third = probe(report, "P-003")
    assert (third.status_key, third.verdict.word, third.class_title) == ("incomparable", "No verdict", "Zero action")
    assert report.verdict.mark.word == "PASS"


def test_a_trial_that_proves_nothing_makes_its_probe_invalid(tmp_path: Path) -> None:
    source = EXPECTED / "evidence-artifact-P-001.json"

    def break_down(evidence: dict) -> None:  # type: ignore[type-arg]
        evidence["outcomes"][0]["state"] = "infrastructure-error"
        evidence["verdictBasis"] = ["oracle O-001 resolved infrastructure-error"]

    report = report_of(changed(source, tmp_path / "e.json", break_down))
    assert report.verdict.mark.word == "Invalid"
    assert report.probes[0].status_key == "invalid"
    assert report.matrix.legend[1].letter == "I"
    assert "could not be judged" in report.verdict.conditions[0].meaning


def test_provenance_names_digests_attestations_and_the_engine() -> None:
    groups = {group.title: {fact.label: fact.value for fact in group.facts} for group in report_of(*CAUGHT).provenance}
    assert groups["Artifacts"].keys() == {
        "Contract",
        "Sealed brief",
        "Pre-flight verdict",
        "Scoring policy",
        "Strength aggregate",
    }
    assert groups["Artifacts"]["Contract"].startswith("sha256:")
    assert "corpusDigest" in groups["Taken on the caller's word"]
    assert groups["Made by"]["Engine that aggregated"] == "eval-quality 7.2.0"


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (1, "100%"), (0.9999, "99.9%"), (2 / 3, "66.6%"), (0.5, "50%"), (0.29, "29%")]
)
def test_a_share_never_rounds_up_to_all(share: float, text: str) -> None:
    assert percent(share) == text


def test_order_and_place_of_the_files_do_not_matter(tmp_path: Path) -> None:
    from .runs import copied

    assert report_of(*CAUGHT) == report_of(*reversed(CAUGHT)) == report_of(copied(CAUGHT, tmp_path))
