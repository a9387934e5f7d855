"""One probe in words: what was seeded, what every trial said, and what that comes to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES
from eval_quality.canonical import number_text
from eval_quality.score.reduction import INVALIDATING_STATES

from .basis import conditions_of
from .findings import TrialFindings, trial_findings
from .names import Names
from .run import Run, probe_key
from .view import Fact, Mark, ProbeView, TrialView
from .words import (
    CLASSES,
    ROUTES,
    STATES,
    VERDICT_TONES,
    plural,
)


def probe_views(run: Run, names: Names) -> tuple[ProbeView, ...]:
    """Every probe that anything given speaks of, in the order of their numbers."""
    inputs = run.aggregate.value["inputs"] if run.aggregate is not None else []
    aggregated = {entry["probeId"]: entry["probeClass"] for entry in inputs}
    known = {*run.evidence, *run.probes, *aggregated}
    findings = trial_findings(run)
    views = []
    for probe_id in sorted(known, key=probe_key):
        probe = run.probes[probe_id].value if probe_id in run.probes else None
        if probe_id in run.evidence:
            source = run.evidence[probe_id]
            views.append(_scored(source.value, source.digest, probe, names, findings[probe_id]))
        else:
            views.append(_unscored(probe_id, probe, aggregated, names))
    return tuple(views)


def probe_class_of(evidence: Any, probe: Any | None) -> str:
    """The class of a scored probe: what the probe says, or what its evidence shows."""
    if probe is not None:
        return "clean-control" if probe["expectedClean"] else str(probe["probeClass"])
    counted = [name for name in STRENGTH_CLASS_NAMES if evidence["strength"]["vector"][name] is not None]
    if counted:
        return counted[0]
    states = {outcome["state"] for outcome in evidence["outcomes"]}
    if states & {"passed-clean-control", "false-positive"}:
        return "clean-control"
    return "canary" if "caught" in states else "unknown"


def verdict_of(evidence: Any) -> str:
    """The verdict an evidence artifact carries; one with a trial that proves nothing is Invalid."""
    if any(outcome["state"] in INVALIDATING_STATES for outcome in evidence["outcomes"]):
        return "Invalid"
    return str(evidence["productionVerdict" if evidence["mode"] == "production" else "contractVerdict"])


@dataclass(frozen=True)
class _Standing:
    """What a probe comes to."""

    status: Mark
    key: str
    why: str


def is_caught(evidence: Any) -> bool:
    """Whether enough trials caught the scored probe."""
    return any(each["caught"] for each in evidence["reducedProbeOutcomes"])


def _standing(evidence: Any, class_key: str, verdict: str) -> _Standing:
    status, good, why = _result(evidence, class_key)
    if verdict == "Invalid":
        broken = sorted({each["state"] for each in evidence["outcomes"] if each["state"] in INVALIDATING_STATES})
        return _Standing(Mark("invalid", "odd"), "invalid", f"A trial ended in {', '.join(broken)}: it proves nothing.")
    if verdict == "FAIL":
        return _Standing(status, "failed", why)
    if not evidence["strength"]["comparable"]:
        note = evidence["strength"]["note"] or "The artifact says so and gives no reason."
        return _Standing(Mark(f"{status.word}, not comparable", "warn"), "incomparable", f"{why} {note}")
    return _Standing(status, "good" if good else "failed", why)


def _result(evidence: Any, class_key: str) -> tuple[Mark, bool, str]:
    """The result of a probe without regard to its verdict: a mark, whether it is as it should be, and a sentence."""
    if class_key == "clean-control":
        alarmed = sorted({each["oracleId"] for each in evidence["outcomes"] if each["state"] == "false-positive"})
        if alarmed:
            return (
                Mark("false alarm", "bad"),
                False,
                f"A defect was reported against {', '.join(alarmed)}; there is none.",
            )
        return Mark("clean", "good"), True, "Nothing was reported against a system that has no known defect."
    reduced = evidence["reducedProbeOutcomes"]
    if not reduced:
        return Mark("not counted", "warn"), False, "No outcome of this probe counts."
    figures = reduced[0]
    trials = plural(figures["validCount"], "trial that counts", "trials that count")
    if not figures["exercised"]:
        return (
            Mark("not exercised", "warn"),
            False,
            "The evaluator never exercised what was planted, so nothing shows whether it would catch it.",
        )
    needed = f"more than {number_text(figures['catchThreshold'])} of them has to catch it"
    caught = f"Caught in {figures['caughtCount']} of {trials}; {needed}."
    if figures["caught"]:
        return Mark("caught", "good"), True, caught
    return Mark("not caught", "bad"), False, caught


def _scored(evidence: Any, digest: str, probe: Any | None, names: Names, findings: TrialFindings) -> ProbeView:
    class_key = probe_class_of(evidence, probe)
    verdict = verdict_of(evidence)
    standing = _standing(evidence, class_key, verdict)
    conditions = conditions_of(evidence["verdictBasis"], names)
    return ProbeView(
        probe_id=evidence["scoredProbeId"],
        class_key=class_key,
        class_title=CLASSES[class_key].title,
        status=standing.status,
        status_key=standing.key,
        why=standing.why,
        verdict=Mark(verdict, VERDICT_TONES[verdict]),
        severity=_severity(evidence, probe),
        behavior="" if probe is None else names.behavior(probe["behaviorId"]),
        seeded=tuple(_seeded(probe, class_key)),
        facts=tuple(_facts(evidence, digest)),
        trials=tuple(_trials(evidence, class_key, names, findings)),
        conditions=conditions,
        notes=tuple(_notes(evidence)),
    )


def _unscored(probe_id: str, probe: Any | None, aggregated: Mapping[str, str | None], names: Names) -> ProbeView:
    class_key = _declared_class(probe, aggregated.get(probe_id))
    if probe_id in aggregated:
        status, key = Mark("no evidence given", "warn"), "incomparable"
        why = "The aggregate counts this probe; its evidence artifact was not given, so nothing more can be said."
        verdict = Mark("No verdict", "calm")
    else:
        status, key = Mark("not scored", "odd"), "invalid"
        why = "No evidence artifact of this probe was given: its score came out Invalid, or was never made."
        verdict = Mark("Not scored", "odd")
    return ProbeView(
        probe_id=probe_id,
        class_key=class_key,
        class_title=CLASSES[class_key].title,
        status=status,
        status_key=key,
        why=why,
        verdict=verdict,
        severity="" if probe is None or not probe["defects"] else probe["defects"][0]["severity"],
        behavior="" if probe is None else names.behavior(probe["behaviorId"]),
        seeded=tuple(_seeded(probe, class_key)),
        facts=(),
        trials=(),
        conditions=(),
        notes=(),
    )


def _declared_class(probe: Any | None, aggregated: str | None) -> str:
    if probe is not None:
        return "clean-control" if probe["expectedClean"] else str(probe["probeClass"])
    return aggregated or "unknown"


def _severity(evidence: Any, probe: Any | None) -> str:
    for reduced in evidence["reducedProbeOutcomes"]:
        return str(reduced["severity"])
    return str(probe["defects"][0]["severity"]) if probe is not None and probe["defects"] else ""


def _seeded(probe: Any | None, class_key: str) -> Iterator[Fact]:
    if probe is None:
        yield Fact("Seeded", f"{CLASSES[class_key].meaning}; the probe itself was not given, so no more is told")
        return
    if not probe["defects"]:
        yield Fact("Seeded", f"nothing ({CLASSES[class_key].meaning})")
    for defect in probe["defects"]:
        yield Fact("Seeded", f"{defect['summary']} ({defect['defectId']}, {defect['severity']})")
    qualification = probe["qualification"]
    match qualification["route"]:
        case "controlled-mutation":
            yield Fact("How", f"{qualification['mutationOperator']}, in {qualification['mutationSource']}")
            yield Fact("To be seen", qualification["expectedObservableFailure"])
        case "gameability":
            yield Fact("How", f"the degenerate system answers “{qualification['degenerateResponse']}”")
        case "clean-control":
            yield Fact("On whose word", qualification["noKnownDefectStatement"])
        case route:
            yield Fact("How", ROUTES[route])
    yield Fact("Why this probe", probe["rationale"])


def _facts(evidence: Any, digest: str) -> Iterator[Fact]:
    trials = evidence["trials"]
    counted = f"{number_text(trials['completed'])} count, {number_text(trials['declaredMinimum'])} are asked for"
    yield Fact("Trials", counted)
    for attempt in trials["invalidatedAttempts"]:
        yield Fact(f"Trial {number_text(attempt['attempt'])} does not count", attempt["reason"])
    yield Fact("Mode", evidence["mode"])
    yield Fact("Evidence artifact", digest)
    yield Fact("Comparability key", evidence["comparabilityKey"])
    remediation = evidence["remediation"]
    if remediation["revisionCount"]:
        revisions, cap = (number_text(remediation[key]) for key in ("revisionCount", "cap"))
        yield Fact("Revisions of the contract", f"{revisions} of at most {cap}")


def _notes(evidence: Any) -> Iterator[str]:
    if evidence["mode"] == "contract-scoring":
        recommended = evidence["systemRecommendationRecorded"]
        note = evidence["systemRecommendationNote"]
        yield f"The evaluator recommends {recommended} for the system{f': {note}' if note else '.'}"
        for gap, number in Counter(map(_gap_text, evidence["uncitedFindingGaps"])).items():
            yield f"{gap}{f' (in {number} trials)' if number > 1 else ''}"
    uncited = sorted({*evidence["uncitedFindings"]}, key=probe_key)
    if uncited:
        noun = "Finding" if len(uncited) == 1 else "Findings"
        yield f"{noun} without an oracle: {', '.join(uncited)}."


def _gap_text(gap: Any) -> str:
    quoted = ", ".join(f"“{each['quote']}” on {each['channel']}" for each in gap["quotedEvidence"])
    seen = ", ".join(gap["observationIds"])
    return f"{gap['findingId']} ({gap['severity']}) reports a defect no oracle watches for: {seen} shows {quoted}."


def _trials(evidence: Any, class_key: str, names: Names, findings: TrialFindings) -> Iterator[TrialView]:
    """What every trial said; trials that said the same are told together, at the place of the first."""
    agreeing: dict[TrialView, list[int]] = defaultdict(list)
    for trial, view in _each_trial(evidence, class_key, names, findings):
        agreeing[view].append(trial)
    yield from (replace(view, trials=tuple(trials)) for view, trials in agreeing.items())


def _each_trial(
    evidence: Any, class_key: str, names: Names, findings: TrialFindings
) -> Iterator[tuple[int, TrialView]]:
    by_trial: dict[int, list[Any]] = defaultdict(list)
    for outcome in evidence["outcomes"]:
        by_trial[outcome["trialIndex"]].append(outcome)
    votes = [vote for reduced in evidence["reducedProbeOutcomes"] for vote in reduced["trialVotes"]]
    counted = _counted_oracle(votes, by_trial)
    for vote in sorted(votes, key=lambda each: each["trialIndex"]):
        trial, state = vote["trialIndex"], vote["state"]
        deciding = [
            outcome
            for outcome in by_trial[trial]
            if outcome["state"] == state and (counted is None or outcome["oracleId"] == counted)
        ]
        told = findings.get(trial, ())
        observations = dict.fromkeys(each for outcome in deciding for each in outcome["selectedObservationIds"])
        resolved = {outcome["resolvedFrom"] for outcome in deciding} - {None}
        yield (
            trial,
            TrialView(
                trials=(),
                state=state,
                letter=STATES[state].letter,
                tone=STATES[state].tone,
                findings=told or tuple(sorted(f"{each} is cited." for each in resolved)),
                observations=tuple(observations),
                why=_why(state, class_key, bool(told), None if counted is None else names.oracle(counted)),
            ),
        )


def _counted_oracle(votes: Sequence[Any], by_trial: Mapping[int, Sequence[Any]]) -> str | None:
    """The oracle whose outcomes are the votes of the probe, if there is just one such."""
    candidates: set[str] | None = None
    for vote in votes:
        agreeing = {each["oracleId"] for each in by_trial[vote["trialIndex"]] if each["state"] == vote["state"]}
        candidates = agreeing if candidates is None else candidates & agreeing
    return next(iter(candidates)) if candidates is not None and len(candidates) == 1 else None


def _why(state: str, class_key: str, told: bool, counted: str | None) -> str:
    match state:
        case "caught" if class_key == "canary":
            return "A finding reports the canary."
        case "caught" if told:
            return "The defect showed, and a finding cites an exchange that shows it."
        case "caught":
            return (
                "The defect showed, and a finding cites an exchange that shows it. The words of the finding are in the "
                "run record, which was not given."
            )
        case "missed" if told:
            return "The defect showed, and no finding cites an exchange that shows it."
        case "missed":
            return "The defect showed, and no finding says so."
        case "confirmed" if class_key in STRENGTH_CLASS_NAMES:
            where = counted or "the oracle that counts for this probe"
            return f"{where[:1].upper()}{where[1:]} held: what was planted did not show there, with nothing to catch."
        case "not-applicable":
            return "The evaluator never exercised the planted operation, or a waiver accepts the failure."
        case _:
            meaning = STATES[state].meaning
            return f"{meaning[:1].upper()}{meaning[1:]}."
