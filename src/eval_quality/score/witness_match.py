"""Did the defect show, and did a finding say so? (spec 09, sections 8 and 9)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from eval_quality.artifacts.defect_signature import OBSERVED_STEP_ID
from eval_quality.artifacts.interfaces import PermittedInterface
from eval_quality.artifacts.primitives import ProbeId
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.sealed_run_record import DefectFinding, Finding, Observation
from eval_quality.canonical import utf16_key
from eval_quality.evaluate import make_resolve_operand, resolve_check
from eval_quality.plan_index import decode_tail, parse_evidence_target

from .home_operation import HomeOperation, home_operation_of, signature_of
from .selection import admitted_by, in_sequence

PROBE_REGEX_MATCH_STEP_BUDGET: Final = 1_000_000
WitnessResult = Literal[
    "unexercised", "unwitnessed-claim", "matched", "manifested-unclaimed", "not-triggered", "vacuous"
]
FindingBucket = Literal["mapped", "unmapped", "dangling", "signatureless"]


class WitnessPartition(NamedTuple):
    """Candidates by what the signature's predicate says of them."""

    satisfying: tuple[str, ...] = ()
    refuting: tuple[str, ...] = ()
    inconclusive: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbeWitnessMatch:
    """Whether the defect showed in a trial, and which findings hold up."""

    result: WitnessResult
    home_operation_resolved: bool
    exercised: bool
    partition: WitnessPartition = WitnessPartition()
    witness_observation_ids: tuple[str, ...] = ()
    unwitnessed_finding_ids: tuple[str, ...] = ()
    observation_ids: tuple[str, ...] = ()
    basis: Literal["measured"] = "measured"


@dataclass(frozen=True)
class WitnessMatcher:
    """A signed probe, ready to be matched against the trials of one contract."""

    probe: Probe
    home: HomeOperation | None

    @classmethod
    def of(cls, probe: Probe, interfaces: Sequence[PermittedInterface]) -> WitnessMatcher:
        return cls(probe, home_operation_of(probe, interfaces))

    def match(self, observations: Sequence[Observation], findings: Sequence[Finding]) -> ProbeWitnessMatch:
        """Match one trial. Faults of the predicate propagate (``budget-exhausted`` and the like)."""
        home = self.home
        on_home = [each for each in observations if home is not None and _is_on(each, home)]
        exercising = [each for each in on_home if each["provenance"] == "evaluator-chosen"]
        if home is None or not exercising:
            return ProbeWitnessMatch("unexercised", home is not None, exercised=False)
        partition = self._partition(home, exercising)
        witnessed, unwitnessed = self._claims({each["observationId"] for each in on_home}, partition, findings)
        witnesses = tuple(each for each in partition.satisfying if each in witnessed)
        candidates = tuple(each["observationId"] for each in self._candidates(home, exercising))
        return ProbeWitnessMatch(
            _result(partition, witnesses, unwitnessed),
            home_operation_resolved=True,
            exercised=True,
            partition=partition,
            witness_observation_ids=witnesses,
            unwitnessed_finding_ids=unwitnessed,
            observation_ids=candidates,
        )

    def _candidates(self, home: HomeOperation, exercising: Sequence[Observation]) -> list[Observation]:
        signature = signature_of(self.probe)
        assert signature is not None
        selector = cast(Mapping[str, Any], signature["condition"]["selector"]["inputBinding"])
        return in_sequence([each for each in exercising if admitted_by(each, selector, home.operation)])

    def _partition(self, home: HomeOperation, exercising: Sequence[Observation]) -> WitnessPartition:
        signature = signature_of(self.probe)
        assert signature is not None
        groups: dict[str, list[str]] = {"true": [], "false": [], "insufficient-evidence": []}
        for candidate in self._candidates(home, exercising):
            resolution = resolve_check(
                signature["condition"]["predicate"],
                make_resolve_operand({OBSERVED_STEP_ID: candidate}, {}),
                lambda pointer: _denotes_collection(pointer, home),
                {},
                PROBE_REGEX_MATCH_STEP_BUDGET,
                f"Probe[probeId={self.probe['probeId']}].defectSignature.condition.predicate",
            )
            groups[resolution["resolution"]].append(candidate["observationId"])
        return WitnessPartition(*(tuple(ids) for ids in groups.values()))

    def _claims(
        self, home_ids: set[str], partition: WitnessPartition, findings: Sequence[Finding]
    ) -> tuple[set[str], tuple[str, ...]]:
        """Observations that findings against this probe rightly cite, and findings that cite none such."""
        satisfying = set(partition.satisfying)
        witnessed: set[str] = set()
        unwitnessed: list[str] = []
        for finding in findings:
            if finding["findingType"] != "defect" or finding["probeId"] != self.probe["probeId"]:
                continue
            cited = [each for each in finding["observationIds"] if each in home_ids]
            if not cited:
                continue
            borne_out = satisfying.intersection(cited)
            witnessed |= borne_out
            if not borne_out:
                unwitnessed.append(finding["findingId"])
        return witnessed, tuple(sorted(unwitnessed, key=utf16_key))


