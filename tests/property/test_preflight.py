"""What holds of pre-flight whatever a contract declares and whatever an environment answers."""

from __future__ import annotations

import asyncio
import copy
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_quality import stages
from eval_quality.canonical import serialize
from eval_quality.errors import EvalQualityError, PreconditionError
from eval_quality.plan_index import decode_tail
from eval_quality.ports import AbortSignal
from eval_quality.preflight import fixture_digest, prune_volatile
from eval_quality.preflight.plan import CleanControl, InterfacePresent, SeededFaultsScoped, StateReset
from tests.contracts import minimal_contract
from tests.preflight.environments import answer, answers, defect, lost_order, planned, probe, verdict
from tests.property.test_compile import mutated_contracts

THOROUGH = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

LOST = probe(defect("D-001", lost_order()), defect("D-002", lost_order("fault-again")))
ANSWERS = answers(None, LOST)
LEGS = [told["probeId"] for told in ANSWERS]

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from(["none", "oolong", "", "\ud800"]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["tea", "total", "0", "a/b"]), inner, max_size=3)
    ),
    max_leaves=6,
)
BODIES = st.one_of(
    VALUES.map(lambda value: {"kind": "json", "value": value}),
    st.just({"kind": "absent"}),
    st.just({"kind": "text", "value": "tea"}),
)


@st.composite
def environments(draw: st.DrawFn) -> list[Any]:
    """The tea shop's answers, some of them changed, missing, or swapped with those of another leg."""
    told = copy.deepcopy(ANSWERS)
    for each in draw(st.lists(st.sampled_from(told), max_size=4)):
        match draw(st.sampled_from(["body", "body", "status", "identifier"])):
            case "body":
                field = next(key for key in ("body", "stdout", "result") if key in each)
                each[field] = draw(BODIES)
            case "status" if "status" in each:
                each["status"] = draw(st.sampled_from([200, 399, 400, 503]))
            case "status" if "exitCode" in each:
                each["exitCode"] = draw(st.sampled_from([0, 1, -1]))
            case "identifier":
                each["operationId"] = draw(st.sampled_from(["list-orders", "another"]))
    missing = draw(st.sets(st.sampled_from(LEGS), max_size=2)) if draw(st.booleans()) else set()
    return [each for each in told if each["probeId"] not in missing]


def outcome(contract: Any, probes: list[Any], observations: list[Any]) -> str:
    """The text of the verdict, or of what was raised."""
    try:
        return serialize(
            stages.preflight(contract=contract, probes=probes, observations=observations, run_id="run"), "X"
        )
    except (EvalQualityError, PreconditionError) as refusal:
        return f"{type(refusal).__name__}: {refusal}"


