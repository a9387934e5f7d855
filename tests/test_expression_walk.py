"""Walks over expression trees."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.expression_walk import evidence_pointers, operands_of, substitute, walk

ROOT = "/interactions/s/response-body/x"
TREE: Any = {
    "op": "all",
    "operands": [
        {
            "op": "for-any",
            "collection": {"pointer": ROOT},
            "predicate": {
                "op": "not",
                "operands": [{"op": "set-membership", "operands": [{"pointer": "@/a"}, {"referenceSet": "r"}]}],
            },
        },
        {"op": "equality", "operands": [{"literal": 1}, {"pointer": "/interactions/s/response-status"}]},
    ],
}


def test_nodes_come_in_document_order_with_their_surroundings() -> None:
    assert [(node.op, node.path, node.depth, node.root) for node in walk(TREE)] == [
        ("all", "", 0, None),
        ("for-any", ".operands[0]", 0, None),
        ("not", ".operands[0].predicate", 1, ROOT),
        ("set-membership", ".operands[0].predicate.operands[0]", 1, ROOT),
        ("equality", ".operands[1]", 0, None),
    ]


def test_a_quantifier_over_no_pointer_binds_nothing() -> None:
    tree: Any = TREE["operands"][0] | {"collection": {"literal": []}}
    assert [node.root for node in walk(tree)] == [None, None, None]


def test_the_set_position_of_set_membership_is_no_operand() -> None:
    positions = [(use.position, use.path) for node in walk(TREE) for use in operands_of(node)]
    assert positions == [
        ("collection", ".operands[0].collection"),
        ("0", ".operands[0].predicate.operands[0].operands[0]"),
        ("0", ".operands[1].operands[0]"),
        ("1", ".operands[1].operands[1]"),
    ]


def test_pointers_know_whether_a_quantifier_binds_them() -> None:
    assert [(use.pointer, use.in_predicate) for use in evidence_pointers(TREE)] == [
        (ROOT, False),
        ("@/a", True),
        ("/interactions/s/response-status", False),
    ]


@pytest.mark.parametrize(
    ("pointer", "root", "result"),
    [
        ("@/a~1b", ROOT, f"{ROOT}/a~1b"),
        ("@/", ROOT, ROOT),
        ("@//", ROOT, f"{ROOT}//"),
        ("@/a", None, "@/a"),
        ("@/a", "@/b", "@/b/a"),
        ("/interactions/t/stdout", ROOT, "/interactions/t/stdout"),
    ],
)
def test_substitution(pointer: str, root: str | None, result: str) -> None:
    assert substitute(pointer, root) == result
