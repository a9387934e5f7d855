from __future__ import annotations

import pytest

from eval_quality.gates.pattern import Matcher, PatternError
from eval_quality.gates.wrapping import WideningError, widen_spaces

from .repository import Repository


def test_occurrences_know_their_line_text_and_groups() -> None:
    found = list(Matcher(r"(\p{L}+)=(\d+)?", "u").occurrences("é=1\n😀\nab=\n"))
    assert [(match.line, match.text, match.groups) for match in found] == [
        (1, "é=1", ("é", "1")),
        (3, "ab=", ("ab", None)),
    ]


@pytest.mark.parametrize(
    ("source", "groups"), [("a", 0), ("(a)(?:b)(?<n>c)", 2), (r"\((a[(]b)", 1), ("(?<=a)(?<!b)(?=c)(?!d)", 0)]
)
def test_groups_are_counted(source: str, groups: int) -> None:
    assert Matcher(source).group_count == groups


@pytest.mark.parametrize(
    ("source", "flags"), [("(?P<n>a)", ""), ("(?#a)", ""), ("a++", ""), ("[", ""), ("a", "ii"), ("a", "uv")]
)
def test_what_is_no_ecmascript_is_no_regular_expression(source: str, flags: str) -> None:
    with pytest.raises(PatternError):
        Matcher(source, flags)


def test_a_section_refuses_flags_backreferences_and_what_does_not_compile(repository: Repository) -> None:
    patterns = [
        {"name": "a", "match": "x", "flags": "g", "reason": "r"},
        {"name": "b", "match": "(x)\\1", "reason": "r"},
        {"name": "c", "match": "(?<n>x)\\k<n>", "reason": "r"},
        {"name": "d", "match": "(", "reason": "r"},
        {"name": "e", "match": "x" * 201, "reason": "r"},
    ]
    backreference = (
        "carries a backreference, which is the construct that turns a linear scan into an exponential one; write the "
        "pattern without one"
    )
    issues = repository.refused("package-boundary", paths=[{"path": "src"}], patterns=patterns)
    assert issues[:3] == [
        "patterns.0.flags: admits only i, m, s, u and v. A g or a y carries a match position between calls, so a "
        "pattern holding either would match every second thing it should have matched",
        f"patterns.1.match: {backreference}",
        f"patterns.2.match: {backreference}",
    ]
    assert issues[3].startswith("patterns.3.match: is not a regular expression: ")
    assert issues[4:] == ["patterns.4.match: Too big: expected string to have <=200 characters"]


def test_widened_spaces_cross_a_line_break_and_no_blank_line() -> None:
    matcher = Matcher(widen_spaces(r"ships ([a-z]+)  rules[ ]\ now"))
    assert matcher.first("ships\n  four \n rules  now") is not None
    assert matcher.first("ships\n\nfour rules  now") is None
    assert matcher.first("ships four rules\n now") is None


def test_a_quantified_space_cannot_be_widened() -> None:
    with pytest.raises(WideningError, match='a space followed by "\\*" cannot be widened'):
        widen_spaces("a *b")
