"""The ordinary parse, and what it says about text that is no JSON (spec 11, sections 5.2 and 12)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from eval_quality.canonical import JsonSyntaxError, read_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        ("[1e400,-1e400]", [math.inf, -math.inf]),
        ("[1.0,1e3,-0,-0.0]", [1, 1000, 0, 0]),
        (
            "[9007199254740991,9007199254740993,12345678901234567890]",
            [9007199254740991, 9007199254740992.0, 12345678901234567000.0],
        ),
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "😀"),
        ('{"__proto__":1}', {"__proto__": 1}),
        (" \n\t\r null ", None),
    ],
)
def test_text_is_read_as_an_ordinary_parser_reads_it(text: str, value: Any) -> None:
    found = read_json(text)
    assert found == value
    assert json.dumps(found) == json.dumps(value)  # which tells 1 from 1.0, and the order of keys


def test_a_long_integer_is_read_as_a_double() -> None:
    assert read_json("1" * 5000) == math.inf
    assert read_json("-" + "1" * 300) == -float("1" * 300)


def test_ill_formed_bytes_are_replaced_and_a_byte_order_mark_is_not() -> None:
    assert read_json(b'"\xff\xe2\x82"') == "\ufffd\ufffd"
    with pytest.raises(JsonSyntaxError, match="Unexpected token '\ufeff'"):
        read_json(b"\xef\xbb\xbf{}")


@pytest.mark.parametrize("leaf", ["", "1"])
def test_nesting_has_no_limit(leaf: str) -> None:
    depth = 200_000
    value = read_json("[" * depth + leaf + "]" * depth)
    for _ in range(depth - 1):
        (value,) = value
    assert value == ([1] if leaf else [])
    member = read_json('{"a":' * depth + "null" + "}" * depth)
    for _ in range(depth):
        member = member["a"]
    assert member is None


@pytest.mark.parametrize("text", ["[" * 300_000, '{"a":' * 100_000, "[" * 300_000 + "}"])
def test_deep_text_that_is_no_json_is_refused_in_linear_time(text: str) -> None:
    with pytest.raises(JsonSyntaxError):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", "Unexpected end of JSON input", 0),
        ("tru", "Unexpected end of JSON input", 3),
        ('"\\', "Unexpected end of JSON input", 2),
        ("{", "Expected property name or '}' in JSON at position 1 (line 1 column 2)", 1),
        ("[1,]", "Unexpected token ']', \"[1,]\" is not valid JSON", 3),
        ('{"a":1,}', "Expected double-quoted property name in JSON at position 7 (line 1 column 8)", 7),
        ('{"a" 1}', "Expected ':' after property name in JSON at position 5 (line 1 column 6)", 5),
        ('{"a":1 2}', "Expected ',' or '}' after property value in JSON at position 7 (line 1 column 8)", 7),
        ("[1 2]", "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)", 3),
        ("01", "Unexpected number in JSON at position 1 (line 1 column 2)", 1),
        ("tr1", "Unexpected number in JSON at position 2 (line 1 column 3)", 2),
        ('tr"', "Unexpected string in JSON at position 2 (line 1 column 3)", 2),
        ("-", "No number after minus sign in JSON at position 1 (line 1 column 2)", 1),
        ("1.", "Unterminated fractional number in JSON at position 2 (line 1 column 3)", 2),
        ("1e", "Exponent part is missing a number in JSON at position 2 (line 1 column 3)", 2),
        ('"a', "Unterminated string in JSON at position 2 (line 1 column 3)", 2),
        ('"a\tb"', "Bad control character in string literal in JSON at position 2 (line 1 column 3)", 2),
        ('"\\x"', "Bad escaped character in JSON at position 2 (line 1 column 3)", 2),
        ('"\\é"', "Bad escaped character in JSON at position 2 (line 1 column 3)", 2),
        ('"\\世"', 'Unexpected token \'世\', ""\\世"" is not valid JSON', 2),
        ('"\\u12g4"', "Bad Unicode escape in JSON at position 5 (line 1 column 6)", 5),
        ('"\\u12', "Bad Unicode escape in JSON at position 5 (line 1 column 6)", 5),
        ("{} x", "Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)", 3),
        ("xx\n", "Unexpected token 'x', \"xx\n\" is not valid JSON", 0),
        ("NaN", '"NaN" is not valid JSON', 0),
        ("[NaN]", "Unexpected token 'N', \"[NaN]\" is not valid JSON", 1),
        ("abcdefghijklmnopqrstuvwxyz", "Unexpected token 'a', \"abcdefghij\"... is not valid JSON", 0),
        ('["0123456789",x,"0123456789"]', 'Unexpected token \'x\', ..."23456789",x,"0123456"... is not valid JSON', 14),
        ('["0123456789abcdef",x]', 'Unexpected token \'x\', ..."89abcdef",x]" is not valid JSON', 20),
        ("[😀]", "Unexpected token '\ufffd', \"[😀]\" is not valid JSON", 1),
        (
            '["😀1234567",x,"0123456789"]',
            'Unexpected token \'x\', ..."\ufffd1234567",x,"0123456"... is not valid JSON',
            13,
        ),
        ("[\r\n1,\r2\n\r 3 4]", "Expected ',' or ']' after array element in JSON at position 10 (line 5 column 2)", 10),
        ('["😀" 1]', "Expected ',' or ']' after array element in JSON at position 6 (line 1 column 7)", 6),
    ],
)
def test_the_first_offence_is_worded_and_placed(text: str, message: str, offset: int) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        read_json(text)
    assert (str(caught.value), caught.value.offset) == (message, offset)
