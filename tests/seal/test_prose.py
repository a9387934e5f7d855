"""Directions in words."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import PreconditionError
from eval_quality.seal import render_direction_text
from tests.seal.plans import create, index_of, literal

EVIDENCE = "its transport status from the create order endpoint (with the supplied body qty)"
HOLDS = "The declared polarity expects this relation to hold."
INDEX = index_of(create("make", qty=literal(2)))


def text(**changes: Any) -> str:
    direction: Any = {
        "evidenceTargets": ["/interactions/make/response-status"],
        "relation": "equality",
        "polarity": "expects-hold",
        "scope": None,
        "negativeDomain": None,
    }
    return render_direction_text(direction | changes, INDEX)


def capital(phrase: str) -> str:
    return phrase[0].upper() + phrase[1:]


@pytest.mark.parametrize(
    ("relation", "claim"),
    [
        ("for-all", f"Every element reachable through {EVIDENCE} is asserted to meet the declared condition."),
        ("for-any", f"At least one element reachable through {EVIDENCE} is asserted to meet the declared condition."),
        ("all", f"{capital(EVIDENCE)} is asserted to satisfy every declared condition together."),
        ("any", f"{capital(EVIDENCE)} is asserted to satisfy at least one declared condition."),
        ("not", f"{capital(EVIDENCE)} is asserted to fail the declared condition, not to satisfy it."),
        ("existence", f"{capital(EVIDENCE)} is asserted to be present."),
        ("absence", f"{capital(EVIDENCE)} is asserted to be absent."),
        ("equality", f"{capital(EVIDENCE)} is asserted to be equal."),
        ("deep-equality", f"{capital(EVIDENCE)} is asserted to be deeply, structurally equal."),
        ("containment", f"{capital(EVIDENCE)} is asserted to contain the declared member."),
        *(
            (named, f'{capital(EVIDENCE)} is asserted to satisfy the declared "{named}" condition.')
            for named in ("regex", "set-membership", "ordering", "count-tolerance", "shape", "covers-by-key")
        ),
    ],
)
def test_every_relation_has_its_claim(relation: str, claim: str) -> None:
    assert text(relation=relation) == f"{claim} {HOLDS}"


def test_polarity_scope_and_negative_domain_follow_the_claim() -> None:
    assert text(
        polarity="expects-violation", scope='  only "paid" orders count\ufeff', negativeDomain="a 200 with no body"
    ) == (
        f"{capital(EVIDENCE)} is asserted to be equal. "
        "The declared polarity expects this relation to be a violation. "
        'Only "paid" orders count. A 200 with no body is treated as a defect.'
    )


def test_what_is_not_expected_to_hold_is_expected_to_be_a_violation() -> None:
    """Spec 06, section 4: any polarity but the one."""
    assert text(polarity="another") == text(polarity="expects-violation") != text()


@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        (None, ""),
        (" \u00a0\u2028\n", ""),
        ("done!", " Done!"),
        ("123 \u00e9clair", " 123 \u00e9Clair."),
        ("\u0085", " \u0085."),
        ("42", " 42."),
        ("{evidence} {relation}", " {Evidence} {relation}."),
    ],
)
def test_a_scope_becomes_a_sentence(scope: str | None, sentence: str) -> None:
    assert text(scope=scope).split(HOLDS)[1] == sentence


@pytest.mark.parametrize(
    ("domain", "sentence"),
    [
        (None, ""),
        ("   ", ""),
        ("a 200 with no body...!?", " A 200 with no body is treated as a defect."),
        ("no. body .", " No. body  is treated as a defect."),
        ("...", " Is treated as a defect."),
    ],
)
def test_a_negative_domain_loses_its_last_marks(domain: str | None, sentence: str) -> None:
    assert text(negativeDomain=domain).split(HOLDS)[1] == sentence


def test_a_direction_names_evidence() -> None:
    with pytest.raises(PreconditionError, match="direction carries no evidenceTargets; a schema-valid Direction"):
        text(evidenceTargets=[])


def test_names_of_fields_are_not_templates() -> None:
    phrase = text(evidenceTargets=["/interactions/make/response-body/{relation}"])
    assert phrase.startswith("Its {relation} field from the create order endpoint")
