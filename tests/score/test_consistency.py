"""Reductions that do not follow from the evidence beside them: every rule, and the order of several issues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_quality.score.consistency import reduction_consistency_issues
from tests.scored_runs import Json, evidence, outcome, reduction

BASE = "reducedProbeOutcomes"


def issues(artifact: Json) -> list[tuple[str, str]]:
    found = reduction_consistency_issues(
        artifact["scoredProbeId"],
        artifact["outcomes"],
        artifact["reducedProbeOutcomes"],
        artifact["trials"],
    )
    return [(".".join(map(str, issue.path)), issue.message) for issue in found]


def sound() -> Json:
    return evidence("P-001", "caught", "missed", "oracle-error")


def test_a_reduction_that_follows_has_no_issue() -> None:
    assert issues(sound()) == []
    assert issues(evidence("P-001")) == []


CASES: list[tuple[Callable[[Json], Any], list[tuple[str, str]]]] = [
    (
        lambda each: each["trials"].update(completed=2),
        [("trials.completedAttempts", "completedAttempts must contain one unique identity per completed trial")],
    ),
    (
        lambda each: each["trials"].update(completedAttempts=[1, 2, 2]),
        [
            ("trials.completedAttempts", "completedAttempts must contain one unique identity per completed trial"),
            ("outcomes", "detailed outcomes must cover every completed attempt exactly"),
            (f"{BASE}.0.trialVotes", "selected trial votes must cover every completed attempt exactly"),
        ],
    ),
    (
        lambda each: each["outcomes"].append(outcome(None, 4, "missed")),
        [("outcomes", "detailed outcomes must cover every completed attempt exactly")],
    ),
    (
        lambda each: each.update(scoredProbeId=None),
        [
            (BASE, "reduced outcomes require an independently retained probe identity"),
            (f"{BASE}.0.probeId", "reduced probe must match the independently retained scored probe"),
        ],
    ),
    (
        lambda each: each.update(scoredProbeId="P-002"),
        [
            (BASE, "reduced outcomes must contain exactly the independently retained scored probe"),
            (f"{BASE}.0.probeId", "reduced probe must match the independently retained scored probe"),
        ],
    ),
    (
        lambda each: each[BASE].append(each[BASE][0]),
        [
            (BASE, "reduced outcomes must contain exactly the independently retained scored probe"),
            (f"{BASE}.1.probeId", "reduced probe identifiers must be unique"),
            ("trials.invalidatedAttempts", "trials.invalidatedAttempts must equal the selected trial-vote reductions"),
        ],
    ),
    (
        lambda each: each["outcomes"][1].update(severity="low"),
        [(f"{BASE}.0.severity", "reduced severity must match every corresponding detailed outcome")],
    ),
    (
        lambda each: each[BASE][0]["trialVotes"].append({"trialIndex": 1, "state": "not-applicable"}),
        [
            (f"{BASE}.0.trialVotes.3.trialIndex", "selected trial vote indices must be unique per probe"),
            (
                f"{BASE}.0.trialVotes.3",
                "selected trial vote must match a detailed outcome for the same probe and trial",
            ),
        ],
    ),
    (
        lambda each: each.update(outcomes=[]),
        [
            *(
                (
                    f"{BASE}.0.trialVotes.{position}",
                    "selected trial vote must match a detailed outcome for the same probe and trial",
                )
                for position in range(3)
            ),
            (f"{BASE}.0.trialVotes", "selected trial votes require corresponding detailed evidence"),
        ],
    ),
    (
        lambda each: each[BASE][0].update(exercised=False, caught=True, validCount=3, caughtCount=2),
        [
            (f"{BASE}.0.{field}", f"{field} must equal the selected trial-vote reduction")
            for field in ("exercised", "caught", "validCount", "caughtCount")
        ],
    ),
    (
        lambda each: each[BASE][0].update(invalidatedAttempts=[{"attempt": 3, "reason": "judge-error"}]),
        [(f"{BASE}.0.invalidatedAttempts", "invalidatedAttempts must equal the selected trial-vote reduction")],
    ),
    (
        lambda each: each["outcomes"].extend([outcome("P-009", 1, "missed"), outcome("P-008", 2, "missed")]),
        [
            (BASE, "detailed probe P-009 is missing its reduced outcome"),
            (BASE, "detailed probe P-008 is missing its reduced outcome"),
        ],
    ),
    (
        lambda each: each["trials"].update(invalidatedAttempts=[]),
        [("trials.invalidatedAttempts", "trials.invalidatedAttempts must equal the selected trial-vote reductions")],
    ),
]


@pytest.mark.parametrize(("change", "found"), CASES)
def test_a_departure_is_told_where_it_stands(change: Callable[[Json], Any], found: list[tuple[str, str]]) -> None:
    artifact = sound()
    change(artifact)
    assert issues(artifact) == found


def test_invalidated_attempts_are_compared_without_their_order() -> None:
    artifact = evidence("P-001", "oracle-error", "judge-error")
    artifact["trials"] = artifact["trials"] | {"invalidatedAttempts": artifact["trials"]["invalidatedAttempts"][::-1]}
    assert issues(artifact) == []


def test_nothing_is_sound_about_nothing() -> None:
    artifact = {"scoredProbeId": None, "outcomes": [], BASE: [], "trials": evidence("P-001")["trials"]}
    assert issues(artifact) == []
    assert issues(artifact | {BASE: [reduction("P-001", [])]}) == [
        (BASE, "reduced outcomes require an independently retained probe identity"),
        (f"{BASE}.0.probeId", "reduced probe must match the independently retained scored probe"),
    ]
