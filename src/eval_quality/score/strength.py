"""Catch rates and whether they may be compared (spec 09, sections 14.1 to 14.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from eval_quality.artifacts.evidence_artifact import ClassStrength, StrengthVector, Trials
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES
from eval_quality.canonical.domain import normal_number


class ReducedResult(Protocol):
    """What a class figure reads of a probe's reduction."""

    @property
    def exercised(self) -> bool: ...

    @property
    def caught(self) -> bool: ...


class Figures(NamedTuple):
    """A reduction as class figures read it."""

    exercised: bool
    caught: bool


def class_strength_over(
    probe_ids: Iterable[str], results_by_probe_id: Mapping[str, ReducedResult]
) -> ClassStrength | None:
    """Catch rate over distinct probes; none for no probe at all, a null rate when none was exercised."""
    distinct = dict.fromkeys(probe_ids)
    if not distinct:
        return None
    results = [results_by_probe_id[each] for each in distinct if each in results_by_probe_id]
    exercised = sum(result.exercised for result in results)
    caught = sum(result.exercised and result.caught for result in results)
    return {"caught": caught, "exercised": exercised, "rate": normal_number(caught / exercised) if exercised else None}


def build_strength_vector(admitted: Iterable[Probe], results: Mapping[str, ReducedResult]) -> StrengthVector:
    """Catch rate by probe class; canaries and clean controls stay outside every class."""
    eligible = [probe for probe in admitted if probe["probeClass"] != "canary" and not probe["expectedClean"]]
    vector: StrengthVector = {"defect": None, "gameability": None, "zero-action": None}
    for name in STRENGTH_CLASS_NAMES:
        members = (probe["probeId"] for probe in eligible if probe["probeClass"] == name)
        vector[name] = class_strength_over(members, results)
    return vector


def is_comparable(trials: Trials, unreached_oracle_count: int) -> bool:
    """Whether a result may be compared: enough trials, and every oracle reached."""
    return trials["completed"] >= trials["declaredMinimum"] and unreached_oracle_count == 0
