"""Pre-flight: is the environment fit to be scored? (spec 07, sections 2 to 5)

``plan_preflight`` says which requests to make and what to check about the answers; ``reduce_preflight`` turns the
answers into a verdict. A verdict that does not pass is a verdict, never an exception.
"""

from .plan import PlannedLeg, PreflightPlan, plan_preflight
from .projection import fixture_digest, prune_volatile
from .reduction import reduce_preflight

__all__ = [
    "PlannedLeg",
    "PreflightPlan",
    "fixture_digest",
    "plan_preflight",
    "prune_volatile",
    "reduce_preflight",
]
