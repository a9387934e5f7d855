"""The scripting audit."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import StructuralFailure
from eval_quality.seal import audit_brief_scripting
from eval_quality.seal.audit import count_step_markers


def brief(bound: int | None, *texts: str) -> Any:
    directions = [{"oracleId": f"O-{number:03d}", "text": text} for number, text in enumerate(texts, start=1)]
    return {"probeStepBound": bound, "directions": directions}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("1. Do it. 2) Next", 3),
        ("1.2.", 1),
        ("costs 12.5. 3.", 2),
        ("e.g. this", 2),
        ("see e.g. this", 1),
        ("after-sales afterwards thenx", 2),
        ("_then before_", 0),
        ("the next page endpoint", 1),
        ("(with the supplied body x.y)", 1),
        ("THEN Before aFter subsequent subsequently NEXT finally afterward afterwards", 9),
        ("\u00e9then\u00e9", 1),
        ("a) b) c)", 1),
        ("a)\nb)\r\n \u00a0c)", 3),
        ("x \x1c1.", 0),
        ("(x.\ufeff1.", 1),
        ("x\u20281.", 0),
        ("\u0661.", 0),
        ("\u017fubsequent \u212aa.", 0),
        ("12) 3", 1),
        ("12)3", 0),
    ],
)
def test_markers(text: str, count: int) -> None:
    assert count_step_markers(text) == count


def test_each_direction_is_held_to_the_bound_by_itself() -> None:
    audit_brief_scripting(brief(1, "then", "next"))
    with pytest.raises(StructuralFailure) as caught:
        audit_brief_scripting(brief(1, "then", "before and after", "1. 2."))
    assert str(caught.value) == (
        "brief-exceeds-scripting-bound in SealedEvaluatorBrief.directions[oracleId=O-002].text: "
        "2 enumerated-probe-step marker(s) exceed the declared bound of 1"
    )


def test_no_bound_permits_every_marker_and_zero_none() -> None:
    audit_brief_scripting(brief(None, "then " * 50))
    audit_brief_scripting(brief(0, "all at once"))
    with pytest.raises(StructuralFailure):
        audit_brief_scripting(brief(0, "then"))


@pytest.mark.parametrize(
    ("text", "count"),
    [("1" * 300_000, 0), ("a. " * 100_000, 100_000), (" " * 300_000 + "x 1)", 0), ("x 1) " * 60_000, 0)],
)
def test_long_texts(text: str, count: int) -> None:
    """What would take hours were a run of digits or of white space looked at again from each of its characters."""
    assert count_step_markers(text) == count
