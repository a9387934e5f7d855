"""Did the planted defect show, and did a finding say so? (spec 09, section 8; AD-40)

1. Only what the evaluator chose to exercise counts, on the operation the signature is about.
2. The signature's selector picks candidates, its predicate parts them: satisfying, refuting, inconclusive.
3. A finding against the probe that cites the operation's observations has to cite a satisfying one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from eval_quality.artifacts.defect_signature import OBSERVED_STEP_ID, DefectSignature
from eval_quality.artifacts.interfaces import PermittedInterface
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.sealed_run_record import Finding, Observation
from eval_quality.canonical import utf16_key
from eval_quality.errors import PreconditionError
from eval_quality.evaluate import CheckResolver, make_resolve_operand, make_witness_pointer_denotes_collection

from .bindings import selector_admits
from .home_operation import HomeOperation, home_operation_of, signature_of
from .observations import TrialObservations

PROBE_REGEX_MATCH_STEP_BUDGET: Final = 1_000_000
WitnessResult = Literal[
    "unexercised", "unwitnessed-claim", "matched", "manifested-unclaimed", "not-triggered", "vacuous"
]


class WitnessPartition(NamedTuple):
    """Candidates by what the signature's predicate says of them."""

    satisfying: tuple[str, ...] = ()
    refuting: tuple[str, ...] = ()
    inconclusive: tuple[str, ...] = ()


class ProbeWitnessMatch(NamedTuple):
    """Whether the defect showed in a trial, and which findings hold up."""

    result: WitnessResult
    home_operation_resolved: bool
    exercised: bool
    observation_ids: tuple[str, ...] = ()
    """The candidates, in sequence."""
    partition: WitnessPartition = WitnessPartition()
    witness_observation_ids: tuple[str, ...] = ()
    """Satisfying observations that a finding against the probe cites."""
    unwitnessed_finding_ids: tuple[str, ...] = ()
    """Findings against the probe that cite the operation's observations and none that satisfies."""
    basis: Literal["measured"] = "measured"


@dataclass(frozen=True)
class WitnessMatcher:
    """A signed probe, ready to be matched against the trials of one contract."""

    probe_id: str
    signature: DefectSignature
    home: HomeOperation | None
    _checks: CheckResolver = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        denotes = make_witness_pointer_denotes_collection(None if self.home is None else self.home.operation)
        object.__setattr__(self, "_checks", CheckResolver(denotes, {}, PROBE_REGEX_MATCH_STEP_BUDGET))

    @classmethod
    def of(cls, probe: Probe, interfaces: Sequence[PermittedInterface]) -> WitnessMatcher | None:
        """The matcher of a probe; none for a clean control or a probe without a signature."""
        signature = signature_of(probe)
        return None if signature is None else cls(probe["probeId"], signature, home_operation_of(probe, interfaces))

    def match(self, observations: TrialObservations, findings: Iterable[Finding]) -> ProbeWitnessMatch:
        """Match one trial. Faults of the predicate propagate (``budget-exhausted`` and the like)."""
        on_home = () if self.home is None else observations.of_operation(self.home.key)
        exercising = [each for each in on_home if each["provenance"] == "evaluator-chosen"]
        if self.home is None or not exercising:
            return ProbeWitnessMatch("unexercised", self.home is not None, exercised=False)
        operation = self.home.operation
        candidates = [each for each in exercising if selector_admits(self.signature, each, operation)]
        partition = self._partition(candidates)
        witnessed, unwitnessed = self._claims({each["observationId"] for each in on_home}, partition, findings)
        witnesses = tuple(each for each in partition.satisfying if each in witnessed)
        return ProbeWitnessMatch(
            _result(partition, witnesses, unwitnessed),
            home_operation_resolved=True,
            exercised=True,
            observation_ids=tuple(each["observationId"] for each in candidates),
            partition=partition,
            witness_observation_ids=witnesses,
            unwitnessed_finding_ids=unwitnessed,
        )

    def _partition(self, candidates: Iterable[Observation]) -> WitnessPartition:
        groups: dict[str, list[str]] = {"true": [], "false": [], "insufficient-evidence": []}
        path = f"Probe[probeId={self.probe_id}].defectSignature.condition.predicate"
        for candidate in candidates:
            resolve_operand = make_resolve_operand({OBSERVED_STEP_ID: candidate}, {})
            tree = self._checks.resolve(self.signature["condition"]["predicate"], resolve_operand, path)
            groups[tree["resolution"]].append(candidate["observationId"])
        return WitnessPartition(*map(tuple, groups.values()))

    def _claims(
        self, home_ids: set[str], partition: WitnessPartition, findings: Iterable[Finding]
    ) -> tuple[set[str], tuple[str, ...]]:
        """Satisfying observations that findings against this probe cite, and findings that cite none such."""
        satisfying = set(partition.satisfying)
        witnessed: set[str] = set()
        unwitnessed: list[str] = []
        for finding in findings:
            if finding["findingType"] != "defect" or finding["probeId"] != self.probe_id:
                continue
            cited = home_ids.intersection(finding["observationIds"])
            borne_out = satisfying & cited
            witnessed |= borne_out
            if cited and not borne_out:
                unwitnessed.append(finding["findingId"])
        return witnessed, tuple(sorted(unwitnessed, key=utf16_key))


def _result(partition: WitnessPartition, witnesses: Sequence[str], unwitnessed: Sequence[str]) -> WitnessResult:
    """The first that applies."""
    if unwitnessed:
        return "unwitnessed-claim"
    if partition.satisfying:
        return "matched" if witnesses else "manifested-unclaimed"
    return "vacuous" if partition.inconclusive and not partition.refuting else "not-triggered"


def match_probe_witness(
    probe: Probe,
    interfaces: Sequence[PermittedInterface],
    observations: Sequence[Observation],
    findings: Sequence[Finding],
) -> ProbeWitnessMatch:
    """Match a signed probe against one trial; raises ``PreconditionError`` for a probe without a signature."""
    matcher = WitnessMatcher.of(probe, interfaces)
    if matcher is None:
        raise PreconditionError(f"matchProbeWitness: probe {probe['probeId']} carries no defect signature")
    return matcher.match(TrialObservations(observations), findings)
