"""The outcome tables: total, without dead rows, and what each stage of the decision takes from the one before it."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from eval_quality.artifacts.evidence_artifact import OUTCOME_STATES
from eval_quality.artifacts.expressions import Polarity
from eval_quality.artifacts.probe import PROBE_CLASSES
from eval_quality.evaluate.resolution import Resolution
from eval_quality.score.finding_map import FINDING_BUCKETS
from eval_quality.score.outcome import CitedFinding, OutcomeInputs, decide, facts_of, resolve_outcome
from eval_quality.score.outcome_tables import (
    CORROBORATION_RULES,
    INVALIDATING_CONDITIONS,
    STATE_LADDER,
    WAIVABLE_FAILURES,
    WAIVER_RULES,
    Facts,
    JudgeConduct,
    Reach,
    WaiverState,
)
from eval_quality.score.selection import StepSelection
from eval_quality.score.witness_match import ProbeWitnessMatch, WitnessPartition, WitnessResult

BOOLEANS = (False, True)
PLAIN = Facts(
    required=True,
    disposition="held",
    supported=True,
    bucket=None,
    witness=None,
    reach="reached",
    selector_ambiguity=False,
    check="true",
    polarity="expects-hold",
    probe_class="defect",
    expected_clean=False,
    probe_qualified=True,
    waiver="none",
    judge_conduct="absent",
    evaluation_fault=False,
)
CAUGHT = ProbeWitnessMatch("matched", True, exercised=True, observation_ids=("w", "a"))


def inputs(**changes: Any) -> OutcomeInputs:
    """The inputs behind the plain facts."""
    plain = OutcomeInputs(
        required=True,
        disposition={"oracleId": "O-001", "disposition": "held", "observationIds": ["a"], "note": None},
        cited_finding=None,
        witness=None,
        selections=(StepSelection("one", ("a",)),),
        selector_ambiguity=False,
        check_resolution="true",
        polarity="expects-hold",
        probe_class="defect",
        expected_clean=False,
        probe_signed=True,
        probe_qualified=True,
        waiver="none",
        judge_conduct="absent",
        evaluation_fault=False,
    )
    return plain._replace(**changes)


def every_state_fact() -> list[Facts]:
    """Every combination of what the state ladder reads."""
    return [
        PLAIN._replace(
            evaluation_fault=fault,
            judge_conduct=conduct,
            probe_class=probe_class,
            expected_clean=clean,
            probe_qualified=qualified,
            bucket=bucket,
            witness=witness,
            reach=reach,
            selector_ambiguity=ambiguous,
            check=check,
        )
        for fault, conduct, probe_class, clean, qualified, bucket, witness, reach, ambiguous, check in product(
            BOOLEANS,
            get_args(JudgeConduct),
            (None, *PROBE_CLASSES),
            (None, *BOOLEANS),
            (None, *BOOLEANS),
            (None, *FINDING_BUCKETS),
            (None, *get_args(WitnessResult)),
            get_args(Reach),
            BOOLEANS,
            (None, *get_args(Resolution)),
        )
    ]


def state_rule_worded(f: Facts) -> str:
    """Spec 09, section 11.3, read row by row."""
    clean, cited = f.expected_clean is True, f.bucket is not None
    rows = {
        "evaluation-fault": f.evaluation_fault,
        "judge-malformed": f.judge_conduct == "malformed",
        "probe-unqualified": f.probe_class is not None and f.probe_qualified is False,
        "finding-dangling-probe": f.bucket == "dangling",
        "witness-unwitnessed-claim": f.witness == "unwitnessed-claim",
        "witness-vacuous": f.witness == "vacuous",
        "selector-ambiguous": f.selector_ambiguity,
        "witness-unexercised": f.witness == "unexercised" and not clean,
        "steps-unreached": f.witness in (None, "not-triggered") and f.reach == "unreached",
        "zero-action-detected": (f.probe_class, f.expected_clean, f.witness) == ("zero-action", False, "matched"),
        "clean-control-false-positive": clean and cited,
        "clean-control-passed": clean and f.check != "insufficient-evidence",
        "canary-detected": f.probe_class == "canary" and cited,
        "canary-undetected": f.probe_class == "canary" and f.reach == "reached" and not cited,
        "witness-matched": f.witness == "matched" and not clean,
        "witness-manifested-unclaimed": f.witness == "manifested-unclaimed" and not clean,
        "oracle-cited-defect": (f.witness, f.bucket) == (None, "mapped"),
        "check-insufficient-evidence": f.check == "insufficient-evidence",
        "witness-not-triggered": f.witness == "not-triggered",
        "outcome-clear": True,
    }
    return next(rule for rule, holds in rows.items() if holds)


def corroboration_worded(f: Facts, state: str) -> tuple[str, str]:
    """Spec 09, section 11.5, read row by row: the rule and its value."""
    cited = f.bucket is not None
    satisfies = f.check == {"expects-hold": "true", "expects-violation": "false"}[f.polarity]
    contradicts = (f.disposition == "violated" and not cited) or (f.disposition in ("held", "not-attempted") and cited)
    rows = {
        ("disposition-unsupported", "disagrees"): f.disposition in ("held", "violated") and not f.supported,
        ("disposition-contradicts-evidence", "disagrees"): contradicts,
        ("citation-declined", "disagrees"): f.bucket in ("unmapped", "signatureless"),
        ("examined-nothing", "disagrees" if cited else "agrees"): f.check == "insufficient-evidence",
        ("never-ran", "not-evaluable"): state == "unreached" or f.check is None,
        ("check-confirms-silence", "agrees"): satisfies and not cited,
        ("check-confirms-finding", "agrees"): not satisfies and cited,
        ("check-and-findings-diverge", "disagrees"): satisfies == cited,
    }
    return next(row for row, holds in rows.items() if holds)


def test_every_combination_is_decided_by_the_row_the_specification_names_and_no_row_is_dead() -> None:
    deciding = set()
    for facts in every_state_fact():
        rule = next(row.rule for row in STATE_LADDER if row.holds(facts))
        assert rule == state_rule_worded(facts), facts
        deciding.add(rule)
    assert deciding == {row.rule for row in STATE_LADDER}


def test_every_combination_is_corroborated_as_the_specification_says_and_no_row_is_dead() -> None:
    deciding = set()
    disposition: Any
    for disposition, supported, bucket, check, polarity, state in product(
        (None, "held", "violated", "not-attempted"),
        BOOLEANS,
        (None, *FINDING_BUCKETS),
        (None, *get_args(Resolution)),
        get_args(Polarity),
        OUTCOME_STATES,
    ):
        facts: Any = PLAIN._replace(
            disposition=disposition, supported=supported, bucket=bucket, check=check, polarity=polarity
        )
        row = next(row for row in CORROBORATION_RULES if row.holds(facts, state))
        assert (row.rule, row.cited if facts.cited else row.uncited) == corroboration_worded(facts, state), facts
        deciding.add(row.rule)
    assert deciding == {row.rule for row in CORROBORATION_RULES}


def test_rows_are_named_once_and_end_in_known_states() -> None:
    for rows in (STATE_LADDER, CORROBORATION_RULES, WAIVER_RULES):
        names = [row.rule for row in rows]
        assert len(names) == len(set(names))
    assert {row.state for row in STATE_LADDER} | {row.state for row in WAIVER_RULES} == set(OUTCOME_STATES)
    assert len({condition.id for condition in INVALIDATING_CONDITIONS}) == len(INVALIDATING_CONDITIONS)
    assert all(row.guard for row in (*STATE_LADDER, *CORROBORATION_RULES, *INVALIDATING_CONDITIONS))


@pytest.mark.parametrize("waiver", get_args(WaiverState))
@pytest.mark.parametrize("witness", get_args(WitnessResult))
def test_a_waiver_touches_nothing_but_a_waivable_failure(waiver: WaiverState, witness: WitnessResult) -> None:
    decision = decide(PLAIN._replace(waiver=waiver, witness=witness))
    row = decision.state_rule
    expected = {"applied-condition-met": "not-applicable", "applied-condition-unmet": "bypassed"}.get(waiver)
    assert decision.state == (expected if expected and row.state in WAIVABLE_FAILURES else row.state)
    assert (decision.waiver_rule is not None) == (decision.state != row.state)


def test_an_invalid_run_says_everything_that_makes_it_so() -> None:
    everything = PLAIN._replace(
        disposition=None,
        bucket="dangling",
        witness="vacuous",
        selector_ambiguity=True,
        probe_qualified=False,
        judge_conduct="malformed",
        evaluation_fault=True,
    )
    assert decide(everything).invalidating_conditions == (
        "dangling-probe-citation",
        "disposition-missing",
        "evaluation-fault",
        "judge-malformed",
        "selector-ambiguity",
        "unqualified-probe-in-sealed-set",
        "vacuous-signature",
    )
    silent_canary = PLAIN._replace(probe_class="canary", witness="unwitnessed-claim", supported=False)
    assert decide(silent_canary).invalidating_conditions == (
        "canary-non-detection",
        "unsupported-disposition",
        "unwitnessed-detection-claim",
    )


@pytest.mark.parametrize(
    ("changes", "rule", "state"),
    [
        ({"witness": "matched"}, "witness-matched", "caught"),
        ({"witness": "manifested-unclaimed"}, "witness-manifested-unclaimed", "missed"),
        ({"witness": "unexercised"}, "witness-unexercised", "not-applicable"),
        ({"witness": "not-triggered"}, "witness-not-triggered", "confirmed"),
        ({"witness": "not-triggered", "reach": "unreached"}, "steps-unreached", "unreached"),
        ({"witness": "not-triggered", "reach": "no-step"}, "witness-not-triggered", "confirmed"),
        ({"witness": "matched", "probe_class": "zero-action"}, "zero-action-detected", "caught"),
        ({"expected_clean": True, "probe_class": "zero-action"}, "clean-control-passed", "passed-clean-control"),
        ({"expected_clean": True, "bucket": "signatureless"}, "clean-control-false-positive", "false-positive"),
        ({"expected_clean": True, "check": "insufficient-evidence"}, "check-insufficient-evidence", "abstained"),
        ({"probe_class": "canary", "bucket": "signatureless"}, "canary-detected", "caught"),
        ({"probe_class": "canary"}, "canary-undetected", "infrastructure-error"),
        ({"probe_class": "canary", "reach": "no-step"}, "outcome-clear", "confirmed"),
        ({"bucket": "mapped"}, "oracle-cited-defect", "caught"),
        ({"bucket": "unmapped"}, "outcome-clear", "confirmed"),
        ({"probe_class": None, "probe_qualified": False}, "outcome-clear", "confirmed"),
        ({"expected_clean": None, "witness": "matched"}, "witness-matched", "caught"),
    ],
)
def test_states(changes: dict[str, Any], rule: str, state: str) -> None:
    decision = decide(PLAIN._replace(**changes))
    assert (decision.state_rule.rule, decision.state) == (rule, state)


@pytest.mark.parametrize(
    ("changes", "rule", "corroboration"),
    [
        ({"supported": False}, "disposition-unsupported", "disagrees"),
        ({"disposition": "not-attempted", "supported": False}, "check-confirms-silence", "agrees"),
        ({"disposition": "violated"}, "disposition-contradicts-evidence", "disagrees"),
        ({"bucket": "mapped"}, "disposition-contradicts-evidence", "disagrees"),
        ({"disposition": None, "bucket": "signatureless"}, "citation-declined", "disagrees"),
        ({"check": "insufficient-evidence"}, "examined-nothing", "agrees"),
        (
            {"check": "insufficient-evidence", "disposition": "violated", "bucket": "mapped"},
            "examined-nothing",
            "disagrees",
        ),
        ({"check": None}, "never-ran", "not-evaluable"),
        ({"reach": "unreached"}, "never-ran", "not-evaluable"),
        ({}, "check-confirms-silence", "agrees"),
        ({"polarity": "expects-violation", "check": "false"}, "check-confirms-silence", "agrees"),
        ({"check": "false", "disposition": "violated", "bucket": "mapped"}, "check-confirms-finding", "agrees"),
        ({"check": "false"}, "check-and-findings-diverge", "disagrees"),
    ],
)
def test_corroboration(changes: dict[str, Any], rule: str, corroboration: str) -> None:
    decision = decide(PLAIN._replace(**changes))
    assert (decision.corroboration_rule.rule, decision.corroboration) == (rule, corroboration)


def test_facts_are_read_off_the_inputs() -> None:
    assert facts_of(inputs()) == PLAIN
    cited = inputs(cited_finding=CitedFinding("F-001", "mapped"), witness=CAUGHT, disposition=None)
    read = facts_of(cited)
    assert (read.bucket, read.witness, read.disposition, read.supported) == ("mapped", "matched", None, False)
    none, one = StepSelection.of([]), StepSelection.of(["a"])
    assert [facts_of(inputs(selections=each)).reach for each in ((), (none, none), (none, one))] == [
        "no-step",
        "unreached",
        "reached",
    ]


def test_an_oracle_is_resolved_from_its_citation_only_by_a_row_that_reads_it() -> None:
    bucket: Any
    for bucket, expected in (("mapped", ("F-001", ())), ("unmapped", (None, ("F-001",)))):
        resolution = resolve_outcome(inputs(cited_finding=CitedFinding("F-001", bucket)))
        assert (resolution.resolved_from, resolution.declined_finding_ids) == expected
    by_witness = resolve_outcome(inputs(cited_finding=CitedFinding("F-001", "mapped"), witness=CAUGHT))
    assert (by_witness.rule, by_witness.resolved_from, by_witness.declined_finding_ids) == (
        "witness-matched",
        None,
        (),
    )
    on_a_canary = resolve_outcome(inputs(cited_finding=CitedFinding("F-001", "signatureless"), probe_class="canary"))
    assert (on_a_canary.resolved_from, on_a_canary.declined_finding_ids) == ("F-001", ())


def test_what_was_looked_at_is_named_once_in_the_order_it_was_met() -> None:
    selections = (StepSelection.of(["b", "a"]), StepSelection.of(["a", "c"]))
    resolution = resolve_outcome(inputs(selections=selections, witness=CAUGHT))
    assert resolution.selected_observation_ids == ("b", "a", "c", "w")


def test_a_witness_match_says_what_it_rests_on() -> None:
    assert CAUGHT.basis == "measured"
    assert CAUGHT.partition == WitnessPartition((), (), ())
