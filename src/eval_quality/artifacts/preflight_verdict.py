"""Pre-flight verdicts: whether the environment is fit to be scored (spec 02, section 12)."""

from typing import Final, Literal, TypedDict, get_args

from .lineage_fields import Lineage
from .primitives import Digest, Identifier, NonEmptyText

PREFLIGHT_VERDICT_SCHEMA_VERSION: Final = 2

PreflightCheckKind = Literal[
    "interface-present",
    "input-sensitivity",
    "state-reset",
    "clean-control",
    "seeded-faults-scoped",
    "seeded-fault-fired",
]
PREFLIGHT_CHECK_KINDS: Final[tuple[PreflightCheckKind, ...]] = get_args(PreflightCheckKind)
PreflightOutcome = Literal["satisfied", "failed", "exempt"]


class PreflightCheck(TypedDict):
    """One check of the environment."""

    kind: PreflightCheckKind
    """What was checked."""
    interfaceId: Identifier | None
    """Interface it concerns."""
    operationId: Identifier | None
    """Operation it concerns."""
    outcome: PreflightOutcome
    """How it ended."""
    note: str | None
    """Why, when there is something to say."""


class PreflightVerdict(Lineage):
    """Whether the environment is fit to be scored."""

    runId: NonEmptyText
    """Name of the run."""
    fixtureDigest: Digest
    """Digest of what the fixture answered."""
    passed: bool
    """Whether every check passed or was exempt."""
    checks: list[PreflightCheck]
    """The checks."""
