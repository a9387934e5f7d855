"""Evidence artifacts: what scoring one probe came to (spec 02, section 13)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .constraints import NON_EMPTY, Definition, Listed, Range, Tag
from .lineage_fields import Lineage
from .primitives import Digest, FindingId, Identifier, NonEmptyText, OracleId, ProbeId, Severity
from .sealed_run_record import OracleDispositionName, QuotedEvidence
from .verdicts import EvaluatorRecommendation, Verdict

EVIDENCE_ARTIFACT_SCHEMA_VERSION: Final = 4

ScoringVersionInputName = Literal[
    "contractSchemaVersion",
    "corpusDigest",
    "fixtureDigest",
    "evaluatorConfigurationDigest",
    "scoringPolicyDigest",
    "mode",
]
SCORING_VERSION_INPUT_NAMES: Final[tuple[ScoringVersionInputName, ...]] = get_args(ScoringVersionInputName)
OutcomeState = Literal[
    "caught",
    "confirmed",
    "missed",
    "passed-clean-control",
    "false-positive",
    "abstained",
    "bypassed",
    "unreached",
    "oracle-error",
    "judge-error",
    "infrastructure-error",
    "not-applicable",
]
OUTCOME_STATES: Final[tuple[OutcomeState, ...]] = get_args(OutcomeState)
Corroboration = Literal["agrees", "disagrees", "not-evaluable"]
CORROBORATION_VALUES: Final[tuple[Corroboration, ...]] = get_args(Corroboration)
Basis = Literal["measured", "reconstructed"]


class ScoringVersionInputs(TypedDict):
    """What the scoring version is a digest of, but for the mode."""

    contractSchemaVersion: Annotated[int, Range(minimum=1)]
    """Schema version of the contract."""
    corpusDigest: Digest
    """The corpus."""
    fixtureDigest: Digest
    """What the fixture answered."""
    evaluatorConfigurationDigest: Digest
    """The evaluator."""
    scoringPolicyDigest: Digest
    """The policy."""


class ProductionScoringVersionInputs(ScoringVersionInputs):
    """What the scoring version of a production run is a digest of."""

    mode: Literal["production"]
    """The run judged a system."""


class ContractScoringVersionInputs(ScoringVersionInputs):
    """What the scoring version of a contract-scoring run is a digest of."""

    mode: Literal["contract-scoring"]
    """The run judged a contract."""


class InvalidatedAttempt(TypedDict):
    """A trial that does not count."""

    attempt: Annotated[int, Range(minimum=1)]
    """Which one."""
    reason: NonEmptyText
    """Why."""


class Trials(TypedDict):
    """Trials made and trials that count."""

    declaredMinimum: Annotated[int, Range(minimum=1)]
    """Fewest the policy asks for."""
    completed: Annotated[int, Range(minimum=0)]
    """How many count."""
    completedAttempts: list[Annotated[int, Range(minimum=1)]]
    """Which ones count."""
    invalidatedAttempts: list[InvalidatedAttempt]
    """Which ones do not."""


class CheckResolution(TypedDict):
    """How a check came out, part by part."""

    resolution: Literal["true", "false", "insufficient-evidence"]
    """Whether it holds."""
    introductionCondition: Annotated[Literal["empty-collection"], Listed()] | None
    """What made the evidence insufficient, where that first happened."""
    children: list["NestedCheckResolution"]
    """How its parts came out."""


NestedCheckResolution = Annotated[CheckResolution, Definition("CheckResolution")]


class Outcome(TypedDict):
    """What became of one oracle."""

    oracleId: OracleId
    """The oracle."""
    probeId: ProbeId | None
    """The probe, when the oracle is the one that should catch it."""
    state: OutcomeState
    """The outcome."""
    severity: Severity
    """Severity of the oracle's behavior."""
    disposition: OracleDispositionName
    """What the evaluator said."""
    resolvedFrom: FindingId | None
    """The finding the outcome rests on."""
    corroboration: Corroboration
    """Whether the recorded evidence bears the evaluator out."""
    selectedObservationIds: list[Identifier]
    """Observations the check was resolved over."""
    checkResolution: NestedCheckResolution | None
    """How the check came out."""


class TrialOutcome(Outcome):
    """What became of one oracle in one trial."""

    trialIndex: Annotated[int, Range(minimum=1)]
    """The trial."""


class TrialVote(TypedDict):
    """One trial's say on a probe."""

    trialIndex: Annotated[int, Range(minimum=1)]
    """The trial."""
    state: OutcomeState
    """What it came to."""


class ReducedProbeOutcome(TypedDict):
    """What became of a probe over all its trials."""

    probeId: ProbeId
    """The probe."""
    severity: Severity
    """Its severity."""
    exercised: bool
    """Whether any trial reached it."""
    caught: bool
    """Whether enough trials caught it."""
    catchThreshold: Annotated[float, Range(minimum=0, maximum=1)]
    """Share that must be exceeded."""
    trialVotes: list[TrialVote]
    """Each trial's say."""
    validCount: Annotated[int, Range(minimum=0)]
    """Trials that count."""
    caughtCount: Annotated[int, Range(minimum=0)]
    """Trials that caught it."""
    invalidatedAttempts: list[InvalidatedAttempt]
    """Trials that do not count."""


