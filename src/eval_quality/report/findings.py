"""Findings of the run records, by the probe and the trial they are about.

A record does not say which probe was put in front of its evaluator; a defect finding does. Where the contract and the
signed probe are at hand too, the finding is matched against the probe's witness as scoring does it, so that a report can
say which of the observations it cites shows the defect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from eval_quality.canonical import number_text
from eval_quality.errors import EvalQualityError

from .reading import Source
from .run import Run

TrialFindings = Mapping[int, tuple[str, ...]]
"""Findings in words, by trial."""


def trial_findings(run: Run) -> Mapping[str, TrialFindings]:
    """Defect findings by probe and trial; a probe that no finding names has none."""
    found: dict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
    for record in run.records:
        by_probe: dict[str, list[Any]] = defaultdict(list)
        for finding in record.value["findings"]:
            if finding["findingType"] == "defect":
                by_probe[finding["probeId"]].append(finding)
        for probe_id, findings in by_probe.items():
            evidence = run.evidence.get(probe_id)
            if evidence is None or any(evidence.value[key] != record.value[key] for key in ("runId", "mode")):
                continue
            showing = _showing(run, record, probe_id)
            trial = record.value["trialIndex"]
            told = tuple(_told(each, showing) for each in findings)
            found[probe_id][trial] = (*found[probe_id].get(trial, ()), *told)
    return found


def _showing(run: Run, record: Source, probe_id: str) -> frozenset[str] | None:
    """Observations of a record that show a probe's defect; ``None`` when that cannot be worked out here."""
    from eval_quality.score.home_operation import signature_of
    from eval_quality.score.witness_match import match_probe_witness

    probe = run.probes.get(probe_id)
    if probe is None or run.contract is None or signature_of(probe.value) is None:
        return None
    interfaces = run.contract.value["permittedInterfaces"]
    try:
        match = match_probe_witness(probe.value, interfaces, record.value["observations"], record.value["findings"])
    except EvalQualityError:
        return None
    return frozenset(match.partition.satisfying)


def _told(finding: Any, showing: frozenset[str] | None) -> str:
    against = f" against {finding['oracleId']}" if finding["oracleId"] is not None else " against no oracle"
    said = (
        f"{finding['findingId']}{against} ({number_text(finding['confidence'])} sure): {finding['summary']}; "
        f"cites {', '.join(finding['observationIds'])}"
    )
    if showing is None:
        return f"{said}."
    witnesses = [each for each in finding["observationIds"] if each in showing]
    if not witnesses:
        return f"{said}, where the defect does not show."
    return f"{said}. The defect shows in {', '.join(witnesses)}."
