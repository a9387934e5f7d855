"""Evidence that contradicts itself, check by check and in the order of the checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_quality.aggregate import aggregate_strength
from eval_quality.errors import AggregationRefusal
from tests.scored_runs import A, Json, evidence, outcome, policy

Change = Callable[[Json], Any]


def refusal(*artifacts: Json) -> AggregationRefusal:
    with pytest.raises(AggregationRefusal) as raised:
        aggregate_strength([*artifacts], {}, policy())
    return raised.value


def changed(artifact: Json, change: Change) -> Json:
    change(artifact)
    return artifact


def classes(artifact: Json, **figures: Json | None) -> None:
    artifact["strength"]["vector"] |= {name.replace("_", "-"): value for name, value in figures.items()}


CAUGHT = {"caught": 1, "exercised": 1, "rate": 1}

CHANGES: list[tuple[Change, str]] = [
    (
        lambda each: each["reducedProbeOutcomes"][0].update(caught=False),
        "reducedProbeOutcomes.0.caught: caught must equal the selected trial-vote reduction",
    ),
    (
        lambda each: each.update(reducedProbeOutcomes=[]),
        "reducedProbeOutcomes: reduced outcomes must contain exactly the independently retained scored probe",
    ),
    (
        lambda each: each.update(scoringVersion=A),
        "scoringVersion is not the digest of its scoringVersionInputs (P-001)",
    ),
    (
        lambda each: each.update(excludedProbeIds=["P-009", "P-002", "P-009"]),
        "excludedProbeIds names P-009, P-002, P-009, but a scored probe is admitted (P-001)",
    ),
    (
        lambda each: each.update(comparabilityKey=A),
        "comparabilityKey is not the digest of its scoring policy digest and its scored probe (P-001)",
    ),
    (
        lambda each: each["strength"].update(comparable=False),
        "strength.comparable disagrees with its trials and outcomes (P-001)",
    ),
    (
        lambda each: each["outcomes"].append(outcome(None, 1, "unreached", oracle_id="O-002")),
        "strength.comparable disagrees with its trials and outcomes (P-001)",
    ),
    (
        lambda each: classes(each, zero_action=CAUGHT, gameability=CAUGHT),
        "strength.vector names defect and gameability and zero-action, but one artifact scores one probe (P-001)",
    ),
    (
        lambda each: each["outcomes"].append(outcome(None, 1, "passed-clean-control", oracle_id="O-002")),
        "strength.vector.defect counts a probe whose outcomes are a clean control's, which stays outside every class "
        "(P-001)",
    ),
    (
        lambda each: classes(each, defect={"caught": 0, "exercised": 1, "rate": 0}),
        "strength.vector.defect is not what the probe's own reduction yields (P-001)",
    ),
    (
        lambda each: classes(each, defect=CAUGHT | {"rate": 0.5}),
        "strength.vector.defect is not what the probe's own reduction yields (P-001)",
    ),
    (
        lambda each: classes(each, defect=CAUGHT | {"rate": None}),
        "strength.vector.defect is not what the probe's own reduction yields (P-001)",
    ),
]


@pytest.mark.parametrize(("change", "detail"), CHANGES)
def test_an_artifact_that_contradicts_itself_is_refused(change: Change, detail: str) -> None:
    error = refusal(evidence("P-002", "missed"), changed(evidence("P-001", "caught"), change))
    assert (error.code, error.artifact_path) == ("strength-input-inconsistent", "EvidenceArtifact[1]")
    assert error.detail == detail


ONE_A_CHECK = [CHANGES[place] for place in (0, 2, 3, 4, 5, 7, 8, 9)]
"""One change for every check, in the order of the checks."""


@pytest.mark.parametrize("first", range(len(ONE_A_CHECK)))
def test_the_first_check_an_artifact_fails_is_the_one_told(first: int) -> None:
    artifact = evidence("P-001", "caught")
    for change, _ in ONE_A_CHECK[first:]:
        change(artifact)
    assert refusal(artifact).detail == ONE_A_CHECK[first][1]


def test_a_clean_control_is_sound_outside_every_class() -> None:
    control = evidence("P-003", "passed-clean-control", "false-positive", probe_class=None)
    aggregate = aggregate_strength([control], {}, policy())
    assert aggregate["inputs"][0]["probeClass"] is None
    assert set(aggregate["classes"].values()) == {None}


def test_an_earlier_artifact_is_told_before_a_later_one_whatever_is_wrong_with_each() -> None:
    late_check = changed(evidence("P-001", "caught"), CHANGES[-1][0])
    early_check = changed(evidence("P-002", "caught"), CHANGES[0][0])
    assert refusal(late_check, early_check).artifact_path == "EvidenceArtifact[0]"
