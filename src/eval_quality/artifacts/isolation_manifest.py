"""Isolation manifests: how an evaluator was kept apart from what it must not see (spec 02, section 7)."""

from typing import Annotated, Final, TypedDict

from .constraints import Range
from .lineage_fields import Lineage
from .primitives import Digest, Identifier, NonEmptyText, PositiveDecimalString, UnsignedDecimalString

ISOLATION_MANIFEST_SCHEMA_VERSION: Final = 1


class ResourceCeilings(TypedDict):
    """What the run was allowed to spend."""

    maxToolCalls: Annotated[int, Range(minimum=1)]
    """Tool calls."""
    maxInputTokens: Annotated[int, Range(minimum=1)]
    """Tokens read."""
    maxOutputTokens: Annotated[int, Range(minimum=1)]
    """Tokens written."""
    maxWallClockMinutes: Annotated[float, Range(above=0)]
    """Minutes."""
    maxCostUsd: PositiveDecimalString
    """US dollars, as decimal text."""


class ActualResourceUse(TypedDict):
    """What the run spent."""

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


class InputAccount(TypedDict):
    """Whether one forbidden input was withheld."""

    withheld: bool
    """Whether it was."""
    note: str | None
    """How that is known."""


ForbiddenInputAccounting = TypedDict(
    "ForbiddenInputAccounting",
    {
        "original-spec": InputAccount,
        "source-code": InputAccount,
        "repository": InputAccount,
        "builder-transcript": InputAccount,
        "implementation-logs": InputAccount,
        "comparator-results": InputAccount,
        "human-labels": InputAccount,
    },
)


class IsolationManifest(Lineage):
    """What the evaluator could reach, and what it reached."""

    runId: NonEmptyText
    """Name of the run."""
    contractId: Identifier
    """The contract."""
    conditionArm: NonEmptyText
    """Arm of the experiment."""
    modelSnapshot: NonEmptyText
    """The evaluator's model."""
    systemPromptDigest: Digest
    """Its system prompt."""
    contractDigest: Digest
    """The contract's digest."""
    evaluatorConfigurationDigest: Digest
    """The evaluator's configuration."""
    workspaceIdentity: NonEmptyText
    """The workspace it ran in."""
    allowedMounts: list[NonEmptyText]
    """Mounts it was allowed."""
    observedMounts: list[NonEmptyText]
    """Mounts it had."""
    networkAllowlist: list[NonEmptyText]
    """Network targets it was allowed."""
    observedNetworkTargets: list[NonEmptyText]
    """Network targets it reached."""
    toolAllowlist: list[NonEmptyText]
    """Tools it was allowed."""
    observedToolCalls: list[NonEmptyText]
    """Tools it called."""
    resourceCeilings: ResourceCeilings
    """What the run was allowed to spend."""
    actualResourceUse: ActualResourceUse
    """What it spent."""
    forbiddenInputAccounting: ForbiddenInputAccounting
    """What was withheld, input by input."""
    violation: NonEmptyText | None
    """A breach of isolation, when there was one."""
