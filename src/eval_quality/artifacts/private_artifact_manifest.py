"""Private artifact manifests (spec 02, section 10)."""

from typing import Final, Literal, TypedDict, get_args

from .lineage_fields import Lineage
from .primitives import Digest, NonEmptyText

PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION: Final = 1

PrivateArtifactKind = Literal[
    "private-input-record",
    "raw-trace",
    "raw-result",
    "human-label",
    "implementation-patch",
    "isolation-manifest",
    "scripted-baseline-output",
    "other",
]
PRIVATE_ARTIFACT_KINDS: Final[tuple[PrivateArtifactKind, ...]] = get_args(PrivateArtifactKind)


class PrivateArtifactEntry(TypedDict):
    """One artifact kept from the evaluator."""

    privateRef: NonEmptyText
    """Name under which its keeper resolves it."""
    digest: Digest
    """Digest of its bytes."""
    artifactKind: PrivateArtifactKind
    """What it is."""
    publicSafeRunId: str | None
    """A name of its run that may be shown."""
    sanitizationPolicy: NonEmptyText | None
    """How it would be made fit to show."""


class PrivateArtifactManifest(Lineage):
    """What is kept from the evaluator, by digest."""

    entries: list[PrivateArtifactEntry]
    """The artifacts."""
