"""The scripting audit: does a brief enumerate steps for the evaluator to take? (spec 06, section 6)

A marker is a word of sequence (``then``, ``next``...) anywhere, or a list number (``1.``, ``b)``) where a line or a
sentence begins. A standalone check over a finished brief: sealing does not run it.
"""

from __future__ import annotations

import re
from functools import cache

from eval_quality.artifacts.sealed_evaluator_brief import SealedEvaluatorBrief
from eval_quality.canonical import JS_WHITESPACE
from eval_quality.errors import StructuralFailure


@cache
def _markers() -> re.Pattern[str]:
    """Words of sequence, and what may be a list number: digits or one letter after white space, a mark, or nothing."""
    return re.compile(
        r"\b(?P<word>then|before|after|subsequent(?:ly)?|next|finally|afterwards?)\b"
        rf"|(?<![^{JS_WHITESPACE}.!?])(?:[0-9]++|[a-z])[.)](?![0-9])",
        re.ASCII | re.IGNORECASE,
    )


def audit_brief_scripting(brief: SealedEvaluatorBrief) -> None:
    """Refuse a direction with more step markers than the brief's bound allows.

    Raises ``StructuralFailure`` ``brief-exceeds-scripting-bound``; a brief without a bound passes.
    """
    bound = brief["probeStepBound"]
    if bound is None:
        return
    for direction in brief["directions"]:
        count = count_step_markers(direction["text"])
        if count > bound:
            raise StructuralFailure(
                "brief-exceeds-scripting-bound",
                f"SealedEvaluatorBrief.directions[oracleId={direction['oracleId']}].text",
                f"{count} enumerated-probe-step marker(s) exceed the declared bound of {bound}",
            )


def count_step_markers(text: str) -> int:
    """How many markers a text holds; they do not overlap."""
    return sum(bool(match["word"]) or _starts_afresh(text, match.start()) for match in _markers().finditer(text))


def _starts_afresh(text: str, position: int) -> bool:
    """Whether a line or a sentence begins here, white space aside."""
    end = position
    while end and text[end - 1] in JS_WHITESPACE:
        end -= 1
    return end == 0 or text[end - 1] in ".!?" or "\n" in text[end:position]
