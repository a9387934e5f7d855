"""The artifacts of one run, put together; or why they are not of one run.

What belongs together says so itself, and is held against each other in this order:

1. one contract, brief, pre-flight verdict, aggregate and policy; one evidence artifact a probe;
2. what aggregation asks of the evidence of one run: one scoring version, basis and list of attested inputs a mode
   (spec 10, section 8.3; run identifiers may differ there, and so they may here);
3. digests that one artifact states of another: brief of contract, record of contract, evidence of policy and fixture,
   aggregate of evidence;
4. oracles that outcomes name are those of the contract.

The same artifact given twice is one artifact. A departure is told about the later file, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from eval_quality.canonical import utf16_key
from eval_quality.cli.exit_codes import EXIT_STRUCTURAL

from .reading import Complaint, Source
from .recognise import Kind

SINGULAR_KINDS: Final[dict[Kind, str]] = {
    "eval-contract": "contract",
    "sealed-evaluator-brief": "sealed brief",
    "preflight-verdict": "pre-flight verdict",
    "strength-aggregate": "strength aggregate",
    "scoring-policy": "scoring policy",
}
"""Kinds that a run has one of, in words."""


@dataclass(frozen=True)
class Run:
    """Everything given about one run. Evidence is in the order of the probes."""

    contract: Source | None = None
    brief: Source | None = None
    preflight: Source | None = None
    aggregate: Source | None = None
    policy: Source | None = None
    evidence: dict[str, Source] = field(default_factory=dict)
    probes: dict[str, Source] = field(default_factory=dict)
    records: tuple[Source, ...] = ()
    others: tuple[Source, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The names that the evidence was made under, or else those that anything else states."""
        named = [source.value["runId"] for source in (*self.evidence.values(), *self.records)]
        if not named and self.preflight is not None:
            named = [self.preflight.value["runId"]]
        if not named and self.aggregate is not None:
            named = [entry["runId"] for entry in self.aggregate.value["inputs"]]
        return tuple(dict.fromkeys(named))


def put_together(sources: Sequence[Source]) -> tuple[Run, list[Complaint]]:
    """The run that the sources are of, and what does not belong to it."""
    complaints: dict[str, Complaint] = {}

    def complain(source: Source, text: str) -> None:
        complaints.setdefault(source.file, Complaint(source.file, f"mixed runs: {text}", EXIT_STRUCTURAL))

    distinct: dict[tuple[Kind, str], Source] = {}
    for source in sources:
        distinct.setdefault((source.kind, source.digest or source.file), source)
    by_kind: dict[Kind, list[Source]] = defaultdict(list)
    for source in distinct.values():
        by_kind[source.kind].append(source)

    single: dict[Kind, Source] = {}
    for kind, name in SINGULAR_KINDS.items():
        for source in by_kind[kind]:
            first = single.setdefault(kind, source)
            if first is not source:
                complain(source, f"is another {name} than {first.file}")
    run = Run(
        contract=single.get("eval-contract"),
        brief=single.get("sealed-evaluator-brief"),
        preflight=single.get("preflight-verdict"),
        aggregate=single.get("strength-aggregate"),
        policy=single.get("scoring-policy"),
        evidence=_by_probe(by_kind["evidence-artifact"], "scoredProbeId", "score", complain),
        probes=_by_probe(by_kind["probe"], "probeId", "description", complain),
        records=tuple(by_kind["sealed-run-record"]),
        others=tuple(each for kind in OTHER_KINDS for each in by_kind[kind]),
    )
    for source, text in _departures(run):
        complain(source, text)
    return run, list(complaints.values())


SHARED_TERMS: Final[dict[str, Callable[[Any], object]]] = {
    "scoring version": lambda evidence: evidence["scoringVersion"],
    "basis": lambda evidence: evidence["strength"]["basis"],
    "list of attested inputs": lambda evidence: sorted(evidence["callerAttestedInputs"]),
}
"""What all evidence of one mode states alike."""
OTHER_KINDS: Final[tuple[Kind, ...]] = (
    "evaluator-configuration",
    "isolation-manifest",
    "private-artifact-manifest",
    "rubric",
    "artifact-reference",
)
"""Kinds of which a report shows the digest and nothing else."""


def _by_probe(
    members: Sequence[Source], key: str, noun: str, complain: Callable[[Source, str], None]
) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for source in members:
        first = found.setdefault(source.value[key], source)
        if first is not source:
            complain(source, f"is another {noun} of probe {source.value[key]} than {first.file}")
    return {probe_id: found[probe_id] for probe_id in sorted(found, key=probe_key)}


def probe_key(probe_id: str) -> tuple[int, str]:
    """Sort key of an identifier such as ``P-002``: by its number."""
    _, _, digits = probe_id.partition("-")
    return (len(digits.lstrip("0")), digits.lstrip("0"))


def _departures(run: Run) -> Iterator[tuple[Source, str]]:
    yield from _of_another_contract(run)
    yield from _of_another_score(run)
    yield from _of_another_aggregate(run)


def _of_another_contract(run: Run) -> Iterator[tuple[Source, str]]:
    if run.contract is None:
        return
    contract = run.contract
    for source in (*filter(None, (run.brief,)), *run.records):
        if source.value["contractDigest"] != contract.digest:
            yield source, f"states the digest of another contract than {contract.file}"
    declared = {oracle["id"] for oracle in contract.value["oracles"]}
    for source in run.evidence.values():
        unknown = {each["oracleId"] for each in source.value["outcomes"]} - declared
        if unknown:
            named = min(unknown, key=utf16_key)
            yield source, f"scores oracle {named}, which {contract.file} does not declare"


def _of_another_score(run: Run) -> Iterator[tuple[Source, str]]:
    first_of_mode: dict[str, Source] = {}
    for source in run.evidence.values():
        inputs = source.value["scoringVersionInputs"]
        first = first_of_mode.setdefault(source.value["mode"], source)
        for name, read in SHARED_TERMS.items():
            if read(source.value) != read(first.value):
                yield source, f"has another {name} than {first.file}"
        if run.policy is not None and inputs["scoringPolicyDigest"] != run.policy.digest:
            yield source, f"was scored under another policy than {run.policy.file}"
        if run.preflight is not None and inputs["fixtureDigest"] != run.preflight.value["fixtureDigest"]:
            yield source, f"was scored against another fixture than {run.preflight.file} is about"


def _of_another_aggregate(run: Run) -> Iterator[tuple[Source, str]]:
    if run.aggregate is None:
        return
    for entry in run.aggregate.value["inputs"]:
        source = run.evidence.get(entry["probeId"])
        if source is not None and source.digest != entry["artifactDigest"]:
            yield source, f"is another score of probe {entry['probeId']} than went into {run.aggregate.file}"
