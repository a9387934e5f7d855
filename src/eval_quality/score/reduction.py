"""From one vote a trial to one outcome a probe (spec 09, section 12)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeGuard

from eval_quality.artifacts.evidence_artifact import InvalidatedAttempt, OutcomeState, TrialVote
from eval_quality.canonical import number_text
from eval_quality.errors import PreconditionError

INVALIDATING_STATES: Final[tuple[OutcomeState, ...]] = ("oracle-error", "judge-error", "infrastructure-error")
UNVOTED_STATES: Final[tuple[OutcomeState, ...]] = ("not-applicable", "unreached")
VOTED_STATES: Final[tuple[OutcomeState, ...]] = (
    "caught",
    "confirmed",
    "missed",
    "abstained",
    "bypassed",
    "passed-clean-control",
    "false-positive",
)
VOTE_GROUPS: Final = {
    "invalidating": INVALIDATING_STATES,
    "unvoted": UNVOTED_STATES,
    "voted": VOTED_STATES,
}
"""What a state counts as when trials are reduced; every state is in exactly one group."""

_GROUP_OF: Final = {state: group for group, states in VOTE_GROUPS.items() for state in states}


class TrialSetResult(NamedTuple):
    """What a trial set came to for one probe."""

    exercised: bool
    caught: bool
    valid_count: int
    caught_count: int
    invalidated_attempts: list[InvalidatedAttempt]


def reduce_trial_set(votes: Iterable[TrialVote], catch_threshold: float) -> TrialSetResult:
    """Reduce votes: caught when more than ``catch_threshold`` of the valid ones caught it.

    Raises ``PreconditionError`` for a threshold or a state that no schema admits.
    """
    if not (_is_number(catch_threshold) and math.isfinite(catch_threshold)):
        raise PreconditionError(f"reduceTrialSet: catchThreshold {_told(catch_threshold)} is not a finite number")
    if not 0 <= catch_threshold <= 1:
        raise PreconditionError(
            f"reduceTrialSet: catchThreshold {_told(catch_threshold)} is outside ScoringPolicy's declared 0..1 domain"
        )
    valid = caught = 0
    invalidated: list[InvalidatedAttempt] = []
    for vote in votes:
        state = vote["state"]
        match _GROUP_OF.get(state):
            case "invalidating":
                invalidated.append({"attempt": vote["trialIndex"], "reason": state})
            case "voted":
                valid += 1
                caught += state == "caught"
            case None:
                trial = _told(vote["trialIndex"])
                raise PreconditionError(
                    f'reduceTrialSet: trial {trial} carries an out-of-domain state "{_told(state)}"'
                )
    exercised = valid > 0
    return TrialSetResult(exercised, exercised and caught / valid > catch_threshold, valid, caught, invalidated)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _told(value: object) -> str:
    """A value no schema admitted, as messages spell it: numbers, ``null`` and booleans in JSON's spelling."""
    if _is_number(value):
        return number_text(value)
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)
