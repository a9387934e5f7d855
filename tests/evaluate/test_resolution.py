"""Three-valued resolution of checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from eval_quality.errors import PreconditionError, RuntimeFault
from eval_quality.evaluate import ABSENT, CheckResolver, make_resolve_operand, resolve_check
from tests.run_records import observation

BODY = {"items": [{"n": 1}, {"n": 2}], "none": [], "s": "x", "tags": ["a", "b"], "nested": [{"in": [1]}, {"in": []}]}
ROOT = "/interactions/s/response-body"
SETS: dict[str, list[Any]] = {
    "one": [{"id": "x"}, {"id": "y"}],
    "two": [{"id": "x", "n": 1}],
    "gap": [{"id": "y"}, {"n": 1}],
    "bare": [],
}
KEYS = {"one": ["id"], "two": ["id", "n"], "gap": ["id"], "bare": ["id"]}
TRUE, FALSE, EMPTY = "true", "false", "insufficient-evidence"
COLLECTIONS = frozenset({f"{ROOT}/items", f"{ROOT}/lost", "/interactions/never/response-body/items"})


def at(tail: str) -> Any:
    return {"pointer": f"{ROOT}/{tail}"}


def node(op: str, *operands: Any, **fields: Any) -> Any:
    return {"op": op, "operands": list(operands)} | fields


def quantified(op: str, collection: Any, predicate: Any) -> Any:
    return {"op": op, "collection": collection, "predicate": predicate}


def resolve(
    expression: Any, collections: Collection[str] = COLLECTIONS, sets: Mapping[str, Any] = SETS, budget: int = 1000
) -> Any:
    operands = make_resolve_operand({"s": observation("OBS-1", 1, responseBody=BODY)}, sets)
    return resolve_check(expression, operands, lambda pointer: pointer in collections, KEYS, budget, "Check")


HOLDS, FAILS, LACKS = node("existence", at("s")), node("absence", at("s")), node("existence", at("lost"))


@pytest.mark.parametrize(
    ("expression", "resolution"),
    [
        (node("existence", at("items")), TRUE),
        (node("absence", at("items")), FALSE),
        (node("existence", at("none")), TRUE),
        (node("count-tolerance", at("none"), expected=0, tolerance=0, relative=False), TRUE),
        (node("existence", at("lost")), EMPTY),
        (node("absence", at("lost")), EMPTY),
        (node("count-tolerance", at("lost"), expected=0, tolerance=0, relative=False), EMPTY),
        (node("existence", {"pointer": "/interactions/never/response-body/items"}), EMPTY),
        (node("absence", at("undeclared")), TRUE),
        (node("deep-equality", at("none"), {"literal": []}), EMPTY),
        (node("containment", at("tags"), {"literal": []}), EMPTY),
        (node("containment", at("tags"), {"literal": ["b"]}), TRUE),
        (node("ordering", at("none"), key="n", order="ascending"), EMPTY),
        (node("ordering", at("items"), key="n", order="ascending"), TRUE),
        (node("regex", at("s"), pattern="^x$"), TRUE),
        (node("shape", at("s"), descriptor={"requiredKeys": [], "permittedKeys": [], "types": {}}), FALSE),
        (node("equality", at("s"), {"literal": "x"}), TRUE),
        (node("set-membership", at("s"), {"referenceSet": "one"}), TRUE),
        (node("set-membership", at("s"), {"referenceSet": "bare"}), EMPTY),
        (node("set-membership", at("s"), {"literal": ["y"]}), FALSE),
    ],
)
def test_leaves(expression: Any, resolution: str) -> None:
    answer = resolve(expression)
    assert answer["resolution"] == resolution
    assert answer["introductionCondition"] == ("empty-collection" if resolution == EMPTY else None)
    assert answer["children"] == []


@pytest.mark.parametrize(
    ("op", "parts", "resolution"),
    [
        ("not", [HOLDS], FALSE),
        ("not", [FAILS], TRUE),
        ("not", [LACKS], EMPTY),
        ("all", [HOLDS, HOLDS], TRUE),
        ("all", [HOLDS, LACKS], EMPTY),
        ("all", [LACKS, FAILS], FALSE),
        ("any", [FAILS, HOLDS], TRUE),
        ("any", [FAILS, FAILS], FALSE),
        ("any", [HOLDS, LACKS], EMPTY),
    ],
)
def test_connectives_fold_every_part(op: str, parts: list[Any], resolution: str) -> None:
    answer = resolve(node(op, *parts))
    assert answer["resolution"] == resolution
    assert answer["introductionCondition"] is None
    assert answer["children"] == [resolve(part) for part in parts]


@pytest.mark.parametrize(
    ("op", "collection", "predicate", "resolutions"),
    [
        ("for-all", at("items"), node("existence", {"pointer": "@/n"}), (TRUE, TRUE, TRUE)),
        ("for-all", at("items"), node("equality", {"pointer": "@/n"}, {"literal": 1}), (FALSE, TRUE, FALSE)),
        ("for-any", at("items"), node("equality", {"pointer": "@/n"}, {"literal": 1}), (TRUE, TRUE, FALSE)),
        ("for-any", at("items"), node("equality", {"pointer": "@/n"}, {"literal": 3}), (FALSE, FALSE, FALSE)),
        ("for-any", at("nested"), node("deep-equality", {"pointer": "@/in"}, {"literal": [1]}), (EMPTY, TRUE, EMPTY)),
        ("for-all", at("nested"), node("deep-equality", {"pointer": "@/in"}, {"literal": [2]}), (FALSE, FALSE, EMPTY)),
    ],
)
def test_quantifiers_fold_every_element(op: str, collection: Any, predicate: Any, resolutions: tuple[str, ...]) -> None:
    answer = resolve(quantified(op, collection, predicate))
    assert (answer["resolution"], *(child["resolution"] for child in answer["children"])) == resolutions
    assert answer["introductionCondition"] is None


@pytest.mark.parametrize("tail", ["none", "lost", "undeclared", "s"])
@pytest.mark.parametrize("op", ["for-all", "for-any"])
def test_a_quantifier_over_nothing_introduces_insufficiency(op: str, tail: str) -> None:
    answer = resolve(quantified(op, at(tail), HOLDS))
    assert answer == {"resolution": EMPTY, "introductionCondition": "empty-collection", "children": []}


def test_a_nested_quantifier_binds_anew() -> None:
    inner = quantified("for-all", {"pointer": "@/in"}, node("equality", {"pointer": "@/"}, {"literal": 1}))
    answer = resolve(quantified("for-all", at("nested"), inner))
    assert [child["resolution"] for child in answer["children"]] == [TRUE, EMPTY]


def test_no_element_is_bound_at_the_root() -> None:
    assert resolve(node("absence", {"pointer": "@/"}))["resolution"] == TRUE


def test_a_null_element_is_bound() -> None:
    expression = quantified("for-all", {"literal": [None]}, node("existence", {"pointer": "@/"}))
    assert resolve(expression)["resolution"] == TRUE


class TestCoversByKey:
    @staticmethod
    def check(expected: Any, actual: Any) -> Any:
        return resolve(node("covers-by-key", expected, actual, expectedKey="id", actualKey="n"))

    def test_either_side_empty_is_insufficient(self) -> None:
        for operands in (({"referenceSet": "one"}, at("none")), ({"referenceSet": "bare"}, at("items"))):
            assert self.check(*operands)["introductionCondition"] == "empty-collection"

    def test_a_lost_collection_is_a_decisive_no(self) -> None:
        assert self.check({"referenceSet": "one"}, at("lost"))["resolution"] == FALSE
        assert self.check({"referenceSet": "bare"}, at("lost"))["resolution"] == FALSE

    def test_an_undeclared_set_is_a_no(self) -> None:
        assert self.check({"referenceSet": "undeclared"}, at("none"))["resolution"] == FALSE

    def test_expected_must_be_a_list(self) -> None:
        with pytest.raises(
            PreconditionError, match=r"^covers-by-key's expected-operand guard: .* cannot tell the two "
        ):
            self.check(at("s"), at("items"))


class TestGuards:
    def test_a_set_that_is_no_list(self) -> None:
        with pytest.raises(PreconditionError, match=r"^set-membership's set-operand guard: "):
            resolve(node("set-membership", at("s"), {"referenceSet": "undeclared"}))
        with pytest.raises(PreconditionError, match=r"^set-membership's set-operand guard: "):
            resolve(node("set-membership", at("s"), {"literal": "x"}))

    def test_an_empty_collection_comes_before_the_guard(self) -> None:
        assert resolve(node("set-membership", at("none"), {"referenceSet": "undeclared"}))["resolution"] == EMPTY

    def test_a_set_of_several_keys(self) -> None:
        with pytest.raises(
            PreconditionError, match='referenceSet "two" declares 2 keys, and this position reads exactly'
        ):
            resolve(node("set-membership", at("none"), {"referenceSet": "two"}))

    def test_a_member_without_the_key(self) -> None:
        with pytest.raises(PreconditionError, match='a member of referenceSet "gap" carries no own property "id"'):
            resolve(node("set-membership", at("s"), {"referenceSet": "gap"}))

    def test_a_set_whose_keys_are_unknown_is_taken_whole(self) -> None:
        expression = node("set-membership", {"literal": {"id": 1}}, {"referenceSet": "other"})
        assert resolve(expression, sets={"other": [{"id": 1}]})["resolution"] == TRUE

    def test_containment_takes_whole_members(self) -> None:
        candidate = {"referenceSet": "one"}
        assert resolve(node("containment", {"literal": [*SETS["one"], 1]}, candidate))["resolution"] == TRUE
        assert resolve(node("containment", {"literal": ["x", "y"]}, candidate))["resolution"] == FALSE

    def test_containment_of_an_undeclared_set(self) -> None:
        with pytest.raises(PreconditionError, match=r"^containment's referenceSet-candidate guard: "):
            resolve(node("containment", at("tags"), {"referenceSet": "undeclared"}))

    @pytest.mark.parametrize(
        ("expression", "told"),
        [
            ({"op": "constructor"}, '"constructor"'),
            ({"op": None}, "null"),
            ({"op": ["x", 1]}, '["x",1]'),
            ({}, "undefined"),
        ],
    )
    def test_an_unknown_operator(self, expression: Any, told: str) -> None:
        with pytest.raises(PreconditionError) as raised:
            resolve(expression)
        assert str(raised.value) == f"resolveNode: unrecognized expression.op {told}"


def test_the_first_error_stops_the_walk() -> None:
    unsafe, budget = node("deep-equality", {"literal": 2.0**53}, at("s")), node("regex", at("s"), pattern="^(x+)+$")
    with pytest.raises(RuntimeFault, match="non-canonicalizable-value"):
        resolve(node("all", FAILS, unsafe, budget))
    with pytest.raises(RuntimeFault, match="budget-exhausted"):
        resolve(node("any", HOLDS, budget, unsafe))


def test_the_budget_is_that_of_the_caller() -> None:
    assert resolve(node("regex", at("s"), pattern="^x+$"), budget=2)["resolution"] == TRUE
    with pytest.raises(RuntimeFault, match="estimated 2 regex match steps exceed the declared budget of 1"):
        resolve(node("regex", at("s"), pattern="^x+$"), budget=1)


def test_depth_is_no_concern() -> None:
    deep: Any = HOLDS
    for _ in range(5_000):
        deep = node("not", deep)
    answer = resolve(deep)
    assert answer["resolution"] == TRUE
    levels = 0
    while answer["children"]:
        (answer,) = answer["children"]
        levels += 1
    assert levels == 5_000


def test_one_resolver_serves_many_records() -> None:
    checks = CheckResolver(lambda pointer: False, KEYS, 1000)
    expression = node("set-membership", at("s"), {"referenceSet": "one"})
    answers = [
        checks.resolve(
            expression, make_resolve_operand({"s": observation("OBS-1", 1, responseBody={"s": said})}, SETS), "Check"
        )["resolution"]
        for said in ("x", "z", "y", ["x"])
    ]
    assert answers == [TRUE, FALSE, TRUE, FALSE]
    other = make_resolve_operand({"s": observation("OBS-1", 1, responseBody={"s": "z"})}, {"one": [{"id": "z"}]})
    assert checks.resolve(expression, other, "Check")["resolution"] == TRUE


def test_a_container_is_written_once_for_all_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    from eval_quality.canonical import serialize
    from eval_quality.evaluate import operators

    written: list[object] = []

    def recording(value: object, path: str) -> str:
        written.append(value)
        return serialize(value, path)

    monkeypatch.setattr(operators, "serialize", recording)
    numbers = list(range(100))
    for op in ("set-membership", "containment"):
        written.clear()
        sides = ({"pointer": "@/"}, {"literal": numbers})
        operands = sides if op == "set-membership" else sides[::-1]
        answer = resolve(quantified("for-all", {"literal": numbers[::-1]}, node(op, *operands)))
        assert answer["resolution"] == TRUE
        assert len(written) <= 2 * len(numbers) + 1


def test_absent_never_raises() -> None:
    gone = at("undeclared")
    for expression in (
        node("equality", gone, gone),
        node("deep-equality", gone, {"literal": 2.0**53}),
        node("containment", at("tags"), gone),
        node("containment", gone, at("tags")),
        node("set-membership", gone, {"referenceSet": "one"}),
        node("regex", gone, pattern="^(x"),
        node("ordering", gone, key="n", order="ascending"),
    ):
        assert resolve(expression)["resolution"] == FALSE
    assert ABSENT is not None


def test_an_answer_belongs_to_its_caller() -> None:
    check = node("all", HOLDS, HOLDS)
    first, again = resolve(check), resolve(check)
    first["children"][0]["resolution"] = "altered"
    assert first["children"][1] == again["children"][0] == again["children"][1]
