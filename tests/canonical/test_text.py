"""Canonical text: what it looks like, and which value it refuses with which words (spec 03, sections 1 and 2)."""

from __future__ import annotations

import enum
import math
import re
from collections import OrderedDict
from typing import Any, NamedTuple

import pytest

from eval_quality.canonical import (
    MAX_NESTING_DEPTH,
    artifact_pieces,
    assert_hashed_artifact_value,
    canonicalize,
    js_key_order,
    json_string,
    number_text,
    serialize,
    serialize_artifact,
)
from eval_quality.canonical import text as text_module
from eval_quality.canonical.fast_text import fast_bytes
from eval_quality.canonical.text import exact_text
from eval_quality.errors import RuntimeFault


def refusal(value: object) -> str:
    with pytest.raises(RuntimeFault) as caught:
        serialize(value, "Thing")
    assert caught.value.code == "non-canonicalizable-value"
    assert caught.value.artifact_path == "Thing"
    return caught.value.detail


def nested(depth: int, leaf: Any, key: str | None = None) -> Any:
    for _ in range(depth):
        leaf = [leaf] if key is None else {key: leaf}
    return leaf


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (100, "100"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1000000000000000.5, "1000000000000000.5"),
        (-123.456, "-123.456"),
        (2**53 - 1, "9007199254740991"),
        (2**60, "1152921504606847000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-(2**70), "-1.1805916207174113e+21"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (10**400, "Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_are_laid_out_as_ecmascript_does(number: float, text: str) -> None:
    assert number_text(number) == text


def test_text_is_compact_sorted_and_least_escaped() -> None:
    value: dict[str, object] = {"b": [1.0, True, None, {}], "a": '"\\\b\t\n\f\r\x01/\x7f\u2028é', "": []}
    expected = '{"":[],"a":"\\"\\\\\\b\\t\\n\\f\\r\\u0001/\x7f\u2028é","b":[1,true,null,{}]}'
    assert serialize(value, "Thing") == expected
    assert serialize_artifact(value, "Thing") == expected + "\n"
    assert canonicalize(value, "Thing") == expected.encode()


def test_keys_are_ordered_by_utf16_units_and_as_text() -> None:
    keys = ["\r", "10", "9", "A", "a", "b", "é", "😀", "\ufb33"]
    assert (
        serialize(dict.fromkeys(reversed(keys)), "Thing")
        == "{" + ",".join(f"{json_string(key)}:null" for key in keys) + "}"
    )


def test_an_astral_character_in_a_value_does_not_reorder_keys() -> None:
    value = {"z": '😀":', "a": '\\":😀', "\ufb33": 1, "😀": 2}
    assert serialize(value, "Thing") == '{"a":"\\\\\\":😀","z":"😀\\":","😀":2,"\ufb33":1}'


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (math.nan, "non-finite number at $"),
        ({"a": [0, -math.inf]}, "non-finite number at $.a[1]"),
        ([10**400], "non-finite number at $[0]"),
        (2**53, "integer outside the safe range at $: 9007199254740992"),
        ([2**53 + 1], "integer outside the safe range at $[0]: 9007199254740992"),
        ({"n": 1e21}, "integer outside the safe range at $.n: 1e+21"),
        ({"a.b": {"": ["\ud800"]}}, "lone surrogate in string at $.a.b.[0]"),
        ({"k": {"\udfff": 1}}, "lone surrogate in string at $.k (object key)"),
        ({"z": math.nan, "a": math.inf}, "non-finite number at $.a"),
        ({"a": math.nan, "z\ud800": 1}, "lone surrogate in string at $ (object key)"),
        (nested(1025, 0), "nesting depth exceeds 1024 at $" + "[0]" * 1024),
        (nested(1025, 0, "k"), "nesting depth exceeds 1024 at $" + ".k" * 1024),
    ],
)
def test_the_first_offence_is_named(value: object, detail: str) -> None:
    assert refusal(value) == detail


def test_as_many_containers_as_allowed_may_nest_around_a_scalar() -> None:
    assert serialize(nested(MAX_NESTING_DEPTH, "x"), "Thing") == "[" * 1024 + '"x"' + "]" * 1024


def test_a_cycle_is_refused_and_a_shared_container_written_twice() -> None:
    shared: list[Any] = [1]
    assert serialize({"a": shared, "b": [shared]}, "Thing") == '{"a":[1],"b":[[1]]}'
    shared.append({"back": shared})
    assert refusal({"a": shared}) == "cyclic reference at $.a[1].back"


class Pair(NamedTuple):
    left: int
    right: int


class Name(str):
    pass


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("foreign", "found"),
    [
        ((1, 2), "non-plain array"),
        (Pair(1, 2), "non-plain array"),
        (OrderedDict(a=1), "non-plain object"),
        ({1: 2}, "non-plain object"),
        ({True: 2}, "non-plain object"),
        ({Name("a"): 2}, "non-plain object"),
        (Name("a"), "Name is not a hashed-artifact value"),
        (Level.HIGH, "Level is not a hashed-artifact value"),
        (b"a", "bytes is not a hashed-artifact value"),
        ({1, 2}, "set is not a hashed-artifact value"),
        (object, "type is not a hashed-artifact value"),
    ],
)
def test_what_is_no_plain_json_value_is_refused(foreign: object, found: str) -> None:
    assert refusal(["x", foreign]) == f"{found} at $[1]"


