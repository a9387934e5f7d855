"""Which regular expressions a check may use (spec 05, section 5.8; AD-4).

A pattern is an ECMAScript regular expression without flags, anchored over the whole expression, with no backreference
and no lookbehind. The last two are searched for in the text, wherever they stand: a class or an escaped backslash in
front does not excuse them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from eval_quality.errors import StructuralFailure

from .legality import malformed

if TYPE_CHECKING:
    from .sites import Site
    from .subject import Subject

_NUMBERED_BACKREFERENCE: Final = re.compile(r"\\[1-9]")
_NAMED_BACKREFERENCE: Final = re.compile(r"\\k<[^>]")
_LOOKBEHIND: Final = re.compile(r"\(\?<[=!]")
_STRUCTURE: Final = re.compile(r"\\.|[\[\]()|]", re.DOTALL)
_ESCAPED_END: Final = re.compile(r"(?<!\\)\\(?:\\\\)*\$\Z")


@lru_cache(maxsize=1024)
def pattern_rejection(pattern: str) -> str | None:
    """What is wrong with a pattern, as messages say it; ``None`` for one a check may use."""
    from eval_quality.evaluate.regex_syntax import is_valid_pattern

    if not is_valid_pattern(pattern):
        return "is not a syntactically valid ECMA-262 pattern"
    if not _is_anchored(pattern):
        return "is not anchored over the whole expression"
    if carries_backreference(pattern):
        return "carries a backreference"
    if _LOOKBEHIND.search(pattern):
        return "carries a lookbehind"
    return None


def rejected_patterns(site: Site) -> Iterator[StructuralFailure]:
    """Regular expressions of one expression that a check may not use."""
    for node in site.nodes:
        if node.op == "regex" and (rejection := pattern_rejection(node.expression["pattern"])):
            yield malformed(
                f"{site.path}{node.path}.pattern",
                f'regex pattern "{node.expression["pattern"]}" {rejection}, a rejected construct (AD-4)',
            )


def check_patterns(subject: Subject) -> Iterator[StructuralFailure]:
    """Every regular expression of the contract may be used (row 10)."""
    for site in subject.sites:
        yield from rejected_patterns(site)


def carries_backreference(pattern: str) -> bool:
    """Whether ``\\[1-9][0-9]*`` or ``\\k<[^>]+>`` occurs; a name is not read on for the sake of every ``\\k<`` in it."""
    if _NUMBERED_BACKREFERENCE.search(pattern):
        return True
    return _NAMED_BACKREFERENCE.search(pattern, 0, max(pattern.rfind(">"), 0)) is not None


def _is_anchored(pattern: str) -> bool:
    ends = pattern.startswith("^") and pattern.endswith("$") and not _ESCAPED_END.search(pattern)
    return ends and not _alternates_at_top(pattern)


def _alternates_at_top(pattern: str) -> bool:
    """Whether an alternation stands outside every group, so that an anchor binds one alternative only.

    A scan of brackets, not a parse: ``]`` ends a class wherever it stands, and ``)`` may close more than was opened.
    """
    depth, in_class = 0, False
    for token in _STRUCTURE.finditer(pattern):
        match token[0]:
            case "[" | "]" as bracket:
                in_class = bracket == "["
            case "(" if not in_class:
                depth += 1
            case ")" if not in_class:
                depth -= 1
            case "|" if not in_class and depth == 0:
                return True
    return False
