"""The regex operator: gates, then a match that takes linear time (spec 04, section 4).

1. A value that is no text does not match, whatever the pattern.
2. A pattern that is no ECMAScript regular expression is ``operator-cannot-accept-operand``.
3. Two static gates, on the pattern's text alone, are ``budget-exhausted``: a quantified group that holds a quantifier,
   and more estimated steps than the budget.
4. Whether the pattern matches somewhere is asked of the first engine that takes it. RE2 is linear. What it has no
   notion of (lookaround, counts in the thousands) is matched at all places at once, and backreferences by
   backtracking; these two run under a bound, past which the answer is ``budget-exhausted`` as well.

Matching is by UTF-16 units, as ECMAScript without flags has it: a character beyond the BMP is two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import Final

from eval_quality.canonical import number_text, utf16_units
from eval_quality.errors import RuntimeFault

from .evidence import ResolvedValue
from .regex_syntax import is_valid_pattern

STEP_LIMIT: Final = 1_000_000
"""Steps of one match by an engine that is not linear."""
NESTING_LIMIT: Final = 150
"""Groups inside of each other that such an engine follows."""

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
        raise _exhausted(artifact_path, f"matching takes more than {STEP_LIMIT} steps: {pattern}")
    return matched


def _exhausted(artifact_path: str, detail: str) -> RuntimeFault:
    return RuntimeFault("budget-exhausted", artifact_path, detail)


class _Gate:
    """What the text of a pattern tells before it is run."""

    def __init__(self, pattern: str) -> None:
        self.valid = is_valid_pattern(pattern)
        stripped = re.sub(_CLASS, "[]", re.sub(_ESCAPE, "_", utf16_units(pattern))) if self.valid else ""
        self.nested = _has_nested_quantifier(stripped)
        self.weight = 1 + len(re.findall(_QUANTIFIER, stripped))


@lru_cache(maxsize=1024)
def _gate(pattern: str) -> _Gate:
    return _Gate(pattern)


def _has_nested_quantifier(stripped: str) -> bool:
    """Whether a group that is followed by a quantifier holds one, its own marker (``?:`` and the like) left out."""
    quantifier, marker = re.compile(_QUANTIFIER), re.compile(_GROUP_MARKER)
    signs_before = list(accumulate((character in "*+?{" for character in stripped), initial=0))
    openings: list[int] = []
    for position, character in enumerate(stripped):
        if character == "(":
            openings.append(position + 1)
        elif character == ")" and openings:
            start = openings.pop()
            if quantifier.match(stripped, position + 1):
                marked = marker.match(stripped, start, position)
                if signs_before[position] > signs_before[marked.end() if marked else start]:
                    return True
    return False


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool | None]:
    """A function that says whether a subject of UTF-16 units matches somewhere; none when the bound was not enough."""
    from .regex_linear import linear_matcher
    from .regex_tree import parse_pattern

    tree, nesting, referenced = parse_pattern(utf16_units(pattern))
    matcher = linear_matcher(tree)
    if matcher is not None:
        return matcher
    if nesting > NESTING_LIMIT:
        return lambda subject: None
    if referenced:
        from .regex_backtracking import backtracking_matcher

        return backtracking_matcher(tree, referenced, STEP_LIMIT)
    from .regex_positions import positions_matcher

    return positions_matcher(tree, STEP_LIMIT)
