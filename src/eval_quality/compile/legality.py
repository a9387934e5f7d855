"""Whether an expression is well formed beyond its schema (spec 05, sections 5.6, 5.7 and 5.9; AD-4, AD-26).

In the order compilation checks them:

1. ``@`` pointers stand inside a quantifier's predicate (oracle checks only).
2. An operand is of a kind its position accepts; ``ordering`` reads observed output; the reference set behind
   ``set-membership`` has one key that every member carries; the one behind ``covers-by-key`` has distinct expected
   keys.
3. (Patterns have a module of their own.)
4. A quantifier does not range over what is declared not to be a collection.
5. Quantifiers do not nest, and ``covers-by-key`` never stands inside one.
6. A reference set that is named is declared.

Rules take a ``Site``, so that a probe's bare expression is judged by the same rules as a contract's.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Final

from eval_quality.canonical import digest_artifact
from eval_quality.errors import StructuralFailure
from eval_quality.expression_walk import QUANTIFIERS, Node, bound_root, is_bound, operands_of, pointers_of
from eval_quality.plan_index import parse_evidence_target

from .paths import member_path

if TYPE_CHECKING:
    from eval_quality.artifacts.eval_contract import ReferenceSetDeclaration

    from .sites import Site
    from .subject import Subject

_POINTER: Final = frozenset({"pointer"})
_VALUE: Final = frozenset({"pointer", "literal"})
_SET: Final = frozenset({"pointer", "literal", "referenceSet"})

LEGAL_KINDS: Final = {
    ("equality", "0"): _VALUE,
    ("equality", "1"): _VALUE,
    ("deep-equality", "0"): _VALUE,
    ("deep-equality", "1"): _VALUE,
    ("containment", "0"): _POINTER,
    ("containment", "1"): _SET,
    ("existence", "0"): _POINTER,
    ("absence", "0"): _POINTER,
    ("regex", "0"): _POINTER,
    ("set-membership", "0"): _POINTER,
    ("ordering", "0"): _POINTER,
    ("count-tolerance", "0"): _POINTER,
    ("shape", "0"): _POINTER,
    ("covers-by-key", "0"): frozenset({"referenceSet"}),
    ("covers-by-key", "1"): _POINTER,
    ("for-all", "collection"): _POINTER,
    ("for-any", "collection"): _POINTER,
}
"""Which kinds of operand each position of each operator accepts."""


def malformed(path: str, detail: str) -> StructuralFailure:
    return StructuralFailure("malformed-operator-expression", path, detail)


def unbound_elements(site: Site) -> Iterator[StructuralFailure]:
    """Pointers to a bound element where no quantifier binds one."""
    for node in site.nodes:
        for use in pointers_of(node):
            if is_bound(use.pointer) and not use.in_predicate:
                yield malformed(
                    site.path + use.path,
                    f'bound-element pointer "{use.pointer}" appears outside any quantifier\'s predicate; "@/" binds only '
                    "inside a quantifier (AD-26)",
                )


def illegal_operands(site: Site) -> Iterator[StructuralFailure]:
    """Operands of a kind their position does not accept, and ``ordering`` over what was sent."""
    for node in site.nodes:
        yield from _illegal_operands_of(node, site)


def quantifiers_over_scalars(site: Site) -> Iterator[StructuralFailure]:
    """Quantifiers over a field declared to be something other than an array.

    Raises ``PreconditionError`` when the substituted pointer of a nested quantifier addresses no evidence channel.
    """
    for node in site.nodes:
        pointer = bound_root(node) if node.op in QUANTIFIERS else None
        if pointer is None or is_bound(pointer):
            continue
        target = parse_evidence_target(pointer)
        surface = site.surface_of(target.step_id)
        if surface is None or not surface.describes(target) or len(target.tail) != 1:
            continue
        declared = surface.operation["responseDescriptor"]["types"].get(target.tail[0])
        if declared is not None and declared != "array":
            yield StructuralFailure(
                "quantifier-over-non-collection",
                f"{site.path}{node.path}.collection",
                f'"{pointer}" is declared "{declared}" by {surface.named}, not a collection (AD-4)',
            )


def nested_quantifiers(site: Site) -> Iterator[StructuralFailure]:
    """Quantifiers, and ``covers-by-key``, inside a quantifier's predicate."""
    for node in site.nodes:
        if node.depth and node.op in QUANTIFIERS:
            detail = (
                "a quantifier appears inside another quantifier's predicate; quantifiers may not nest more than one "
                "level (AD-4)"
            )
        elif node.depth and node.op == "covers-by-key":
            detail = "covers-by-key appears inside a quantifier's predicate, where it may never nest (AD-4)"
        else:
            continue
        yield StructuralFailure("quantifier-nesting-exceeded", site.path + node.path, detail)


