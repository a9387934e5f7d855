"""Strength aggregates and floors (spec 02, section 14)."""

from typing import Annotated, Final, Literal, NotRequired, TypedDict, get_args

from .constraints import NON_EMPTY, Definition, Range, Tag
from .evidence_artifact import Basis, ClassStrength, ScoringVersionInputName
from .lineage_fields import Lineage
from .primitives import Digest, NonEmptyText, ProbeId
from .sealed_run_record import RunMode

STRENGTH_AGGREGATE_SCHEMA_VERSION: Final = 1

StrengthClassName = Literal["defect", "gameability", "zero-action"]
STRENGTH_CLASS_NAMES: Final[tuple[StrengthClassName, ...]] = get_args(StrengthClassName)
AggregateAttestedInput = Literal["evidenceSetCompleteness", "probeClass"]
AGGREGATE_ATTESTED_INPUTS: Final[tuple[AggregateAttestedInput, ...]] = get_args(AggregateAttestedInput)
FloorDecisionName = Literal["meets", "does-not-meet", "undeclared"]
FLOOR_DECISIONS: Final[tuple[FloorDecisionName, ...]] = get_args(FloorDecisionName)
FloorBasis = Literal[
    "no-floor-declared",
    "no-eligible-probe",
    "not-comparable",
    "no-exercised-probe",
    "unexercised-probe",
    "rate-below-floor",
    "rate-meets-floor",
]
FLOOR_BASES: Final[tuple[FloorBasis, ...]] = get_args(FloorBasis)

Rate = Annotated[float, Range(minimum=0, maximum=1)]

StrengthFloors = TypedDict(
    "StrengthFloors",
    {"defect": NotRequired[Rate], "gameability": NotRequired[Rate], "zero-action": NotRequired[Rate]},
)
"""Least catch rate by probe class; a class left out has no floor."""


class AggregateInput(TypedDict):
    """One evidence artifact that went in."""

    probeId: ProbeId
    """The probe it scored."""
    probeClass: StrengthClassName | None
    """That probe's class; null for one no class counts."""
    runId: NonEmptyText
    """Its run."""
    artifactDigest: Digest
    """Its digest."""


class AggregatedClass(ClassStrength):
    """Catch rate of one probe class over a run."""

    eligible: Annotated[int, Range(minimum=1)]
    """Probes of the class that went in."""
    comparable: bool
    """Whether the rate may be compared with others."""


class FloorMet(TypedDict):
    """The rate meets its floor."""

    floor: Rate
    """The floor."""
    decision: Literal["meets"]
    """Says that it is met."""
    basis: Literal["rate-meets-floor"]
    """Why."""


class FloorNotMet(TypedDict):
    """The floor is not shown to be met."""

    floor: Rate
    """The floor."""
    decision: Literal["does-not-meet"]
    """Says that it is not met."""
    basis: Literal["no-eligible-probe", "not-comparable", "no-exercised-probe", "unexercised-probe", "rate-below-floor"]
    """Why not."""


class FloorUndeclared(TypedDict):
    """No floor was declared."""

    floor: None
    """Null: there is none."""
    decision: Literal["undeclared"]
    """Says that there is no floor."""
    basis: Literal["no-floor-declared"]
    """Why nothing is decided."""


FloorDecision = Annotated[FloorMet | FloorNotMet | FloorUndeclared, Tag("decision"), Definition("FloorDecision")]
AggregatedClasses = TypedDict(
    "AggregatedClasses",
    {"defect": AggregatedClass | None, "gameability": AggregatedClass | None, "zero-action": AggregatedClass | None},
)
FloorDecisions = TypedDict(
    "FloorDecisions", {"defect": FloorDecision, "gameability": FloorDecision, "zero-action": FloorDecision}
)


class StrengthAggregate(Lineage):
    """Catch rate by probe class over a run, against declared floors."""

    engineVersion: NonEmptyText
    """Version of the engine that made it."""
    mode: RunMode
    """Mode of the run."""
    scoringVersion: Digest
    """Scoring version all inputs share."""
    scoringPolicyDigest: Digest
    """Policy all inputs share."""
    comparabilityKey: Digest
    """Equal keys may be compared."""
    basis: Basis
    """Whether it was measured or put together afterwards."""
    minimumTrialCount: Annotated[int, Range(minimum=1)]
    """Fewest trials the policy asks for."""
    callerAttestedInputs: list[ScoringVersionInputName]
    """Inputs of the scores taken on the caller's word."""
    aggregateAttestedInputs: list[AggregateAttestedInput]
    """Inputs of the aggregate taken on the caller's word."""
    inputs: Annotated[list[AggregateInput], NON_EMPTY]
    """Evidence artifacts that went in."""
    classes: AggregatedClasses
    """Catch rate by probe class."""
    floorDecisions: FloorDecisions
    """Whether each floor is met."""
