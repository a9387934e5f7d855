"""Three-valued resolution of a check (spec 04, section 5).

``insufficient-evidence`` enters where a leaf or a quantifier meets an empty or lost collection; folds pass it on. No
fold stops early: every operand and element is resolved, left to right, and the first error stops the walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, Literal, NamedTuple

from eval_quality.artifacts.evidence_artifact import CheckResolution
from eval_quality.artifacts.expressions import Expression, SetOperand
from eval_quality.canonical import serialize
from eval_quality.errors import PreconditionError
from eval_quality.json_text import json_text

from . import operators
from .evidence import ABSENT, PointerDenotesCollection, ReferenceSetKeys, ResolvedValue, ResolveOperand

Resolution = Literal["true", "false", "insufficient-evidence"]
INSUFFICIENT: Final[Resolution] = "insufficient-evidence"
TOTAL_OPERATORS: Final = frozenset({"existence", "absence", "count-tolerance"})
"""Operators with an answer for an empty collection."""

_GUARD_TAIL: Final = (
    " The injected ResolveOperand returned something else — either a resolver integration bug, or an unresolved "
    "reference set that slipped past compilation (unresolved-reference-set); this guard cannot tell the two apart."
)
_SET_GUARD: Final = (
    "set-membership's set-operand guard: its SetOperand position must resolve to an array, which the schema guarantees."
    + _GUARD_TAIL
)
_CANDIDATE_GUARD: Final = (
    "containment's referenceSet-candidate guard: a { referenceSet } operand must resolve to an array, which the schema "
    "guarantees." + _GUARD_TAIL
)
_EXPECTED_GUARD: Final = (
    "covers-by-key's expected-operand guard: a reference-set operand must resolve to ABSENT or an array, which the "
    "schema guarantees." + _GUARD_TAIL
)


class CheckResolver:
    """Resolves checks of one contract over one set of evidence after the other; what is declared is read once."""

    def __init__(
        self,
        pointer_denotes_collection: PointerDenotesCollection,
        reference_set_keys: ReferenceSetKeys,
        regex_match_step_budget: int,
    ) -> None:
        self.denotes_collection = pointer_denotes_collection
        self.budget = regex_match_step_budget
        self._keys = reference_set_keys
        self._sets: dict[int, tuple[list[Any], operators.Members]] = {}
        self._evidence: _Evidence | None = None

    def with_collections(self, pointer_denotes_collection: PointerDenotesCollection) -> CheckResolver:
        """A resolver for other collections that shares the sets this one has read."""
        other = CheckResolver(pointer_denotes_collection, self._keys, self.budget)
        other._sets = self._sets
        return other

    def resolve(self, expression: Expression, resolve_operand: ResolveOperand, artifact_path: str) -> CheckResolution:
        """Resolve a check to a tree of ``resolution``, ``introductionCondition`` and ``children``.

        Raises ``RuntimeFault`` (``non-canonicalizable-value``, ``operator-cannot-accept-operand``,
        ``budget-exhausted``) at ``artifact_path``, and ``PreconditionError`` for what a compiled contract rules out.
        """
        if self._evidence is None or self._evidence.resolve_operand is not resolve_operand:
            self._evidence = _Evidence(resolve_operand)
        return _Resolution(self, self._evidence, artifact_path).of(expression)

    def set_of(self, operand: SetOperand, declared: list[Any]) -> operators.Members:
        """What a set operand resolved to, as ``set-membership`` reads it: prepared when it is first asked for.

        A contract is not copied while its checks are resolved, so a set is known by its identity.
        """
        known = self._sets.get(id(declared))
        if known is None:
            identifier = operand.get("referenceSet")
            members = declared if identifier is None else self._projected(str(identifier), declared)
            known = self._sets[id(declared)] = (declared, operators.Members(members))
        return known[1]

    def _projected(self, identifier: str, members: list[Any]) -> list[Any]:
        """A reference set's members reduced to the one key it declares, where its keys are known."""
        keys = self._keys.get(identifier)
        if keys is None:
            return members
        head = "set-membership's set-operand projection:"
        if len(keys) != 1:
            raise PreconditionError(
                f'{head} referenceSet "{identifier}" declares {len(keys)} keys, and this position reads exactly one. '
                "A multi-key set here is malformed-operator-expression, which compilation rejects."
            )
        (key,) = keys
        if any(key not in member for member in members):
            raise PreconditionError(
                f'{head} a member of referenceSet "{identifier}" carries no own property "{key}", the key it declares. '
                "That is malformed-operator-expression, which compilation rejects."
            )
        return [member[key] for member in members]


def resolve_check(
    expression: Expression,
    resolve_operand: ResolveOperand,
    pointer_denotes_collection: PointerDenotesCollection,
    reference_set_keys: ReferenceSetKeys,
    regex_match_step_budget: int,
    artifact_path: str,
) -> CheckResolution:
    """Resolve one check by itself, into a tree that is the caller's own; raises what ``CheckResolver.resolve`` raises."""
    checks = CheckResolver(pointer_denotes_collection, reference_set_keys, regex_match_step_budget)
    return _unshared(checks.resolve(expression, resolve_operand, artifact_path))


