"""Rubrics that anchor what they score, on evidence the plan yields (spec 05, section 5.15; AD-17, AD-22).

1. Rubric identifiers are unique, and criterion identifiers within a rubric.
2. No rubric scores an evaluator's stated reasoning.
3. A rubric anchors its scale levels, bounds the answer, names its penalties, and asks a question a criterion.
4. The evidence of each criterion is reachable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from eval_quality.canonical import JS_WHITESPACE, number_text
from eval_quality.errors import StructuralFailure
from eval_quality.plan_index import parse_evidence_target

from .paths import rubric_path
from .reachability import unreachable_in_plan

if TYPE_CHECKING:
    from eval_quality.artifacts.rubric import RubricBody

    from .subject import Subject

REASONING_TERMS: Final = (
    "chains?~of~thoughts?",
    "trains?~of~thoughts?",
    "thought~process(?:es|ing)?",
    "thinking~process(?:es)?",
    "(?:internal|inner)~monologues?",
    "self~explanations?",
    "reasonings?",
    "rationales?",
)
"""What stated reasoning is called; ``~`` stands for any run of hyphens and white space between two words."""

_INVISIBLE: Final = re.compile(f"[{JS_WHITESPACE}\u200b-\u200d]*")


def find_reasoning_prose_term(text: str) -> str | None:
    """The first name of stated reasoning in a text, as it is written there; letters fold in ASCII only."""
    match = _reasoning_pattern().search(text)
    return match[0] if match else None


def check_identifiers(subject: Subject) -> Iterator[StructuralFailure]:
    """Rubrics and the criteria of one rubric are told apart by their identifiers (row 23)."""
    rubrics = subject.contract["rubrics"]
    for position in _repeats(rubric["id"] for rubric in rubrics):
        yield StructuralFailure(
            "rubric-unanchored",
            f"EvalContract.rubrics[{position}].id",
            f'repeats rubric id "{rubrics[position]["id"]}", which a finding could then cite ambiguously (AD-22)',
        )
    for rubric in rubrics:
        for position in _repeats(criterion["id"] for criterion in rubric["criteria"]):
            yield StructuralFailure(
                "rubric-unanchored",
                f"{rubric_path(rubric['id'])}.criteria[{position}].id",
                f'repeats criterion id "{rubric["criteria"][position]["id"]}" inside one rubric (AD-22)',
            )


def check_reasoning_prose(subject: Subject) -> Iterator[StructuralFailure]:
    """No text of a rubric asks for reasoning to be scored (row 24)."""
    for rubric in subject.contract["rubrics"]:
        for path, text in _texts(rubric):
            if term := find_reasoning_prose_term(text):
                yield StructuralFailure(
                    "rubric-scores-reasoning-prose",
                    f"{rubric_path(rubric['id'])}.{path}",
                    f'scores stated-reasoning prose: matched "{term}" (AD-17, AD-22)',
                )


def check_anchoring(subject: Subject) -> Iterator[StructuralFailure]:
    """A rubric's scale, bound, penalties and criteria all say something (row 25)."""
    for rubric in subject.contract["rubrics"]:
        for path, detail in _unanchored(rubric):
            yield StructuralFailure("rubric-unanchored", f"{rubric_path(rubric['id'])}.{path}", f"{detail} (AD-22)")


def check_criterion_evidence(subject: Subject) -> Iterator[StructuralFailure]:
    """The evidence of every criterion is what some step can yield (row 26)."""
    for rubric in subject.contract["rubrics"]:
        for criterion in rubric["criteria"]:
            if reason := unreachable_in_plan(parse_evidence_target(criterion["evidence"]), subject):
                yield StructuralFailure(
                    "rubric-evidence-unreachable",
                    f"{rubric_path(rubric['id'])}.criteria[id={criterion['id']}].evidence",
                    f'"{criterion["evidence"]}" {reason}',
                )


@cache
def _reasoning_pattern() -> re.Pattern[str]:
    separator = f"[{JS_WHITESPACE}\u2010\u2011-]+"
    terms = "|".join(REASONING_TERMS).replace("~", separator)
    return re.compile(rf"\b(?:{terms})\b", re.ASCII | re.IGNORECASE)


def _texts(rubric: RubricBody) -> Iterator[tuple[str, str]]:
    """The texts a judge reads, each with its path in the rubric."""
    for criterion in rubric["criteria"]:
        yield f"criteria[id={criterion['id']}].text", criterion["text"]
    for position, level in enumerate(rubric["scaleLevels"] or ()):
        yield f"scaleLevels[{position}].anchor", level["anchor"]
    for position, penalty in enumerate(rubric["failureModePenalties"] or ()):
        yield f"failureModePenalties[{position}].name", penalty["name"]
        yield f"failureModePenalties[{position}].description", penalty["description"]


def _unanchored(rubric: RubricBody) -> Iterator[tuple[str, str]]:
    """What a rubric leaves open, each with its path in the rubric."""
    levels, penalties = rubric["scaleLevels"] or [], rubric["failureModePenalties"] or []
    if not levels:
        yield "scaleLevels", "declares no anchored scale levels"
    for position in _repeats(level["level"] for level in levels):
        ordinal = number_text(levels[position]["level"])
        yield (
            f"scaleLevels[{position}].level",
            f"repeats scale-level ordinal {ordinal}, so the ordinal addresses two anchors",
        )
    for position, level in enumerate(levels):
        if _is_blank(level["anchor"]):
            yield f"scaleLevels[{position}].anchor", "states no observable condition, so the level is unanchored"
    if rubric["maxLength"] is None:
        yield "maxLength", "declares no bounded length"
    if not penalties:
        yield "failureModePenalties", "names no failure-mode penalties"
    for position, penalty in enumerate(penalties):
        if _is_blank(penalty["name"]):
            yield f"failureModePenalties[{position}].name", "is blank, so the penalty is unnamed"
    for criterion in rubric["criteria"]:
        if _is_blank(criterion["text"]):
            path = f"criteria[id={criterion['id']}].text"
            yield path, "states no question, so the criterion is unanchored"


def _repeats(values: Iterable[object]) -> Iterator[int]:
    """Positions of values that were there before."""
    seen = set()
    for position, value in enumerate(values):
        if value in seen:
            yield position
        seen.add(value)


def _is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, and characters of no width."""
    return _INVISIBLE.fullmatch(text) is not None
