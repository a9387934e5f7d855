"""The oracle a probe belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.score.designation import check_designated_oracle, derived_oracle_id
from tests.score.shop import answers_200, behavior, contract, probe

PROBE: Any = probe()
CONTRACT: Any = contract(
    behaviors=[behavior("B-001", "O-001", "O-009"), behavior("B-002"), behavior("B-001", "O-002")],
    oracles=[answers_200(), answers_200("O-002")],
)


@pytest.mark.parametrize(
    ("oracles", "derived"),
    [((), None), (("O-001",), "O-001"), (("O-404",), "O-404"), (("O-001", "O-002"), None)],
)
def test_a_behavior_with_one_oracle_designates_it(oracles: tuple[str, ...], derived: str | None) -> None:
    given: Any = contract(behaviors=[behavior("B-001", *oracles), behavior("B-001", "O-009")])
    assert derived_oracle_id(given, PROBE) == derived
    assert derived_oracle_id(given, PROBE | {"behaviorId": "B-404"}) is None


@pytest.mark.parametrize("oracle_id", ["", "O-1", "O-001\n", "o-001", "O-001 ", "O-00\u0661", 'O-"é'])
def test_an_identifier_has_to_look_like_one(oracle_id: str) -> None:
    refusal = check_designated_oracle(CONTRACT, PROBE, oracle_id)
    assert refusal is not None
    assert refusal.endswith("is not an oracle identifier; expected O- followed by at least three digits")
    assert check_designated_oracle(CONTRACT, PROBE, "") == (
        '--designated-oracle "" is not an oracle identifier; expected O- followed by at least three digits'
    )


def test_refusals_in_order() -> None:
    head = "--designated-oracle"
    elsewhere: Any = PROBE | {"behaviorId": "B-404"}
    unlisted: Any = PROBE | {"behaviorId": "B-002"}
    assert check_designated_oracle(CONTRACT, elsewhere, "O-001") == (
        f"{head} O-001 cannot be checked: the probe's behavior B-404 is not declared by the contract"
    )
    assert check_designated_oracle(CONTRACT, PROBE, "O-002") == (
        f"{head} O-002 is not listed by the probe's behavior B-001, which lists O-001, O-009"
    )
    assert check_designated_oracle(CONTRACT, unlisted, "O-001") == (
        f"{head} O-001 is not listed by the probe's behavior B-002, which lists no oracle"
    )
    assert check_designated_oracle(CONTRACT, PROBE, "O-009") == (
        f"{head} O-009 is listed by the probe's behavior B-001 (which lists O-001, O-009), but the contract declares no "
        "oracle O-009"
    )
    assert check_designated_oracle(CONTRACT, PROBE, "O-001") is None
