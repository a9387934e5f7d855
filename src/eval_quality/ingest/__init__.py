"""Ingest: one sealed run record checked against itself and the artifacts beside it (spec 10, sections 2 and 3).

Nothing that is wrong with a record stops ingest: it becomes a condition, which the verdict ladder reads.
"""

from .conditions import IngestCondition
from .record import ValidatedObservations, ingest, unscored_judge_results

__all__ = ["IngestCondition", "ValidatedObservations", "ingest", "unscored_judge_results"]
