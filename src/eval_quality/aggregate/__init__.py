"""Aggregate: the evidence artifacts of one run taken together, against declared floors (spec 10, sections 7 and 8).

Artifacts are taken in one at a time and only a row of each is kept, so that a run may have any number of them.
"""

from .entry import aggregate_digested, aggregate_strength

__all__ = ["aggregate_digested", "aggregate_strength"]
