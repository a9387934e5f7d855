"""References to artifacts kept elsewhere (spec 01, section 12)."""

from typing import Annotated, Literal, TypedDict

from .constraints import Definition, Tag
from .primitives import Digest, NonEmptyText


class PublicArtifactReference(TypedDict):
    """An artifact kept in the open."""

    storage: Literal["public"]
    """Says that anyone may read it."""
    path: NonEmptyText
    """Where it is."""
    privateRef: None
    """Null: it is found by its path."""
    digest: Digest
    """Digest of its bytes."""


class PrivateArtifactReference(TypedDict):
    """An artifact kept from the evaluator."""

    storage: Literal["private"]
    """Says that only its keeper resolves it."""
    path: None
    """Null: its place is not told."""
    privateRef: NonEmptyText
    """Name under which its keeper resolves it."""
    digest: Digest
    """Digest of its bytes."""


ArtifactReference = Annotated[
    PublicArtifactReference | PrivateArtifactReference, Tag("storage"), Definition("ArtifactReference")
]
