"""From trial votes to an outcome, and from outcomes to class figures."""

from __future__ import annotations

import math
from typing import Any

import pytest

from eval_quality.artifacts.evidence_artifact import OUTCOME_STATES
from eval_quality.errors import PreconditionError
from eval_quality.score.reduction import VOTE_GROUPS, reduce_trial_set
from eval_quality.score.strength import Figures, build_strength_vector, class_strength_over, is_comparable


def votes(*states: str) -> Any:
    return [{"trialIndex": trial, "state": state} for trial, state in enumerate(states, 1)]


def test_every_state_is_in_one_group() -> None:
    grouped = [state for states in VOTE_GROUPS.values() for state in states]
    assert sorted(grouped) == sorted(OUTCOME_STATES)


@pytest.mark.parametrize(
    ("caught", "valid", "threshold", "is_caught"),
    [
        (2, 3, 0.5, True),
        (1, 2, 0.5, False),
        (29, 100, 0.29, False),
        (30, 100, 0.29, True),
        (3, 3, 1, False),
        (1, 9, 0, True),
        (0, 9, 0, False),
        (0, 0, 0, False),
    ],
)
def test_a_probe_is_caught_when_more_than_the_threshold_of_its_valid_trials_caught_it(
    caught: int, valid: int, threshold: float, is_caught: bool
) -> None:
    result = reduce_trial_set(votes(*["caught"] * caught, *["missed"] * (valid - caught)), threshold)
    assert (result.exercised, result.caught) == (valid > 0, is_caught)
    assert (result.valid_count, result.caught_count) == (valid, caught)


def test_trials_without_a_vote_are_left_out_and_lost_ones_are_listed() -> None:
    result = reduce_trial_set(votes("unreached", "judge-error", "caught", "not-applicable", "oracle-error"), 0.5)
    assert (result.exercised, result.caught, result.valid_count) == (True, True, 1)
    assert result.invalidated_attempts == [
        {"attempt": 2, "reason": "judge-error"},
        {"attempt": 5, "reason": "oracle-error"},
    ]


@pytest.mark.parametrize(
    ("threshold", "complaint"),
    [
        (math.nan, "NaN is not a finite number"),
        (math.inf, "Infinity is not a finite number"),
        (-math.inf, "-Infinity is not a finite number"),
        (None, "null is not a finite number"),
        (True, "true is not a finite number"),
        ("0.5", "0.5 is not a finite number"),
        (1.5, "1.5 is outside ScoringPolicy's declared 0..1 domain"),
        (-1e-7, "-1e-7 is outside ScoringPolicy's declared 0..1 domain"),
    ],
)
def test_a_threshold_no_policy_can_state_is_a_callers_defect(threshold: Any, complaint: str) -> None:
    """Spec 09, section 12, rule 1."""
    with pytest.raises(PreconditionError) as raised:
        reduce_trial_set([], threshold)
    assert str(raised.value) == f"reduceTrialSet: catchThreshold {complaint}"


@pytest.mark.parametrize(("lost", "told"), [("lost", "lost"), ("toString", "toString"), (None, "null")])
def test_a_state_no_trial_can_have_is_a_callers_defect(lost: Any, told: str) -> None:
    with pytest.raises(PreconditionError) as raised:
        reduce_trial_set(votes("caught", lost), 0.5)
    assert str(raised.value) == f'reduceTrialSet: trial 2 carries an out-of-domain state "{told}"'


CAUGHT, MISSED, UNEXERCISED = Figures(True, True), Figures(True, False), Figures(False, False)


@pytest.mark.parametrize(
    ("probe_ids", "figures"),
    [
        ([], None),
        (["a"], {"caught": 1, "exercised": 1, "rate": 1}),
        (["a", "a", "b"], {"caught": 1, "exercised": 2, "rate": 0.5}),
        (["c"], {"caught": 0, "exercised": 0, "rate": None}),
        (["a", "b", "c", "unknown"], {"caught": 1, "exercised": 2, "rate": 0.5}),
    ],
)
def test_class_figures_count_distinct_probes_that_were_exercised(probe_ids: list[str], figures: Any) -> None:
    assert class_strength_over(probe_ids, {"a": CAUGHT, "b": MISSED, "c": UNEXERCISED}) == figures


@pytest.mark.parametrize(
    ("probe_class", "expected_clean", "counted"),
    [
        ("defect", False, "defect"),
        ("gameability", False, "gameability"),
        ("zero-action", False, "zero-action"),
        ("zero-action", True, None),
        ("canary", False, None),
    ],
)
def test_canaries_and_clean_controls_are_in_no_class(
    probe_class: str, expected_clean: bool, counted: str | None
) -> None:
    probe: Any = {"probeId": "a", "probeClass": probe_class, "expectedClean": expected_clean}
    vector = build_strength_vector([probe], {"a": CAUGHT})
    assert [name for name, figures in vector.items() if figures] == ([counted] if counted else [])


@pytest.mark.parametrize(
    ("completed", "minimum", "unreached", "comparable"),
    [(3, 3, 0, True), (2, 3, 0, False), (3, 3, 1, False), (4, 3, 0, True)],
)
def test_a_result_is_comparable_with_enough_trials_and_every_oracle_reached(
    completed: int, minimum: int, unreached: int, comparable: bool
) -> None:
    trials: Any = {"completed": completed, "declaredMinimum": minimum}
    assert is_comparable(trials, unreached) is comparable
