"""One direction as a text (spec 06, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from eval_quality.artifacts.oracles import Direction
from eval_quality.canonical import JS_WHITESPACE
from eval_quality.errors import PreconditionError
from eval_quality.plan_index import PlanIndex

from .references import render_evidence_references

_CLAIMS: Final[Mapping[str, str]] = {
    "for-all": "Every element reachable through {evidence} is asserted to meet the declared condition.",
    "for-any": "At least one element reachable through {evidence} is asserted to meet the declared condition.",
    "all": "{evidence} is asserted to satisfy every declared condition together.",
    "any": "{evidence} is asserted to satisfy at least one declared condition.",
    "not": "{evidence} is asserted to fail the declared condition, not to satisfy it.",
    "existence": "{evidence} is asserted to be present.",
    "absence": "{evidence} is asserted to be absent.",
    "equality": "{evidence} is asserted to be equal.",
    "deep-equality": "{evidence} is asserted to be deeply, structurally equal.",
    "containment": "{evidence} is asserted to contain the declared member.",
}
_OTHER_CLAIM: Final = '{evidence} is asserted to satisfy the declared "{relation}" condition.'
_EXPECTS_HOLD: Final = "The declared polarity expects this relation to hold."
_EXPECTS_VIOLATION: Final = "The declared polarity expects this relation to be a violation."


def render_direction_text(direction: Direction, index: PlanIndex) -> str:
    """What the evaluator is told of one oracle: where to look, in which sense, within which scope.

    Raises ``PreconditionError`` for a direction without evidence, and what ``render_evidence_references`` raises.
    """
    if not direction["evidenceTargets"]:
        raise PreconditionError(
            "direction carries no evidenceTargets; a schema-valid Direction reaching seal always names at least one"
        )
    evidence = render_evidence_references(direction["evidenceTargets"], index)
    return " ".join(map(_sentence, _parts(direction, evidence)))


def _parts(direction: Direction, evidence: str) -> Iterator[str]:
    relation = direction["relation"]
    template = _CLAIMS.get(relation, _OTHER_CLAIM)
    yield template.replace("{relation}", relation).replace("{evidence}", evidence)
    yield _EXPECTS_HOLD if direction["polarity"] == "expects-hold" else _EXPECTS_VIOLATION
    scope, negative = direction["scope"], direction["negativeDomain"]
    if scope is not None and scope.strip(JS_WHITESPACE):
        yield scope
    if negative is not None and (domain := negative.strip(JS_WHITESPACE)):
        yield f"{domain.rstrip('.!?')} is treated as a defect."


def _sentence(text: str) -> str:
    """Trimmed, its first ASCII letter a capital, ended by a mark."""
    trimmed = text.strip(JS_WHITESPACE)
    capital = re.sub("[A-Za-z]", lambda letter: letter[0].upper(), trimmed, count=1)
    return capital if capital.endswith((".", "!", "?")) else f"{capital}."
