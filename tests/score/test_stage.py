"""The score stage: from trials to a verdict."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from eval_quality.canonical import digest_artifact
from eval_quality.errors import PreconditionError, RuntimeFault
from eval_quality.ingest import IngestCondition, ingest
from eval_quality.score.stage import score
from eval_quality.score.trial_set import trial_set_disagreements
from tests.contracts import equality, transport_binding
from tests.run_records import configuration, disposition, judged, manifest, quote, remark
from tests.score.shop import (
    answers_200,
    behavior,
    canary,
    caught_trial,
    claim,
    clean_control,
    confirmed_trial,
    contract,
    ingested,
    missed_trial,
    probe,
    said,
    scored,
    seen,
    signature,
    step,
    trial,
    verdict,
)
from tests.scored_runs import A, B, policy


def invalid_lines(run: Any) -> tuple[str, ...]:
    assert run.ladder.verdict is None
    assert run.ladder.exit_code == 3
    lines: tuple[str, ...] = run.ladder.basis
    return lines


def two_oracles(*listed: str, **changes: Any) -> Any:
    oracles = [answers_200(), answers_200("O-002")]
    return contract(behaviors=[behavior("B-001", *listed)], oracles=oracles, **changes)


def test_a_probe_whose_defect_is_reported_is_caught() -> None:
    run = scored(caught_trial(), under=policy(minimumTrialCount=3))
    (outcome,) = run.outcomes
    assert outcome == {
        "oracleId": "O-001",
        "trialIndex": 1,
        "probeId": "P-001",
        "state": "caught",
        "severity": "critical",
        "disposition": "violated",
        "resolvedFrom": None,
        "corroboration": "agrees",
        "selectedObservationIds": ["ob-1"],
        "checkResolution": {"resolution": "false", "introductionCondition": None, "children": []},
    }
    assert run.reduced_probe_outcomes == (
        {
            "probeId": "P-001",
            "severity": "critical",
            "exercised": True,
            "caught": True,
            "catchThreshold": 0.5,
            "trialVotes": [{"trialIndex": 1, "state": "caught"}],
            "validCount": 1,
            "caughtCount": 1,
            "invalidatedAttempts": [],
        },
    )
    assert run.ladder.verdict == "CONCERNS"
    assert run.ladder.basis[-1] == "1 completed trials below the declared minimum of 3"
    assert run.sealed_probes.admitted[0].result is run.probe_qualification


def test_a_probe_whose_defect_shows_and_is_not_reported_fails_the_run() -> None:
    run = scored(missed_trial())
    assert run.outcomes[0]["state"] == "missed"
    assert run.ladder.basis == ("oracle O-001 resolved missed at or above the severity floor",)
    assert (run.ladder.verdict, run.ladder.exit_code) == ("FAIL", 2)


@pytest.mark.parametrize(
    ("waiver", "state", "verdict_name"),
    [
        ("none", "missed", "FAIL"),
        ("expired", "missed", "FAIL"),
        ("applied-condition-met", "not-applicable", "CONCERNS"),
        ("applied-condition-unmet", "bypassed", "FAIL"),
    ],
)
def test_a_waiver_excuses_a_miss_whose_condition_is_met(waiver: Any, state: str, verdict_name: str) -> None:
    run = scored(missed_trial(), waiver=waiver)
    assert (run.outcomes[0]["state"], run.ladder.verdict) == (state, verdict_name)
    assert run.trial_set_result.exercised is (state != "not-applicable")


def test_a_defect_that_does_not_show_is_no_miss() -> None:
    run = scored(confirmed_trial())
    assert run.outcomes[0]["state"] == "confirmed"
    assert run.trial_set_result == (True, False, 1, 0, [])


def test_no_trial_at_all_is_too_few() -> None:
    run = scored()
    assert run.ladder.basis[-1] == "0 completed trials below the declared minimum of 1"
    assert (run.run_id, run.assessment.mode, run.outcomes) == ("", "production", ())


def test_a_contract_without_oracles_never_votes() -> None:
    bare = contract(behaviors=[behavior("B-001")], oracles=[])
    run = scored(trial(of=bare), of=bare, using=probe(defectSignature=None))
    assert not run.probe_qualification.qualified
    assert run.reduced_probe_outcomes[0]["trialVotes"] == []
    assert run.ladder.verdict == "CONCERNS"


@pytest.mark.parametrize(
    ("using", "records", "line"),
    [
        (probe(defectSignature=None), [confirmed_trial()], "oracle O-001 resolved infrastructure-error"),
        (canary(), [confirmed_trial()], "oracle O-001 resolved infrastructure-error"),
        (probe(), [trial(observations=[seen("ob-1", 1)])], "oracle O-001 is required and carries no disposition"),
        (
            probe(),
            [confirmed_trial(observations=[seen("ob-1", 1), seen("ob-2", 2)])],
            "oracle O-001: selector ambiguity",
        ),
        (
            probe(),
            [confirmed_trial(findings=[claim()], oracleDispositions=[said("violated")])],
            "oracle O-001: unwitnessed detection claim",
        ),
        (probe(), [caught_trial(findings=[claim(probeId="P-009")])], "oracle O-001 resolved infrastructure-error"),
    ],
)
def test_what_makes_a_run_invalid(using: Any, records: list[Any], line: str) -> None:
    assert line in invalid_lines(scored(*records, using=using))


_ACCOUNTING = manifest()["forbiddenInputAccounting"]
_ADMITTED = _ACCOUNTING | {"source-code": {**_ACCOUNTING["source-code"], "withheld": False}}
_REMARK = remark("F-001", "ob-1")
CONDITIONS: dict[str, tuple[Any, Any, Any, str]] = {
    "duplicate-record-identifier": (
        {"findings": [_REMARK, _REMARK]},
        {},
        configuration(),
        'duplicate finding identifier "F-001" (2 occurrences)',
    ),
    "dangling-citation": (
        {"findings": [remark("F-001", "gone")]},
        {},
        configuration(),
        "finding F-001 cites unresolved observation(s): gone",
    ),
    "dangling-disposition-citation": (
        {"oracleDispositions": [disposition("O-001", "ob-1", "gone", "lost")]},
        {},
        configuration(),
        "oracle O-001 disposition cites unresolved observation(s): gone, lost",
    ),
    "unwitnessed-quotation": (
        {"observations": [seen("ob-1", 1, 500)], "findings": [claim(quotedEvidence=[quote("nowhere")])]},
        {},
        configuration(),
        "finding F-001: unwitnessed quotation on channel response-body",
    ),
    "isolation-manifest-absent": (
        {},
        None,
        configuration(),
        "isolation manifest violation: isolation manifest absent",
    ),
    "isolation-manifest-violation": (
        {},
        {"observedMounts": ["/x"]},
        configuration(),
        "isolation manifest violation: mount outside allowlist: /x",
    ),
    "forbidden-input-not-withheld": (
        {},
        {"forbiddenInputAccounting": _ADMITTED},
        configuration(),
        "forbidden input admitted rather than withheld: source-code",
    ),
    "cross-artifact-disagreement": (
        {},
        {"runId": "another"},
        configuration(),
        'record and manifest disagree on runId: record "run", manifest "another"',
    ),
    "evaluator-configuration-absent": ({}, {}, None, "evaluator configuration absent"),
    "evaluator-configuration-digest-mismatch": (
        {"evaluatorConfigurationDigest": B},
        {"evaluatorConfigurationDigest": B},
        configuration(),
        f'evaluator configuration digest mismatch: declared "{B}", '
        f'computed "{digest_artifact(configuration(), "EvaluatorConfiguration")}"',
    ),
    "judge-result-unscored": (
        {"judgeResults": [judged("RB-001", "c1")]},
        {},
        configuration(),
        "judge result unscored: rubric RB-001 criterion c1",
    ),
}
"""What is wrong beside an otherwise sound trial: in the record, the manifest (or none), the evaluator; and the line."""


def test_every_condition_of_ingest_has_a_case() -> None:
    assert [*CONDITIONS] == [each.kind for each in get_args(IngestCondition)]


@pytest.mark.parametrize("kind", CONDITIONS)
def test_every_condition_of_ingest_makes_a_run_invalid(kind: str) -> None:
    """Spec 10, section 2: each kind feeds the ladder; spec 09, section 15.3, puts each on the Invalid rung."""
    changes, isolation, evaluator, line = CONDITIONS[kind]
    record = confirmed_trial(**changes)
    agreeing: Any = None if isolation is None else manifest(contractDigest=record["contractDigest"]) | isolation
    product = ingest(record, agreeing, evaluator)
    assert [each.kind for each in product.conditions] == [kind]
    run = score(contract(), [product], probe(), verdict(), policy())
    assert invalid_lines(run) == (line,)


def test_an_environment_that_is_not_fit_and_a_fault_make_a_run_invalid() -> None:
    assert invalid_lines(scored(confirmed_trial(), preflight=verdict(passed=False))) == (
        "pre-flight verdict did not pass",
    )
    faulty = scored(confirmed_trial(), evaluation_fault=True)
    assert invalid_lines(faulty) == ("oracle O-001 resolved oracle-error",)
    assert faulty.trial_set_result.invalidated_attempts == [{"attempt": 1, "reason": "oracle-error"}]


def test_a_required_check_that_is_not_declared_never_resolves() -> None:
    unchecked = contract(oracles=[answers_200(check=None, direction=None)])
    run = scored(confirmed_trial(contractDigest=trial(of=unchecked)["contractDigest"]), of=unchecked)
    assert "oracle O-001 is required and its check never resolved" in invalid_lines(run)
    assert run.outcomes[0]["checkResolution"] is None


def test_a_clean_control_is_passed_or_falsely_accused() -> None:
    passed = scored(confirmed_trial(), using=clean_control())
    assert passed.outcomes[0]["state"] == "passed-clean-control"
    accused = scored(caught_trial(), using=clean_control())
    assert accused.outcomes[0]["state"] == "false-positive"
    assert accused.outcomes[0]["resolvedFrom"] == "F-001"
    assert accused.ladder.basis == ("oracle O-001 resolved false-positive at or above the severity floor",)


def test_the_ladder_reads_the_severity_of_the_finding_an_oracle_was_resolved_from() -> None:
    mild = caught_trial(findings=[claim(severity="low")])
    run = scored(mild, using=clean_control())
    assert "oracle O-001 resolved false-positive below the severity floor" in run.ladder.basis
    assert run.outcomes[0]["severity"] == "critical"


def test_the_ladder_else_reads_the_highest_severity_of_the_behaviors_that_list_the_oracle() -> None:
    listed = [behavior("B-001", "O-001", severity="low"), behavior("B-002", "O-001", severity="material")]
    of = contract(behaviors=listed)
    run = scored(missed_trial(contractDigest=trial(of=of)["contractDigest"]), of=of)
    assert (run.ladder.verdict, run.outcomes[0]["severity"]) == ("FAIL", "low")
    unlisted = contract(behaviors=[behavior("B-009")])
    nothing = scored(missed_trial(contractDigest=trial(of=unlisted)["contractDigest"]), of=unlisted)
    assert nothing.assessment.outcomes[0].severity == "low"


def test_judges_matter_where_there_are_rubrics() -> None:
    unscored = confirmed_trial(judgeResults=[judged("R-001", "RC-001")])
    assert scored(unscored).outcomes[0]["state"] == "confirmed"
    rubrics: Any = [{"id": "R-001"}]
    with_rubrics = contract(rubrics=rubrics)
    run = scored(unscored | {"contractDigest": trial(of=with_rubrics)["contractDigest"]}, of=with_rubrics)
    assert run.outcomes[0]["state"] == "judge-error"
    assert invalid_lines(run)[-1] == "judge result unscored: rubric R-001 criterion RC-001"


def test_the_witness_and_the_vote_belong_to_the_designated_oracle() -> None:
    of = two_oracles("O-001", "O-002")
    record = caught_trial(
        of=of, findings=[claim(oracleId="O-002")], oracleDispositions=[said(), said(oracle_id="O-002")]
    )
    undecided = scored(record, of=of)
    assert [each["state"] for each in undecided.outcomes] == ["confirmed", "caught"]
    assert undecided.reduced_probe_outcomes[0]["caught"] is False
    designated = scored(record, of=of, designated_oracle_id="O-002")
    assert [each["state"] for each in designated.outcomes] == ["confirmed", "caught"]
    assert designated.outcomes[1]["resolvedFrom"] is None
    assert designated.reduced_probe_outcomes[0]["caught"] is True


def test_without_a_designated_oracle_an_invalidating_state_votes_first() -> None:
    of = two_oracles("O-001", "O-002", interactionPlan=[step("read", cardinality="any"), step("again")])
    of["oracles"][1] = answers_200("O-002", "again")
    observations = [seen("ob-1", 1), seen("ob-2", 2)]
    run = scored(trial(of=of, observations=observations), of=of)
    assert [each["state"] for each in run.outcomes] == ["confirmed", "infrastructure-error"]
    assert run.reduced_probe_outcomes[0]["trialVotes"] == [{"trialIndex": 1, "state": "infrastructure-error"}]
    designated = scored(trial(of=of, observations=observations), of=of, designated_oracle_id="O-001")
    assert [each["state"] for each in designated.outcomes] == ["confirmed", "infrastructure-error"]
    assert designated.reduced_probe_outcomes[0]["trialVotes"] == [{"trialIndex": 1, "state": "confirmed"}]


@pytest.mark.parametrize(("first", "resolution"), [(200, "true"), (404, "false")])
def test_a_check_reads_the_first_of_several_observations(first: int, resolution: str) -> None:
    """Spec 09, section 17.4, step 5b: the lowest sequence, where several are planned for."""
    of = contract(interactionPlan=[step("read", cardinality="any")])
    observations = [seen("ob-2", 2, 200 if first == 404 else 404), seen("ob-1", 1, first)]
    (outcome,) = scored(trial(of=of, observations=observations), of=of).outcomes
    assert outcome["checkResolution"] is not None
    assert outcome["checkResolution"]["resolution"] == resolution


def test_naming_the_only_oracle_changes_nothing() -> None:
    assert scored(caught_trial(), designated_oracle_id="O-001") == scored(caught_trial())


def test_an_oracle_that_cannot_be_designated_is_a_callers_defect() -> None:
    with pytest.raises(PreconditionError) as raised:
        scored(caught_trial(), designated_oracle_id="O-002")
    assert str(raised.value) == (
        "score(): --designated-oracle O-002 is not listed by the probe's behavior B-001, which lists O-001"
    )


def test_steps_that_a_check_addresses_are_looked_at_in_the_order_of_the_plan() -> None:
    """Spec 09, section 17.4, step 5d: whatever order the check names them in, and once each."""
    names = [f"read-{place}" for place in range(8)]
    pointers = [f"/interactions/{name}/response-status" for name in (*reversed(names), *names)]
    check = {"op": "all", "operands": [equality({"pointer": each}, {"literal": 200}) for each in pointers]}
    sent = [{"path": {"id": name}} for name in names]
    plan = [step(name, inputBinding=transport_binding(path={"id": {"literal": name}})) for name in names]
    of = contract(interactionPlan=plan, oracles=[answers_200(check=check, direction=None)])
    observations = [seen(f"ob-{9 - place}", 9 - place, sent=each) for place, each in enumerate(sent)]
    (outcome,) = scored(trial(of=of, observations=observations), of=of, using=clean_control()).outcomes
    assert outcome["selectedObservationIds"] == [f"ob-{9 - place}" for place in range(8)]


def test_only_a_defect_finding_cites_an_oracle() -> None:
    """Spec 09, section 17.4, step 5d: a remark about an oracle neither cites it nor takes a citation away."""
    about = remark("F-002", "ob-1", oracleId="O-001")
    assert scored(confirmed_trial(findings=[about])).outcomes == scored(confirmed_trial()).outcomes
    (outcome,) = scored(caught_trial(findings=[claim(), about]), using=clean_control()).outcomes
    assert (outcome["state"], outcome["resolvedFrom"]) == ("false-positive", "F-001")


def test_what_is_named_twice_is_as_good_as_not_named() -> None:
    twice = caught_trial(
        observations=[seen("ob-1", 1)],
        findings=[claim("F-001"), claim("F-002")],
        oracleDispositions=[said("violated"), said("violated")],
    )
    run = scored(twice, using=clean_control())
    assert run.outcomes[0]["state"] == "passed-clean-control"
    assert run.outcomes[0]["disposition"] == "not-attempted"


def test_steps_that_nothing_was_observed_for() -> None:
    run = scored(trial(oracleDispositions=[said("not-attempted")]), using=clean_control())
    assert run.outcomes[0]["state"] == "unreached"
    assert run.outcomes[0]["checkResolution"] == {"resolution": "false", "introductionCondition": None, "children": []}
    assert "oracle O-001 resolved unreached" in run.ladder.basis


def test_findings_that_cite_no_oracle_are_listed_whatever_they_are() -> None:
    findings = [claim("F-002", oracleId=None), remark("F-001", "ob-1", confidence=0.25)]
    run = scored(confirmed_trial(findings=findings, observations=[seen("ob-1", 1, 500)]), designated_oracle_id="O-001")
    assert run.uncited_findings == ("F-001", "F-002")
    assert [each["findingId"] for each in run.assessment.uncited_defect_findings] == ["F-002"]
    assert run.assessment.finding_confidences == [("F-001", 0.25), ("F-002", 1)]


def test_a_check_that_cannot_be_resolved_is_a_fault_of_the_contract() -> None:
    status = "/interactions/read/response-status"
    deep = contract(oracles=[answers_200(check={"op": "regex", "operands": [{"pointer": status}], "pattern": "(a+)+"})])
    observed = seen("ob-1", 1, responseStatus="a", responseBody={})
    record = confirmed_trial(of=deep, observations=[observed])
    with pytest.raises(RuntimeFault) as raised:
        scored(record, of=deep)
    assert (raised.value.code, raised.value.artifact_path) == (
        "budget-exhausted",
        "EvalContract.oracles[id=O-001].check",
    )


def test_faults_of_the_predicate_come_before_those_of_checks_and_of_the_contract() -> None:
    bad = {"op": "deep-equality", "operands": [{"literal": "\ud800"}, {"literal": 1}]}
    of = contract(oracles=[answers_200(check=bad)], safetyLimits=["\ud800"])
    record = confirmed_trial()
    for using, path in (
        (probe(defectSignature=signature(bad)), "Probe[probeId=P-001].defectSignature.condition.predicate"),
        (canary(), "EvalContract.oracles[id=O-001].check"),
    ):
        with pytest.raises(RuntimeFault) as raised:
            scored(record, of=of, using=using)
        assert (raised.value.code, raised.value.artifact_path) == ("non-canonicalizable-value", path)
    of["oracles"] = [answers_200()]
    with pytest.raises(RuntimeFault) as raised:
        scored(record, of=of)
    assert raised.value.artifact_path == "EvalContract"


def test_inputs_are_left_as_they_are() -> None:
    of, using, record = contract(), probe(), caught_trial()
    scored(record, of=of, using=using)
    assert (of, using, record) == (contract(), probe(), caught_trial())


def test_an_expression_may_be_deeper_than_the_interpreters_stack() -> None:
    check = equality({"pointer": "/interactions/read/response-status"}, {"literal": 200})
    for _ in range(5000):
        check = {"op": "not", "operands": [check]}
    of = contract(oracles=[answers_200(check=check)])
    with pytest.raises(RuntimeFault) as raised:
        scored(confirmed_trial(), of=of)
    assert (raised.value.code, raised.value.artifact_path) == ("non-canonicalizable-value", "EvalContract")


def test_trials_of_one_run_agree() -> None:
    of: Any = contract()
    first, second = trial(1), trial(1, mode="contract-scoring", evaluatorRecommendation="FAIL", runId="other")
    lines = trial_set_disagreements(of, ingested([first, second, trial(2, contractDigest=B)]))
    digest = first["contractDigest"]
    assert lines == [
        'mode: trial 1 = "production", trial 1 = "contract-scoring"',
        'evaluatorRecommendation: trial 1 = "PASS", trial 1 = "FAIL"',
        'runId: trial 1 = "run", trial 1 = "other"',
        f'contractDigest: trial 2 = "{B}", supplied EvalContract = "{digest}"',
        "trialIndex: duplicate value 1",
    ]
    another = trial(2, contractDigest=B, evaluatorConfigurationDigest=A, mode="contract-scoring")
    other = trial_set_disagreements(of, ingested([first, another]))
    assert [line.partition(":")[0] for line in other] == ["contractDigest", "evaluatorConfigurationDigest", "mode"]
    assert trial_set_disagreements(of, ingested([])) == []
