"""What holds of scoring whatever a contract asks, a probe plants and a run records."""

from __future__ import annotations

import copy
import random
from typing import Any, get_args
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_quality import stages
from eval_quality.artifacts.evidence_artifact import OUTCOME_STATES
from eval_quality.artifacts.expressions import Polarity
from eval_quality.artifacts.primitives import SEVERITY_LEVELS
from eval_quality.artifacts.probe import PROBE_CLASSES
from eval_quality.canonical import digest_artifact, serialize
from eval_quality.errors import DesignatedOracleRefusal, EvalQualityError, PreconditionError
from eval_quality.evaluate.resolution import Resolution
from eval_quality.score import trial as trial_module
from eval_quality.score.assessment import Assessment, EvidenceIntegrity, ScoredOutcome
from eval_quality.score.finding_map import FINDING_BUCKETS
from eval_quality.score.observations import TrialObservations
from eval_quality.score.outcome import CitedFinding, OutcomeInputs, OutcomeResolution, resolve_outcome
from eval_quality.score.outcome_tables import CORROBORATION_RULES, STATE_LADDER, JudgeConduct, WaiverState
from eval_quality.score.selection import PreparedPlan, StepSelection, TrialSelection
from eval_quality.score.verdicts import (
    CONTRACT_LADDER,
    LADDER_EXIT_CODES,
    PRODUCTION_LADDER,
    RUNGS,
    Rung,
    resolve_verdict,
)
from eval_quality.score.witness_match import ProbeWitnessMatch, WitnessResult
from tests.contracts import equality, transport_binding
from tests.property.test_compile import at, places
from tests.run_records import configuration, manifest, quote, remark
from tests.score import shop
from tests.scored_runs import A, policy

THOROUGH = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
IDENTIFIERS = st.sampled_from(["ob-1", "ob-2", "ob-3"])
SEVERITIES = st.sampled_from(SEVERITY_LEVELS)
STATUSES = st.sampled_from([200, 500, None])


def nullable(options: Any) -> st.SearchStrategy[Any]:
    return st.none() | st.sampled_from(options)


# --- outcomes

SELECTIONS = st.lists(st.lists(IDENTIFIERS, max_size=3).map(StepSelection.of), max_size=3)
DISPOSITIONS = st.fixed_dictionaries(
    {
        "oracleId": st.just("O-001"),
        "disposition": st.sampled_from(["held", "violated", "not-attempted"]),
        "observationIds": st.lists(IDENTIFIERS, max_size=2),
        "note": st.none(),
    }
)
OUTCOME_INPUTS = st.builds(
    OutcomeInputs,
    required=st.booleans(),
    disposition=st.none() | DISPOSITIONS,
    cited_finding=st.none() | st.sampled_from(FINDING_BUCKETS).map(lambda bucket: CitedFinding("F-001", bucket)),
    witness=st.none()
    | st.builds(
        ProbeWitnessMatch,
        st.sampled_from(get_args(WitnessResult)),
        st.booleans(),
        st.booleans(),
        st.lists(IDENTIFIERS, max_size=2).map(tuple),
    ),
    selections=SELECTIONS,
    selector_ambiguity=st.booleans(),
    check_resolution=nullable(get_args(Resolution)),
    polarity=st.sampled_from(get_args(Polarity)),
    probe_class=nullable(PROBE_CLASSES),
    expected_clean=nullable([True, False]),
    probe_signed=nullable([True, False]),
    probe_qualified=nullable([True, False]),
    waiver=st.sampled_from(get_args(WaiverState)),
    judge_conduct=st.sampled_from(get_args(JudgeConduct)),
    evaluation_fault=st.booleans(),
)


