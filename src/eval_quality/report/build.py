"""From a run to its report: what is said about the run as a whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES
from eval_quality.canonical import number_text
from eval_quality.version import VERSION

from .compare import compare_runs
from .coverage import coverage_view
from .names import Names
from .probes import probe_views
from .run import Run, probe_key
from .strength import class_figures, percent
from .view import (
    MOST_NAMED,
    Cell,
    CheckView,
    ClassView,
    Condition,
    Fact,
    FactGroup,
    Mark,
    MatrixRow,
    MatrixView,
    OracleColumn,
    PreflightView,
    ProbeView,
    Report,
    StateKey,
    VerdictView,
)
from .words import (
    ATTESTED,
    CLASSES,
    FLOOR_BASES,
    FLOOR_DECISIONS,
    HEADLINES,
    MODES,
    PREFLIGHT_CHECKS,
    STATES,
    VERDICT_RANK,
    VERDICT_TONES,
    listed,
    plural,
)


def build_report(run: Run, baseline: Run | None = None) -> Report:
    """Everything there is to show about a run, against a baseline if one is given."""
    contract = run.contract.value if run.contract is not None else None
    names = Names.of(contract, run.brief.value if run.brief is not None else None)
    probes = probe_views(run, names)
    title = contract["contractId"] if contract is not None else "evaluation"
    return Report(
        title=title,
        subtitle=_subtitle(run.run_ids),
        verdict=_verdict(run, probes),
        preflight=_preflight(run),
        comparison=None if baseline is None else compare_runs(run, baseline),
        classes=tuple(_classes(run)),
        matrix=_matrix(run, names, probes),
        probes=probes,
        coverage=coverage_view(run),
        incomparable=tuple(_incomparable(run)),
        provenance=tuple(group for group in _provenance(run) if group.facts),
    )


def _subtitle(run_ids: Sequence[str]) -> str:
    if not run_ids:
        return "no run yet"
    return f"run {run_ids[0]}" if len(run_ids) == 1 else f"{plural(len(run_ids), 'run')}, {_some(run_ids)}"


def _verdict(run: Run, probes: Sequence[ProbeView]) -> VerdictView:
    by_word: dict[str, list[str]] = defaultdict(list)
    for probe in probes:
        by_word[probe.verdict.word].append(probe.probe_id)
    word = max(by_word, key=VERDICT_RANK.index, default="No verdict")
    if run.preflight is not None and not run.preflight.value["passed"]:
        word = "Invalid"
    return VerdictView(
        mark=Mark(word, VERDICT_TONES[word]),
        headline=_headline(word, probes),
        because=tuple(_because(run, probes, by_word)),
        conditions=_conditions(probes),
        tally=tuple(
            (Mark(each, VERDICT_TONES[each]), len(by_word[each])) for each in reversed(VERDICT_RANK) if by_word[each]
        ),
    )


def _headline(word: str, probes: Sequence[ProbeView]) -> str:
    """What a verdict says in a sentence; a score may pass where its probe was not caught."""
    if word == "PASS" and any(probe.needs_attention for probe in probes):
        return "Every score passes, and not every probe is as it should be: its result says why."
    return HEADLINES[word]


def _because(run: Run, probes: Sequence[ProbeView], by_word: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if run.preflight is not None and not run.preflight.value["passed"]:
        yield "Pre-flight did not pass: the environment was not fit to be scored, so no score made in it counts."
    scored = Counter(source.value["mode"] for source in run.evidence.values())
    for mode in sorted(scored):
        yield f"{plural(scored[mode], 'probe')} scored for {MODES[mode]}."
    failed = [probe.probe_id for probe in probes if probe.status_key in ("failed", "incomparable")]
    if failed:
        yield f"Look at {_some(failed)}: not as it should be, or not to be compared."
    missing = by_word.get("Not scored", ())
    if missing:
        verb = "has" if len(missing) == 1 else "have"
        yield (
            f"{_some(missing)} {verb} no evidence artifact here. A score that comes out Invalid writes none; the line "
            "on standard error of that score says why."
        )
    if run.aggregate is not None:
        decisions = run.aggregate.value["floorDecisions"]
        unmet = [
            CLASSES[name].title.lower()
            for name in STRENGTH_CLASS_NAMES
            if _decision(decisions, name) == "does-not-meet"
        ]
        if unmet:
            floors = "floor" if len(unmet) == 1 else "floors"
            yield f"The declared {floors} for {listed(unmet)} {'is' if len(unmet) == 1 else 'are'} not met."


def _decision(decisions: Any, name: str) -> str:
    return str(decisions[name]["decision"])


def _some(identifiers: Sequence[str]) -> str:
    """Some identifiers in words, all of them when they are few."""
    if len(identifiers) <= MOST_NAMED:
        return listed(list(identifiers))
    return f"{', '.join(identifiers[:MOST_NAMED])} and {len(identifiers) - MOST_NAMED} more"


def _conditions(probes: Sequence[ProbeView]) -> tuple[Condition, ...]:
    """The conditions of all probes, worst verdict first, equal ones once with the probes they hold for."""
    found: dict[str, Condition] = {}
    holding: dict[str, list[str]] = defaultdict(list)
    for probe in sorted(probes, key=lambda each: -VERDICT_RANK.index(each.verdict.word)):
        for condition in probe.conditions:
            found.setdefault(condition.line, condition)
            holding[condition.line].append(probe.probe_id)
    return tuple(
        Condition(line, condition.meaning, condition.times if len(holding[line]) == 1 else "", tuple(holding[line]))
        for line, condition in found.items()
    )


def _preflight(run: Run) -> PreflightView | None:
    if run.preflight is None:
        return None
    verdict = run.preflight.value
    checks = verdict["checks"]
    satisfied = sum(check["outcome"] == "satisfied" for check in checks)
    passed = verdict["passed"]
    return PreflightView(
        mark=Mark("passed", "good") if passed else Mark("did not pass", "bad"),
        summary=f"{satisfied} of {plural(len(checks), 'check')} of the environment hold.",
        checks=tuple(
            CheckView(
                what=PREFLIGHT_CHECKS[check["kind"]],
                where=" / ".join(filter(None, (check["interfaceId"], check["operationId"]))),
                outcome=Mark("failed", "bad") if check["outcome"] == "failed" else Mark("exempt", "calm"),
                note=check["note"] or "",
            )
            for check in checks
            if check["outcome"] != "satisfied"
        ),
    )


def _classes(run: Run) -> Iterator[ClassView]:
    aggregate = run.aggregate.value if run.aggregate is not None else None
    for name in STRENGTH_CLASS_NAMES:
        if aggregate is None:
            figures, floor = class_figures(run).get(name), None
        else:
            figures, floor = aggregate["classes"][name], aggregate["floorDecisions"][name]
        if figures is None and (floor is None or floor["decision"] == "undeclared"):
            continue
        counts = figures or {"caught": 0, "exercised": 0, "eligible": 0, "rate": None}
        rate = counts["rate"]
        decision = Mark("no aggregate", "calm") if floor is None else Mark(*FLOOR_DECISIONS[floor["decision"]])
        yield ClassView(
            title=CLASSES[name].title,
            meaning=CLASSES[name].meaning,
            caught=counts["caught"],
            exercised=counts["exercised"],
            eligible=counts["eligible"],
            rate="none" if rate is None else percent(rate),
            share=rate,
            floor="none" if floor is None or floor["floor"] is None else percent(floor["floor"]),
            decision=decision,
            why=(
                "no strength aggregate was given, so no floor was decided"
                if floor is None
                else FLOOR_BASES[floor["basis"]]
            ),
        )


MOST_CELLS: Final = 20_000
QUIET_STATES: Final = frozenset({"confirmed", "passed-clean-control", "not-applicable"})


def _matrix(run: Run, names: Names, probes: Sequence[ProbeView]) -> MatrixView:
    cells: dict[str, dict[str, list[tuple[int, str]]]] = {}
    states_by_oracle: dict[str, set[str]] = defaultdict(set)
    for probe_id, source in run.evidence.items():
        row: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for outcome in source.value["outcomes"]:
            row[outcome["oracleId"]].append((outcome["trialIndex"], outcome["state"]))
            states_by_oracle[outcome["oracleId"]].add(outcome["state"])
        cells[probe_id] = row
    columns, quiet = _columns(states_by_oracle, len(cells))
    seen = {state for oracle_id in columns for state in states_by_oracle[oracle_id]}
    return MatrixView(
        columns=tuple(OracleColumn(each, names.about(each) or "") for each in columns),
        rows=tuple(
            MatrixRow(
                probe.probe_id,
                probe.status,
                probe.status_key,
                probe.needs_attention,
                tuple(_cell(cells[probe.probe_id].get(oracle_id, [])) for oracle_id in columns),
            )
            for probe in probes
            if probe.probe_id in cells
        ),
        legend=tuple(
            StateKey(state, words.letter, words.tone, words.meaning) for state, words in STATES.items() if state in seen
        ),
        quiet=quiet,
    )


def _columns(states_by_oracle: Mapping[str, set[str]], rows: int) -> tuple[list[str], str]:
    """Oracles to show, in order; of a table too large to be of use, only those that have something to tell."""
    columns = sorted(states_by_oracle, key=probe_key)
    if len(columns) * rows <= MOST_CELLS:
        return columns, ""
    telling = [each for each in columns if not states_by_oracle[each] <= QUIET_STATES]
    left_out = len(columns) - len(telling)
    return telling, f"{plural(left_out, 'oracle')} held on every probe and left out here." if left_out else ""


def _cell(outcomes: Sequence[tuple[int, str]]) -> Cell | None:
    if not outcomes:
        return None
    runs: list[tuple[str, int]] = []
    for _, state in sorted(outcomes):
        if runs and runs[-1][0] == state:
            runs[-1] = (state, runs[-1][1] + 1)
        else:
            runs.append((state, 1))
    return Cell(tuple(runs))


def _incomparable(run: Run) -> Iterator[Fact]:
    for probe_id, source in run.evidence.items():
        strength = source.value["strength"]
        if not strength["comparable"]:
            note = strength["note"] or "the artifact says so and gives no reason"
            yield Fact(probe_id, note)
    if run.aggregate is not None:
        for name in STRENGTH_CLASS_NAMES:
            figures = run.aggregate.value["classes"][name]
            if figures is not None and not figures["comparable"]:
                yield Fact(
                    f"{CLASSES[name].title} as a class",
                    "at least one of its probes is not comparable, so its rate is not",
                )
    for probe_id, source in run.evidence.items():
        for excluded in source.value["excludedProbeIds"]:
            yield Fact(excluded, f"left out of the score of {probe_id}: it did not qualify")


def _provenance(run: Run) -> Iterator[FactGroup]:
    yield FactGroup("Artifacts", tuple(_digests(run)))
    yield FactGroup("What the scores depend on", tuple(_score_inputs(run)))
    yield FactGroup("Taken on the caller's word", tuple(_attested(run)))
    yield FactGroup("Made by", tuple(_makers(run)))


def _digests(run: Run) -> Iterator[Fact]:
    single = (
        ("Contract", run.contract),
        ("Sealed brief", run.brief),
        ("Pre-flight verdict", run.preflight),
        ("Scoring policy", run.policy),
        ("Strength aggregate", run.aggregate),
    )
    for label, source in single:
        if source is not None:
            yield Fact(label, source.digest)
    for source in run.others:
        yield Fact(source.kind.replace("-", " ").capitalize(), source.digest)


def _score_inputs(run: Run) -> Iterator[Fact]:
    told: dict[tuple[str, str], None] = {}
    labels = {
        "contractSchemaVersion": "Version of the contract's schema",
        "corpusDigest": "Corpus",
        "fixtureDigest": "Fixture",
        "evaluatorConfigurationDigest": "Evaluator configuration",
        "scoringPolicyDigest": "Scoring policy",
    }
    for source in run.evidence.values():
        evidence = source.value
        inputs = evidence["scoringVersionInputs"]
        for key, label in labels.items():
            value = inputs[key]
            told[label, value if isinstance(value, str) else number_text(value)] = None
        told[f"Scoring version ({evidence['mode']})", evidence["scoringVersion"]] = None
    if run.aggregate is not None:
        told["Comparability key of the aggregate", run.aggregate.value["comparabilityKey"]] = None
    yield from (Fact(*each) for each in told)


def _attested(run: Run) -> Iterator[Fact]:
    by_input: dict[str, None] = {}
    for source in run.evidence.values():
        by_input.update(dict.fromkeys(source.value["callerAttestedInputs"]))
    if run.aggregate is not None:
        by_input.update(dict.fromkeys(run.aggregate.value["callerAttestedInputs"]))
        by_input.update(dict.fromkeys(run.aggregate.value["aggregateAttestedInputs"]))
    yield from (Fact(name, ATTESTED[name]) for name in ATTESTED if name in by_input)


def _makers(run: Run) -> Iterator[Fact]:
    if run.aggregate is not None:
        yield Fact("Engine that aggregated", f"eval-quality {run.aggregate.value['engineVersion']}")
    yield Fact("This report", f"eval-quality {VERSION}")