def _unshared(tree: CheckResolution) -> CheckResolution:
    root: CheckResolution = {**tree, "children": []}
    pending = [(tree, root)]
    while pending:
        shared, own = pending.pop()
        own["children"] = [{**child, "children": []} for child in shared["children"]]
        pending += zip(shared["children"], own["children"], strict=True)
    return root


def _unrecognized(expression: Any) -> PreconditionError:
    told = json_text(expression["op"]) if "op" in expression else "undefined"
    return PreconditionError(f"resolveNode: unrecognized expression.op {told}")


_EMPTY_COLLECTION: Final[CheckResolution] = {
    "resolution": INSUFFICIENT,
    "introductionCondition": "empty-collection",
    "children": [],
}
_HOLDS: Final[CheckResolution] = {"resolution": "true", "introductionCondition": None, "children": []}
_FAILS: Final[CheckResolution] = {"resolution": "false", "introductionCondition": None, "children": []}
"""The answers without children. All trees share them, for nothing that is part of an artifact is ever changed."""


def _answer(holds: bool) -> CheckResolution:
    return _HOLDS if holds else _FAILS


def _truth(holds: bool) -> Resolution:
    return "true" if holds else "false"


def _not(resolutions: Iterable[Resolution]) -> Resolution:
    (only,) = resolutions
    return only if only == INSUFFICIENT else _truth(only == "false")


def _all(resolutions: Iterable[Resolution]) -> Resolution:
    met = set(resolutions)
    return "false" if "false" in met else INSUFFICIENT if INSUFFICIENT in met else "true"


def _any(resolutions: Iterable[Resolution]) -> Resolution:
    met = set(resolutions)
    return INSUFFICIENT if INSUFFICIENT in met else _truth("true" in met)


_CONNECTIVES: Final[Mapping[str, Callable[[Iterable[Resolution]], Resolution]]] = {
    "not": _not,
    "all": _all,
    "any": _any,
}
_QUANTIFIERS: Final[Mapping[str, Callable[[Iterable[Resolution]], Resolution]]] = {"for-all": _all, "for-any": _any}


def _reads_bound_element(leaf: Any) -> bool:
    return any(operand.get("pointer", "").startswith("@") for operand in leaf["operands"])


class _Fold(NamedTuple):
    """A connective or a quantifier whose parts are being resolved: expressions, each with its bound element."""

    fold: Callable[[Iterable[Resolution]], Resolution]
    parts: Iterator[tuple[Any, ResolvedValue]]
    children: list[CheckResolution]


class _Evidence:
    """What operands resolve to, and what was written of it: checks of one contract read the same values again.

    Values are known by their identity; each is kept beside what was made of it.
    """

    def __init__(self, resolve_operand: ResolveOperand) -> None:
        self.resolve_operand = resolve_operand
        self._elements: dict[int, tuple[list[Any], operators.Members]] = {}
        self._texts: dict[int, tuple[Any, str]] = {}
        self._covered: dict[tuple[int, int, str, str], tuple[Any, Any, bool]] = {}

    def elements_of(self, container: list[Any]) -> operators.Members:
        known = self._elements.get(id(container))
        if known is None:
            known = self._elements[id(container)] = (container, operators.Members(container))
        return known[1]

    def text_of(self, value: Any, artifact_path: str) -> str:
        """The canonical text of a value."""
        if not isinstance(value, list | dict):
            return serialize(value, artifact_path)
        known = self._texts.get(id(value))
        if known is None:
            known = self._texts[id(value)] = (value, serialize(value, artifact_path))
        return known[1]

    def covers(self, expected: Any, actual: Any, expected_key: str, actual_key: str, artifact_path: str) -> bool:
        """Whether expected and actual elements pair off by key."""
        asked = (id(expected), id(actual), expected_key, actual_key)
        known = self._covered.get(asked)
        if known is None:
            answer = operators.covers_by_key(expected, actual, expected_key, actual_key, artifact_path)
            known = self._covered[asked] = (expected, actual, answer)
        return known[2]


