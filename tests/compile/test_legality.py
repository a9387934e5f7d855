"""Expressions beyond their schema."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.compile.legality import (
    illegal_operands,
    nested_quantifiers,
    quantifiers_over_scalars,
    unbound_elements,
)
from eval_quality.compile.sites import Site, bare_site
from eval_quality.errors import RuntimeFault
from tests.compile.refusals import compiled, refusal
from tests.contracts import Json, list_orders_operation, minimal_contract

ORDERS = {"pointer": "/interactions/list/response-body/orders"}
MENU = {"referenceSet": "menu"}
LITERAL: Json = {"literal": [1]}
COVERS = {"op": "covers-by-key", "operands": [MENU, ORDERS], "expectedKey": "tea", "actualKey": "tea"}


def checking(expression: Any) -> Json:
    """A contract whose first oracle checks ``expression``, and whose first expression that is."""
    contract = minimal_contract()
    contract["oracles"][0]["check"] = expression
    return contract


def bare(expression: Any, path: str, *scope: Any) -> Site:
    return bare_site(expression, path, *scope)


def exists(pointer: str) -> Json:
    return {"op": "existence", "operands": [{"pointer": pointer}]}


def for_all(collection: Any, predicate: Any) -> Json:
    return {"op": "for-all", "collection": collection, "predicate": predicate}


@pytest.mark.parametrize(
    ("expression", "place", "kind", "position"),
    [
        ({"op": "equality", "operands": [ORDERS, MENU]}, ".operands[1]", "referenceSet", "1"),
        ({"op": "deep-equality", "operands": [MENU, LITERAL]}, ".operands[0]", "referenceSet", "0"),
        ({"op": "containment", "operands": [LITERAL, MENU]}, ".operands[0]", "literal", "0"),
        ({"op": "absence", "operands": [LITERAL]}, ".operands[0]", "literal", "0"),
        ({"op": "set-membership", "operands": [LITERAL, MENU]}, ".operands[0]", "literal", "0"),
        (
            {"op": "ordering", "operands": [MENU], "key": "tea", "order": "ascending"},
            ".operands[0]",
            "referenceSet",
            "0",
        ),
        (COVERS | {"operands": [ORDERS, ORDERS]}, ".operands[0]", "pointer", "0"),
        (COVERS | {"operands": [MENU, LITERAL]}, ".operands[1]", "literal", "1"),
        (for_all(LITERAL, exists("@/")), ".collection", "literal", "collection"),
        (
            {"op": "all", "operands": [exists(ORDERS["pointer"]), {"op": "not", "operands": [exists("@/")]}]},
            "",
            "",
            "",
        ),
    ],
)
def test_operand_kinds(expression: Json, place: str, kind: str, position: str) -> None:
    code, path, detail = refusal(checking(expression))
    assert code == "malformed-operator-expression"
    if kind:
        assert path == f"oracles[id=O-001].check{place}"
        assert detail == (f'"{expression["op"]}" does not accept a {kind} operand at position {position} (AD-4, AD-26)')
    else:
        assert path == "oracles[id=O-001].check.operands[1].operands[0].operands[0]"
        assert detail == (
            'bound-element pointer "@/" appears outside any quantifier\'s predicate; "@/" binds only inside a '
            "quantifier (AD-26)"
        )


def test_containment_accepts_every_kind_of_set() -> None:
    for operand in (ORDERS, LITERAL, MENU):
        site = bare({"op": "containment", "operands": [ORDERS, operand]}, "P")
        assert list(illegal_operands(site)) == []


def test_ordering_reads_observed_output() -> None:
    sent = {
        "op": "ordering",
        "operands": [{"pointer": "/interactions/s/call-inputs/body/x"}],
        "key": "k",
        "order": "descending",
    }
    (failure,) = illegal_operands(bare(sent, "P"))
    assert str(failure) == (
        'malformed-operator-expression in P.operands[0]: "ordering" accepts observed output only, never call-inputs '
        "(AD-4)"
    )


@pytest.mark.parametrize("pointer", ["/interactions/s/response-body/call-inputs", "@/call-inputs", "@/x"])
def test_a_field_called_call_inputs_is_observed_output(pointer: str) -> None:
    """Spec 05, section 5.7, rule 2: the channel counts, not what a key is called."""
    observed = {"op": "ordering", "operands": [{"pointer": pointer}], "key": "k", "order": "ascending"}
    assert list(illegal_operands(bare(observed, "P"))) == []


def test_bound_elements_may_stand_free_in_a_relation() -> None:
    contract = minimal_contract()
    witness = contract["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]
    witness["relation"] = {"op": "any", "operands": [witness["relation"], exists("@/x")]}
    compiled(contract)


def test_set_membership_reads_a_set_of_one_key() -> None:
    contract = checking({"op": "set-membership", "operands": [ORDERS, MENU]})
    contract["oracles"][0]["direction"] = {
        "evidenceTargets": [ORDERS["pointer"]],
        "relation": "set-membership",
        "polarity": "expects-hold",
        "scope": None,
        "negativeDomain": None,
    }
    compiled(contract)
    menu = contract["referenceSets"]["menu"]
    menu["members"][1] = {"blend": "x"}
    assert refusal(contract) == (
        "malformed-operator-expression",
        "referenceSets[id=menu].members[1].tea",
        'referenceSet "menu" has a member carrying no key "tea", which it declares and which set-membership reads '
        "(AD-4, AD-26)",
    )
    menu["keys"].append("origin")
    assert refusal(contract)[1:] == (
        "oracles[id=O-001].check.operands[1]",
        'referenceSet "menu" declares 2 keys, and set-membership reads exactly one, so only a single-key set is legal '
        "in its set position (AD-4, AD-26)",
    )


@pytest.mark.parametrize(
    ("values", "repeated"),
    [([1, 1.0], True), ([1, "1"], False), ([1, True], False), ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], True)],
)
def test_expected_keys_are_compared_by_digest(values: list[Any], repeated: bool) -> None:
    contract = minimal_contract()
    contract["referenceSets"]["menu"]["members"] = [{"tea": value} for value in values]
    if repeated:
        assert refusal(contract)[1:] == (
            "referenceSets[id=menu].members[1].tea",
            'referenceSet "menu" repeats expectedKey "tea" for covers-by-key (AD-4)',
        )
    else:
        compiled(contract)


def test_every_member_carries_the_expected_key() -> None:
    contract = minimal_contract()
    contract["oracles"][2]["check"]["expectedKey"] = "full name"
    assert refusal(contract)[1:] == (
        'referenceSets[id=menu].members[0]["full name"]',
        'referenceSet "menu" has a member carrying no expectedKey "full name", which covers-by-key reads on every '
        "member (AD-4)",
    )


def test_the_expected_side_is_looked_at_before_the_operands() -> None:
    """Spec 05, section 5.7: rule 4 comes before rule 1 on the same node, and after it on an earlier one."""
    contract = checking(COVERS | {"operands": [MENU, LITERAL]})
    contract["referenceSets"]["menu"]["members"] = [{"tea": 1}, {"tea": 1}]
    assert refusal(contract)[1] == "referenceSets[id=menu].members[1].tea"
    contract["oracles"][0]["check"] = {"op": "all", "operands": [{"op": "absence", "operands": [LITERAL]}, COVERS]}
    assert refusal(contract)[1] == "oracles[id=O-001].check.operands[0].operands[0]"


def test_an_expected_key_without_a_digest_is_a_fault() -> None:
    contract = minimal_contract()
    contract["referenceSets"]["menu"]["members"][1] = {"tea": 2**53}
    with pytest.raises(RuntimeFault) as caught:
        compiled(contract)
    assert str(caught.value) == (
        "non-canonicalizable-value in EvalContract.referenceSets[id=menu].members[1].tea: integer outside the safe "
        "range at $: 9007199254740992"
    )


@pytest.mark.parametrize("sets", [None, {}])
def test_a_reference_set_is_declared(sets: Json | None) -> None:
    assert refusal(minimal_contract(referenceSets=sets)) == (
        "unresolved-reference-set",
        "oracles[id=O-003].check.operands[0]",
        'referenceSet "menu" is not declared on the contract (AD-26)',
    )


def test_inherited_names_are_no_reference_sets() -> None:
    contract = checking({"op": "set-membership", "operands": [ORDERS, {"referenceSet": "constructor"}]})
    assert refusal(contract)[:2] == ("unresolved-reference-set", "oracles[id=O-001].check.operands[1]")


def test_a_quantifier_ranges_over_a_collection() -> None:
    contract = checking(for_all({"pointer": "/interactions/list/response-body/total"}, exists("@/")))
    assert refusal(contract) == (
        "quantifier-over-non-collection",
        "oracles[id=O-001].check.collection",
        '"/interactions/list/response-body/total" is declared "number" by operation "list-orders", not a collection '
        "(AD-4)",
    )


def test_only_a_field_of_the_payload_itself_is_looked_up() -> None:
    """Spec 05, section 5.9, row 11: a tail of exactly one token."""
    operation: Any = list_orders_operation()
    operation["responseDescriptor"]["types"] = {"page": "object", "orders": "array"}
    for tail, refused in (("/page", True), ("/page/rows", False), ("/orders", False), ("/other", False), ("", False)):
        collection = {"pointer": f"/interactions/observed/response-body{tail}"}
        site = bare(for_all(collection, exists("@/")), "P", operation, frozenset({"observed"}))
        assert bool(list(quantifiers_over_scalars(site))) is refused


def test_quantifiers_do_not_nest() -> None:
    nested = for_all(ORDERS, {"op": "not", "operands": [for_all({"pointer": "@/lines"}, exists("@/"))]})
    assert refusal(checking(nested)) == (
        "quantifier-nesting-exceeded",
        "oracles[id=O-001].check.predicate.operands[0]",
        "a quantifier appears inside another quantifier's predicate; quantifiers may not nest more than one level "
        "(AD-4)",
    )
    (failure,) = nested_quantifiers(bare(for_all(ORDERS, COVERS), "P"))
    assert (failure.artifact_path, failure.detail) == (
        "P.predicate",
        "covers-by-key appears inside a quantifier's predicate, where it may never nest (AD-4)",
    )


def test_a_bare_expression_knows_only_the_steps_it_is_given() -> None:
    total = for_all({"pointer": "/interactions/observed/response-body/total"}, exists("@/"))
    operation: Any = list_orders_operation()
    known = bare(total, "P", operation, frozenset({"observed"}))
    unknown = bare(total, "P", operation, frozenset({"other"}))
    assert [failure.artifact_path for failure in quantifiers_over_scalars(known)] == ["P.collection"]
    assert list(quantifiers_over_scalars(unknown)) == []


def test_a_quantifiers_own_collection_is_outside_its_predicate() -> None:
    site = bare(for_all({"pointer": "@/a"}, exists("@/b")), "P")
    assert [failure.artifact_path for failure in unbound_elements(site)] == ["P.collection"]


def test_a_deeply_nested_expression_is_walked() -> None:
    expression: Any = exists("@/x")
    for _ in range(5000):
        expression = {"op": "not", "operands": [expression]}
    (failure,) = unbound_elements(bare(expression, "P"))
    assert failure.artifact_path == "P" + ".operands[0]" * 5001
