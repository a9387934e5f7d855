"""The benchmarks run: their inputs are read, every case comes to an end, and what was measured is written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.report import exponent


def test_small_size_runs_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "measured.json"
    main(["--size", "small", "--once", "--json", str(written)])
    measured = json.loads(written.read_text())["small"]
    assert {"compile", "seal", "preflight", "score", "aggregate", "version", "B"} <= measured["processes"].keys()
    assert measured["stages"].keys() == {"compile", "seal", "score", "aggregate"}
    assert all(stage["seconds"] > 0 and stage["floor_seconds"] > 0 for stage in measured["stages"].values())
    assert "small: whole processes" in capsys.readouterr().out


def test_exponent_is_the_power_of_growth() -> None:
    assert exponent([(10, 50), (100, 500), (1000, 5000)]) == pytest.approx(1)
    assert exponent([(10, 3), (100, 300), (1000, 30000)]) == pytest.approx(2)
