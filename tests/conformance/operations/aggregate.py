"""Strength aggregation through the application entry point."""

from __future__ import annotations

from typing import Any

from eval_quality.aggregate import aggregate_strength
from eval_quality.canonical import read_json, serialize_artifact
from tests.conformance.runner import Text


def _aggregate(value: dict[str, Any]) -> Text:
    floors = read_json(value["floorsText"]) if "floorsText" in value else value["floors"]
    aggregate = aggregate_strength(value["evidence"], floors, value["policy"])
    return Text(serialize_artifact(aggregate, "StrengthAggregate"))


OPERATIONS = {"aggregate": _aggregate}
