"""Content no artifact may hold."""

from __future__ import annotations

import time

import pytest

from eval_quality.excluded_content import EXCLUDED_CATEGORIES, VALUE_PATTERNS, ExcludedHit, scan_excluded_content


def category(text: str) -> str | None:
    return next((hit.category for hit in scan_excluded_content(text, "")), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-----BEGIN RSA PRIVATE KEY-----", "credentials"),
        ("-----BEGIN PRIVATE KEY-----", "credentials"),
        ("-----BEGIN PUBLIC KEY-----", None),
        ("Authorization: Bearer abcdefghijklmnopqrstuv", "tokens"),
        ("Bearer\u00a0abcdefghijklmnop", "tokens"),
        ("Bearer\x1cabcdefghijklmnop", None),
        ("xBearer abcdefghijklmnop", None),
        ("1bearer abcdefghijklmnop", "tokens"),
        ("eyJhbGciOiJI.eyJzdWIiOiI", "tokens"),
        ("sk-abcdefghijklmnop", "tokens"),
        ("task-abcdefghijklmnop", None),
        ("ghp_abcdefghijklmnop", "tokens"),
        ("AKIAABCDEFGHIJKLMNOP", "tokens"),
        ('{"contact":"ada@example.com"}', "email addresses"),
        ("a@b", None),
        ("@/a.bc", None),
        ("GB29NWBK60161331926819", "account identifiers"),
        ("GB29NWBK60161331926819\u00e9", "account identifiers"),
        ("xGB29NWBK60161331926819", None),
        ("123-45-6789", "account identifiers"),
        ("charged 4111 1111 1111 1111", "transaction content"),
        ("4111-1111 1111-1111", "transaction content"),
        ("4111111111111111", None),
        ("\u00e94111 1111 1111 1111", "transaction content"),
        ("x4111 1111 1111 1111", None),
        ("\u0661\u0662\u0663-\u0664\u0665-\u0666\u0667\u0668\u0669", None),
        ("ada@example.com 123-45-6789", "email addresses"),
    ],
)
def test_categories(text: str, expected: str | None) -> None:
    assert category(text) == expected


def test_a_text_is_one_hit_of_the_first_category_found_in_it() -> None:
    text = "123-45-6789 a@b.co -----BEGIN PRIVATE KEY-----"
    assert [hit.category for hit in scan_excluded_content([text, text[:18]], "P")] == ["credentials", "email addresses"]


def test_hits_come_in_walk_order_with_raw_keys() -> None:
    value = {"b": ["ok", {"c.d": "a@b.co"}], "10": "see a@b.co", "2": "123-45-6789", "a@b.co": 1}
    assert list(scan_excluded_content(value, "EvalContract")) == [
        ExcludedHit("account identifiers", "EvalContract.2", "123-45-6789"),
        ExcludedHit("email addresses", "EvalContract.10", "a@b.co"),
        ExcludedHit("email addresses", "EvalContract.b[1].c.d", "a@b.co"),
    ]


def test_neighbouring_texts_are_no_one_text() -> None:
    assert (
        list(scan_excluded_content(["ada@example", ".com", "4111 1111", " 1111 1111", "Bearer ", "a" * 16], "x")) == []
    )


@pytest.mark.parametrize("value", [None, 5, True, [], {}, [[], {}], "", {"a@b.co": None}])
def test_values_without_texts_are_clean(value: object) -> None:
    assert list(scan_excluded_content(value, "x")) == []


def test_no_pattern_recognizes_a_name() -> None:
    assert [each for each in EXCLUDED_CATEGORIES if each not in VALUE_PATTERNS] == ["real names"]
    assert list(VALUE_PATTERNS) == [each for each in EXCLUDED_CATEGORIES if each in VALUE_PATTERNS]


def test_long_texts_are_read_in_linear_time() -> None:
    started = time.perf_counter()
    assert category("a" * 400_000) is None
    assert category("a" * 400_000 + "@" + "b." * 200_000) is None
    assert time.perf_counter() - started < 2