@settings(max_examples=400, deadline=None)
@given(OUTCOME_INPUTS)
def test_every_combination_of_inputs_lands_on_one_row_of_each_table(inputs: OutcomeInputs) -> None:
    resolution = resolve_outcome(inputs)
    row = next(row for row in STATE_LADDER if row.rule == resolution.rule)
    assert resolution.state == row.state or resolution.waiver_rule is not None
    assert resolution.corroboration_rule in {each.rule for each in CORROBORATION_RULES}
    assert list(resolution.invalidating_conditions) == sorted(set(resolution.invalidating_conditions))
    assert not (resolution.resolved_from and resolution.declined_finding_ids)
    if inputs.cited_finding is None:
        assert (resolution.resolved_from, resolution.declined_finding_ids) == (None, ())
    looked_at = {each for selection in inputs.selections for each in selection.matched_observation_ids}
    looked_at |= set(inputs.witness.observation_ids if inputs.witness else ())
    assert sorted(resolution.selected_observation_ids) == sorted(looked_at)
    assert resolve_outcome(inputs._replace(probe_signed=None)) == resolution, "no rule reads whether it is signed"


# --- verdicts

RESOLUTIONS = st.builds(
    OutcomeResolution,
    st.just("rule"),
    nullable(["waiver-honoured", "waiver-bypassed"]),
    st.just("rule"),
    st.sampled_from(OUTCOME_STATES),
    st.just("agrees"),
    st.none(),
    st.just(()),
    st.just(()),
    st.lists(st.sampled_from(["selector-ambiguity", "disposition-missing", "canary-non-detection"]), max_size=1).map(
        tuple
    ),
)
RARELY = st.integers(0, 4).map(lambda drawn: drawn == 0)
ASSESSMENTS = st.builds(
    Assessment,
    mode=st.sampled_from(["production", "contract-scoring"]),
    outcomes=st.lists(
        st.builds(ScoredOutcome, st.just("O-001"), RARELY, SEVERITIES, st.booleans(), RESOLUTIONS), max_size=3
    ),
    unwitnessed_quotations=st.just(()),
    trials=st.fixed_dictionaries(
        {
            "declaredMinimum": st.integers(1, 2),
            "completed": st.integers(0, 2),
            "completedAttempts": st.just([]),
            "invalidatedAttempts": st.lists(st.just({"attempt": 1, "reason": "oracle-error"}), max_size=2),
        }
    ),
    re_execution_cap=st.integers(0, 2),
    evidence=st.builds(EvidenceIntegrity, reported_incomplete=RARELY, unavailable=RARELY),
    evaluator_recommendation=st.sampled_from(["PASS", "CONCERNS", "FAIL"]),
    coverage_gaps=st.lists(
        st.fixed_dictionaries({"rule": st.just("whole-body"), "satisfied": st.booleans(), "severity": SEVERITIES}),
        max_size=1,
    ),
    uncited_defect_findings=st.just(()),
    finding_confidences=st.lists(st.tuples(st.just("F-001"), st.floats(0, 1)), max_size=2),
    confidence_threshold=st.floats(0, 1),
    remediation_state=st.just({"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True}),
    preflight_passed=RARELY.map(lambda drawn: not drawn),
    severity_floor=SEVERITIES,
)


@settings(max_examples=400, deadline=None)
@given(ASSESSMENTS)
def test_every_assessment_lands_on_one_rung(assessment: Assessment) -> None:
    resolution = resolve_verdict(assessment)
    ladder = PRODUCTION_LADDER if assessment.mode == "production" else CONTRACT_LADDER
    said = {rung: [line for row in ladder if row.rung == rung for line in row.lines(assessment)] for rung in RUNGS}
    rung: Rung = next((each for each in RUNGS if said[each]), "PASS")
    assert resolution.verdict == (None if rung == "invalid" else rung)
    assert list(resolution.basis) == said.get(rung, [])
    assert resolution.exit_code == LADDER_EXIT_CODES[rung]
    assert resolution.strict_promotable or rung == "CONCERNS"


# --- selection

STEP_IDS = ["s-1", "s-2", "s-3", "s-4"]
CAPTURES = st.sampled_from(STEP_IDS).map(lambda each: {"captured": f"/interactions/{each}/response-body/id"})
BINDINGS = st.one_of(
    st.just({"matcher": "any"}), st.just({"matcher": "type-violating"}), CAPTURES, st.just({"literal": "7"})
)


@st.composite
def plans(draw: st.DrawFn) -> list[Any]:
    """A few steps that capture from and follow each other, in circles too, some under one identifier."""
    return [
        shop.step(
            draw(st.sampled_from(STEP_IDS)),
            after=draw(st.none() | st.sampled_from([*STEP_IDS, "nowhere"])),
            cardinality=draw(st.sampled_from(["exactly-one", "any"])),
            operationId=draw(st.sampled_from(["get-order", "get-order", "another"])),
            inputBinding=transport_binding(
                path=draw(st.none() | st.fixed_dictionaries({"id": BINDINGS})),
                query=draw(st.none() | st.fixed_dictionaries({"page": CAPTURES})),
            ),
        )
        for _ in range(draw(st.integers(1, 5)))
    ]


@st.composite
def observations(draw: st.DrawFn, ids: st.SearchStrategy[str] = IDENTIFIERS) -> list[Any]:
    """What a trial observed; sequences differ, identifiers may repeat."""
    sequences = draw(st.lists(st.integers(1, 9), max_size=5, unique=True))
    return [
        shop.seen(
            draw(ids),
            sequence,
            draw(STATUSES),
            operationId=draw(st.sampled_from(["get-order", "get-order", "another"])),
            provenance=draw(st.sampled_from(["evaluator-chosen", "evaluator-chosen", "baseline"])),
            responseBody=draw(st.sampled_from([None, {"id": "7"}, {"id": 1}, {"lines": [{"id": "7"}], "total": 0}])),
            sent={"path": {"id": draw(st.sampled_from(["7", 1]))}, "query": {"page": draw(st.sampled_from(["7", 1]))}},
        )
        for sequence in sequences
    ]


class Recursive:
    """Selection as the specification words it: recursively, with a guard against circles."""

    def __init__(self, plan: PreparedPlan, seen: list[Any]) -> None:
        self.plan, self.seen = plan, seen
        self.captured: dict[Any, tuple[Any, int]] = {}
        for step_id in (step_id for tier in plan.order.tiers for step_id in tier):
            for capture in () if plan.step_of(step_id) is None else plan.step_of(step_id).captures:  # type: ignore[union-attr]
                source = plan.step_of(capture.target.step_id)
                observation = None if source is None else self.one(source, frozenset())
                if observation is not None:
                    body = observation["responseBody"]
                    value = (body or {}).get("id", Ellipsis)
                    self.captured[step_id, capture.input_channel] = (value, observation["sequence"])

    def one(self, planned: Any, guard: frozenset[str]) -> Any:
        if planned.step_id in guard:
            return None
        found = self.select(planned, guard | {planned.step_id})
        if not found or (len(found) > 1 and planned.step["cardinality"] != "any"):
            return None
        return next(each for each in self.seen if each["observationId"] == found[0])

    def select(self, planned: Any, guard: frozenset[str] = frozenset()) -> tuple[str, ...]:
        step, floor = planned.step, float("-inf")
        anchor = None if step["after"] is None else self.plan.step_of(step["after"])
        if anchor is not None:
            observation = self.one(anchor, guard | {planned.step_id})
            if observation is None:
                return ()
            floor = observation["sequence"]
        for capture in planned.captures:
            if (planned.step_id, capture.input_channel) not in self.captured:
                return ()
            floor = max(floor, self.captured[planned.step_id, capture.input_channel][1])
        last = {each["observationId"]: each for each in self.seen}
        candidates = [each for each in self.seen if each["operationId"] == step["operationId"]]
        candidates.sort(key=lambda each: (each["sequence"], each["observationId"]))
        return tuple(
            each["observationId"]
            for each in candidates
            if last[each["observationId"]]["sequence"] > floor
            and all(self.meets(last[each["observationId"]], planned, *bound) for bound in planned.bound)
        )

    def meets(self, observation: Any, planned: Any, channel: Any, bound: Any) -> bool:
        sent = observation["callInputs"][channel]
        return all(self.equals(sent[key], binding, planned, channel) for key, binding in bound.items())

    def equals(self, sent: Any, binding: Any, planned: Any, channel: Any) -> bool:
        if "literal" in binding:
            return bool(sent == binding["literal"])
        if "captured" in binding:
            return bool(sent == self.captured[planned.step_id, channel][0])
        return binding["matcher"] == "any" or (planned.operation is not None and not isinstance(sent, str))


@settings(max_examples=300, deadline=None)
@given(plans(), observations())
def test_selection_is_what_the_recursive_wording_selects(plan: list[Any], seen: list[Any]) -> None:
    prepared = PreparedPlan(plan, [shop.interface(shop.operation())])
    trial, model = TrialSelection(prepared, TrialObservations(seen)), Recursive(prepared, seen)
    for planned in prepared.steps:
        assert trial.select(planned).matched_observation_ids == model.select(planned)


# --- runs

POINTERS = st.sampled_from(
    [
        *(f"/interactions/{step}/response-{tail}" for step in ("read", "again") for tail in ("status", "body/lines")),
        "/interactions/read/call-inputs/path/id",
        "@/id",
    ]
)
OPERANDS = POINTERS.map(lambda pointer: {"pointer": pointer}) | st.sampled_from([200, "7", []]).map(
    lambda value: {"literal": value}
)
LEAVES = st.one_of(
    st.builds(equality, OPERANDS, OPERANDS),
    POINTERS.map(lambda pointer: {"op": "existence", "operands": [{"pointer": pointer}]}),
    st.just(
        {"op": "set-membership", "operands": [{"pointer": "@/id"}, {"referenceSet": "ids"}]},
    ),
)
EXPRESSIONS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda each: {"op": "not", "operands": [each]}),
        st.builds(
            lambda op, each: {"op": op, "operands": each},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(
            lambda op, pointer, each: {"op": op, "collection": {"pointer": pointer}, "predicate": each},
            st.sampled_from(["for-all", "for-any"]),
            POINTERS,
            inner,
        ),
    ),
    max_leaves=4,
)