class CoverageGap(TypedDict):
    """A discipline rule and whether the contract satisfies it."""

    rule: NonEmptyText
    """The rule."""
    relevancePredicate: NonEmptyText
    """What makes it apply."""
    satisfactionPredicate: NonEmptyText
    """What satisfies it."""
    satisfied: bool
    """Whether it is satisfied."""
    severity: Severity
    """How bad it is when not."""


class ClassStrength(TypedDict):
    """Catch rate of one probe class."""

    caught: Annotated[int, Range(minimum=0)]
    """Probes caught."""
    exercised: Annotated[int, Range(minimum=0)]
    """Probes reached."""
    rate: Annotated[float, Range(minimum=0, maximum=1)] | None
    """Caught over exercised; null when none was reached."""


StrengthVector = TypedDict(
    "StrengthVector",
    {"defect": ClassStrength | None, "gameability": ClassStrength | None, "zero-action": ClassStrength | None},
)


class Strength(TypedDict):
    """How strong the evaluation showed itself."""

    denominator: NonEmptyText
    """What rates are taken over."""
    basis: Basis
    """Whether it was measured or put together afterwards."""
    vector: StrengthVector
    """Catch rate by probe class."""
    comparable: bool
    """Whether it may be compared with others."""
    note: str | None
    """Why not, when it may not."""


class LineageChain(TypedDict):
    """Three findings on a chain of revisions."""

    lengthConsistent: bool
    """Whether the revision count is the length of the chain."""
    noRepeatedDigest: bool
    """Whether no revision occurs twice."""
    noGap: bool
    """Whether every parent is there."""


class Remediation(TypedDict):
    """How often the contract was revised."""

    revisionCount: Annotated[int, Range(minimum=0)]
    """Revisions made."""
    cap: Annotated[int, Range(minimum=0)]
    """Revisions allowed."""
    capSource: Literal["caller-attested"]
    """Who vouches for the cap."""
    lineageChain: LineageChain
    """Whether the chain is sound."""


class EvidenceHead(Lineage):
    """What an evidence artifact begins with."""

    runId: NonEmptyText
    """Name of the run."""
    scoredProbeId: ProbeId
    """The probe that was scored."""
    scoringVersion: Digest
    """Digest of everything the score depends on."""


class ProductionInputs(TypedDict):
    """The scoring-version inputs of a production run."""

    scoringVersionInputs: ProductionScoringVersionInputs
    """What the scoring version is a digest of."""


class ContractScoringInputs(TypedDict):
    """The scoring-version inputs of a contract-scoring run."""

    scoringVersionInputs: ContractScoringVersionInputs
    """What the scoring version is a digest of."""


class EvidenceBody(TypedDict):
    """What both kinds of evidence artifact go on with."""

    comparabilityKey: Digest
    """Equal keys may be compared."""
    excludedProbeIds: list[ProbeId]
    """Probes left out."""
    exitCode: int
    """Exit code of the command line."""
    verdictBasis: list[NonEmptyText]
    """Why the verdict is what it is."""
    callerAttestedInputs: list[ScoringVersionInputName]
    """Inputs taken on the caller's word."""
    trials: Trials
    """Trials made and trials that count."""
    outcomes: list[TrialOutcome]
    """What became of each oracle in each trial."""
    reducedProbeOutcomes: list[ReducedProbeOutcome]
    """What became of each probe over all trials."""
    uncitedFindings: list[FindingId]
    """Findings no outcome rests on."""
    coverageGaps: list[CoverageGap]
    """Discipline rules and whether the contract satisfies them."""
    strength: Strength
    """How strong the evaluation showed itself."""
    remediation: Remediation
    """How often the contract was revised."""


class ProductionEvidenceArtifact(EvidenceHead, ProductionInputs, EvidenceBody):
    """The score of a production run."""

    mode: Literal["production"]
    """The run judged a system."""
    productionVerdict: Verdict
    """The verdict on the system."""


class UncitedFindingGap(TypedDict):
    """A finding no oracle accounts for."""

    findingId: FindingId
    """The finding."""
    observationIds: Annotated[list[Identifier], NON_EMPTY]
    """Observations it rests on."""
    quotedEvidence: Annotated[list[QuotedEvidence], NON_EMPTY]
    """Words that show it."""
    severity: Severity
    """How bad it is."""


class ContractScoringEvidenceArtifact(EvidenceHead, ContractScoringInputs, EvidenceBody):
    """The score of a contract-scoring run."""

    mode: Literal["contract-scoring"]
    """The run judged a contract."""
    contractVerdict: Verdict
    """The verdict on the contract."""
    uncitedFindingGaps: list[UncitedFindingGap]
    """Findings no oracle accounts for."""
    systemRecommendationRecorded: EvaluatorRecommendation
    """What the evaluator recommended for the system."""
    systemRecommendationNote: str | None
    """Note on that recommendation."""


EvidenceArtifact = Annotated[ProductionEvidenceArtifact | ContractScoringEvidenceArtifact, Tag("mode")]