def _is_on(observation: Observation, home: HomeOperation) -> bool:
    return (observation["interfaceId"], observation["operationId"]) == (
        home.interface_id,
        home.operation["operationId"],
    )


def _denotes_collection(pointer: str, home: HomeOperation) -> bool:
    if pointer.startswith("@"):
        return False
    target = parse_evidence_target(pointer)
    locations = home.operation["responseDescriptor"]["collectionLocations"] or ()
    return target.channel == "response-body" and any(
        decode_tail(location["pointer"]) == target.tail for location in locations
    )


def _result(partition: WitnessPartition, witnesses: tuple[str, ...], unwitnessed: tuple[str, ...]) -> WitnessResult:
    """The first that applies."""
    if unwitnessed:
        return "unwitnessed-claim"
    if partition.satisfying:
        return "matched" if witnesses else "manifested-unclaimed"
    if partition.refuting or not partition.inconclusive:
        return "not-triggered"
    return "vacuous"


def match_probe_witness(
    probe: Probe,
    interfaces: Sequence[PermittedInterface],
    observations: Sequence[Observation],
    findings: Sequence[Finding],
) -> ProbeWitnessMatch:
    """Match a signed probe against one trial."""
    return WitnessMatcher.of(probe, interfaces).match(observations, findings)


class MappedFinding(NamedTuple):
    """A finding and the probe it names."""

    finding_id: str
    probe_id: ProbeId


FINDING_BUCKETS: Final[tuple[FindingBucket, ...]] = ("mapped", "unmapped", "dangling", "signatureless")


@dataclass(frozen=True)
class FindingMapper:
    """The probes findings may name, each with the operation it is about."""

    homes: Mapping[str, HomeOperation | None]
    signed: frozenset[str]

    @classmethod
    def of(cls, probes: Sequence[Probe], interfaces: Sequence[PermittedInterface]) -> FindingMapper:
        by_id = {probe["probeId"]: probe for probe in probes}
        return cls(
            {probe_id: home_operation_of(probe, interfaces) for probe_id, probe in by_id.items()},
            frozenset(probe_id for probe_id, probe in by_id.items() if signature_of(probe) is not None),
        )

    def map(
        self, observations: Sequence[Observation], findings: Sequence[Finding]
    ) -> dict[FindingBucket, list[MappedFinding]]:
        """Each defect finding in one bucket; buckets sorted by finding."""
        by_id = {each["observationId"]: each for each in observations}
        buckets: dict[FindingBucket, list[MappedFinding]] = {bucket: [] for bucket in FINDING_BUCKETS}
        for finding in sorted(findings, key=lambda each: utf16_key(each["findingId"])):
            if finding["findingType"] == "defect":
                entry = MappedFinding(finding["findingId"], finding["probeId"])
                buckets[self._bucket(finding, by_id)].append(entry)
        return buckets

    def _bucket(self, finding: Finding, by_id: Mapping[str, Observation]) -> FindingBucket:
        probe_id = finding["probeId"]
        if probe_id not in self.homes:
            return "dangling"
        if probe_id not in self.signed:
            return "signatureless"
        home = self.homes[probe_id]
        if home is None:
            return "unmapped"
        cited = (by_id[each] for each in finding["observationIds"] if each in by_id)
        return "mapped" if any(_is_on(each, home) for each in cited) else "unmapped"


def map_findings(
    probes: Sequence[Probe],
    interfaces: Sequence[PermittedInterface],
    observations: Sequence[Observation],
    findings: Sequence[Finding],
) -> dict[FindingBucket, list[MappedFinding]]:
    """Sort defect findings by what the probe they name makes of them."""
    return FindingMapper.of(probes, interfaces).map(observations, findings)


def uncited_finding_ids(findings: Sequence[Finding]) -> list[str]:
    """Findings of any type that name no oracle."""
    return sorted((each["findingId"] for each in findings if each["oracleId"] is None), key=utf16_key)


def uncited_defect_findings(findings: Sequence[Finding]) -> Iterator[DefectFinding]:
    """Defect findings that name no oracle, sorted."""
    for finding in sorted(findings, key=lambda each: utf16_key(each["findingId"])):
        if finding["findingType"] == "defect" and finding["oracleId"] is None:
            yield cast(DefectFinding, finding)
