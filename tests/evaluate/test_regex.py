"""The regex operator: its gates, the dialect, and patterns that would not end if they were run as they stand."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from eval_quality.errors import RuntimeFault
from eval_quality.evaluate import ABSENT
from eval_quality.evaluate.regex import regex_match
from eval_quality.evaluate.regex_syntax import is_valid_pattern

BUDGET = 10**9
NESTED = "pattern rejected outright for a nested-quantifier shape that risks catastrophic backtracking: "


def matches(pattern: str, value: Any, budget: int = BUDGET) -> bool:
    return regex_match(value, pattern, budget, "Check")


def fault(pattern: str, value: Any = "", budget: int = BUDGET) -> tuple[str, str]:
    with pytest.raises(RuntimeFault) as raised:
        matches(pattern, value, budget)
    assert raised.value.artifact_path == "Check"
    return raised.value.code, raised.value.detail


@pytest.mark.parametrize("value", [ABSENT, None, 5, True, ["a"], {}])
def test_only_text_matches_and_the_pattern_is_not_looked_at(value: Any) -> None:
    assert not matches("^(a", value)


@pytest.mark.parametrize("pattern", ["^(a", "^a**$", "^[b-a]$", "^a++$", "^{1}$", "a{2,1}", "(?P<n>a)", "(?i)a", "\\"])
def test_what_is_no_pattern_cannot_accept_an_operand(pattern: str) -> None:
    detail = f"pattern is not a syntactically valid ECMA-262 source: {pattern}"
    assert fault(pattern) == ("operator-cannot-accept-operand", detail)


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "^(a{2})+$",
        "^(a?)?$",
        "^((a+)b)+$",
        "^(a|b+)*$",
        "^(((a)+))+$",
        "^(a+){0}$",
        "^(a{x})+$",
        "^(?:(?:a)?)+$",
        "^(?=a+)+$",
        "^(?i:a)+$",
        "^(?:(?<=a)>)*$",
    ],
)
def test_nested_quantifiers_are_rejected_outright(pattern: str) -> None:
    assert fault(pattern) == ("budget-exhausted", NESTED + pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "^(?:GET|POST)+$",
        "^(?<n>a)+$",
        "^([+*])+$",
        r"^(\+)+$",
        r"^\(a+\)+$",
        "^[(a+]+$",
        "^(a+)(b)+$",
        "^((a)+)$",
        "^(a+){,2}$",
        "^(?:a)(?=b+)$",
    ],
)
def test_patterns_that_pass_the_gate(pattern: str) -> None:
    assert not matches(pattern, "\n")


@pytest.mark.parametrize(
    ("pattern", "value", "estimated"),
    [("^a+$", "aaa", 6), ("^(?:a)$", "ab", 4), ("a{2}b{1,}c+?", "xyz", 15), ("a{,2}", "xy", 2), (r"\+[*+?]", "ab", 2)],
)
def test_estimated_steps_are_held_against_the_budget(pattern: str, value: str, estimated: int) -> None:
    matches(pattern, value, estimated)
    told = f"estimated {estimated} regex match steps exceed the declared budget of {estimated - 1}"
    assert fault(pattern, value, estimated - 1) == ("budget-exhausted", told)


def test_estimates_count_units() -> None:
    assert fault("a", "\U0001f600", 1)[1] == "estimated 2 regex match steps exceed the declared budget of 1"
    assert not matches("^a+$", "", 0)


@pytest.mark.parametrize(
    ("pattern", "value", "found"),
    [
        ("^a|b$", "zb", True),
        ("^.$", "\U0001f600", False),
        ("^..$", "\U0001f600", True),
        ("[\U0001f600]", "\U0001f601", True),
        ("^[^a]$", "\ud83d", True),
        ("a$", "a\n", False),
        (r"^\s$", "\ufeff", True),
        (r"^\d$", "\u0661", False),
        (r"^\w$", "\u00e9", False),
        ("^.$", "\u2028", False),
        (r"\B", "a\u00e9a", False),
        (r"\b", "\u00e9", False),
        ("^[]$", "]", False),
        ("^[]]$", "]", False),
        ("^[^]$", "\n", True),
        (r"^[\w-a]$", "-", True),
        (r"^[\b]$", "\b", True),
        ("^a{,3}$", "a{,3}", True),
        (r"^\p{L}$", "p{L}", True),
        (r"^\u{3}$", "uuu", True),
        (r"^\x4$", "x4", True),
        (r"^\101\8$", "A8", True),
        (r"^\c\c$", "\\c\\c", True),
        (r"^\cJ$", "\n", True),
        (r"^[\c1]$", "\x11", True),
        (r"^\k$", "k", True),
        ("a{99999999999}", "aaa", False),
        ("^a{1,99999999999}$", "aaa", True),
        (r"^(?=ab)a.$", "ab", True),
        (r"^.*(?<!ab)$", "ab", False),
        (r"^(?<=a*)b$", "b", True),
        (r"^\1(a)$", "a", True),
        (r"^(?:(a)|b)*\1$", "ab", True),
        (r"^(?:(?<n>a)|(?<n>b))\k<n>$", "bb", True),
        (r"^(?:(?<n>a)|(?<n>b))\k<n>$", "ba", False),
        (r"^(a)(?!\1)", "ab", True),
        (r"(?<=\1(a))b", "aab", True),
        (r"(?<=\1(a))b", "ab", False),
        (r"(?<=(a)\1)b", "ab", True),
        (r"^(?i:(k)\1)$", "kK", True),
        ("^(?i:\u03c3)$", "\u03c2", True),
        ("^(?i:\u00e9)$", "\u00c9", True),
        ("^(?i:s)$", "\u017f", False),
        ("^(?i:k)$", "\u212a", False),
        ("^(?i:[^a])$", "A", False),
        (r"^(?i:\W)$", "\u017f", True),
        ("(?m:^b$)", "a\nb\nc", True),
        ("^(?s:.)$", "\n", True),
        ("^(?s:(?-s:.))$", "\n", False),
    ],
)
def test_the_dialect(pattern: str, value: str, found: bool) -> None:
    assert matches(pattern, value) is found


@pytest.mark.parametrize(
    ("pattern", "valid"),
    [
        (r"\b*", False),
        ("^*", False),
        ("(?<=a)?", False),
        ("(?=a)*", True),
        ("(?>a)", False),
        ("(?#a)", False),
        ("(?i:a)(?-i:b)", True),
        ("(?ii:a)", False),
        ("(?i-i:a)", False),
        ("(?-:a)", False),
        ("(?<n>a)|(?<n>b)", True),
        ("(?<n>a)(?<n>b)", False),
        ("(?<n>a)(?:b|(?<n>c))", False),
        (r"(?<n>a)\k<m>", False),
        (r"(?<n>a)\k", False),
        (r"(?<n>a)\k<\n>", False),
        (r"\k<m>", True),
        (r"(?<\u0061>a)\k<a>", True),
        (r"(?<\u{1d7d8}>a)", False),
        ("(?<\U00020000>a)", True),
        ("(?<1>a)", False),
        ("a{0000000002,10}", True),
        ("()" * 32_767, True),
        ("()" * 32_768, False),
    ],
)
def test_syntax(pattern: str, valid: bool) -> None:
    assert is_valid_pattern(pattern) is valid


@pytest.mark.parametrize(
    ("pattern", "value", "found"),
    [
        ("^(?:a|aa)+$", "a" * 60 + "b", False),
        ("^(?:a|aa)+$", "a" * 50_000 + "b", False),
        ("(?:a|a)*b", "a" * 50_000, False),
        ("a*a*a*a*a*b", "a" * 50_000, False),
        (r"^(?=.*\d)(?=.*[a-z]).{8,}$", "a" * 100_000 + "1", True),
        ("(?!.*foo)bar", "x" * 100_000 + "bar", True),
        ("(?<=a+)b", "a" * 100_000, False),
        ("(?=a)(?:a|aa)+b", "a" * 100_000, False),
        (".{20000}b", "a" * 50_000, False),
        ("^(?:ab){3000}$", "ab" * 3_000, True),
        ("(" * 500 + "a|b" + ")" * 500, "b", True),
        ("(" * 140 + "(?=b)b|c" + ")" * 140, "b", True),
    ],
)
def test_no_pattern_takes_long(pattern: str, value: str, found: bool) -> None:
    assert matches(pattern, value) is found


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (r"^(a|b|ab)+\1c", "ab" * 40),
        (r"(a*)\1b", "a" * 20_000),
        ("(x)" + "a*" * 2_000 + r"\1b", "x" + "a" * 100),
        ("(a)" * 5_000 + "".join(rf"\{number}" for number in range(1, 5_001)), "a" * 9_000),
        ("^(?=a)(?:a|aa)+b", "a" * 200_000),
        ("(" * 200 + "(?=a)a" + ")" * 200, "a"),
    ],
)
def test_what_would_take_long_exhausts_the_budget(pattern: str, value: str) -> None:
    assert fault(pattern, value) == ("budget-exhausted", f"matching takes more than 1000000 steps: {pattern}")


@pytest.mark.parametrize(
    "pattern",
    ["[" * 50_000, "(?<=" * 20_000, r"\k<" * 20_000 + "(?<n>a)", "(?<a" * 20_000, "a{1," * 20_000, "(" * 50_000],
)
def test_no_pattern_takes_long_to_read(pattern: str) -> None:
    assert is_valid_pattern(pattern) is pattern.startswith("a{1,")


def test_the_answer_does_not_hang_on_the_depth_of_the_caller() -> None:
    pattern = "(" * 120 + "(?=b)b" + ")" * 120

    def deeper(levels: int) -> bool:
        return deeper(levels - 1) if levels else matches(pattern, "b")

    assert deeper(sys.getrecursionlimit() // 3)
