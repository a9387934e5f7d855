"""Whether a defect showed, and which claims hold up."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import PreconditionError, RuntimeFault
from eval_quality.score.witness_match import ProbeWitnessMatch, match_probe_witness
from tests.contracts import equality
from tests.score.shop import STATUS, claim, clean_control, interface, operation, probe, seen, selector, signature

INTERFACES: Any = [interface(operation(), operation("other", path="/others"))]
RAW = {"kind": "raw", "base64": "AA==", "contentType": "text/plain"}


def matched(observations: Any, *findings: Any, using: Any = None, interfaces: Any = INTERFACES) -> ProbeWitnessMatch:
    return match_probe_witness(probe() if using is None else using, interfaces, observations, findings)


def selecting(**channels: Any) -> Any:
    condition = signature()["condition"] | {"selector": selector(**channels)}
    return probe(defectSignature=signature(condition=condition))


OBSERVED = [seen("g4", 4, 500), seen("g1", 1), seen("g3", 3), seen("g2", 2)]


def test_the_example_of_the_specification() -> None:
    unclaimed = matched(OBSERVED)
    assert unclaimed.result == "manifested-unclaimed"
    assert unclaimed.partition == (("g4",), ("g1", "g2", "g3"), ())
    assert unclaimed.observation_ids == ("g1", "g2", "g3", "g4")
    claimed = matched(OBSERVED, claim("F-001", "g4"))
    assert (claimed.result, claimed.witness_observation_ids) == ("matched", ("g4",))
    mixed = matched(OBSERVED, claim("F-002", "g1"), claim("F-001", "g4", "g1"))
    assert (mixed.result, mixed.unwitnessed_finding_ids) == ("unwitnessed-claim", ("F-002",))
    assert mixed.witness_observation_ids == ("g4",)
    elsewhere = [*OBSERVED, seen("x", 9, operationId="other")]
    assert matched(elsewhere, claim("F-001", "x")).result == "manifested-unclaimed"


def test_only_what_the_evaluator_chose_counts_but_any_of_it_can_be_cited() -> None:
    baseline = seen("b", 5, 500, provenance="baseline")
    assert matched([baseline]).result == "unexercised"
    assert matched([baseline], claim("F-001", "b")).unwitnessed_finding_ids == ()
    assert matched([*OBSERVED, baseline], claim("F-001", "b")).unwitnessed_finding_ids == ("F-001",)


def test_an_operation_that_is_not_declared_is_never_exercised() -> None:
    match = matched(OBSERVED, interfaces=[])
    assert (match.result, match.home_operation_resolved, match.exercised) == ("unexercised", False, False)
    assert matched([]).home_operation_resolved


def test_findings_of_other_kinds_and_probes_claim_nothing() -> None:
    findings = [claim("F-001", "g1", probeId="P-009"), claim("F-002", "g1", findingType="observation")]
    assert matched(OBSERVED, *findings).result == "manifested-unclaimed"


def test_a_predicate_that_decides_nothing_is_vacuous() -> None:
    lines = {"op": "for-all", "collection": {"pointer": "/interactions/observed/response-body/lines"}}
    using = probe(
        defectSignature=signature(lines | {"predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}})
    )
    assert matched([seen("g", 1)], using=using).result == "vacuous"
    full = seen("h", 2, responseBody={"lines": [1], "total": 1})
    both = matched([seen("g", 1), full], claim("F-001", "h"), using=using)
    assert (both.result, both.partition.inconclusive) == ("matched", ("g",))


def test_a_lost_collection_is_inconclusive_wherever_the_pointer_is_rooted() -> None:
    using = probe(
        defectSignature=signature(
            {"op": "count-tolerance", "expected": 0, "tolerance": 0, "relative": False}
            | {"operands": [{"pointer": "/interactions/observed/response-body/lines"}]}
        )
    )
    assert matched([seen("g", 1, responseBody={"total": 0})], using=using).result == "vacuous"
    assert matched([seen("g", 1, responseBody={"lines": []})], using=using).result == "manifested-unclaimed"


@pytest.mark.parametrize(
    ("channels", "sent", "admitted"),
    [
        ({"path": {"id": {"literal": "7"}}}, {}, True),
        ({"path": {"id": {"literal": "8"}}}, {}, False),
        ({"path": {"another": {"matcher": "any"}}}, {}, False),
        ({"body": {"note": {"matcher": "any"}}}, {}, False),
        ({"body": {"note": {"matcher": "any"}}}, {"body": {"note": None}}, True),
        ({"query": {"page": {"matcher": "type-violating"}}}, {"query": {"page": "one"}}, True),
        ({"query": {"page": {"matcher": "type-violating"}}}, {}, False),
        ({"query": {"mood": {"matcher": "type-violating"}}}, {"query": {"mood": 1}}, False),
        ({"body": RAW}, {"body": RAW, "bodyEncoding": "raw"}, True),
        ({"body": RAW}, {"body": RAW}, False),
        ({"body": RAW, "path": {"id": {"literal": "8"}}}, {"body": RAW, "bodyEncoding": "raw"}, False),
        ({"arguments": {"id": {"matcher": "any"}}}, {}, False),
    ],
)
def test_selectors(channels: Any, sent: Any, admitted: bool) -> None:
    match = matched([seen("g", 1, 500, sent=sent)], using=selecting(**channels))
    assert match.observation_ids == (("g",) if admitted else ())
    assert match.result == ("manifested-unclaimed" if admitted else "not-triggered")


def test_a_fault_of_the_predicate_is_a_fault_of_the_probe() -> None:
    deep = probe(
        defectSignature=signature(
            {"op": "deep-equality", "operands": [{"pointer": STATUS}, {"pointer": STATUS.replace("status", "body")}]}
        )
    )
    with pytest.raises(RuntimeFault) as raised:
        matched([seen("g", 1, responseBody={"lines": ["\ud800"]})], using=deep)
    assert raised.value.code == "non-canonicalizable-value"
    assert raised.value.artifact_path == "Probe[probeId=P-001].defectSignature.condition.predicate"
    member = {"op": "set-membership", "operands": [{"pointer": STATUS}, {"referenceSet": "menu"}]}
    with pytest.raises(PreconditionError, match="set-operand guard"):
        matched([seen("g", 1)], using=probe(defectSignature=signature(member)))


def test_a_probe_without_a_signature_has_nothing_to_match() -> None:
    for using in (clean_control(), probe(defectSignature=None)):
        with pytest.raises(PreconditionError, match="carries no defect signature"):
            matched(OBSERVED, using=using)


def test_observations_are_parted_by_an_equality_over_their_own_answers() -> None:
    over_itself = equality({"pointer": STATUS}, {"pointer": STATUS})
    assert matched(OBSERVED, using=probe(defectSignature=signature(over_itself))).partition.satisfying == (
        "g1",
        "g2",
        "g3",
        "g4",
    )
