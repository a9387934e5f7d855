"""The two-valued operators."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import RuntimeFault
from eval_quality.evaluate import ABSENT
from eval_quality.evaluate.operators import (
    Members,
    absence,
    containment,
    count_tolerance,
    covers_by_key,
    deep_equality,
    equality,
    existence,
    kind_of,
    ordering,
    set_membership,
    shape,
)

UNSAFE = float(2**53)
PATH = "Check"


def test_null_is_present() -> None:
    assert existence(None)
    assert not absence(None)
    assert absence(ABSENT)
    assert not existence(ABSENT)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "null"), (True, "boolean"), (1, "number"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ("é", "e\u0301", False),
        ("1", 1, False),
        ([1, {"a": 2, "b": 3}], [1.0, {"b": 3, "a": 2}], True),
        ([1, 2], [2, 1], False),
        ([True], [1], False),
        ({}, [], False),
        (ABSENT, ABSENT, False),
        (None, ABSENT, False),
    ],
)
def test_both_equalities(one: Any, other: Any, equal: bool) -> None:
    assert equality(one, other, PATH) is equal
    assert equality(other, one, PATH) is equal
    assert deep_equality(one, other, PATH) is equal
    assert deep_equality(other, one, PATH) is equal


@pytest.mark.parametrize("odd", [UNSAFE, "\ud800"])
def test_only_equality_takes_scalars_outside_the_domain(odd: Any) -> None:
    assert equality(odd, odd, PATH)
    assert not equality(odd, None, PATH)
    for one, other in ((odd, odd), (1, odd), (odd, "a")):
        with pytest.raises(RuntimeFault, match="non-canonicalizable-value in Check"):
            deep_equality(one, other, PATH)


def test_the_first_operand_faults_first() -> None:
    with pytest.raises(RuntimeFault, match="integer outside the safe range"):
        deep_equality(UNSAFE, "\ud800", PATH)


def test_membership_looks_up_to_the_first_that_equals() -> None:
    assert set_membership(3, Members([3, UNSAFE]), PATH)
    with pytest.raises(RuntimeFault):
        set_membership(3, Members([UNSAFE, 3]), PATH)
    assert not set_membership(ABSENT, Members([UNSAFE]), PATH)
    assert not set_membership(UNSAFE, Members([]), PATH)


def test_a_member_faults_before_the_value() -> None:
    with pytest.raises(RuntimeFault, match="lone surrogate"):
        Members(["\ud800"]).holds(UNSAFE, PATH)


def test_members_asked_again_answer_as_if_asked_first() -> None:
    members = Members([{"a": 1}, 2, UNSAFE, 4])
    for _ in range(2):
        assert members.holds(2, PATH)
        assert members.holds({"a": 1.0}, PATH)
        for missing in (4, "absent"):
            with pytest.raises(RuntimeFault, match=r"integer outside the safe range at \$: 9007199254740992"):
                members.holds(missing, PATH)
        with pytest.raises(RuntimeFault, match="lone surrogate"):
            members.holds("\ud800", PATH)


@pytest.mark.parametrize(
    ("container", "candidate", "contained"),
    [
        ([1, 2, 3], [3, 1], True),
        ([1], [], True),
        ([[1, 2]], [1, 2], False),
        ([[1, 2]], [[1, 2]], True),
        ("abc", [], False),
        ([1, {"a": 1}], {"a": 1.0}, True),
        ([1], ABSENT, False),
        (ABSENT, [], False),
        ("abc", "bc", True),
        ("abc", "", True),
        ("abc", "B", False),
        ("1", 1, False),
        ("\U0001f600", "\ude00", True),
        ({"a": 1}, "a", False),
        (None, None, False),
    ],
)
def test_containment(container: Any, candidate: Any, contained: bool) -> None:
    assert containment(container, candidate, PATH) is contained


@pytest.mark.parametrize(
    ("values", "ascending", "descending"),
    [
        ([1, 1, 2.5], True, False),
        ([2, -0.0, 0], False, True),
        (["10", "9"], True, False),
        (["\U0001f600", "\ufb33"], True, False),
        ([1, "1"], False, False),
        ([True, True], False, False),
        ([None, None], False, False),
        ([UNSAFE, 1], False, True),
    ],
)
def test_ordering(values: list[Any], ascending: bool, descending: bool) -> None:
    elements = [{"k": value} for value in values]
    assert ordering(elements, "k", "ascending") is ascending
    assert ordering(elements, "k", "descending") is descending


def test_numbers_compare_as_doubles() -> None:
    """Spec 04, section 3: integers a parser kept exact are one number where their doubles are one."""
    assert equality(2**53, 2**53 + 1, PATH)
    assert equality(10**400, 10**500, PATH)
    assert not equality(2**53, 2**53 + 2, PATH)
    assert ordering([{"k": 2**53 + 1}, {"k": 2**53}, {"k": 2.0**53}], "k", "ascending")
    assert not ordering([{"k": 2**53 + 2}, {"k": 2**53}], "k", "ascending")


def test_one_element_is_sorted_whatever_it_is() -> None:
    assert ordering([], "k", "ascending")
    assert ordering([None], "k", "ascending")
    assert not ordering([{"k": 1}, {}], "k", "ascending")
    assert not ordering([{"k": 1}, [1]], "k", "ascending")
    assert not ordering({"k": 1}, "k", "ascending")
    assert not ordering(ABSENT, "k", "ascending")


@pytest.mark.parametrize(
    ("length", "expected", "tolerance", "relative", "holds"),
    [
        (3, 3, 0, False, True),
        (2, 3, 1, False, True),
        (1, 3, 1, False, False),
        (9, 10, 10, True, True),
        (8, 10, 10, True, False),
        (10, 9, 11, True, False),
        (0, 0, 0, True, True),
    ],
)
def test_count_tolerance(length: int, expected: int, tolerance: int, relative: bool, holds: bool) -> None:
    assert count_tolerance([None] * length, expected, tolerance, relative) is holds


def test_only_lists_are_counted() -> None:
    assert not count_tolerance("abc", 3, 0, False)
    assert not count_tolerance(ABSENT, 0, 9, False)


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ({"id": 1}, True),
        ({"id": 1.5, "note": None}, True),
        ({"id": 1, "note": False}, True),
        ({"note": None}, False),
        ({"id": True}, False),
        ({"id": 1, "more": 1}, False),
        ([], False),
        (None, False),
        (ABSENT, False),
    ],
)
def test_shape(value: Any, holds: bool) -> None:
    descriptor: Any = {
        "requiredKeys": ["id"],
        "permittedKeys": ["id", "note"],
        "types": {"id": "number", "note": None, "absent": "string"},
    }
    assert shape(value, descriptor) is holds


def test_a_required_key_that_is_not_permitted_fails_every_value() -> None:
    descriptor: Any = {"requiredKeys": ["id"], "permittedKeys": [], "types": {}}
    assert not shape({"id": 1}, descriptor)
    assert not shape({}, descriptor)


@pytest.mark.parametrize(
    ("expected", "actual", "covers"),
    [
        ([1, 2], [2, 1], True),
        ([1], [1, 2], False),
        ([1, 2], [1], False),
        ([1, 1], [1, 1], False),
        ([1, 1], [1, 2], False),
        ([1], ["1"], False),
        ([0], [-0.0], True),
        ([None], [None], True),
        ([{"a": [1]}], [{"a": [1.0]}], True),
        ([], [], True),
    ],
)
def test_covers_by_key(expected: list[Any], actual: list[Any], covers: bool) -> None:
    wanted = [{"id": value} for value in expected]
    found = [{"key": value, "more": 1} for value in actual]
    assert covers_by_key(wanted, found, "id", "key", PATH) is covers


@pytest.mark.parametrize("stray", [{}, None, [1], "key"])
def test_elements_without_the_key_pair_with_nothing(stray: Any) -> None:
    assert not covers_by_key([{"id": 1}], [{"key": 1}, stray], "id", "key", PATH)
    assert not covers_by_key([{"id": 1}, stray], [{"key": 1}, {"key": 2}], "id", "key", PATH)


def test_actual_keys_fault_before_expected_ones() -> None:
    with pytest.raises(RuntimeFault, match="lone surrogate"):
        covers_by_key([{"id": UNSAFE}], [{"key": "\ud800"}], "id", "key", PATH)
    assert not covers_by_key([{"id": UNSAFE}], [{"key": 1}, {"key": 1}], "id", "key", PATH)


def test_two_elements_without_the_key_are_no_duplicates() -> None:
    """Spec 04, section 3: each has a slot of its own, so that the next element is still looked at."""
    with pytest.raises(RuntimeFault, match="lone surrogate"):
        covers_by_key([], [{}, {}, {"key": "\ud800"}], "id", "key", PATH)


def test_nothing_covers_what_is_not_a_list() -> None:
    assert not covers_by_key(ABSENT, [], "id", "key", PATH)
    assert not covers_by_key([], ABSENT, "id", "key", PATH)
    assert not covers_by_key([], {"key": 1}, "id", "key", PATH)
