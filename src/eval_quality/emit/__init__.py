"""Emit: a scored run written down as an evidence artifact (spec 10, sections 4 and 5)."""

from .evidence import emit
from .private_artifacts import check_private_artifact_digests

__all__ = ["check_private_artifact_digests", "emit"]
