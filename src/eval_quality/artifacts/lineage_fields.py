"""The three lineage fields that every artifact but the artifact reference begins with (spec 01, section 12)."""

from typing import Annotated, TypedDict

from .constraints import Range
from .primitives import Digest


class Lineage(TypedDict):
    """Where an artifact stands in its chain of revisions."""

    schemaVersion: Annotated[int, Range(minimum=1)]
    """Version of the schema this artifact was written for; readers compare it before they parse."""
    parentDigest: Digest | None
    """Digest of the artifact this one revises; null for the first of its chain."""
    revisionCount: Annotated[int, Range(minimum=0)]
    """How many revisions precede this artifact."""