class _Resolution:
    """One resolution: the evidence it reads, and where it stands in an artifact."""

    def __init__(self, checks: CheckResolver, evidence: _Evidence, artifact_path: str) -> None:
        self._checks = checks
        self._evidence = evidence
        self._resolve_operand = evidence.resolve_operand
        self._path = artifact_path
        self._unbound: dict[int, CheckResolution | None] = {}
        """Answers of leaves that read no bound element, the same for each; ``None`` for a leaf that reads one."""

    def of(self, expression: Expression) -> CheckResolution:
        """Resolve an expression; open folds are kept on a stack, so that depth is no concern of the interpreter."""
        folds: list[_Fold] = []
        answer = self._enter(expression, ABSENT, folds)
        while folds:
            fold, parts, children = folds[-1]
            if answer is not None:
                children.append(answer)
            part = next(parts, None)
            if part is None:
                folds.pop()
                resolution = fold(child["resolution"] for child in children)
                answer = {"resolution": resolution, "introductionCondition": None, "children": children}
            else:
                answer = self._enter(*part, folds)
        assert answer is not None
        return answer

    def _enter(self, expression: Any, bound: ResolvedValue, folds: list[_Fold]) -> CheckResolution | None:
        """The answer of a leaf or an empty quantifier; any other node becomes an open fold."""
        op = expression.get("op")
        if not isinstance(op, str):
            raise _unrecognized(expression)
        if op in _CONNECTIVES:
            folds.append(_Fold(_CONNECTIVES[op], zip(expression["operands"], repeat(bound), strict=False), []))
            return None
        if op in _QUANTIFIERS:
            collection = self._resolve_operand(expression["collection"], bound, self._path)
            if not isinstance(collection, list) or not collection:
                return _EMPTY_COLLECTION
            folds.append(_Fold(_QUANTIFIERS[op], zip(repeat(expression["predicate"]), collection, strict=False), []))
            return None
        if bound is ABSENT:
            return self._leaf(op, expression, bound)
        known = self._unbound.get(id(expression))
        if known is None:
            known = self._leaf(op, expression, bound)
            if id(expression) not in self._unbound:
                self._unbound[id(expression)] = None if _reads_bound_element(expression) else known
        return known

    def _leaf(self, op: str, expression: Any, bound: ResolvedValue) -> CheckResolution:
        if op == "covers-by-key":
            return self._covers_by_key(expression, *self._values(expression["operands"], bound))
        operator = _LEAVES.get(op)
        if operator is None:
            raise _unrecognized(expression)
        operands = expression["operands"]
        values = self._values(operands, bound)
        members: operators.Members | None = None
        if op == "set-membership" and isinstance(values[1], list):
            members = self._checks.set_of(operands[1], values[1])
        if (ABSENT in values or [] in values) and self._meets_empty_collection(op, operands, values):
            return _EMPTY_COLLECTION
        if op == "set-membership":
            if members is None:
                raise PreconditionError(_SET_GUARD)
            values[1] = members
        return _answer(operator(self, expression, *values))

    def _values(self, operands: Sequence[Any], bound: ResolvedValue) -> list[ResolvedValue]:
        return [self._resolve_operand(operand, bound, self._path) for operand in operands]

    def _meets_empty_collection(self, op: str, operands: Sequence[Any], values: Sequence[ResolvedValue]) -> bool:
        for operand, value in zip(operands, values, strict=True):
            if value is ABSENT:
                if "pointer" in operand and self._checks.denotes_collection(operand["pointer"]):
                    return True
            elif isinstance(value, list) and not value and op not in TOTAL_OPERATORS:
                return True
        return False

    def _covers_by_key(self, expression: Any, expected: ResolvedValue, actual: ResolvedValue) -> CheckResolution:
        if expected is not ABSENT and not isinstance(expected, list):
            raise PreconditionError(_EXPECTED_GUARD)
        if isinstance(expected, list) and isinstance(actual, list) and not (expected and actual):
            return _EMPTY_COLLECTION
        keys = (expression["expectedKey"], expression["actualKey"])
        return _answer(self._evidence.covers(expected, actual, *keys, self._path))

    def regex(self, expression: Any, value: ResolvedValue) -> bool:
        from .regex import regex_match

        return regex_match(value, expression["pattern"], self._checks.budget, self._path)

    def set_membership(self, expression: Any, value: ResolvedValue, members: operators.Members) -> bool:
        return operators.set_membership(value, members, self._path)

    def containment(self, expression: Any, container: ResolvedValue, candidate: ResolvedValue) -> bool:
        if "referenceSet" in expression["operands"][1] and not isinstance(candidate, list):
            raise PreconditionError(_CANDIDATE_GUARD)
        return operators.containment(container, candidate, self._path, self._evidence.elements_of)

    def equality(self, expression: Any, one: ResolvedValue, other: ResolvedValue) -> bool:
        return operators.equality(one, other, self._path, self._evidence.text_of)

    def deep_equality(self, expression: Any, one: ResolvedValue, other: ResolvedValue) -> bool:
        return operators.deep_equality(one, other, self._path, self._evidence.text_of)


_LEAVES: Final[Mapping[str, Callable[..., bool]]] = {
    "equality": _Resolution.equality,
    "deep-equality": _Resolution.deep_equality,
    "containment": _Resolution.containment,
    "existence": lambda _, expression, value: operators.existence(value),
    "absence": lambda _, expression, value: operators.absence(value),
    "regex": _Resolution.regex,
    "set-membership": _Resolution.set_membership,
    "ordering": lambda _, expression, value: operators.ordering(value, expression["key"], expression["order"]),
    "count-tolerance": lambda _, expression, value: operators.count_tolerance(
        value, expression["expected"], expression["tolerance"], expression["relative"]
    ),
    "shape": lambda _, expression, value: operators.shape(value, expression["descriptor"]),
}
"""Operators that meet empty collections by the common rule; ``covers-by-key`` has one of its own."""
