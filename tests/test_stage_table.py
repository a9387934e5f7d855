"""The stage table agrees with itself and with the registry of artifacts (spec 03, section 7)."""

from __future__ import annotations

import importlib.util

from eval_quality.artifacts.registry import INTERCHANGE_ARTIFACT_KEYS
from eval_quality.stage_table import (
    ARTIFACT_PRODUCERS,
    INTERNAL_PRODUCTS,
    LINEAGE_WRITERS,
    PIPELINE_STAGES,
    STAGE_VALUE_INPUTS,
)


def test_every_artifact_has_a_producer_in_the_order_of_the_registry() -> None:
    assert tuple(ARTIFACT_PRODUCERS) == INTERCHANGE_ARTIFACT_KEYS
    producers = list(ARTIFACT_PRODUCERS.values())
    assert (producers.count("caller"), producers.count("embedded")) == (7, 1)


def test_a_stage_produces_what_it_owns() -> None:
    owned = {stage.owns_interchange: stage.name for stage in PIPELINE_STAGES if stage.owns_interchange is not None}
    assert owned == {key: name for key, name in ARTIFACT_PRODUCERS.items() if name not in ("caller", "embedded")}
    assert all(stage.owns_interchange in (None, stage.owns) for stage in PIPELINE_STAGES)


def test_inputs_are_artifacts_or_products_and_values_are_declared() -> None:
    known = {*INTERCHANGE_ARTIFACT_KEYS, *INTERNAL_PRODUCTS}
    assert all(known.issuperset(stage.inputs) for stage in PIPELINE_STAGES)
    assert {value for stage in PIPELINE_STAGES for value in stage.value_inputs} == set(STAGE_VALUE_INPUTS)


def test_lineage_is_minted_by_four_stages() -> None:
    assert LINEAGE_WRITERS == (
        "eval_quality.seal",
        "eval_quality.preflight",
        "eval_quality.emit",
        "eval_quality.aggregate",
    )
    assert all(importlib.util.find_spec(package) for package in LINEAGE_WRITERS)
