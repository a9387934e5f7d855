"""Runs to report on, and small changes to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from eval_quality.report.build import build_report
from eval_quality.report.reading import Complaint, read_paths
from eval_quality.report.run import Run, put_together
from eval_quality.report.view import ProbeView, Report

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "examples" / "refund-api"
WORKFLOW: Final = ROOT / "examples" / "workflow-capture"
DATA: Final = Path(__file__).parent / "data"
GAPS: Final = DATA / "gaps"
UNREACHED: Final = DATA / "unreached"

_SHARED: Final = (
    "expected/eval-contract.json",
    "expected/preflight-verdict.json",
    "scoring-policy.json",
    "probe-P-001.json",
    "probe-P-002.json",
    "probe-P-003.json",
    "probe-P-004.json",
)
CAUGHT: Final = tuple(
    str(EXAMPLE / name)
    for name in (
        *_SHARED,
        "expected/sealed-evaluator-brief.json",
        "expected/strength-aggregate.json",
        "expected/evidence-artifact-P-001.json",
        "expected/evidence-artifact-P-002.json",
        "expected/evidence-artifact-P-003.json",
        "expected/evidence-artifact-P-004.json",
        "record-P-001-1.json",
        "record-P-001-2.json",
        "record-P-001-3.json",
    )
)
"""Every probe is caught, and nothing is reported against the clean control."""
WEAKER: Final = tuple(
    str(EXAMPLE / name)
    for name in (
        *_SHARED,
        "expected/evidence-artifact-P-001-overlooked.json",
        "expected/evidence-artifact-P-002-false-alarm.json",
        "expected/evidence-artifact-P-003.json",
        "expected/evidence-artifact-P-004-one-trial.json",
        "record-P-001-overlooked-1.json",
        "record-P-001-overlooked-2.json",
        "record-P-001-overlooked-3.json",
        "record-P-002-false-alarm-2.json",
    )
)
"""The same run with a defect overlooked, a false alarm and a score over too few trials."""


def load(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text("utf-8"))


def save(path: Path, value: Any) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def changed(source: Path, target: Path, change: Callable[[Any], object]) -> str:
    """A copy of a JSON file with a change made to its value."""
    value = load(source)
    change(value)
    return str(save(target, value))


def copied(paths: Iterable[str], folder: Path) -> Path:
    """The files in one folder."""
    folder.mkdir(exist_ok=True)
    for path in paths:
        shutil.copy(path, folder)
    return folder


def read(*paths: str | Path) -> tuple[Run, list[Complaint]]:
    """The run that files are of, and what is wrong with them."""
    sources, complaints = read_paths([str(path) for path in paths])
    run, more = put_together(sources)
    return run, [*complaints, *more]


def run_of(*paths: str | Path) -> Run:
    """The run that files are of; they are sound."""
    run, complaints = read(*paths)
    assert complaints == []
    return run


def report_of(*paths: str | Path, baseline: Iterable[str | Path] = ()) -> Report:
    """The report on files."""
    before = list(baseline)
    return build_report(run_of(*paths), run_of(*before) if before else None)


def probe(report: Report, probe_id: str) -> ProbeView:
    """One probe of a report."""
    return next(each for each in report.probes if each.probe_id == probe_id)
