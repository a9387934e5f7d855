"""What holds of operators and regular expressions for values and patterns no author would write."""

from __future__ import annotations

from functools import reduce
from typing import Any

import regress
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from eval_quality.canonical import serialize, utf16_units
from eval_quality.errors import RuntimeFault
from eval_quality.evaluate.operators import (
    Members,
    containment,
    covers_by_key,
    deep_equality,
    equality,
    kind_of,
    ordering,
    structurally_equal,
)
from eval_quality.evaluate.regex import regex_match
from eval_quality.evaluate.regex_backtracking import backtracking_matcher
from eval_quality.evaluate.regex_linear import linear_matcher
from eval_quality.evaluate.regex_positions import positions_matcher
from eval_quality.evaluate.regex_syntax import is_valid_pattern
from eval_quality.evaluate.regex_tree import parse_pattern

THOROUGH = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
STEPS = 200_000

UNITS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "1",
            "_",
            "-",
            " ",
            ".",
            r"\n",
            "\u00e9",
            "\u2028",
            r"\-",
            r"\x41",
            r"\u0062",
            r"\0",
            r"\101",
            r"\8",
        ),
        *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\cA", r"\c", "[]", "[^]", "[ab]", "[^a]", "[a-c]", r"[\w-]"),
        *(r"[\b]", r"[\c1]", r"[a-\d]", "[--a]", "{", "}", "]", "a{", "a{,2}"),
    ]
)
PLACES = st.sampled_from(["^", "$", r"\b", r"\B"])
QUANTIFIERS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0}", "{1,}", "{0,3}", "*?", "+?", "??", "{1,2}?"])
OPENINGS = st.sampled_from(["(", "(?:", "(?i:", "(?s:", "(?m:", "(?=", "(?!", "(?<=", "(?<!"])
REFERENCES = st.sampled_from([r"\1", r"\2"])
SUBJECTS = st.text("aabbcABC1-_ \n\u2028\u00e9\u00c9{}]8\x01\x00,2", max_size=7)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, -0.0, 1e-7])
    | st.text("a1\u00e9", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
ODD_VALUES = JSON_VALUES | st.sampled_from([2.0**53, "\ud800", ["\udc00"], {"a": 1e300}])


def patterns(units: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns out of these; most are valid, and quantifiers nest only by way of an alternative's body."""
    return st.recursive(
        units | PLACES,
        lambda inner: st.one_of(
            st.builds("{}{}".format, inner, inner),
            st.builds("(?:{}|{})".format, inner, inner),
            st.builds("{}{})".format, OPENINGS, inner),
            st.builds("({})".format, inner),
            st.builds("{}{}".format, units, QUANTIFIERS),
            st.builds("(?:{}){}".format, inner, QUANTIFIERS),
        ),
        max_leaves=8,
    )


def holds_nested_quantifiers(pattern: str) -> bool:
    try:
        regex_match("", pattern, 0, "Check")
    except RuntimeFault as error:
        return error.code == "budget-exhausted"
    return False


@THOROUGH
@given(patterns(UNITS), st.lists(SUBJECTS, min_size=1, max_size=4))
def test_all_engines_agree(pattern: str, subjects: list[str]) -> None:
    assume(is_valid_pattern(pattern))
    tree, _, referenced = parse_pattern(utf16_units(pattern))
    assert not referenced
    linear = linear_matcher(tree)
    positions, backtracking = positions_matcher(tree, STEPS), backtracking_matcher(tree, referenced, STEPS)
    oracle = None if holds_nested_quantifiers(pattern) else regress.Regex(pattern)
    for subject in subjects:
        found = positions(subject)
        assert backtracking(subject) in (found, None)
        assert linear is None or linear(subject) is found
        assert oracle is None or (oracle.find(subject) is not None) is found


@THOROUGH
@given(patterns(UNITS | REFERENCES), st.lists(SUBJECTS, min_size=1, max_size=4))
def test_backreferences_agree_with_another_engine(pattern: str, subjects: list[str]) -> None:
    assume(is_valid_pattern(pattern) and not holds_nested_quantifiers(pattern))
    oracle = regress.Regex(pattern)
    for subject in subjects:
        assert regex_match(subject, pattern, 10**6, "Check") is (oracle.find(subject) is not None)


@THOROUGH
@given(st.text("a1-,()[]{}*+?|^$\\k<>nuxc=!:i", max_size=8))
def test_the_same_texts_are_patterns(text: str) -> None:
    try:
        regress.Regex(text)
    except regress.RegressError:
        assert not is_valid_pattern(text)
    else:
        assert is_valid_pattern(text)


@THOROUGH
@given(st.text("a\U0001f600\ud83d\ude00", max_size=6), st.text("a.^$\U0001f600\ud83d", max_size=4))
def test_units_are_matched_one_by_one(subject: str, pattern: str) -> None:
    """A pattern over literals only is a search for its units, whichever engine is asked."""
    tree, _, referenced = parse_pattern(utf16_units(pattern))
    linear = linear_matcher(tree)
    assert linear is not None
    answers = {linear(utf16_units(subject)), positions_matcher(tree, STEPS)(utf16_units(subject))}
    answers.add(backtracking_matcher(tree, referenced, STEPS)(utf16_units(subject)))
    assert len(answers) == 1
    if not set(pattern) & set(".^$"):
        assert answers == {utf16_units(pattern) in utf16_units(subject)}


def outcome(decide: Any, *arguments: Any) -> bool | str:
    """What a function decides, or the fault it raises."""
    try:
        return bool(decide(*arguments, "Check"))
    except RuntimeFault as error:
        return str(error)


@THOROUGH
@given(ODD_VALUES, ODD_VALUES)
def test_structural_equality_is_equality_of_texts(one: Any, other: Any) -> None:
    def by_text(left: Any, right: Any, path: str) -> bool:
        return serialize(left, path) == serialize(right, path)

    assert outcome(structurally_equal, one, other) == outcome(by_text, one, other)
    assert outcome(deep_equality, one, other) == outcome(by_text, one, other)


@THOROUGH
@given(JSON_VALUES, JSON_VALUES)
def test_both_equalities_agree_inside_the_domain(one: Any, other: Any) -> None:
    assert equality(one, other, "Check") is deep_equality(one, other, "Check") is equality(other, one, "Check")
    assert equality(one, one, "Check")
    assert not equality(one, other, "Check") or kind_of(one) == kind_of(other)


@THOROUGH
@given(st.lists(ODD_VALUES, max_size=5), st.lists(ODD_VALUES, min_size=1, max_size=5))
def test_members_remember_nothing_that_shows(members: list[Any], values: list[Any]) -> None:
    def one_by_one(value: Any, path: str) -> bool:
        return any(structurally_equal(member, value, path) for member in members)

    remembering = Members(members)
    for value in values:
        assert outcome(remembering.holds, value) == outcome(one_by_one, value)


@THOROUGH
@given(st.lists(ODD_VALUES, max_size=5), st.lists(ODD_VALUES, max_size=5))
def test_containment_of_a_list_is_that_of_each_member(container: list[Any], candidates: list[Any]) -> None:
    def each(path: str) -> bool:
        return all(
            reduce(lambda found, element: found or structurally_equal(element, candidate, path), container, False)
            for candidate in candidates
        )

    assert outcome(containment, container, candidates) == outcome(each)


@THOROUGH
@given(st.lists(JSON_VALUES, max_size=5), st.randoms(use_true_random=False), st.booleans())
def test_a_collection_covers_what_it_pairs_off_with(keys: list[Any], random: Any, drop: bool) -> None:
    texts = [serialize(key, "Check") for key in keys]
    expected = [{"id": key} for key in keys]
    actual = [{"key": key, "more": None} for key in random.sample(keys, len(keys))]
    paired = len(set(texts)) == len(texts)
    assert covers_by_key(expected, actual, "id", "key", "Check") is paired
    if drop and keys:
        assert not covers_by_key(expected, actual[1:], "id", "key", "Check")
        assert not covers_by_key(expected[1:], actual, "id", "key", "Check")


@THOROUGH
@given(st.lists(st.integers(-5, 5) | st.floats(-5, 5), max_size=6) | st.lists(st.text("a\uffff\U0001f600"), max_size=6))
def test_sorted_collections_are_in_order(values: list[Any]) -> None:
    def unit_order(value: Any) -> Any:
        return value.encode("utf-16-be") if isinstance(value, str) else value

    ascending = [{"k": value} for value in sorted(values, key=unit_order)]
    assert ordering(ascending, "k", "ascending")
    assert ordering(ascending[::-1], "k", "descending")
    several = len({unit_order(value) for value in values}) > 1
    assert ordering(ascending[::-1], "k", "ascending") is not several
