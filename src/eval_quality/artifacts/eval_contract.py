"""The evaluation contract (spec 01, sections 10 and 11)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .constraints import NON_EMPTY, Length, Range
from .interfaces import PermittedInterface
from .lineage_fields import Lineage
from .oracles import Oracle
from .plan import InteractionStep
from .primitives import (
    BehaviorId,
    Digest,
    Identifier,
    JsonObjectValue,
    KeyName,
    NonEmptyText,
    OracleId,
    Rfc3339Utc,
    Severity,
    UnsignedDecimalString,
    WaiverId,
)
from .rubric import ContractRubric
from .witnesses import FixtureReset

EVAL_CONTRACT_SCHEMA_VERSION: Final = 7
SIBLING_GROUP_MINIMUM: Final = 2

ForbiddenInput = Literal[
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
]
FORBIDDEN_INPUT_FLOOR: Final[tuple[ForbiddenInput, ...]] = get_args(ForbiddenInput)


class ExternalLink(TypedDict):
    """A link to a requirement or a risk kept elsewhere."""

    scheme: NonEmptyText
    """Where it is kept."""
    id: NonEmptyText
    """Its name there."""


class Behavior(TypedDict):
    """One behavior the system must show, and the oracles that watch it."""

    id: BehaviorId
    """Stable identifier."""
    description: str
    """What the system does."""
    severity: Severity
    """How bad it is when it does not."""
    observableSuccessCriterion: str | None
    """What an outsider sees when it does."""
    requirementLinks: list[ExternalLink]
    """Requirements it comes from."""
    riskLinks: list[ExternalLink]
    """Risks it answers."""
    oracles: list[OracleId]
    """Oracles that watch it."""


class ScopedResource(TypedDict):
    """Something the evaluator may consult."""

    reference: NonEmptyText
    """How to find it."""
    kind: NonEmptyText
    """What it is."""


class SiblingOperation(TypedDict):
    """A member of a group of sibling operations."""

    interfaceId: Identifier
    """Interface that declares the operation."""
    operationId: Identifier
    """The operation."""


class SiblingGroups(TypedDict):
    """Operations and parameters that should behave alike."""

    operations: list[Annotated[list[SiblingOperation], Length(minimum=SIBLING_GROUP_MINIMUM)]]
    """Groups of operations."""
    parameters: list[Annotated[list[KeyName], Length(minimum=SIBLING_GROUP_MINIMUM)]]
    """Groups of request keys."""


class NamedKind(TypedDict):
    """A principal or a resource of the test data."""

    kind: NonEmptyText
    """What it is."""


class TestData(TypedDict):
    """What the fixture holds."""

    setup: str | None
    """How it is brought up."""
    cleanup: str | None
    """How it is taken down."""
    principals: dict[Identifier, NamedKind] | None
    """Identities a step may act as."""
    resources: dict[Identifier, NamedKind] | None
    """Resources that exist."""


class Budgets(TypedDict):
    """What an evaluation may spend."""

    maxToolCalls: Annotated[int, Range(minimum=0)]
    """Tool calls."""
    maxWallClockMinutes: Annotated[int, Range(minimum=0)]
    """Minutes."""
    maxCostUsd: UnsignedDecimalString
    """US dollars, as decimal text."""


class Waiver(TypedDict):
    """A coverage gap somebody accepts."""

    id: WaiverId
    """Stable identifier."""
    rule: str | None
    """The discipline rule waived."""
    rationale: str | None
    """Why."""
    condition: str | None
    """Under which condition."""
    approval: str | None
    """Who accepted it."""
    expiresAt: Rfc3339Utc | None
    """Until when."""


class ReferenceSetDeclaration(TypedDict):
    """A named set of expected members."""

    keys: Annotated[list[KeyName], NON_EMPTY]
    """Keys each member carries."""
    members: list[JsonObjectValue]
    """The members."""
    commentary: str | None
    """Author's note."""


class EvalContract(Lineage):
    """What an evaluation promises to catch: behaviors, oracles, permitted interfaces and the interaction plan."""

    contractId: Identifier
    """Name of the contract."""
    sourceSpecDigest: Digest | None
    """Digest of the specification it was written from."""
    behaviors: Annotated[list[Behavior], NON_EMPTY]
    """Behaviors under evaluation."""
    oracles: list[Oracle]
    """Checks."""
    rubrics: list[ContractRubric]
    """Rubrics for judged criteria."""
    waivers: list[Waiver]
    """Coverage gaps somebody accepts."""
    permittedInterfaces: list[PermittedInterface]
    """Interfaces the evaluator may use."""
    referenceSets: dict[Identifier, ReferenceSetDeclaration] | None
    """Named sets of expected members; null when none is declared."""
    siblingGroups: SiblingGroups | None
    """Operations and parameters that should behave alike; null when undeclared."""
    interactionPlan: list[InteractionStep]
    """Steps the oracles refer to."""
    scopedResources: list[ScopedResource] | None
    """What the evaluator may consult."""
    forbiddenInputs: list[ForbiddenInput]
    """What is kept from the evaluator."""
    testData: TestData
    """What the fixture holds."""
    budgets: Budgets
    """What an evaluation may spend."""
    safetyLimits: list[str]
    """What the evaluator must not do."""
    requiredEvidence: list[str]
    """What the evaluator must bring."""
    probeStepBound: Annotated[int, Range(minimum=0)] | None
    """Most steps a probe may take."""
    fixtureReset: FixtureReset | None
    """How the fixture is returned to its starting state."""
