"""The observations of one trial by operation and by identifier (spec 09, section 3.1).

Identifiers may repeat. Then a citation means the last observation that carries one, and a selected step is read from
the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from eval_quality.artifacts.sealed_run_record import Observation
from eval_quality.canonical import utf16_key
from eval_quality.plan_index import OperationKey


class TrialObservations:
    """What one trial observed, looked up in constant time."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        by_operation: dict[OperationKey, list[Observation]] = defaultdict(list)
        for each in observations:
            by_operation[each["interfaceId"], each["operationId"]].append(each)
        self._by_operation = {key: sorted(some, key=_by_sequence) for key, some in by_operation.items()}
        self.last: Mapping[str, Observation] = {each["observationId"]: each for each in observations}
        self.first: Mapping[str, Observation] = {each["observationId"]: each for each in reversed(observations)}

    def of_operation(self, key: OperationKey) -> Sequence[Observation]:
        """Observations of an operation by sequence, then by identifier."""
        return self._by_operation.get(key, ())


def _by_sequence(observation: Observation) -> tuple[int, bytes]:
    return observation["sequence"], utf16_key(observation["observationId"])