SOUND_LEAVES = st.one_of(
    st.builds(equality, POINTERS.filter(lambda each: each[0] != "@").map(lambda each: {"pointer": each}), OPERANDS),
    POINTERS.map(lambda pointer: {"op": "existence", "operands": [{"pointer": pointer}]}),
)


@st.composite
def contracts(draw: st.DrawFn, sound: bool) -> Any:
    """Up to three oracles over two steps, listed by two behaviors; in a sound one every oracle has a check."""
    checks = SOUND_LEAVES if sound else st.none() | EXPRESSIONS
    oracles = [
        shop.answers_200(identifier, polarity=draw(st.sampled_from(get_args(Polarity)))) | {"check": draw(checks)}
        for identifier in draw(st.sampled_from([("O-001",), ("O-001", "O-002"), ("O-001", "O-002", "O-003")]))
    ]
    for oracle in oracles:
        oracle["direction"] = oracle["direction"] if oracle["check"] is not None else None
    listed = st.lists(st.sampled_from(["O-001", "O-002", "O-003"]), max_size=2, unique=True)
    behaviors = [shop.behavior(f"B-00{place}", *draw(listed), severity=draw(SEVERITIES)) for place in (1, 2)]
    cardinality = st.just("any") if sound else st.sampled_from(["any", "exactly-one", "at-most-one"])
    return shop.contract(
        behaviors=behaviors,
        oracles=oracles,
        referenceSets={"ids": {"keys": ["id"], "members": [{"id": "7"}], "commentary": None}},
        interactionPlan=[
            shop.step("read", cardinality=draw(cardinality)),
            shop.step("again", cardinality=draw(cardinality), after=draw(st.none() | st.just("read"))),
        ],
    )


