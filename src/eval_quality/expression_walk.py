"""Walks over expression trees: nodes in document order, the operands each reads, and what ``@`` stands for (spec 05).

Every rule that looks at an expression reads the same sequence of nodes: a node, then its children from left to right; a
quantifier's one child is its predicate. A node knows its path below the root (``.operands[1].predicate``), how many
quantifiers enclose it, and the pointer of the collection it is bound to. Walks keep their own stack, so that the depth
of an expression is no concern of the interpreter; paths are written only when asked for, so that it costs no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.expressions import CONNECTIVE_NAMES, QUANTIFIER_NAMES, Expression, Operand

CONNECTIVES: Final = frozenset(CONNECTIVE_NAMES)
QUANTIFIERS: Final = frozenset(QUANTIFIER_NAMES)


class Node(NamedTuple):
    """One node of an expression, with its surroundings."""

    expression: Any
    """The node; one of the arms of ``Expression``, as its ``op`` says."""
    step: str
    """The step to the node from the one above it; empty for the root."""
    depth: int
    """How many quantifier predicates enclose the node."""
    parent: Node | None
    """The node above it."""
    root: str | None
    """Pointer of the collection the nearest quantifier ranges over, itself substituted; ``None`` when there is none."""

    @property
    def op(self) -> str:
        return cast(str, self.expression["op"])

    @property
    def path(self) -> str:
        """Where the node lies below the root expression; empty for the root."""
        steps = []
        node: Node | None = self
        while node is not None:
            steps.append(node.step)
            node = node.parent
        return "".join(reversed(steps))


class OperandUse(NamedTuple):
    """One operand in its position: ``"0"``, ``"1"`` or ``"collection"``."""

    operand: Operand
    position: str
    node: Node
    """The node that reads it."""

    @property
    def path(self) -> str:
        place = ".collection" if self.position == "collection" else f".operands[{self.position}]"
        return self.node.path + place


class PointerUse(NamedTuple):
    """One evidence pointer an expression reads."""

    pointer: str
    operand: OperandUse

    @property
    def path(self) -> str:
        return self.operand.path

    @property
    def in_predicate(self) -> bool:
        """Whether a quantifier binds an element here."""
        return self.operand.node.depth > 0


def walk(expression: Expression) -> Iterator[Node]:
    """Every node of an expression: parents before children, children from left to right."""
    pending = [Node(expression, "", 0, None, None)]
    while pending:
        node = pending.pop()
        yield node
        if node.op in CONNECTIVES:
            pending += [
                Node(child, f".operands[{position}]", node.depth, node, node.root)
                for position, child in reversed(list(enumerate(node.expression["operands"])))
            ]
        elif node.op in QUANTIFIERS:
            pending.append(Node(node.expression["predicate"], ".predicate", node.depth + 1, node, bound_root(node)))


def bound_root(quantifier: Node) -> str | None:
    """The pointer a quantifier's predicate is bound to: its collection, substituted; ``None`` if that is no pointer."""
    pointer = quantifier.expression["collection"].get("pointer")
    return None if pointer is None else substitute(pointer, quantifier.root)


def operands_of(node: Node) -> Iterator[OperandUse]:
    """The operands a node reads itself: a quantifier's collection, an operator's operands.

    A connective has expressions instead, and the set position of ``set-membership`` has a grammar of its own; neither
    is an operand.
    """
    if node.op in QUANTIFIERS:
        yield OperandUse(node.expression["collection"], "collection", node)
    elif node.op not in CONNECTIVES:
        operands = node.expression["operands"][:1] if node.op == "set-membership" else node.expression["operands"]
        for position, operand in enumerate(operands):
            yield OperandUse(operand, str(position), node)


def pointers_of(node: Node) -> Iterator[PointerUse]:
    """The pointers among the operands a node reads itself, as they are written."""
    for use in operands_of(node):
        if (pointer := use.operand.get("pointer")) is not None:
            yield PointerUse(str(pointer), use)


def evidence_pointers(expression: Expression) -> Iterator[PointerUse]:
    """Every pointer of an expression in document order, as it is written."""
    for node in walk(expression):
        yield from pointers_of(node)


def is_bound(pointer: str) -> bool:
    """Whether a pointer addresses the element a quantifier binds (``@/...``) instead of an interaction."""
    return pointer.startswith("@")


def substitute(pointer: str, root: str | None) -> str:
    """What a bound-element pointer addresses when ``@`` stands for ``root``; any other pointer as it is.

    ``@/`` is the element itself; ``@/name`` lies below it. The tail stays encoded. Without a root nothing changes.
    """
    if root is None or not is_bound(pointer):
        return pointer
    return root if pointer == "@/" else root + pointer[1:]
