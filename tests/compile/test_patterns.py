"""Regular expressions a check may use."""

from __future__ import annotations

import pytest

from eval_quality.compile.patterns import pattern_rejection
from eval_quality.evaluate.regex_syntax import MAX_CAPTURING_GROUPS, is_valid_pattern

VALID = r"""
] } { a{ a{1 a{1,2 a{,2} {,1} {1, a{1,\x202} a{0} a{99999999999999999999} a{9999999999,9999999998}
a+? a{2,3}? a{2}? (?=a)* (?!a){1,2} (?<=a) (?<!a)b
[\d-z] [a-\d] [\w-a] [a-] [-a] [--/] [a-z-9] [] [^] []] [\c] [\x] [[:alpha:]] [z\-a] [\c_-\x20] [\8-9]
(?i:a) (?-i:a) (?i-:a) (?ims-:a)
(?<n>a)|(?<n>b) (?:(?<n>a)|(?<n>b))c (?<$_é>a) (?<\u0061>a) (?<\u{61}>a) (?<\ud835\udc9c>a) (?<n>a)\k<n>
\k<n>(?<n>a) \k \k< \k<n> \k<(>) \Q \8 \c \c* \u \x4 \u{1} \p{L} \01
"""

INVALID = r"""
) (a [a a\ ^* ^? ^{1} ^{1,2} (*a) (|*) $* \b* \B{2} a** a{1}{2} a{2}+ a+?? (?<=a)* (?<!a)? a{2,1} {1} \u{1}{2}
[z-a] [b-\x61] [\u0062-a] [a--] [b-\b] [\10-\1] [\c-a] [\cB-\x01] [😀-😁]
(?P<n>a) (?>a) (?#c) (?i)a (?) (?u:a) (?x:a) (?i-i:a) (?s-s:a) (?ii:a) (?-:a)
(?<1n>a) (?<a-b>a) (?<>a) (?<n (?<a\u{110000}>a) (?<\ud835>a) (?<n>a)(?<n>b) (?<n>(?<n>a)) (?:(?<n>a)|(?<n>b))(?<n>c)
(?<n>a)\k (?<n>a)\k<m> (?<n>a)\k<1> (?<n>a)[\k]
"""


@pytest.mark.parametrize("pattern", [*VALID.split(), "(?<\U0001d49c>a)"])
def test_valid(pattern: str) -> None:
    assert is_valid_pattern(pattern)


@pytest.mark.parametrize("pattern", INVALID.split())
def test_invalid(pattern: str) -> None:
    assert not is_valid_pattern(pattern)


def test_capturing_groups_are_counted_and_nest_without_end() -> None:
    assert is_valid_pattern("(" * MAX_CAPTURING_GROUPS + ")" * MAX_CAPTURING_GROUPS)
    assert not is_valid_pattern("()" * (MAX_CAPTURING_GROUPS + 1))
    assert is_valid_pattern("(?:" * 100_000 + ")" * 100_000)


@pytest.mark.parametrize(
    ("rejection", "patterns"),
    [
        (None, r"^$ ^(a|b)$ ^[|]$ ^\|$ ^(?=x)x$ ^(?<n>a)$ ^\k$ ^\01$ ^a\\$ ^[\]|]$ ^[[|]$ ^[(]a(b|c)[)]$"),
        ("is not anchored over the whole expression", r"^a|b$ ^a\$ ^[a]|]$ ^[[]|]$ ^(\))|b$ a$ ^a ^ $"),
        ("carries a backreference", r"^\1$ ^\10$ ^[\1]$ ^\\1$ ^\k<n>$ ^(?<n>a)\k<n>$"),
        ("carries a lookbehind", r"^(?<=x)$ ^(?<!x)a$ ^\(?<=a$"),
        ("is not a syntactically valid ECMA-262 pattern", r"^)$ ^(a$ ^[a$ (?<n>a)\k"),
    ],
)
def test_the_first_rejection_applies(rejection: str | None, patterns: str) -> None:
    for pattern in patterns.split():
        assert pattern_rejection(pattern) == rejection, pattern
