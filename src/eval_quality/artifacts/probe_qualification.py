"""How a probe shows that it is fit to test an evaluation (spec 02, section 5.2)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .artifact_reference import ArtifactReference
from .constraints import Tag
from .primitives import Digest, NonEmptyText

QualificationRoute = Literal["historical", "controlled-mutation", "gameability", "canary", "clean-control"]
QUALIFICATION_ROUTES: Final[tuple[QualificationRoute, ...]] = get_args(QualificationRoute)


class HistoricalQualification(TypedDict):
    """A defect that was really there and was really fixed."""

    route: Literal["historical"]
    """Names the route: a defect out of the history."""
    failBeforeEvidence: ArtifactReference
    """The oracle failing before the fix."""
    passAfterEvidence: ArtifactReference
    """The oracle passing after it."""
    fixCommitDigest: Digest
    """The fix."""
    oracleStableAcrossRevisions: bool
    """Whether the oracle stayed the same between the two."""


class ControlledMutationQualification(TypedDict):
    """A defect planted on purpose."""

    route: Literal["controlled-mutation"]
    """Names the route: a planted defect."""
    mutationSource: NonEmptyText
    """Where the mutation comes from."""
    mutationOperator: NonEmptyText
    """What kind of change it is."""
    targetArtifact: ArtifactReference
    """What was changed."""
    expectedObservableFailure: NonEmptyText
    """What should be seen."""
    baselinePassEvidence: ArtifactReference
    """The oracle passing without the mutation."""
    mutatedFailEvidence: ArtifactReference
    """The oracle failing with it."""
    rollbackVerified: bool
    """Whether taking the mutation out again was checked."""


class GameabilityQualification(TypedDict):
    """A degenerate system that a naive oracle would pass."""

    route: Literal["gameability"]
    """Names the route: a degenerate system."""
    degenerateResponse: NonEmptyText
    """What the degenerate system answers."""
    naiveOracleSatisfiedEvidence: ArtifactReference
    """A naive oracle passing it."""
    disciplinedOracleRejectedEvidence: ArtifactReference
    """A disciplined oracle refusing it."""


class CanaryQualification(TypedDict):
    """What no evaluation can miss: missing it indicts the setting."""

    route: Literal["canary"]
    """Names the route: what cannot be missed."""
    indicts: Literal["corpus", "fixture"]
    """What a miss would indict."""
    nonDetectionEvidence: ArtifactReference
    """That a miss indicts it."""


class CleanControlQualification(TypedDict):
    """A system without a known defect."""

    route: Literal["clean-control"]
    """Names the route: a clean system."""
    baselinePassEvidence: ArtifactReference
    """Every oracle passing."""
    revisionCommitDigest: Digest
    """The revision."""
    noKnownDefectStatement: NonEmptyText
    """Somebody's word that no defect is known."""


ProbeQualification = Annotated[
    HistoricalQualification
    | ControlledMutationQualification
    | GameabilityQualification
    | CanaryQualification
    | CleanControlQualification,
    Tag("route"),
]
