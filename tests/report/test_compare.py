"""A run against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval_quality.report.compare import dominance
from eval_quality.report.view import ComparisonView

from .runs import CAUGHT, EXAMPLE, GAPS, WEAKER, changed, report_of, run_of

EXPECTED = EXAMPLE / "expected"
P001 = EXPECTED / "evidence-artifact-P-001.json"
OVERLOOKED = EXPECTED / "evidence-artifact-P-001-overlooked.json"
P003 = EXPECTED / "evidence-artifact-P-003.json"


def comparison(now: Any, before: Any) -> ComparisonView:
    view = report_of(*now, baseline=before).comparison
    assert view is not None
    return view


def changes(view: ComparisonView, title: str) -> list[tuple[str, str, bool]]:
    [group] = [group for group in view.groups if group.title == title]
    return [(each.subject, each.text, each.regression) for each in group.changes]


def test_a_run_against_itself() -> None:
    view = comparison(CAUGHT, CAUGHT)
    assert view.summary == "No regression against the baseline."
    assert view.regressions == ()
    assert view.mark.word == "held"
    assert view.groups[0].changes[0].text.startswith("as strong as the baseline: ")
    assert [group.title for group in view.groups if group.changes] == ["Strength"]


def test_a_weaker_run() -> None:
    view = comparison(WEAKER, CAUGHT)
    assert changes(view, "Newly missed") == [("P-001", "defect probe, caught in the baseline", True)]
    assert changes(view, "Newly caught") == []
    assert changes(view, "Verdicts") == [
        ("P-001", "PASS before, FAIL now", True),
        ("P-002", "PASS before, FAIL now", True),
        ("P-004", "PASS before, CONCERNS now", True),
    ]
    assert view.summary == "4 regressions against the baseline."


def test_a_stronger_run() -> None:
    view = comparison(CAUGHT, WEAKER)
    assert changes(view, "Newly caught") == [("P-001", "defect probe, not caught in the baseline", False)]
    assert view.regressions == ()


def test_dominance_in_words() -> None:
    assert dominance(run_of(P001), run_of(OVERLOOKED))[0] == "a-dominates-b"
    assert dominance(run_of(OVERLOOKED), run_of(P001))[0] == "b-dominates-a"
    weaker = comparison([OVERLOOKED], [P001])
    assert weaker.groups[0].changes[0].text.startswith("weaker than the baseline: its catch rate is lower")
    assert [each.subject for each in weaker.regressions] == ["The run as a whole", "P-001", "P-001"]
    assert "over different probes" in dominance(run_of(P001), run_of(P001, P003))[1]
    assert "no probe" in dominance(run_of(EXPECTED / "evidence-artifact-P-002.json"), run_of(P001))[1]
    assert dominance(run_of(*WEAKER), run_of(*CAUGHT))[1] == "one of the two holds a score that is not comparable."


def test_a_winner_that_alone_misses_something_severe_has_not_won(tmp_path: Path) -> None:
    def miss(evidence: Any) -> None:
        evidence["strength"]["vector"]["defect"] = {"caught": 0, "exercised": 1, "rate": 0}
        evidence["reducedProbeOutcomes"][0]["caught"] = False

    def renamed(probe_id: str) -> str:
        def rename(evidence: Any) -> None:
            evidence["scoredProbeId"] = evidence["reducedProbeOutcomes"][0]["probeId"] = probe_id

        return changed(P001, tmp_path / f"{probe_id}.json", rename)

    fifth, sixth = renamed("P-005"), renamed("P-006")
    missed = {
        name: changed(Path(path), tmp_path / f"missed-{name}.json", miss)
        for name, path in (("1", str(P001)), ("5", fifth), ("6", sixth))
    }
    two_of_three = run_of(missed["1"], fifth, sixth)
    one_of_three = run_of(P001, missed["5"], missed["6"])
    relation, reason = dominance(two_of_three, one_of_three)
    assert relation == "incomparable"
    assert reason == "one catches more, and the other alone catches P-001."


def test_probes_that_came_and_went() -> None:
    view = comparison([P001], [P003])
    assert changes(view, "Probes") == [
        ("P-001", "scored here and not in the baseline", False),
        ("P-003", "scored in the baseline and not here", True),
    ]


def test_coverage_and_floors(tmp_path: Path) -> None:
    def close(evidence: Any) -> None:
        evidence["coverageGaps"] = evidence["coverageGaps"][1:]

    gaps = GAPS / "evidence-artifact-P-001.json"
    fewer = changed(gaps, tmp_path / "fewer.json", close)
    assert changes(comparison([gaps], [fewer]), "Coverage") == [
        ("success-indicator-separation", "not satisfied any more (material)", True)
    ]
    assert changes(comparison([fewer], [gaps]), "Coverage") == [
        ("success-indicator-separation", "satisfied now, a gap before", False)
    ]
    aggregate = EXPECTED / "strength-aggregate.json"

    def lower(value: Any) -> None:
        value["floorDecisions"]["defect"] |= {"decision": "does-not-meet", "basis": "rate-below-floor"}

    lowered = changed(aggregate, tmp_path / "aggregate.json", lower)
    assert changes(comparison([lowered], [aggregate]), "Floors") == [
        ("Defect", "meets before, does not meet now", True)
    ]
