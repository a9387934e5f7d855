"""The lexical scanner: every fault, its offset, and the values that come out (spec 03, section 3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eval_quality.canonical import MAX_SAFE_INTEGER, digest_artifact, scan_and_digest, scan_json
from eval_quality.errors import RuntimeFault

SYNTAX, DOMAIN = "schema-parse-failure", "non-canonicalizable-value"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' \t\r\n{"a" : [ 1 , -0 , 1.0 ] }\n', {"a": [1, 0, 1]}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\ud83d\\ude00"', "😀"),
        ('"\ud83d\ude00"', "😀"),
        ('"\x7f\\u0000\\/"', "\x7f\x00/"),
        ("[1E5,1e05,0e5,1e-400,-0.0]", [100000, 100000, 0, 0, 0]),
        ("[9007199254740991,-9007199254740991.0]", [MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER]),
        ("4503599627370495.5", 4503599627370495.5),
        ('{"__proto__":{"a":1},"toString":2}', {"__proto__": {"a": 1}, "toString": 2}),
        ("[]", []),
        ("{}", {}),
        ("null", None),
    ],
)
def test_values_come_out_in_normal_form(text: str, value: Any) -> None:
    found = scan_json(text, "Thing")
    assert found == value
    assert json.dumps(found) == json.dumps(value)  # which tells 1 from 1.0


@pytest.mark.parametrize(
    ("text", "code", "detail"),
    [
        ("", SYNTAX, "unexpected end of input at offset 0"),
        ("[1, ", SYNTAX, "unexpected end of input at offset 4"),
        ("[1,]", SYNTAX, 'unexpected character "]" at offset 3'),
        ("😀", SYNTAX, 'unexpected character "\\ud83d" at offset 0'),
        ("\ufeff{}", SYNTAX, 'unexpected character "\ufeff" at offset 0'),
        ("NaN", SYNTAX, 'unexpected character "N" at offset 0'),
        ("٣", SYNTAX, 'unexpected character "٣" at offset 0'),
        ("tru", SYNTAX, "invalid literal, expected true at offset 0"),
        ("[falsey]", SYNTAX, "invalid literal starting with false at offset 6"),
        ("{} {}", SYNTAX, "trailing content after the document at offset 3"),
        ('{"a":1,}', SYNTAX, "expected a string object key at offset 7"),
        ("{", SYNTAX, "expected a string object key at offset 1"),
        ('{"a" 1}', SYNTAX, "expected ':' after object key at offset 5"),
        ('{"a":1 "b"}', SYNTAX, "expected ',' or '}' in object at offset 7"),
        ("[1 2]", SYNTAX, "expected ',' or ']' in array at offset 3"),
        ('"😀', SYNTAX, "unterminated string at offset 3"),
        ('"a\nb"', SYNTAX, "unescaped control character in string at offset 2"),
        ('"\\', SYNTAX, "unterminated escape sequence at offset 2"),
        ('"\\u12g4"', SYNTAX, "invalid \\u escape at offset 3"),
        ('"\\x"', SYNTAX, 'invalid escape character "x" at offset 3'),
        ('"\\😀"', SYNTAX, 'invalid escape character "\\ud83d" at offset 3'),
        ("-01", SYNTAX, "leading zero in number at offset 2"),
        ("-", SYNTAX, "invalid number at offset 1"),
        ("1.e5", SYNTAX, "expected digits after decimal point at offset 2"),
        ("1e+", SYNTAX, "expected digits in exponent at offset 3"),
        ("1x", SYNTAX, "invalid number at offset 1"),
        ("1é", SYNTAX, "trailing content after the document at offset 1"),
        ("null٣", SYNTAX, "trailing content after the document at offset 4"),
        ('{"k":1,"\\u006b":2}', DOMAIN, 'duplicate object key "k" at offset 15'),
        ('{"😀":1,"😀":2}', DOMAIN, 'duplicate object key "😀" at offset 12'),
        ('"\\ude00\\ud83d"', DOMAIN, "lone surrogate in string at offset 14"),
        ('{"\\ud800":1,"\\ud800":2}', DOMAIN, "lone surrogate in string at offset 9"),
        ("9007199254740992", DOMAIN, "integer literal outside the safe range: 9007199254740992 at offset 16"),
        ("00000000000000000", SYNTAX, "leading zero in number at offset 1"),
        ("-12345678901234567", DOMAIN, "integer literal outside the safe range: -12345678901234567 at offset 18"),
        ("1e400", DOMAIN, "numeric literal is not finite in binary64: 1e400 at offset 5"),
        (
            "[9007199254740993.0]",
            DOMAIN,
            "numeric literal is an unsafe integer in binary64: 9007199254740993.0 at offset 19",
        ),
        ("[" * 1025, DOMAIN, "nesting depth exceeds 1024 at offset 1024"),
    ],
)
def test_every_fault_stands_at_its_offset(text: str, code: str, detail: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        scan_json(text, "Thing")
    assert (caught.value.code, caught.value.artifact_path, caught.value.detail) == (code, "Thing", detail)


def test_an_integer_of_any_length_is_refused() -> None:
    with pytest.raises(RuntimeFault, match=r"integer literal outside the safe range: 9{5000} at offset 5000$"):
        scan_json("9" * 5000, "Thing")


@pytest.mark.parametrize("content", [b'"\xc0\x80"', b'"\xed\xa0\x80"', b"\xf4\x90\x80\x80", b"\xff", b'"\xc3"'])
def test_bytes_that_are_no_utf8_are_refused(content: bytes) -> None:
    with pytest.raises(RuntimeFault, match=r"^schema-parse-failure in Thing: input is not valid UTF-8$"):
        scan_json(content, "Thing")


def test_a_byte_order_mark_is_kept() -> None:
    with pytest.raises(RuntimeFault, match='unexpected character "\ufeff" at offset 0'):
        scan_json(b"\xef\xbb\xbf{}", "Thing")


@pytest.mark.parametrize(
    "source", ['{"b":[1.0,"x"],"a":{}}', b'{"a":{},"b":[1,"x"]}\n', '{"a":{"\xf0":0.5,"\U0001f600":1,"\ufb33":2}}']
)
def test_value_and_digest_come_of_one_reading(source: str | bytes) -> None:
    value, digest = scan_and_digest(source, "Thing")
    assert value == scan_json(source, "Thing")
    assert digest == digest_artifact(value, "Thing")


def test_as_many_levels_as_allowed_are_read() -> None:
    text = "[" * 1024 + "]" * 1024
    value = scan_json(text, "Thing")
    for _ in range(1023):
        (value,) = value
    assert value == []
