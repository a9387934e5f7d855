"""Sealed run records: what an evaluator saw, found and recommended (spec 02, section 6)."""

from typing import Annotated, Any, Final, Literal, TypedDict, get_args

from .artifact_reference import ArtifactReference
from .bodies import ProbeObservedBody
from .constraints import NON_EMPTY, Definition, Range, Rule, Tag
from .lineage_fields import Lineage
from .primitives import (
    BehaviorId,
    Digest,
    FindingId,
    Identifier,
    JsonObjectValue,
    JsonValue,
    NonEmptyText,
    OracleId,
    ProbeId,
    RubricCriterionId,
    RubricId,
    Severity,
    UnsignedDecimalString,
)
from .verdicts import EvaluatorRecommendation

SEALED_RUN_RECORD_SCHEMA_VERSION: Final = 8

RunMode = Literal["production", "contract-scoring"]
RUN_MODES: Final[tuple[RunMode, ...]] = get_args(RunMode)
OracleDispositionName = Literal["held", "violated", "not-attempted"]
ORACLE_DISPOSITIONS: Final[tuple[OracleDispositionName, ...]] = get_args(OracleDispositionName)


class OracleDisposition(TypedDict):
    """What the evaluator says became of one oracle."""

    oracleId: OracleId
    """The oracle."""
    disposition: OracleDispositionName
    """What became of it."""
    observationIds: list[Identifier]
    """Observations the evaluator rests this on."""
    note: str | None
    """Evaluator's note."""


class ArtifactQuote(TypedDict):
    """Words quoted from a written file."""

    quote: NonEmptyText
    """The words."""
    channel: Literal["artifact"]
    """Says that a written file is quoted."""
    artifactId: Identifier
    """The file."""


class ChannelQuote(TypedDict):
    """Words quoted from a channel."""

    quote: NonEmptyText
    """The words."""
    channel: Literal[
        "response-body", "response-headers", "response-status", "call-inputs", "stdout", "stderr", "exit-code"
    ]
    """The channel quoted."""
    artifactId: None
    """Null: no file is quoted."""


QuotedEvidence = ArtifactQuote | ChannelQuote


class FindingSubject(TypedDict):
    """What every finding says."""

    findingId: FindingId
    """Stable identifier."""
    oracleId: OracleId | None
    """The oracle it concerns."""
    probeId: ProbeId
    """The probe it was found on."""
    behaviorId: BehaviorId | None
    """The behavior it concerns."""
    severity: Severity
    """How bad it is."""
    summary: NonEmptyText
    """What was found."""
    confidence: Annotated[float, Range(minimum=0, maximum=1)]
    """How sure the evaluator is, 0 to 1."""


class DefectFindingType(TypedDict):
    """The tag of a reported defect."""

    findingType: Literal["defect"]
    """Says that a defect is reported."""


class ObservationFindingType(TypedDict):
    """The tag of a remark."""

    findingType: Literal["observation"]
    """Says that something is remarked."""


class ConfirmationFindingType(TypedDict):
    """The tag of a confirmation."""

    findingType: Literal["confirmation"]
    """Says that a behavior is confirmed."""


class DefectFinding(DefectFindingType, FindingSubject):
    """The evaluator reports a defect."""

    observationIds: Annotated[list[Identifier], NON_EMPTY]
    """Observations it rests on."""
    evidenceArtifacts: list[ArtifactReference]
    """Artifacts it rests on."""
    quotedEvidence: Annotated[list[QuotedEvidence], NON_EMPTY]
    """Words that show it."""


class ObservationFinding(ObservationFindingType, FindingSubject):
    """The evaluator notes something that is no defect."""

    observationIds: list[Identifier]
    """Observations it rests on."""
    evidenceArtifacts: list[ArtifactReference]
    """Artifacts it rests on."""


class ConfirmationFinding(ConfirmationFindingType, FindingSubject):
    """The evaluator confirms that a behavior is as it should be."""

    observationIds: list[Identifier]
    """Observations it rests on."""
    evidenceArtifacts: list[ArtifactReference]
    """Artifacts it rests on."""


Finding = Annotated[DefectFinding | ObservationFinding | ConfirmationFinding, Tag("findingType"), Definition("Finding")]