def test_booleans_are_no_numbers() -> None:
    assert serialize([True, 1, False, 0], "Thing") == "[true,1,false,0]"


def test_assertion_visits_members_as_listed_and_checks_each_key_before_its_value() -> None:
    assert_hashed_artifact_value({"b": [1, 0.5, "x"], "a": None}, "Thing")
    for value, detail in [
        ({"z": math.nan, "a": math.inf}, "non-finite number at $.z"),
        ({"b": math.nan, "1": math.inf}, "non-finite number at $.1"),
        ({"a": math.nan, "\ud800": 1}, "non-finite number at $.a"),
        ({"k": {"\ud800": math.nan}}, "lone surrogate in object key at $.k"),
        ({"k": {"1": 0, 1: math.nan}}, "non-plain object at $.k"),
    ]:
        with pytest.raises(RuntimeFault) as caught:
            assert_hashed_artifact_value(value, "Thing")
        assert caught.value.detail == detail


def test_text_is_the_same_where_no_compiled_encoder_is_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    value: dict[str, object] = {"b": [0.5, 1.0, 1e-6, "é"], "a": {"😀": 1, "\ufb33": None}}
    expected = serialize(value, "Thing")
    monkeypatch.setattr(text_module, "_fast_bytes", lambda: lambda value: None)
    assert serialize(value, "Thing") == exact_text(value, "Thing") == expected


@pytest.mark.parametrize("length", [0, 1, 1024, 1025, 3000])
def test_pieces_of_an_artifact_are_its_text_and_a_newline(length: int) -> None:
    artifact = {"b": [{"n": number, "x": [1.0]} for number in range(length)], "a": "\N{SNOWMAN}", "c": {}}
    pieces = artifact_pieces(artifact, "Thing")
    assert b"".join(pieces).decode() == serialize_artifact(artifact, "Thing") == serialize(artifact, "Thing") + "\n"
    assert max(map(len, pieces)) < 40_000
    assert b"".join(artifact_pieces({}, "Thing")) == b"{}\n"


def test_a_part_that_only_the_walk_can_tell_about_is_told_in_its_place() -> None:
    artifact = {"a": [{"\U0001f600": 1, "\ufb33": 2}] * 2000}
    assert b"".join(artifact_pieces(artifact, "Thing")).decode() == serialize(artifact, "Thing") + "\n"
    for detail, values in (("lone surrogate in string at $.a[1999]", ["\ud800"]), ("$.a[1999][0]", [[math.inf]])):
        with pytest.raises(RuntimeFault, match=re.escape(detail)):
            artifact_pieces({"a": [0] * 1999 + values}, "Thing")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1.0, 0.5], "[1,0.5]"),
        ({"a": -0.0, "b": [-2.0]}, '{"a":0,"b":[-2]}'),
        ([1.5e-6, -2e-6, 1.25e-7, 9e-5], "[0.0000015,-0.000002,1.25e-7,0.00009]"),
        ({"a": 3.0, "b": "1.0, 2.0] 3e-6}"}, '{"a":3,"b":"1.0, 2.0] 3e-6}"}'),
        ({'"1.0,\\"': 4.0, "\\": 2e-6}, r'{"\"1.0,\\\"":4,"\\":0.000002}'),
        ([3.0, "\x0e-6,", 0.5], r'[3,"\u000e-6,",0.5]'),
        ([2e-6, "\x0e-6,", "\x0e12,"], r'[0.000002,"\u000e-6,","\u000e12,"]'),
        ([9007199254740991.0, None, 0.5], "[9007199254740991,null,0.5]"),
        (["1e16,", 0.5, {"1e16": None}], '["1e16,",0.5,{"1e16":null}]'),
    ],
)
def test_the_compiled_encoder_is_used_whatever_floats_it_spells_otherwise(value: object, text: str) -> None:
    assert fast_bytes(value) == text.encode()


@pytest.mark.parametrize("value", [[2.0**53], [1e16], [-1e300], [float("inf"), None], [float("nan")], 1.0])
def test_the_compiled_encoder_is_not_trusted_with_floats_outside_the_domain(value: object) -> None:
    assert fast_bytes(value) is None


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("a/é😀\x7f", '"a/é😀\x7f"'),
        ("\ud83d", '"\\ud83d"'),
        ("\udc00é\x00", '"\\udc00é\\u0000"'),
        ("\ufeff", '"\ufeff"'),
    ],
)
def test_a_string_is_rendered_with_lone_surrogates_escaped(text: str, rendered: str) -> None:
    assert json_string(text) == rendered


def test_own_keys_list_array_indices_first() -> None:
    assert js_key_order({"b": 1, "10": 1, "9": 1, "01": 1, "4294967295": 1, "4294967294": 1, "-1": 1}) == [
        *("9", "10", "4294967294"),
        *("b", "01", "4294967295", "-1"),
    ]
