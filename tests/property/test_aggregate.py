"""What holds of aggregation for any run, and what a changed artifact can get past it."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eval_quality.aggregate import aggregate_digested, aggregate_strength
from eval_quality.canonical import digest_artifact, serialize_artifact
from eval_quality.errors import AggregationRefusal, RuntimeFault
from tests.scored_runs import A, Json, evidence, policy

CLASSES = ("defect", "gameability", "zero-action")
VOTES = st.sampled_from(["caught", "missed", "confirmed", "abstained", "not-applicable", "unreached", "oracle-error"])
FLOORS = st.dictionaries(st.sampled_from(CLASSES), st.sampled_from([0, 0.25, 1 / 3, 0.5, 0.75, 1]))


@st.composite
def scored(draw: st.DrawFn, probe_id: str) -> Json:
    """Sound evidence of one probe; a clean control or a canary belongs to no class."""
    probe_class = draw(st.sampled_from([*CLASSES, None]))
    controls = st.sampled_from(["passed-clean-control", "false-positive"])
    votes = draw(st.lists(VOTES if probe_class else st.one_of(VOTES, controls), min_size=1, max_size=4))
    return evidence(probe_id, *votes, probe_class=probe_class)


@st.composite
def runs(draw: st.DrawFn) -> list[Json]:
    numbers = draw(st.lists(st.integers(1, 2000), min_size=1, max_size=6, unique=True))
    return [draw(scored(f"P-{number:03}")) for number in numbers]


def text(run: list[Json], floors: Json) -> str:
    return serialize_artifact(aggregate_strength(run, floors, policy()), "StrengthAggregate")


@given(runs(), FLOORS, st.randoms())
def test_the_order_of_the_evidence_does_not_show(run: list[Json], floors: Json, random: Any) -> None:
    shuffled = random.sample(run, len(run))
    assert text(shuffled, floors) == text(run, floors)


@given(runs(), FLOORS)
def test_evidence_with_digests_at_hand_gives_the_same(run: list[Json], floors: Json) -> None:
    read = ((each, digest_artifact(each, "EvidenceArtifact")) for each in run)
    aggregate = aggregate_digested(read, floors=lambda: floors, policy=policy)
    assert serialize_artifact(aggregate, "StrengthAggregate") == text(run, floors)


@given(runs(), FLOORS)
def test_figures_count_probes_and_floors_are_met_only_by_sound_rates(run: list[Json], floors: Json) -> None:
    aggregate = aggregate_strength(run, floors, policy())
    by_class: dict[str | None, list[Json]] = {}
    for each in run:
        name = next((name for name in CLASSES if each["strength"]["vector"][name]), None)
        by_class.setdefault(name, []).append(each)
    for name in CLASSES:
        members = [each["reducedProbeOutcomes"][0] for each in by_class.get(name, [])]
        counted = Counter(
            exercised=sum(each["exercised"] for each in members), caught=sum(each["caught"] for each in members)
        )
        figures, decision = aggregate["classes"][name], aggregate["floorDecisions"][name]
        assert (figures is None) == (not members)
        if figures is not None:
            assert figures["eligible"] == len(members)
            assert (figures["exercised"], figures["caught"]) == (counted["exercised"], counted["caught"])
            assert figures["comparable"] == all(each["strength"]["comparable"] for each in by_class[name])
        sound = bool(members) and all(each["exercised"] for each in members) and figures["comparable"]
        met = name in floors and sound and counted["caught"] / counted["exercised"] >= floors[name]
        assert (decision["decision"] == "meets") == met
        assert (decision["decision"] == "undeclared") == (name not in floors)


# A change to one field, and what it may do unseen.

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from(
        ["caught", "missed", "unreached", "passed-clean-control", "false-positive", "oracle-error", "held"]
    ),
    st.sampled_from(["P-001", "P-002", "P-777", "O-002", "low", "critical", "mode", "corpusDigest", A]),
    st.sampled_from(["production", "contract-scoring", "reconstructed", "measured", "PASS", "FAIL"]),
    st.sampled_from([[], {}, ["P-001"], ["x"], [1], [1, 1], ["mode"], {"caught": 1, "exercised": 1, "rate": 1}]),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a JSON value, but for the root."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, member in members for found in [(*path, key), *places(member, (*path, key))]]


def stated(artifact: Json) -> Json:
    """What an artifact says about its probe, but for its run and class: no order and no repeated outcome says anything.

    Everything left out is documented as unread: lineage, exit code, verdict and its basis, what oracles rest on,
    uncited findings, coverage gaps, remediation, and the two texts of the strength.
    """
    trials, reduced = artifact["trials"], dict(artifact["reducedProbeOutcomes"][0])
    votes, lost = reduced.pop("trialVotes"), [*reduced.pop("invalidatedAttempts"), *trials["invalidatedAttempts"]]
    return {
        "identity": [artifact[key] for key in ("scoredProbeId", "scoringVersion", "comparabilityKey", "mode")],
        "inputs": artifact["scoringVersionInputs"],
        "excluded": artifact["excludedProbeIds"],
        "attested": sorted(artifact["callerAttestedInputs"]),
        "trials": [trials["declaredMinimum"], trials["completed"], sorted(trials["completedAttempts"])],
        "outcomes": {
            (each["probeId"], each["trialIndex"], each["state"], each["severity"]) for each in artifact["outcomes"]
        },
        "reduced": reduced,
        "votes": sorted((each["trialIndex"], each["state"]) for each in votes),
        "invalidated": sorted((each["attempt"], each["reason"]) for each in lost),
        "strength": [artifact["strength"]["basis"], artifact["strength"]["comparable"]],
    }


@st.composite
def tampered(draw: st.DrawFn) -> tuple[list[Json], int, tuple[Any, ...], list[Json]]:
    """A run, the position of an artifact, the path of a field of it, and the run with that field changed."""
    run = [
        evidence("P-001", *draw(st.lists(VOTES, min_size=1, max_size=3))),
        evidence("P-002", *draw(st.lists(VOTES, min_size=1, max_size=3)), probe_class="gameability"),
        evidence("P-003", "passed-clean-control", probe_class=None),
    ]
    position = draw(st.integers(0, 2))
    changed = copy.deepcopy(run)
    path = draw(st.sampled_from(places(run[position])))
    holder: Any = changed[position]
    for step in path[:-1]:
        holder = holder[step]
    match draw(st.sampled_from(["replace", "remove", "reverse", "repeat"])), holder[path[-1]]:
        case "remove", _:
            del holder[path[-1]]
        case "reverse", list() as items:
            holder[path[-1]] = items[::-1]
        case "repeat", list() as items:
            holder[path[-1]] = items * 2
        case _:
            holder[path[-1]] = draw(VALUES)
    return run, position, path, changed


@settings(max_examples=1500, deadline=None)
@given(tampered())
def test_a_changed_field_is_refused_or_shows_only_where_it_is_documented(
    case: tuple[list[Json], int, tuple[Any, ...], list[Json]],
) -> None:
    run, position, path, changed = case
    floors = {"defect": 0.5, "gameability": 0.5}
    try:
        after = aggregate_strength(changed, floors, policy())
    except (AggregationRefusal, RuntimeFault):
        return
    before = aggregate_strength(run, floors, policy())
    for aggregate, artifacts in ((before, run), (after, changed)):
        recorded = {each["artifactDigest"] for each in aggregate["inputs"]}
        assert recorded == {digest_artifact(each, "EvidenceArtifact") for each in artifacts}
    for aggregate in (before, after):
        aggregate["inputs"][position]["artifactDigest"] = ""
    assert stated(changed[position]) == stated(run[position])
    after["inputs"][position]["runId"] = before["inputs"][position]["runId"]
    if changed[position]["strength"]["vector"] != run[position]["strength"]["vector"]:
        # moved to another class, or nulled to read as a control: nothing else states a probe's class
        assert path[0] == "strength"
        del before["inputs"][position]["probeClass"], after["inputs"][position]["probeClass"]
        for key in ("classes", "floorDecisions"):
            del before[key], after[key]
    assert after == before


@given(st.integers(0, 60), st.integers(1, 60))
def test_a_rate_is_the_nearest_double(caught: int, more: int) -> None:
    run = [evidence(f"P-{number + 100}", "caught" if number < caught else "missed") for number in range(caught + more)]
    figures = aggregate_strength(run, {}, policy())["classes"]["defect"]
    assert figures is not None
    assert figures["rate"] == float(Fraction(caught, caught + more))
