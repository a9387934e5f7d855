"""Properties of canonical text, its two engines, and the two readers of JSON text."""

from __future__ import annotations

import datetime
import enum
import json
import math
import random
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from eval_quality.canonical import (
    MAX_SAFE_INTEGER,
    JsonSyntaxError,
    canonicalize,
    digest_artifact,
    js_key_order,
    json_string,
    number_text,
    read_json,
    scan_and_digest,
    scan_json,
    serialize,
    utf16_key,
)
from eval_quality.canonical.domain import normal_number
from eval_quality.canonical.grammar import Defect, GrammarReader
from eval_quality.canonical.scanner import Scanner
from eval_quality.canonical.text import exact_text
from eval_quality.errors import RuntimeFault


class Word(str):
    """A string that is not plain."""


class Count(enum.IntEnum):
    """An integer that is not plain."""

    ONE = 1


class Mode(enum.StrEnum):
    """Another string that is not plain."""

    FAST = "fast"


@dataclass
class Point:
    """An object that some encoders take for a plain one."""

    x: int = 1


SAFE_INTEGERS = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
DOUBLES = st.one_of(
    st.floats(),
    st.floats(-1e-4, 1e-4),
    st.floats(1e-6, 1e-5),
    st.floats(1e15, 1e16),
    st.integers(-400, 400).map(float),
    st.sampled_from([0.0, -0.0, 1.0, 1e-5, 1e-6, 9.99e-7, 1e-7, 5e-324, 1e15, 0.1, 4503599627370495.5, 1e16, 1e300]),
)
DOMAIN_DOUBLES = DOUBLES.filter(lambda double: math.isfinite(double) and abs(double) <= MAX_SAFE_INTEGER)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.text(
        'ab"\\/:,{}[]\n\r\t\b\f\x00\x1f\x7f\u2028é\ud7ff\ue000\ufb33\uffff\U00010000\U0001f600\U0010ffff', max_size=6
    ),
    st.lists(st.sampled_from(["1.0,", "-0.0]", "2.5e-6}", "1e16,", "null", '"', "\\"]), max_size=4).map("".join),
)
ANY_TEXTS = st.one_of(TEXTS, st.text(st.sampled_from('a"\\\ud800\udc00\udfff\U0001f600'), max_size=4))
DOMAIN_SCALARS = st.one_of(st.none(), st.booleans(), SAFE_INTEGERS, DOMAIN_DOUBLES, TEXTS)
FOREIGN = st.sampled_from(
    [
        (),
        (1, 2),
        Word("a"),
        Count.ONE,
        Mode.FAST,
        UUID(int=1),
        Point(),
        datetime.date(2024, 2, 29),
        OrderedDict(a=1),
        {1: 2},
        {None: 1},
        {Word("k"): 1},
        b"a",
        1j,
    ]
)
SCALARS = st.one_of(DOMAIN_SCALARS, DOUBLES, ANY_TEXTS, st.integers(-(2**70), 2**70), FOREIGN)


def trees(scalars: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """JSON values over some scalars and keys."""
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(keys, inner, max_size=5)),
        max_leaves=25,
    )


DOMAIN = trees(DOMAIN_SCALARS, TEXTS)
ANYTHING = trees(SCALARS, ANY_TEXTS)

NUMBERS = """
    -0 0 1 01 1.0 1. .5 1e5 1E+2 1e 1e400 -1e400 1e-400 0.000001 1e-7
    9007199254740991 9007199254740993 9007199254740991.0 12345678901234567
"""
STRINGS = r""" "a" "b" "a": "\u0061": "\ud83d\ude00" "\ud83d" "😀" "\x" "\u12" "\ """
TOKENS = st.sampled_from(
    [
        *'{}[]:,"- \n\t\r\ufeff\x00x😀',
        *("true", "false", "null", "nul", "NaN", "Infinity"),
        *NUMBERS.split(),
        *STRINGS.split(),
        *('"\x01"', '"\ud83d"', '"\ud83d\\ude00"', '"\ud83d\ude00"'),
    ]
)
TOKEN_TEXTS = st.lists(TOKENS, max_size=14).map("".join)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    """JSON texts as several writers would write them, with now and then a character too many or too few."""
    value = draw(trees(st.one_of(DOMAIN_SCALARS, DOUBLES, ANY_TEXTS, st.integers(-(2**60), 2**60)), ANY_TEXTS))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 0, 1])))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(TOKENS) + text[at + draw(st.integers(0, 2)) :]
    return text


JSON_TEXTS = st.one_of(json_texts(), TOKEN_TEXTS)


def outcome(function: Any, *arguments: Any) -> tuple[str, Any]:
    """What a call came to, as something to compare."""
    try:
        return "value", typed(function(*arguments))
    except (RuntimeFault, JsonSyntaxError) as error:
        return type(error).__name__, str(error)


def typed(value: Any) -> Any:
    """The value with the types that equality ignores: of numbers, and the order of keys."""
    match value:
        case dict():
            return [(key, typed(member)) for key, member in value.items()]
        case list():
            return ["list", *map(typed, value)]
        case float():
            return "float", repr(value)
        case _:
            return type(value).__name__, value


