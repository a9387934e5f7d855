"""JSON text in JavaScript's spelling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eval_quality.json_text import json_text, plain_text, utf8


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (2**53, "9007199254740992"),
        ([float("inf"), -float("inf"), float("nan")], "[null,null,null]"),
        ('"\\/\b\f\n\r\t\x01\x7f\u2028\u00e9', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0001\x7f\u2028\u00e9"'),
        ("\ud83d\ude00", '"\U0001f600"'),
        ([], "[]"),
        ({}, "{}"),
        ([[], {}, [1]], "[[],{},[1]]"),
        ({"b": 1, "a": {"2": [], "1": None}}, '{"b":1,"a":{"1":null,"2":[]}}'),
    ],
)
def test_values(value: Any, text: str) -> None:
    if value == "\ud83d\ude00":
        value = value.encode("utf-16", "surrogatepass").decode("utf-16")
    assert json_text(value) == text


def test_a_lone_surrogate_is_escaped() -> None:
    assert json_text("\ud800") == '"\\ud800"'


def test_sorted_keys_come_after_array_indices() -> None:
    value = {"z": 1, "a": "x", "10": True, "9": None, "07": [{"b": 0, "a": 0}], "4294967295": 0}
    assert json_text(value, sort_keys=True) == (
        '{"9":null,"10":true,"07":[{"a":0,"b":0}],"4294967295":0,"a":"x","z":1}'
    )
    assert json_text({"\uffff": 1, "\U00010000": 2}, sort_keys=True) == '{"\U00010000":2,"\uffff":1}'


def test_a_prototype_is_no_key_of_a_sorted_copy() -> None:
    """Spec 06, section 3.3: setting ``__proto__`` on a copy sets no key of it."""
    value = {"b": {"__proto__": {"x": 1}, "c": 2}, "__proto__": 1}
    assert json_text(value, sort_keys=True) == '{"b":{"c":2}}'
    assert json_text(value) == '{"b":{"__proto__":{"x":1},"c":2},"__proto__":1}'


def test_depth_takes_no_stack() -> None:
    value: Any = 1
    for _ in range(50_000):
        value = [{"k": value}]
    assert json_text(value) == '[{"k":' * 50_000 + "1" + "}]" * 50_000


def test_it_reads_back() -> None:
    value = {"a": [1, 2.5, "x", None, False, {"b": {}}]}
    assert json.loads(json_text(value)) == value


def test_words_and_bytes() -> None:
    assert [plain_text(each) for each in ("a b", 1, ["x"])] == ["a b", "1", '["x"]']
    assert utf8("\u00e9\ud800") == b"\xc3\xa9\xef\xbf\xbd"
