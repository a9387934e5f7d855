"""Conformance vectors: a committed sample always, and the full set where it lies beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.runner import agrees, operations_of, run_file
from tests.conformance.sample import SAMPLE

FULL = Path(__file__).parents[3] / "shared" / "vectors"
AREAS = (
    "aggregate",
    "canonical",
    "cli",
    "compile",
    "coverage",
    "dominance",
    "ingest",
    "lineage",
    "policy_parse",
    "preflight",
    "qualify",
    "resolve_check",
    "scan_json",
    "schema",
    "score",
    "seal",
    "target_policy",
)
PARTS = {"cli": 8, "schema": 2, "score": 2}
"""Files that are run in parts, so that they spread over cores."""
FILES = [
    pytest.param(folder / f"{area}.jsonl.gz", part, PARTS.get(area, 1), id=f"{name}-{area}-{part}")
    for name, folder in (("sample", SAMPLE), ("full", FULL))
    if folder.is_dir()
    for area in AREAS
    for part in range(PARTS.get(area, 1))
]


def test_every_area_has_a_sample() -> None:
    assert sorted(path.name.removesuffix(".jsonl.gz") for path in SAMPLE.glob("*.jsonl.gz")) == list(AREAS)


@pytest.mark.parametrize(("path", "part", "parts"), FILES)
def test_vectors(path: Path, part: int, parts: int) -> None:
    report = run_file(path, part=part, parts=parts)
    assert report.total > 0
    told = "\n".join(f"{vector['id']}: {json.dumps(actual)[:500]}" for vector, actual in report.failures[:5])
    assert not report.failures, f"{report.line()}\n{told}"


def test_an_unknown_operation_is_a_failure(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "nowhere.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps({"id": "x", "op": "unheardOf", "input": {}, "expect": {"value": None}}) + "\n")
    report = run_file(path)
    assert (report.passed, report.total, len(report.failures)) == (0, 1, 1)


def test_the_runner_tells_answers_apart() -> None:
    vector = {"id": "x", "op": "x", "input": {}, "expect": {"value": {"a": [1, True, "1"]}}}
    assert agrees(vector, {"value": {"a": [1.0, True, "1"]}})
    for wrong in ({"a": [True, True, "1"]}, {"a": [1, 1, "1"]}, {"a": [1, True, 1]}, {"a": [1, True]}, {}):
        assert not agrees(vector, {"value": wrong})
    assert not agrees(vector, {"throws": {"name": "RuntimeFault", "message": "x"}})
    assert operations_of("no_such_area") == {}