def check_bound_elements(subject: Subject) -> Iterator[StructuralFailure]:
    """No oracle check reads a bound element outside a quantifier (row 8); relations are not held to it."""
    for site in subject.oracle_sites:
        yield from unbound_elements(site)


def check_operands(subject: Subject) -> Iterator[StructuralFailure]:
    """Every operand is legal in its position, and so is the reference set behind it (row 9).

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` for an expected key that has no digest.
    """
    declared = subject.contract["referenceSets"] or {}
    sound: set[tuple[str, ...]] = set()
    for site in subject.sites:
        for node in site.nodes:
            if node.op == "covers-by-key":
                yield from _unsound_expected_keys(node, declared, sound)
            yield from _illegal_operands_of(node, site)
            if node.op == "set-membership":
                yield from _unsound_set(node, site, declared, sound)


def check_quantified_collections(subject: Subject) -> Iterator[StructuralFailure]:
    """No quantifier ranges over what an operation declares not to be a collection (row 11)."""
    for site in subject.sites:
        yield from quantifiers_over_scalars(site)


def check_quantifier_nesting(subject: Subject) -> Iterator[StructuralFailure]:
    """Quantifiers do not nest (row 12)."""
    for site in subject.sites:
        yield from nested_quantifiers(site)


def check_reference_sets(subject: Subject) -> Iterator[StructuralFailure]:
    """Every reference set an expression names is declared (row 13)."""
    declared = subject.contract["referenceSets"] or {}
    for site in subject.sites:
        for path, name in _undeclared_sets(site, declared):
            detail = f'referenceSet "{name}" is not declared on the contract (AD-26)'
            yield StructuralFailure("unresolved-reference-set", path, detail)


def _illegal_operands_of(node: Node, site: Site) -> Iterator[StructuralFailure]:
    for use in operands_of(node):
        (kind,) = use.operand
        if kind not in LEGAL_KINDS[node.op, use.position]:
            yield malformed(
                site.path + use.path,
                f'"{node.op}" does not accept a {kind} operand at position {use.position} (AD-4, AD-26)',
            )
        pointer = use.operand.get("pointer")
        if node.op == "ordering" and isinstance(pointer, str) and _is_sent(pointer):
            yield malformed(site.path + use.path, '"ordering" accepts observed output only, never call-inputs (AD-4)')


def _is_sent(pointer: str) -> bool:
    return not is_bound(pointer) and parse_evidence_target(pointer).channel == "call-inputs"


def _unsound_set(
    node: Node, site: Site, declared: dict[str, ReferenceSetDeclaration], sound: set[tuple[str, ...]]
) -> Iterator[StructuralFailure]:
    """A reference set in the set position must have one key, which every member carries."""
    name = node.expression["operands"][1].get("referenceSet")
    if name not in declared or (name,) in sound:
        return
    keys = declared[name]["keys"]
    if len(keys) != 1:
        yield malformed(
            f"{site.path}{node.path}.operands[1]",
            f'referenceSet "{name}" declares {len(keys)} keys, and set-membership reads exactly one, so only a '
            "single-key set is legal in its set position (AD-4, AD-26)",
        )
    for position, member in enumerate(declared[name]["members"]):
        if keys[0] not in member:
            yield malformed(
                member_path(name, position, keys[0]),
                f'referenceSet "{name}" has a member carrying no key "{keys[0]}", which it declares and which '
                "set-membership reads (AD-4, AD-26)",
            )
    sound.add((name,))


def _unsound_expected_keys(
    node: Node, declared: dict[str, ReferenceSetDeclaration], sound: set[tuple[str, ...]]
) -> Iterator[StructuralFailure]:
    """Members of the expected side carry the expected key, each a different value."""
    name, key = node.expression["operands"][0].get("referenceSet"), node.expression["expectedKey"]
    if name not in declared or (name, key) in sound:
        return
    digests = set()
    for position, member in enumerate(declared[name]["members"]):
        path = member_path(name, position, key)
        if key not in member:
            yield malformed(
                path,
                f'referenceSet "{name}" has a member carrying no expectedKey "{key}", which covers-by-key reads on '
                "every member (AD-4)",
            )
            continue
        digest = digest_artifact(member[key], path)
        if digest in digests:
            yield malformed(path, f'referenceSet "{name}" repeats expectedKey "{key}" for covers-by-key (AD-4)')
        digests.add(digest)
    sound.add((name, key))


def _undeclared_sets(site: Site, declared: Container[object]) -> Iterator[tuple[str, str]]:
    """Path and identifier of every undeclared reference set an expression names, the set position included."""
    for node in site.nodes:
        for use in operands_of(node):
            name = use.operand.get("referenceSet")
            if name is not None and name not in declared:
                yield site.path + use.path, str(name)
        if node.op == "set-membership":
            name = node.expression["operands"][1].get("referenceSet")
            if name is not None and name not in declared:
                yield f"{site.path}{node.path}.operands[1]", name