SOUND_PROBES = st.sampled_from(
    [
        *[shop.probe(), shop.probe(probeClass="zero-action"), shop.clean_control(), shop.canary()],
        shop.probe(defectSignature=shop.signature(equality({"pointer": shop.STATUS}, {"literal": 200}))),
    ]
)
PROBES = SOUND_PROBES | st.builds(lambda each: shop.probe(defectSignature=shop.signature(each)), EXPRESSIONS)
SENT = [quote('"path"', "call-inputs")]
"""A quotation that every observation bears out."""


@st.composite
def records(draw: st.DrawFn, of: Any, sound: bool) -> list[Any]:
    """A few trials in ascending order; in sound ones, what is cited is there."""
    oracle_ids = [each["id"] for each in of["oracles"]]
    trials = []
    for index in range(1, draw(st.integers(1, 3)) + 1):
        seen = [each | {"observationId": f"ob-{place}"} for place, each in enumerate(draw(observations()), 1)]
        if sound and not seen:
            seen = [shop.seen("ob-1", 1, draw(STATUSES))]
        ids = st.sampled_from([each["observationId"] for each in seen]) if sound else IDENTIFIERS
        findings = [
            shop.claim(f"F-00{place}", *draw(st.lists(ids, min_size=1, max_size=2, unique=True)))
            | {
                "findingType": "defect",
                "oracleId": draw(st.none() | st.sampled_from(oracle_ids)),
                "probeId": "P-001" if sound else draw(st.sampled_from(["P-001", "P-009"])),
                "severity": draw(SEVERITIES),
                "quotedEvidence": SENT,
            }
            for place in range(draw(st.integers(0, 2)))
        ]
        said = [
            shop.said(draw(st.sampled_from(["held", "violated", "not-attempted"])), each)
            for each in oracle_ids
            if sound or draw(st.booleans())
        ]
        remarks = [remark("F-100", confidence=0.25)] if draw(st.booleans()) else []
        trials.append(shop.trial(index, of, observations=seen, findings=[*findings, *remarks], oracleDispositions=said))
    return trials


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    """Everything ``stages.score`` takes, all of it conforming; two in three are sound and may come to a verdict."""
    sound = draw(st.integers(0, 2)) > 0
    contract = draw(contracts(sound))
    trials = draw(records(contract, sound))
    return {
        "record": trials,
        "manifest": manifest(contractDigest=trials[0]["contractDigest"]),
        "configuration": configuration(),
        "contract": contract,
        "probe": draw(SOUND_PROBES if sound else PROBES),
        "preflight_verdict": shop.verdict(),
        "policy": policy(severityFloor=draw(SEVERITIES)),
        "private_manifest": None,
        "corpus_digest": A,
    }


