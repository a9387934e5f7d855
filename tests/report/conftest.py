"""A run of a thousand evidence artifacts."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from eval_quality.report.view import Report

from .runs import EXAMPLE, load, report_of, save


@pytest.fixture(scope="session")
def thousand_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of a thousand evidence artifacts of one run; every tenth probe is missed."""
    folder = tmp_path_factory.mktemp("thousand")
    caught, missed = (load(EXAMPLE / f"expected/evidence-artifact-P-001{name}.json") for name in ("", "-overlooked"))
    for number in range(1, 1001):
        evidence = copy.deepcopy(missed if number % 10 == 0 else caught)
        evidence["scoredProbeId"] = f"P-{number:03}"
        for each in (*evidence["outcomes"], *evidence["reducedProbeOutcomes"]):
            each["probeId"] = evidence["scoredProbeId"]
        save(folder / f"evidence-{number}.json", evidence)
    return folder


@pytest.fixture(scope="session")
def thousand(thousand_files: Path) -> Report:
    """The report on them."""
    return report_of(thousand_files)