class CallInputs(TypedDict):
    """What a call sent, channel by channel; null where nothing was sent."""

    path: JsonObjectValue | None
    """Values of the path template."""
    query: JsonObjectValue | None
    """Query parameters."""
    header: JsonObjectValue | None
    """Request headers."""
    body: JsonObjectValue | None
    """Keys of the JSON body, or the description of a raw one."""
    bodyEncoding: Literal["raw"] | None
    """``raw`` when the body was sent as exact bytes, which ``body`` then describes."""
    argument: JsonObjectValue | None
    """Positional arguments, by declared name."""
    option: JsonObjectValue | None
    """Options, by name."""
    environment: JsonObjectValue | None
    """Environment variables."""
    stdin: JsonObjectValue | None
    """Keys of what was fed to standard input."""
    arguments: JsonObjectValue | None
    """Arguments of the tool."""


class Observation(TypedDict):
    """One exchange with the system, as recorded."""

    observationId: Identifier
    """Stable identifier."""
    sequence: Annotated[int, Range(above=0)]
    """Position in the run's total order."""
    interfaceId: Identifier
    """Interface addressed."""
    operationId: Identifier
    """Operation addressed."""
    provenance: Literal["baseline", "evaluator-chosen"]
    """Whether the plan or the evaluator asked for it."""
    principal: Identifier | None
    """Identity it was made as."""
    callInputs: CallInputs
    """What was sent."""
    responseBody: JsonValue | None
    """Body of the answer."""
    responseHeaders: JsonObjectValue | None
    """Headers of the answer."""
    responseStatus: Annotated[int, Range(minimum=0)] | None
    """Status of the answer; for a tool call 1 when it reported an error, else 0."""
    stdout: ProbeObservedBody
    """Standard output."""
    stderr: ProbeObservedBody
    """Standard error."""
    exitCode: int | None
    """Exit code."""
    artifacts: dict[Identifier, ProbeObservedBody]
    """Files written, by logical name."""


class JudgeResult(TypedDict):
    """A judge's score of one criterion."""

    rubricId: RubricId
    """The rubric."""
    criterionId: RubricCriterionId
    """The criterion."""
    score: int | None
    """The level given."""
    note: str | None
    """Judge's note."""


class RecordedResourceUse(TypedDict):
    """What a run spent."""

    toolCalls: Annotated[int, Range(minimum=0)]
    """Tool calls."""
    inputTokens: Annotated[int, Range(minimum=0)]
    """Tokens read."""
    outputTokens: Annotated[int, Range(minimum=0)]
    """Tokens written."""
    wallClockSeconds: Annotated[float, Range(minimum=0)]
    """Seconds."""
    costUsd: UnsignedDecimalString
    """US dollars, as decimal text."""


class EvidenceDisclosure(TypedDict):
    """Whether evidence was cut."""

    truncationBound: Annotated[int, Range(minimum=0)] | None
    """Bound it was cut at."""
    reportedIncomplete: bool
    """Whether the evaluator said so."""


def _sequences_differ(observations: list[dict[str, Any]]) -> bool:
    return len({observation["sequence"] for observation in observations}) == len(observations)


class SealedRunRecord(Lineage):
    """One trial: what the evaluator was given, saw, found and recommended."""

    runId: NonEmptyText
    """Name of the run."""
    conditionArm: NonEmptyText
    """Arm of the experiment."""
    mode: RunMode
    """Whether the run judged a system in production or a contract."""
    trialIndex: Annotated[int, Range(minimum=1)]
    """Which trial, from 1."""
    contractDigest: Digest
    """The contract."""
    sealedBriefDigest: Digest
    """The brief the evaluator was given."""
    evaluatorConfigurationDigest: Digest
    """The evaluator."""
    evaluatorRecommendation: EvaluatorRecommendation
    """What the evaluator recommends."""
    oracleDispositions: list[OracleDisposition]
    """What became of each oracle."""
    findings: list[Finding]
    """What was found."""
    observations: Annotated[
        list[Observation],
        Rule(
            _sequences_differ,
            "every observation's `sequence` is unique within the record (ADR-006, owed item 2); a duplicate leaves the "
            "total order the fix exists to supply ambiguous",
        ),
    ]
    """What was seen."""
    judgeResults: list[JudgeResult]
    """What judges scored."""
    actionsArtifact: ArtifactReference
    """Everything the evaluator did."""
    isolationManifestArtifact: ArtifactReference
    """How the evaluator was kept apart."""
    resourceUse: RecordedResourceUse
    """What the run spent."""
    evidenceDisclosure: EvidenceDisclosure
    """Whether evidence was cut."""
