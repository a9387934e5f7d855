"""What holds of briefs for contracts no author would write."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.artifacts.sealed_evaluator_brief import SealedEvaluatorBrief
from eval_quality.canonical import serialize
from eval_quality.errors import StructuralFailure
from eval_quality.json_text import json_text
from eval_quality.plan_index import build_plan_index, key_of, parse_evidence_target, resolve_operation
from eval_quality.seal import seal_contract
from eval_quality.seal.audit import count_step_markers
from eval_quality.seal.step_references import distinct_references
from tests.contracts import Json, minimal_contract, oracle, transport_binding

THOROUGH = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WITHHELD = "hidden"
"""Part of every text in a generated contract that no evaluator may read, and of no other."""

OPERATIONS = [
    ("shop-api", "place-order", "body"),
    ("shop-api", "list-orders", "query"),
    ("shop-cli", "export-orders", "option"),
    ("shop-tools", "reset-shop", "arguments"),
]
TAILS = st.sampled_from(["", "/id", "/a~1b", "/orders/0", "/"])
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1e9, 1e9) | st.text("aZ9\u00e9"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "2", "10"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def targets(step_ids: list[str]) -> st.SearchStrategy[str]:
    """Pointers at what any of these steps exchanged."""
    channel = st.one_of(
        TAILS.map("response-body{}".format),
        TAILS.map("call-inputs/body{}".format),
        TAILS.map("artifact/log{}".format),
        st.sampled_from(["response-status", "exit-code", "stdout", "stderr/line", "response-headers/Location"]),
    )
    return st.builds("/interactions/{}/{}".format, st.sampled_from(step_ids), channel)


@st.composite
def plans(draw: st.DrawFn) -> list[Json]:
    """Steps on all kinds of operations, whose identifiers are withheld; they capture from anywhere, in circles too."""
    step_ids = [f"{WITHHELD}-{number}" for number in range(draw(st.integers(1, 6)))]
    value = st.one_of(
        st.builds(lambda each: {"literal": each}, JSON_VALUES),
        st.builds(lambda each: {"captured": each}, targets(step_ids)),
        st.sampled_from([{"matcher": "any"}, {"matcher": "type-violating"}, {"principal": "barista"}]),
    )
    plan = []
    for step_id in step_ids:
        interface, operation, channel = draw(st.sampled_from(OPERATIONS))
        bound = draw(st.none() | st.dictionaries(st.sampled_from(["k", "tea", "7"]), value, min_size=1, max_size=3))
        if interface == "shop-api":
            binding = transport_binding(**{channel: bound})
        elif interface == "shop-cli":
            binding = dict.fromkeys(("argument", "option", "environment", "stdin")) | {channel: bound}
        else:
            binding = {channel: bound}
        plan.append(
            {
                "stepId": step_id,
                "interfaceId": interface,
                "operationId": operation,
                "inputBinding": binding,
                "after": draw(st.none() | st.sampled_from(step_ids)),
                "cardinality": "any",
            }
        )
    return plan


@st.composite
def contracts(draw: st.DrawFn) -> Json:
    """Contracts that parse and need not compile; what is to be kept from an evaluator says so."""
    plan = draw(plans())
    pointers = targets([step["stepId"] for step in plan])
    oracles = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        named = draw(st.lists(pointers, min_size=1, max_size=5, unique=True))
        check: Json = draw(
            st.sampled_from(
                [
                    {"op": "equality", "operands": [{"pointer": named[0]}, {"literal": {WITHHELD: [WITHHELD]}}]},
                    {"op": "regex", "operands": [{"pointer": named[-1]}], "pattern": f"^{WITHHELD}$"},
                    {"op": "containment", "operands": [{"referenceSet": WITHHELD}, {"pointer": named[0]}]},
                ]
            )
        )
        oracles.append(oracle(f"O-{number:03d}", check, *named, commentary=f"{WITHHELD}: the answer"))
        oracles[-1]["direction"]["scope"] = draw(st.sampled_from([None, "only paid orders"]))
    contract = minimal_contract(
        contractId=f"{WITHHELD}-contract",
        oracles=oracles,
        interactionPlan=plan,
        referenceSets={WITHHELD: {"keys": [WITHHELD], "members": [{WITHHELD: WITHHELD}], "commentary": WITHHELD}},
        requiredEvidence=[f"{WITHHELD} evidence"],
        testData={
            "setup": f"{WITHHELD} setup",
            "cleanup": f"{WITHHELD} cleanup",
            "principals": {"barista": {"kind": WITHHELD}, "owner": {"kind": WITHHELD}},
            "resources": {"r": {"kind": WITHHELD}},
        },
        safetyLimits=draw(st.lists(st.sampled_from(["b", "a", "\uffff", "\U00010000"]), max_size=3)),
        probeStepBound=draw(st.none() | st.integers(0, 3)),
    )
    contract["rubrics"][0]["scaleLevels"][0]["anchor"] = f"{WITHHELD} anchor"
    contract["rubrics"][0]["criteria"][0]["text"] = f"Is it {WITHHELD}?"
    contract["waivers"][0]["rationale"] = f"{WITHHELD} rationale"
    contract["fixtureReset"]["legId"] = f"{WITHHELD}-reset"
    place, listing = contract["permittedInterfaces"][0]["operations"]
    place["pathTemplate"] = f"/{WITHHELD}"
    place["volatilePointers"] = [f"/{WITHHELD}"]
    place["requestShape"]["body"]["types"][WITHHELD] = "string"
    place["sensitivityWitness"]["witnessId"] = f"{WITHHELD}-varies"
    place["sensitivityWitness"]["legs"][0]["inputs"]["body"]["value"] = {"tea": WITHHELD}
    listing["responseDescriptor"]["collectionLocations"][0]["referenceSet"] = WITHHELD
    contract["permittedInterfaces"][1]["operations"][0]["invocation"]["executable"] = f"{WITHHELD}-shop"
    contract["permittedInterfaces"][2]["operations"][0]["toolName"] = f"{WITHHELD}_tool"
    return contract


def sealed(contract: Json) -> Json:
    """The brief; contracts whose steps cannot be told apart are not what these tests are about."""
    parsed: EvalContract = parse(EvalContract, contract, "EvalContract")
    try:
        return dict(seal_contract(parsed))
    except StructuralFailure as failure:
        assume(failure.code != "irreducible-step-reference")
        raise


@THOROUGH
@given(contracts())
def test_a_brief_says_nothing_that_is_withheld(contract: Json) -> None:
    assert contract["contractId"] == f"{WITHHELD}-contract"
    assert WITHHELD not in json.dumps(sealed(contract))


@THOROUGH
@given(contracts())
def test_a_brief_is_an_artifact(contract: Json) -> None:
    brief = sealed(contract)
    assert parse(SealedEvaluatorBrief, brief, "SealedEvaluatorBrief") == brief


def shuffled(value: Any, source: random.Random) -> Any:
    """A JSON value with the keys of every object in another order."""
    match value:
        case dict():
            return {key: shuffled(value[key], source) for key in source.sample(list(value), len(value))}
        case list():
            return [shuffled(item, source) for item in value]
        case _:
            return value


@THOROUGH
@given(contracts(), st.integers(0, 99))
def test_the_order_of_keys_does_not_show(contract: Json, seed: int) -> None:
    assert serialize(sealed(shuffled(contract, random.Random(seed))), "brief") == serialize(sealed(contract), "brief")


@THOROUGH
@given(contracts(), st.integers(0, 99))
def test_the_order_of_lists_shows_in_digest_and_behaviors_only(contract: Json, seed: int) -> None:
    brief = sealed(contract)
    lists = [contract[name] for name in ("oracles", "interactionPlan", "permittedInterfaces", "safetyLimits")]
    for each in [*lists, *(one["direction"]["evidenceTargets"] for one in contract["oracles"])]:
        random.Random(seed).shuffle(each)
    kept = {"contractDigest": None, "behaviors": None}
    assert sealed(contract) | kept == brief | kept


@THOROUGH
@given(plans(), st.integers(0, 99))
def test_steps_of_one_operation_are_told_apart_or_refused(plan: Any, seed: int) -> None:
    interfaces: Any = minimal_contract()["permittedInterfaces"]
    index = build_plan_index(plan, interfaces)
    steps = index.steps_using(key_of(plan[0]))
    mixed = random.Random(seed).sample(steps, len(steps))
    operation = resolve_operation(index, plan[0])
    try:
        references = distinct_references(steps, operation, index)
    except StructuralFailure as failure:
        with pytest.raises(StructuralFailure, match=re.escape(str(failure))):
            distinct_references(mixed, operation, index)
        return
    assert references.keys() == {step["stepId"] for step in steps}
    assert len(set(references.values())) == len(steps)
    assert distinct_references(mixed, operation, index) == references


def count_by_the_grammar(text: str) -> int:
    """The published marker grammar, tried at one position after the other."""
    word = re.compile(r"\b(?:then|before|after|subsequent(?:ly)?|next|finally|afterwards?)\b", re.ASCII | re.IGNORECASE)
    number = re.compile(r"(?:[0-9]+|[A-Za-z])[.)](?![0-9])")
    white = "\t\n\v\f\r \u00a0\u2028\ufeff"

    def anchored(position: int) -> bool:
        while position and text[position - 1] in white:
            position -= 1
            if text[position] == "\n":
                return True
        return position == 0 or text[position - 1] in ".!?"

    count = position = 0
    while position < len(text):
        found = word.match(text, position) or (number.match(text, position) if anchored(position) else None)
        count += found is not None
        position = found.end() if found else position + 1
    return count


@settings(max_examples=1500, deadline=None)
@given(
    st.lists(st.sampled_from([*"12a.)!? \n(_-\u00a0\ufeff\x1c\u00e9", "then", "Next", "after", "10"]), max_size=14).map(
        "".join
    )
)
@example("1.2. a.b.c) x\n 3)")
def test_markers_are_those_of_the_grammar(text: str) -> None:
    assert count_step_markers(text) == count_by_the_grammar(text)


@settings(max_examples=300, deadline=None)
@given(JSON_VALUES)
def test_json_text_reads_back(value: Any) -> None:
    for sort_keys in (False, True):
        assert json.loads(json_text(value, sort_keys=sort_keys), parse_int=float) == value
    assert json_text(value, sort_keys=True) == json_text(shuffled(value, random.Random(0)), sort_keys=True)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("ab/~*01\n", max_size=3), max_size=3))
def test_tokens_survive_a_pointer(tokens: list[str]) -> None:
    assume("*" not in tokens)
    tail = "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)
    assert parse_evidence_target(f"/interactions/s/stdout{tail}").tail == tuple(tokens)
