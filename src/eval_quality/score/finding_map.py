"""What findings amount to: which probe a defect finding is about, and which findings cite no oracle.

Spec 09, sections 9 and 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from eval_quality.artifacts.evidence_artifact import UncitedFindingGap
from eval_quality.artifacts.interfaces import PermittedInterface
from eval_quality.artifacts.primitives import ProbeId
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.sealed_run_record import DefectFinding, Finding
from eval_quality.canonical import utf16_key
from eval_quality.plan_index import key_of

from .home_operation import HomeOperation, home_operation_of, signature_of
from .observations import TrialObservations

FindingBucket = Literal["mapped", "unmapped", "dangling", "signatureless"]
FINDING_BUCKETS: Final[tuple[FindingBucket, ...]] = get_args(FindingBucket)


class MappedFinding(NamedTuple):
    """A finding and the probe it names."""

    finding_id: str
    probe_id: ProbeId


@dataclass(frozen=True)
class FindingMapper:
    """The probes that findings may name, each with the operation it is about; of equal identifiers the last counts."""

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
        self, observations: TrialObservations, findings: Iterable[Finding]
    ) -> dict[FindingBucket, list[MappedFinding]]:
        """Each defect finding in the first bucket that applies; buckets are sorted by finding."""
        buckets: dict[FindingBucket, list[MappedFinding]] = {bucket: [] for bucket in FINDING_BUCKETS}
        for finding in _defects(findings):
            entry = MappedFinding(finding["findingId"], finding["probeId"])
            buckets[self._bucket(finding, observations)].append(entry)
        return buckets

    def _bucket(self, finding: DefectFinding, observations: TrialObservations) -> FindingBucket:
        probe_id = finding["probeId"]
        if probe_id not in self.homes:
            return "dangling"
        if probe_id not in self.signed:
            return "signatureless"
        home = self.homes[probe_id]
        cited = (observations.last.get(each) for each in finding["observationIds"])
        on_home = home is not None and any(each is not None and key_of(each) == home.key for each in cited)
        return "mapped" if on_home else "unmapped"


def uncited_finding_ids(findings: Iterable[Finding]) -> list[str]:
    """Findings of any type that name no oracle, sorted."""
    return sorted((each["findingId"] for each in findings if each["oracleId"] is None), key=utf16_key)


def uncited_defect_finding_gaps(findings: Iterable[Finding]) -> Iterator[UncitedFindingGap]:
    """Defect findings that name no oracle, sorted."""
    for finding in _defects(findings):
        if finding["oracleId"] is None:
            yield {
                "findingId": finding["findingId"],
                "observationIds": finding["observationIds"],
                "quotedEvidence": finding["quotedEvidence"],
                "severity": finding["severity"],
            }


def _defects(findings: Iterable[Finding]) -> list[DefectFinding]:
    defects = [each for each in findings if each["findingType"] == "defect"]
    return sorted(defects, key=lambda each: utf16_key(each["findingId"]))