@THOROUGH
@given(environments(), st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(observations: list[Any], source: random.Random) -> None:
    contract, before = minimal_contract(), copy.deepcopy(observations)
    expected = outcome(contract, [LOST], observations)
    assert observations == before
    shuffled = observations.copy()
    source.shuffle(shuffled)
    stranger = copy.deepcopy(ANSWERS[0]) | {"probeId": "nobody-asked", "status": 500}
    assert outcome(contract, [LOST], [*shuffled, stranger]) == expected


@THOROUGH
@given(environments())
def test_a_verdict_passes_when_no_check_fails_and_every_leg_is_answered(observations: list[Any]) -> None:
    try:
        reduced = verdict(observations, None, LOST)
    except EvalQualityError:
        return
    assert len(reduced["checks"]) == len(planned(None, LOST).checks)
    assert reduced["passed"] == all(check["outcome"] != "failed" for check in reduced["checks"])
    if len(observations) < len(LEGS):
        assert not reduced["passed"]
    for position in range(len(observations)):
        assert not verdict(observations[:position] + observations[position + 1 :], None, LOST)["passed"]


@THOROUGH
@given(environments())
def test_a_port_that_answers_so_leads_to_the_same_verdict(observations: list[Any]) -> None:
    told = {each["probeId"]: each for each in observations}

    class Replay:
        async def probe(self, request: Any, signal: AbortSignal) -> Any:
            return told[request["probeId"]]

    if len(told) < len(LEGS):
        return
    try:
        live = serialize(
            asyncio.run(
                stages.run_preflight(
                    contract=minimal_contract(),
                    probes=[LOST],
                    run_id="run",
                    port=Replay(),
                    signal=AbortSignal(),
                )
            ),
            "X",
        )
    except EvalQualityError as refusal:
        live = f"{type(refusal).__name__}: {refusal}"
    assert live == outcome(minimal_contract(), [LOST], observations)


@THOROUGH
@given(st.sampled_from(LEGS), VALUES, VALUES)
def test_volatile_parts_never_show(leg: str, first: Any, second: Any) -> None:
    """Orders are volatile in ``/id`` and ``/placedAt``; all else about an answer is in the fixture digest."""

    def with_volatile(value: Any) -> list[Any]:
        told = copy.deepcopy(ANSWERS)
        for each in told:
            if each["probeId"] == leg and each["operationId"] == "place-order":
                each["body"]["value"] |= {"id": value, "placedAt": value}
                each["headers"] = {"date": str(value)}
        return told

    one, other = (verdict(with_volatile(value), None, LOST) for value in (first, second))
    assert one["fixtureDigest"] == other["fixtureDigest"]


@THOROUGH
@given(mutated_contracts(), st.booleans())
def test_any_contract_is_planned_or_refused(contract: Any, seeded: bool) -> None:
    """No compilation stands before a pre-flight, so every contract that parses gets here."""
    probes = [LOST] if seeded else []
    before = copy.deepcopy(contract)
    try:
        plan = planned(contract, *probes)
    except (EvalQualityError, PreconditionError):
        assert not outcome(contract, probes, []).startswith("{")
        return
    assert contract == before
    legs = [leg.leg_id for leg in plan.legs]
    assert legs
    assert len(set(legs)) == len(legs)
    assert all(leg.request["probeId"] == leg.leg_id for leg in plan.legs)
    present = [leg for check in plan.checks if isinstance(check, InterfacePresent) for leg in check.leg_ids]
    assert sorted(present) == sorted(legs)
    controls = [leg.leg_id for leg in plan.legs if leg.purpose.startswith("control")]
    for check in plan.checks:
        match check:
            case StateReset((opening, closing)):
                assert (opening, closing) == (controls[0], controls[-1])
            case CleanControl(control_legs):
                assert list(control_legs) == controls
            case SeededFaultsScoped(_, witness, _, clean):
                assert list(clean) == [leg for leg in legs[: legs.index(witness["legId"])] if leg in clean]


@THOROUGH
@given(mutated_contracts(), st.booleans())
def test_any_contract_can_be_judged_from_answers(contract: Any, seeded: bool) -> None:
    probes = [LOST] if seeded else []
    try:
        told = [answer(leg.request) for leg in planned(contract, *probes).legs]
    except (EvalQualityError, PreconditionError, AssertionError, KeyError, TypeError):
        return  # not planned, or nothing the tea shop has an answer to
    first = outcome(contract, probes, told)
    assert outcome(copy.deepcopy(contract), probes, told) == first
    assert first.startswith(("{", "RuntimeFault", "StructuralFailure", "PreconditionError"))


TOKENS = st.sampled_from(["", "0", "1", "01", "-", "tea", "a~1b", "*", "~0"])
POINTERS = st.lists(
    st.lists(TOKENS, max_size=3).map(lambda tokens: "".join(f"/{token}" for token in tokens)), max_size=3
)
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["", "0", "1", "tea", "a/b", "*", "~"]), inner, max_size=3),
    ),
    max_leaves=12,
)


def removed(value: Any, tail: tuple[str, ...]) -> Any:
    """The rule told recursively: a value without what stands at the end of a tail."""
    token, *rest = tail
    match value:
        case dict() if token in value:
            kept = {key: removed(item, tuple(rest)) if key == token and rest else item for key, item in value.items()}
            return kept if rest else {key: item for key, item in kept.items() if key != token}
        case list() if token in [str(position) for position in range(len(value))]:
            here = int(token)
            return value[:here] + ([removed(value[here], tuple(rest))] if rest else []) + value[here + 1 :]
        case _:
            return value


@settings(max_examples=1000, deadline=None)
@given(NESTED, POINTERS)
def test_pruning_is_removal_one_pointer_after_the_other(value: Any, pointers: list[str]) -> None:
    body: Any = {"kind": "json", "value": value}
    before = copy.deepcopy(body)
    pruned = prune_volatile(body, pointers, "X")
    assert body == before
    if "" in pointers:
        assert pruned == {"kind": "absent"}
        return
    expected = value
    for pointer in pointers:
        expected = removed(expected, decode_tail(pointer))
    assert pruned == {"kind": "json", "value": expected}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=3), VALUES), min_size=1, max_size=4, unique_by=lambda pair: pair[0]))
def test_the_fixture_digest_does_not_depend_on_the_order(parts: list[tuple[str, Any]]) -> None:
    projections: Any = [
        {
            "legId": leg_id,
            "interfaceId": "a",
            "operationId": "b",
            "status": 200,
            "exitCode": None,
            "toolError": None,
            "body": {"kind": "json", "value": value},
        }
        for leg_id, value in parts
    ]
    try:
        digest = fixture_digest(projections, "X")
    except EvalQualityError:
        return
    assert fixture_digest(projections[::-1], "X") == digest
    assert fixture_digest([projections[0] | {"status": 201}, *projections[1:]], "X") != digest