@given(DOMAIN)
def test_canonical_bytes_are_those_of_the_rfc8785_package(value: Any) -> None:
    assert canonicalize(value, "Thing") == rfc8785.dumps(value)


@given(st.lists(st.integers(0, 2**33) | DOMAIN_DOUBLES, max_size=60))
def test_canonical_bytes_of_numbers_are_those_of_the_rfc8785_package(value: Any) -> None:
    assert canonicalize(value, "Thing") == rfc8785.dumps(value)


@given(ANYTHING)
@example([float("nan"), None])
@example({"\U0001f600": 1, "\ufb33": 2})
@example([0.5, float("inf")])
def test_compiled_encoders_agree_with_the_walk(value: Any) -> None:
    assert outcome(serialize, value, "Thing") == outcome(exact_text, value, "Thing")


@given(DOMAIN)
def test_canonical_text_is_read_back_and_written_again(value: Any) -> None:
    text = serialize(value, "Thing")
    assert serialize(scan_json(text, "Thing"), "Thing") == text == serialize(json.loads(text), "Thing")


@given(st.dictionaries(TEXTS, DOMAIN, max_size=8), st.randoms(use_true_random=False))
def test_digest_ignores_the_order_of_keys(members: dict[str, Any], order: random.Random) -> None:
    shuffled = list(members.items())
    order.shuffle(shuffled)
    assert digest_artifact(dict(shuffled), "Thing") == digest_artifact(members, "Thing")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_text_round_trips_and_is_the_shortest_layout(double: float) -> None:
    text = number_text(double)
    assert float(text) == double
    assert text == rfc8785.dumps(double).decode() if abs(double) <= MAX_SAFE_INTEGER else True
    assert not text.endswith(".0")


@given(ANY_TEXTS)
def test_json_string_is_ascii_or_well_formed_and_is_read_back(text: str) -> None:
    assert json.loads(json_string(text)) == json.loads(json.dumps(text))
    json_string(text).encode()


@given(st.lists(ANY_TEXTS))
def test_utf16_key_orders_by_code_units(texts: list[str]) -> None:
    def units(text: str) -> list[int]:
        big_endian = text.encode("utf-16-be", "surrogatepass")
        return [int.from_bytes(big_endian[at : at + 2]) for at in range(0, len(big_endian), 2)]

    assert sorted(texts, key=utf16_key) == sorted(texts, key=units)


@given(
    st.lists(st.one_of(st.integers(0, 2**32).map(str), st.sampled_from(["", "01", "-1", "a", "1.0", "٣"])), unique=True)
)
def test_own_keys_are_indices_ascending_then_the_rest_as_given(keys: list[str]) -> None:
    ordered = js_key_order(dict.fromkeys(keys))
    indices = [key for key in keys if key.isascii() and key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1]
    assert ordered == sorted(indices, key=int) + [key for key in keys if key not in indices]


@given(JSON_TEXTS)
def test_fast_scan_agrees_with_the_scanner(text: str) -> None:
    def exact(source: str) -> Any:
        joined = source.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return Scanner(joined, "Thing").read()

    assert outcome(scan_json, text, "Thing") == outcome(exact, text)


@given(JSON_TEXTS)
def test_scanner_accepts_what_json_does_within_the_domain(text: str) -> None:
    kind, found = outcome(scan_json, text, "Thing")
    if kind == "value":
        assert found == outcome(read_json, text)[1]
        assert scan_and_digest(text, "Thing").digest == digest_artifact(read_json(text), "Thing")
    elif found.startswith("schema-parse-failure"):
        assert outcome(read_json, text)[0] == "JsonSyntaxError"
    elif outcome(read_json, text)[0] == "value" and "duplicate object key" not in found:
        assert (
            outcome(exact_text, read_json(text), "Thing")[0] == "RuntimeFault"
            or "in binary64" in found
            or "lone" in found
        )


@given(JSON_TEXTS.filter(lambda text: not any("\ud800" <= unit <= "\udfff" for unit in text)))
def test_scan_of_bytes_is_that_of_their_text(text: str) -> None:
    assert outcome(scan_json, text.encode(), "Thing") == outcome(scan_json, text, "Thing")


@given(JSON_TEXTS)
def test_read_json_agrees_with_the_grammar_and_with_json(text: str) -> None:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    found = outcome(read_json, text)
    try:
        by_grammar = typed(GrammarReader(joined).read())
    except Defect:
        assert found[0] == "JsonSyntaxError"
    else:
        assert found == ("value", by_grammar)

    def refuse(name: str) -> None:
        raise ValueError(name)

    def number(literal: str) -> int | float:
        return normal_number(float(literal))

    try:
        plain = json.loads(joined, parse_constant=refuse, parse_int=number, parse_float=number)
    except ValueError:
        assert found[0] == "JsonSyntaxError"
    else:
        assert found[0] == "value"
        if "\\u" not in text:
            assert found[1] == typed(plain)