def told(inputs: dict[str, Any], **changes: Any) -> str:
    """What scoring comes to, in words."""
    try:
        result = stages.score(**inputs, **changes)
    except (EvalQualityError, PreconditionError, DesignatedOracleRefusal) as refusal:
        return f"{type(refusal).__name__}: {refusal}"
    artifact = None if result.artifact is None else serialize(result.artifact, "EvidenceArtifact")
    return f"{result.ladder} {result.qualification} {artifact}"


@THOROUGH
@given(runs(), st.randoms(use_true_random=False))
def test_runs_are_scored_the_same_in_any_order_of_records_and_left_as_they_are(
    inputs: dict[str, Any], source: random.Random
) -> None:
    before = copy.deepcopy(inputs)
    first = told(inputs)
    assert inputs == before
    shuffled = list(inputs["record"])
    source.shuffle(shuffled)
    assert told(inputs | {"record": shuffled}) == first
    for record in shuffled:
        for field in ("observations", "findings", "oracleDispositions"):
            source.shuffle(record[field])
    assert told(inputs | {"record": shuffled}) == first


@THOROUGH
@given(runs())
def test_a_run_comes_to_a_verdict_or_is_invalid_and_its_artifact_says_the_same(inputs: dict[str, Any]) -> None:
    try:
        result = stages.score(**inputs)
    except (EvalQualityError, PreconditionError):
        return
    assert (result.artifact is None) == (result.ladder.verdict is None)
    if result.artifact is None:
        return
    artifact: Any = result.artifact
    assert artifact["exitCode"] == result.ladder.exit_code
    assert artifact["verdictBasis"] == list(result.ladder.basis)
    assert len(artifact["outcomes"]) == len(inputs["record"]) * len(inputs["contract"]["oracles"])
    states = {each["state"] for each in artifact["outcomes"]}
    assert not states & {"oracle-error", "judge-error", "infrastructure-error"}, "those are Invalid"
    assert not states & {"bypassed"}, "no waiver is applied from outside"
    (reduced,) = artifact["reducedProbeOutcomes"]
    assert len(reduced["trialVotes"]) == len(inputs["record"])


