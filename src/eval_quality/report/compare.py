"""A run against a baseline: what is caught now and was not, and the other way round (spec 09, section 14.4).

A regression is a probe that is no longer caught or no longer scored, a worse verdict, a floor that is no longer met, a
coverage gap that was not there, and a baseline that dominates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from eval_quality.artifacts.primitives import Severity
from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES
from eval_quality.score.dominance import DominanceRelation, at_or_above, compare_dominance
from eval_quality.score.identity import comparability_key

from .coverage import open_gaps
from .probes import is_caught, probe_class_of, verdict_of
from .run import Run, probe_key
from .strength import class_figures
from .view import Change, ChangeGroup, ComparisonView, Mark
from .words import CLASSES, DOMINANCE, VERDICT_RANK, listed, plural

STRICTEST_FLOOR: Final[Severity] = "low"
"""Severity floor when no policy is given: any loss keeps a run from dominating."""


def compare_runs(run: Run, baseline: Run) -> ComparisonView:
    """Compare a run with a baseline."""
    relation, reason = dominance(run, baseline)
    strength = Change("The run as a whole", f"{DOMINANCE[relation]}: {reason}", relation == "b-dominates-a")
    groups = (
        ChangeGroup("Strength", (strength,), ""),
        ChangeGroup("Newly caught", tuple(_newly(run, baseline, caught=True)), "No probe is newly caught."),
        ChangeGroup("Newly missed", tuple(_newly(run, baseline, caught=False)), "No probe is newly missed."),
        ChangeGroup("Probes", tuple(_probes(run, baseline)), "Both runs score the same probes."),
        ChangeGroup("Verdicts", tuple(_verdicts(run, baseline)), "No verdict changed."),
        ChangeGroup("Floors", tuple(_floors(run, baseline)), "No floor decision changed."),
        ChangeGroup("Coverage", tuple(_coverage(run, baseline)), "Coverage did not change."),
    )
    regressions = sum(change.regression for group in groups for change in group.changes)
    summary = (
        f"{plural(regressions, 'regression')} against the baseline."
        if regressions
        else "No regression against the baseline."
    )
    mark = Mark("regressed", "bad") if regressions else Mark("held", "good")
    return ComparisonView(mark, summary, groups)


def dominance(run: Run, baseline: Run) -> tuple[DominanceRelation, str]:
    """How two runs relate as wholes, and why."""
    ours, theirs = _as_result(run), _as_result(baseline)
    if ours is None or theirs is None:
        return "incomparable", "one of the two has no probe that a catch rate is taken over."
    if ours["comparabilityKey"] != theirs["comparabilityKey"]:
        return "incomparable", "the two were scored over different probes or under different policies."
    if not (ours["strength"]["comparable"] and theirs["strength"]["comparable"]):
        return "incomparable", "one of the two holds a score that is not comparable."
    relation = compare_dominance(cast(Any, ours), cast(Any, theirs), STRICTEST_FLOOR)
    match relation:
        case "a-dominates-b":
            return _unless_lost(relation, run, baseline, "its catch rate is higher in a class and lower in none.")
        case "b-dominates-a":
            return _unless_lost(relation, baseline, run, "its catch rate is lower in a class and higher in none.")
        case "equivalent":
            return relation, "every class has the same catch rate over as many probes."
        case _:
            return relation, "it is ahead in one class and behind in another, or rates rest on different counts."


def _unless_lost(relation: DominanceRelation, winner: Run, loser: Run, reason: str) -> tuple[DominanceRelation, str]:
    """A winner that misses what the loser catches at or above the severity floor has not won."""
    policy = winner.policy or loser.policy
    floor = STRICTEST_FLOOR if policy is None else policy.value["severityFloor"]
    lost = [
        each["probeId"]
        for source in loser.evidence.values()
        for each in source.value["reducedProbeOutcomes"]
        if each["caught"] and at_or_above(each["severity"], floor) and not _catches(winner, each["probeId"])
    ]
    if lost:
        return "incomparable", f"one catches more, and the other alone catches {listed(lost)}."
    return relation, reason


def _catches(run: Run, probe_id: str) -> bool:
    return probe_id in run.evidence and is_caught(run.evidence[probe_id].value)


def _as_result(run: Run) -> dict[str, Any] | None:
    """The probes of a run that a catch rate is taken over, as one result; ``None`` when there is none."""
    members = [
        source.value
        for source in run.evidence.values()
        if any(source.value["strength"]["vector"][name] is not None for name in STRENGTH_CLASS_NAMES)
    ]
    if not members:
        return None
    policies = {each["scoringVersionInputs"]["scoringPolicyDigest"] for each in members}
    figures = class_figures(run)
    return {
        "scoredProbeId": None,
        "reducedProbeOutcomes": [],
        "outcomes": [],
        "trials": {"declaredMinimum": 1, "completed": 0, "completedAttempts": [], "invalidatedAttempts": []},
        "comparabilityKey": comparability_key(min(policies), [each["scoredProbeId"] for each in members]),
        "strength": {
            "comparable": len(policies) == 1 and all(each["strength"]["comparable"] for each in members),
            "vector": {name: figures.get(name) for name in STRENGTH_CLASS_NAMES},
        },
    }


def _shared(run: Run, baseline: Run) -> Iterator[tuple[str, Any, Any]]:
    for probe_id, source in run.evidence.items():
        if probe_id in baseline.evidence:
            yield probe_id, source.value, baseline.evidence[probe_id].value


def _newly(run: Run, baseline: Run, *, caught: bool) -> Iterator[Change]:
    for probe_id, now, before in _shared(run, baseline):
        class_key = probe_class_of(now, None)
        if (
            class_key in (*STRENGTH_CLASS_NAMES, "canary")
            and is_caught(now) is caught
            and is_caught(before) is not caught
        ):
            title = CLASSES[class_key].title.lower()
            text = f"{title} probe, {'not caught' if caught else 'caught'} in the baseline"
            yield Change(probe_id, text, regression=not caught)


def _probes(run: Run, baseline: Run) -> Iterator[Change]:
    for probe_id in sorted({*run.evidence, *baseline.evidence}, key=probe_key):
        if probe_id not in run.evidence:
            yield Change(probe_id, "scored in the baseline and not here", regression=True)
        elif probe_id not in baseline.evidence:
            yield Change(probe_id, "scored here and not in the baseline", regression=False)


def _verdicts(run: Run, baseline: Run) -> Iterator[Change]:
    for probe_id, now, before in _shared(run, baseline):
        new, old = verdict_of(now), verdict_of(before)
        if new != old:
            yield Change(probe_id, f"{old} before, {new} now", VERDICT_RANK.index(new) > VERDICT_RANK.index(old))


def _floors(run: Run, baseline: Run) -> Iterator[Change]:
    if run.aggregate is None or baseline.aggregate is None:
        return
    for name in STRENGTH_CLASS_NAMES:
        now, before = (each.value["floorDecisions"][name]["decision"] for each in (run.aggregate, baseline.aggregate))
        if now != before:
            text = f"{before} before, {now} now".replace("-", " ")
            yield Change(CLASSES[name].title, text, regression=before == "meets")


def _coverage(run: Run, baseline: Run) -> Iterator[Change]:
    now, before = open_gaps(run), open_gaps(baseline)
    if now is None or before is None:
        return
    for rule in (each for each in now if each not in before):
        yield Change(rule, f"not satisfied any more ({now[rule]})", regression=True)
    for rule in (each for each in before if each not in now):
        yield Change(rule, "satisfied now, a gap before", regression=False)
