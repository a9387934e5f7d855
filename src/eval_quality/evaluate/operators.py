"""The two-valued operators (spec 04, section 3).

Two values are structurally equal when their canonical texts are; a value outside the hashed domain has none and raises
``non-canonicalizable-value``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import ge, le
from typing import Any, Final

from eval_quality.artifacts.primitives import KeyedShapeDescriptor
from eval_quality.canonical import MAX_SAFE_INTEGER, serialize, utf16_key, utf16_units
from eval_quality.canonical.domain import binary64

from .evidence import ABSENT, ResolvedValue

Writer = Callable[[Any, str], str]
"""Writes a value's canonical text at an artifact path; may remember values it was given before."""

_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    return _KINDS[type(value)]


def _is_plain(value: Any) -> bool:
    """Whether a value is certain to lie in the domain and to equal just what it equals there."""
    kind = type(value)
    return (
        (kind is str and value.isascii())
        or (kind is int and abs(value) <= MAX_SAFE_INTEGER)
        or kind is bool
        or value is None
    )


def structurally_equal(one: Any, other: Any, artifact_path: str, text_of: Writer = serialize) -> bool:
    """Whether two values have one canonical text; the first is written first."""
    if _is_plain(one) and _is_plain(other):
        return type(one) is type(other) and bool(one == other)
    return text_of(one, artifact_path) == text_of(other, artifact_path)


def existence(value: ResolvedValue) -> bool:
    return value is not ABSENT


def absence(value: ResolvedValue) -> bool:
    return value is ABSENT


def equality(one: ResolvedValue, other: ResolvedValue, artifact_path: str, text_of: Writer = serialize) -> bool:
    """Scalars compare as they are, numbers as doubles, containers structurally; values of two kinds are never equal."""
    if one is ABSENT or other is ABSENT or kind_of(one) != kind_of(other):
        return False
    if isinstance(one, list | dict):
        return structurally_equal(one, other, artifact_path, text_of)
    if kind_of(one) == "number":
        return binary64(one) == binary64(other)
    return bool(one == other)


def deep_equality(one: ResolvedValue, other: ResolvedValue, artifact_path: str, text_of: Writer = serialize) -> bool:
    return one is not ABSENT and other is not ABSENT and structurally_equal(one, other, artifact_path, text_of)


class Members:
    """The members of a set, to be asked time and again; each is written once, and none before it is needed.

    Members are looked at in order, up to the first that equals the value, and the first of all is written before the
    value: an answer and a fault are those of a set asked for the first time.
    """

    def __init__(self, members: Sequence[Any]) -> None:
        self._members = members
        self._texts: set[str] = set()
        self._written = 0

    def holds(self, value: Any, artifact_path: str) -> bool:
        """Whether a member equals the value structurally."""
        text = serialize(value, artifact_path) if self._written else None
        if text in self._texts:
            return True
        while self._written < len(self._members):
            member = serialize(self._members[self._written], artifact_path)
            self._texts.add(member)
            self._written += 1
            text = serialize(value, artifact_path) if text is None else text
            if member == text:
                return True
        return False


def set_membership(value: ResolvedValue, members: Members, artifact_path: str) -> bool:
    """Whether a member equals the value; nothing that is absent is a member."""
    return value is not ABSENT and members.holds(value, artifact_path)


def containment(
    container: ResolvedValue,
    candidate: ResolvedValue,
    artifact_path: str,
    elements_of: Callable[[list[Any]], Members] = Members,
) -> bool:
    """A subset test for an array candidate; else an element of an array, or a part of a text.

    ``elements_of`` may remember lists it was given before.
    """
    if container is ABSENT:
        return False
    if isinstance(candidate, list):
        if not isinstance(container, list):
            return False
        elements = elements_of(container)
        return all(elements.holds(member, artifact_path) for member in candidate)
    if candidate is ABSENT:
        return False
    if isinstance(container, str):
        return isinstance(candidate, str) and utf16_units(candidate) in utf16_units(container)
    return isinstance(container, list) and elements_of(container).holds(candidate, artifact_path)


def ordering(collection: ResolvedValue, key: str, order: str) -> bool:
    """Whether a list is sorted by a key: all numbers, or all texts; ties pass, one element or none is always sorted."""
    if not isinstance(collection, list):
        return False
    if len(collection) < 2:
        return True
    if not all(isinstance(element, dict) and key in element for element in collection):
        return False
    values = [element[key] for element in collection]
    kinds = set(map(kind_of, values))
    if kinds == {"string"}:
        values = [*map(utf16_key, values)]
    elif kinds == {"number"}:
        values = [*map(binary64, values)]
    else:
        return False
    return all(map(le if order == "ascending" else ge, values, values[1:]))


def count_tolerance(collection: ResolvedValue, expected: int, tolerance: int, relative: bool) -> bool:
    """Whether a list has about as many elements as expected."""
    if not isinstance(collection, list):
        return False
    allowed = float(expected) * float(tolerance) / 100 if relative else tolerance
    return abs(len(collection) - expected) <= allowed


def shape(value: ResolvedValue, descriptor: KeyedShapeDescriptor) -> bool:
    """Whether an object has every required key, no key that is not permitted, and the declared types."""
    if not isinstance(value, dict):
        return False
    permitted = set(descriptor["permittedKeys"])
    return (
        all(key in value for key in descriptor["requiredKeys"])
        and all(key in permitted for key in value)
        and all(
            declared is None or key not in value or kind_of(value[key]) == declared
            for key, declared in descriptor["types"].items()
        )
    )


def covers_by_key(
    expected: ResolvedValue, actual: ResolvedValue, expected_key: str, actual_key: str, artifact_path: str
) -> bool:
    """Whether expected and actual elements pair off by key, none left over on either side."""
    if expected is ABSENT or not isinstance(actual, list):
        return False
    slots: set[object] = set()
    for position, element in enumerate(actual):
        keyed = isinstance(element, dict) and actual_key in element
        slot = serialize(element[actual_key], artifact_path) if keyed else position
        if slot in slots:
            return False
        slots.add(slot)
    for element in expected:
        if not isinstance(element, dict) or expected_key not in element:
            return False
        slot = serialize(element[expected_key], artifact_path)
        if slot not in slots:
            return False
        slots.remove(slot)
    return not slots