@THOROUGH
@given(runs())
def test_what_the_stage_decides_about_is_consistent(inputs: dict[str, Any]) -> None:
    """The relations between inputs that the outcome tables may rely on (spec 09, section 11.7)."""
    met: list[OutcomeInputs] = []

    def recording(given: OutcomeInputs) -> OutcomeResolution:
        met.append(given)
        return resolve_outcome(given)

    with patch.object(trial_module, "resolve_outcome", recording):
        told(inputs)
    for each in met:
        assert None not in (each.probe_class, each.expected_clean, each.probe_signed, each.probe_qualified)
        assert not (each.expected_clean and each.probe_signed)
        assert each.witness is None or (each.probe_signed and not each.expected_clean)
        if each.probe_qualified:
            assert each.probe_signed == (each.probe_class != "canary" and not each.expected_clean)
            assert not each.expected_clean or each.probe_class == "zero-action"
        assert not each.selector_ambiguity or any(selection.result == "several" for selection in each.selections)


@settings(max_examples=50, deadline=None)
@given(runs())
def test_an_oracle_is_designated_or_refused(inputs: dict[str, Any]) -> None:
    for oracle_id in ("O-001", "O-404", "o"):
        said = told(inputs, designated_oracle_id=oracle_id)
        (listed,) = (each["oracles"] for each in inputs["contract"]["behaviors"] if each["id"] == "B-001")
        declared = [each["id"] for each in inputs["contract"]["oracles"]]
        assert said.startswith("DesignatedOracleRefusal") == (oracle_id not in listed or oracle_id not in declared)
        if listed == [oracle_id] and oracle_id in declared:
            assert said == told(inputs)


SCALARS = (
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats() | st.sampled_from(["", "/", "@/", "\ud800", "O-001"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "0", "kind", "__proto__", "op", "pointer"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@THOROUGH
@given(runs(), st.data())
def test_nothing_in_any_input_escapes_the_packages_own_errors(inputs: dict[str, Any], data: st.DataObject) -> None:
    changed = copy.deepcopy(inputs)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([each for each in places(changed) if not isinstance(each[-1], float)]))
        parent = at(changed, path[:-1])
        match data.draw(st.sampled_from(["value", "value", "drop", "twice", "elsewhere"])):
            case "value":
                parent[path[-1]] = data.draw(VALUES)
            case "drop" if len(path) > 1:
                del parent[path[-1]]
            case "twice" if isinstance(parent, list):
                parent.append(copy.deepcopy(parent[path[-1]]))
            case "elsewhere":
                name = path[-1]
                same = [each for each in places(changed) if each[-1] == name]
                parent[name] = copy.deepcopy(at(changed, data.draw(st.sampled_from(same))))
    first = told(changed)
    assert told(changed) == first


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["record", "manifest", "contract", "probe", "policy", "preflight_verdict"]), VALUES)
def test_whole_inputs_may_be_anything(name: str, value: Any) -> None:
    inputs = {
        "record": [shop.caught_trial()],
        "manifest": manifest(contractDigest=digest_artifact(shop.contract(), "EvalContract")),
        "configuration": configuration(),
        "contract": shop.contract(),
        "probe": shop.probe(),
        "preflight_verdict": shop.verdict(),
        "policy": policy(),
        "private_manifest": None,
        "corpus_digest": A,
    }
    assert told(inputs | {name: value})
