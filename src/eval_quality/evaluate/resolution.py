"""Three-valued resolution of a check (spec 04, section 5).

``insufficient-evidence`` enters where a leaf or a quantifier meets an empty or lost collection; folds pass it on. No fold
stops early: every operand and element is resolved, left to right, and the first error stops the walk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from eval_quality.artifacts.evidence_artifact import CheckResolution
from eval_quality.artifacts.expressions import Expression
from eval_quality.errors import PreconditionError

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


def resolve_check(
    expression: Expression,
    resolve_operand: ResolveOperand,
    pointer_denotes_collection: PointerDenotesCollection,
    reference_set_keys: ReferenceSetKeys,
    regex_match_step_budget: int,
    artifact_path: str,
) -> CheckResolution:
    """Resolve a check to a tree of ``resolution``, ``introductionCondition`` and ``children``.

    Raises ``RuntimeFault`` (``non-canonicalizable-value``, ``operator-cannot-accept-operand``, ``budget-exhausted``) at
    ``artifact_path``, and ``PreconditionError`` for what a compiled contract rules out.
    """
    resolver = _Resolver(
        resolve_operand, pointer_denotes_collection, reference_set_keys, regex_match_step_budget, artifact_path
    )
    return resolver.resolve(expression, ABSENT)


def _answer(resolution: Resolution, children: list[CheckResolution] | None = None) -> CheckResolution:
    return {"resolution": resolution, "introductionCondition": None, "children": children or []}


def _empty_collection() -> CheckResolution:
    return {"resolution": INSUFFICIENT, "introductionCondition": "empty-collection", "children": []}


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


class _Resolver:
    """The functions and the budget of one resolution."""

    def __init__(
        self,
        resolve_operand: ResolveOperand,
        denotes_collection: PointerDenotesCollection,
        reference_set_keys: ReferenceSetKeys,
        budget: int,
        artifact_path: str,
    ) -> None:
        self._resolve_operand = resolve_operand
        self._denotes_collection = denotes_collection
        self._reference_set_keys = reference_set_keys
        self._budget = budget
        self._path = artifact_path

    def resolve(self, expression: Any, bound: ResolvedValue) -> CheckResolution:
        op = expression.get("op")
        if op in _CONNECTIVES:
            children = []
            for operand in expression["operands"]:
                children.append(self.resolve(operand, bound))
            return _answer(_CONNECTIVES[op](child["resolution"] for child in children), children)
        if op in _QUANTIFIERS:
            collection = self._resolve_operand(expression["collection"], bound, self._path)
            if not isinstance(collection, list) or not collection:
                return _empty_collection()
            children = []
            for element in collection:
                children.append(self.resolve(expression["predicate"], element))
            return _answer(_QUANTIFIERS[op](child["resolution"] for child in children), children)
        return self._leaf(op, expression, bound)

    def _leaf(self, op: Any, expression: Any, bound: ResolvedValue) -> CheckResolution:
        operator = _LEAVES.get(op) if isinstance(op, str) else None
        if operator is None:
            told = json.dumps(op, ensure_ascii=False, separators=(",", ":")) if "op" in expression else "undefined"
            raise PreconditionError(f"resolveNode: unrecognized expression.op {told}")
        operands = expression["operands"]
        values = [self._resolve_operand(operand, bound, self._path) for operand in operands]
        if op == "covers-by-key":
            return self._covers_by_key(expression, *values)
        if op == "set-membership":
            values[1] = self._projected(operands[1], values[1])
        if self._meets_empty_collection(op, operands, values):
            return _empty_collection()
        return _answer(_truth(operator(self, expression, *values)))

    def _meets_empty_collection(self, op: str, operands: Sequence[Any], values: Sequence[ResolvedValue]) -> bool:
        for operand, value in zip(operands, values, strict=True):
            if value is ABSENT:
                if "pointer" in operand and self._denotes_collection(operand["pointer"]):
                    return True
            elif value == [] and isinstance(value, list) and op not in TOTAL_OPERATORS:
                return True
        return False

    def _projected(self, operand: Any, members: ResolvedValue) -> ResolvedValue:
        """A reference set's members reduced to the one key it declares, where its keys are known."""
        identifier = operand.get("referenceSet")
        keys = None if identifier is None else self._reference_set_keys.get(identifier)
        if keys is None or not isinstance(members, list):
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

    def _covers_by_key(self, expression: Any, expected: ResolvedValue, actual: ResolvedValue) -> CheckResolution:
        if expected is not ABSENT and not isinstance(expected, list):
            raise PreconditionError(_EXPECTED_GUARD)
        if isinstance(expected, list) and isinstance(actual, list) and not (expected and actual):
            return _empty_collection()
        keys = (expression["expectedKey"], expression["actualKey"])
        return _answer(_truth(operators.covers_by_key(expected, actual, *keys, self._path)))

    def regex(self, expression: Any, value: ResolvedValue) -> bool:
        from .regex import regex_match

        return regex_match(value, expression["pattern"], self._budget, self._path)

    def set_membership(self, expression: Any, value: ResolvedValue, members: ResolvedValue) -> bool:
        if not isinstance(members, list):
            raise PreconditionError(_SET_GUARD)
        return operators.set_membership(value, members, self._path)

    def containment(self, expression: Any, container: ResolvedValue, candidate: ResolvedValue) -> bool:
        if "referenceSet" in expression["operands"][1] and not isinstance(candidate, list):
            raise PreconditionError(_CANDIDATE_GUARD)
        return operators.containment(container, candidate, self._path)

    def equality(self, expression: Any, one: ResolvedValue, other: ResolvedValue) -> bool:
        return operators.equality(one, other, self._path)

    def deep_equality(self, expression: Any, one: ResolvedValue, other: ResolvedValue) -> bool:
        return operators.deep_equality(one, other, self._path)


_LEAVES: Final[Mapping[str, Callable[..., bool]]] = {
    "equality": _Resolver.equality,
    "deep-equality": _Resolver.deep_equality,
    "containment": _Resolver.containment,
    "existence": lambda _, expression, value: operators.existence(value),
    "absence": lambda _, expression, value: operators.absence(value),
    "regex": _Resolver.regex,
    "set-membership": _Resolver.set_membership,
    "ordering": lambda _, expression, value: operators.ordering(value, expression["key"], expression["order"]),
    "count-tolerance": lambda _, expression, value: operators.count_tolerance(
        value, expression["expected"], expression["tolerance"], expression["relative"]
    ),
    "shape": lambda _, expression, value: operators.shape(value, expression["descriptor"]),
    "covers-by-key": lambda *_: False,  # has a rule of its own for empty collections
}
