"""The regex operator: gates, then a match that takes linear time (spec 04, section 4).

1. A value that is no text does not match, whatever the pattern.
2. A pattern that is no ECMAScript regular expression is ``operator-cannot-accept-operand``.
3. Two static gates, on the pattern's text alone, are ``budget-exhausted``: a quantified group that holds a quantifier,
   and more estimated steps than the budget.
4. Whether the pattern matches somewhere is asked of a linear-time engine (RE2). The few patterns that need backtracking
   (backreferences, lookaround) run under a bound of their own, past which the answer is ``budget-exhausted`` as well.

Matching is by UTF-16 units, as ECMAScript without flags has it: a character beyond the BMP is two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from eval_quality.canonical import number_text
from eval_quality.errors import RuntimeFault

from .evidence import ResolvedValue
from .regex_syntax import is_valid_pattern, utf16_units

BACKTRACKING_STEP_LIMIT: Final = 500_000
"""Steps of one match that needs backtracking."""

_LINE_TERMINATORS: Final = "\n\r\u2028\u2029"
_ESCAPE: Final = rf"\\[^{_LINE_TERMINATORS}]"
_CLASS: Final = r"\[[^\]]*\]"
_QUANTIFIER: Final = r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}"
_GROUP_MARKER: Final = r"\?(?:[:=!]|<[=!]?[^>]*>)"


def regex_match(value: ResolvedValue, pattern: str, match_step_budget: int, artifact_path: str) -> bool:
    """Whether a text matches an ECMAScript pattern somewhere.

    Raises ``RuntimeFault`` ``operator-cannot-accept-operand`` or ``budget-exhausted`` at ``artifact_path``.
    """
    if not isinstance(value, str):
        return False
    gate = _gate(pattern)
    if not gate.valid:
        detail = f"pattern is not a syntactically valid ECMA-262 source: {pattern}"
        raise RuntimeFault("operator-cannot-accept-operand", artifact_path, detail)
    if gate.nested:
        raise _exhausted(
            artifact_path,
            f"pattern rejected outright for a nested-quantifier shape that risks catastrophic backtracking: {pattern}",
        )
    subject = utf16_units(value)
    estimated = gate.weight * len(subject)
    if estimated > match_step_budget:
        told = (
            f"{number_text(estimated)} regex match steps exceed the declared budget of {number_text(match_step_budget)}"
        )
        raise _exhausted(artifact_path, f"estimated {told}")
    matched = _matcher(pattern)(subject)
    if matched is None:
        raise _exhausted(artifact_path, f"matching took more than {BACKTRACKING_STEP_LIMIT} steps: {pattern}")
    return matched


def _exhausted(artifact_path: str, detail: str) -> RuntimeFault:
    return RuntimeFault("budget-exhausted", artifact_path, detail)


class _Gate:
    """What the text of a pattern tells before it is run."""

    def __init__(self, pattern: str) -> None:
        self.valid = is_valid_pattern(pattern)
        stripped = re.sub(_CLASS, "[]", re.sub(_ESCAPE, "_", utf16_units(pattern)))
        self.nested = _has_nested_quantifier(stripped)
        self.weight = 1 + len(re.findall(_QUANTIFIER, stripped))


@lru_cache(maxsize=1024)
def _gate(pattern: str) -> _Gate:
    return _Gate(pattern)


def _has_nested_quantifier(stripped: str) -> bool:
    """Whether a group that holds a quantifier is itself followed by one.

    ``holds`` says of each open group whether anything quantified was met since it was opened; groups that end pass it on.
    """
    open_groups: list[list[int | bool]] = []
    for position, character in enumerate(stripped):
        if character == "(":
            marker = re.compile(_GROUP_MARKER).match(stripped, position + 1)
            open_groups.append([marker.end() if marker else position + 1, False])
        elif character == ")":
            if open_groups:
                _, holds = open_groups.pop()
                if holds and re.compile(_QUANTIFIER).match(stripped, position + 1):
                    return True
                if holds and open_groups:
                    open_groups[-1][1] = True
        elif character in "*+?{":
            for group in reversed(open_groups):
                if position < group[0]:
                    continue
                group[1] = True
                break
    return False


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool | None]:
    """A function that says whether a subject of UTF-16 units matches somewhere; none when the bound was not enough."""
    from .regex_linear import linear_matcher
    from .regex_tree import parse_pattern

    try:
        tree = parse_pattern(utf16_units(pattern))
        matcher = linear_matcher(tree)
        if matcher is not None:
            return matcher
        from .regex_backtracking import StepLimitExceeded, backtracking_matcher

        backtracking = backtracking_matcher(tree, BACKTRACKING_STEP_LIMIT)
    except RecursionError:  # groups nested deeper than can be followed
        return lambda subject: None

    def bounded(subject: str) -> bool | None:
        try:
            return backtracking(subject)
        except (StepLimitExceeded, RecursionError):
            return None

    return bounded
