"""Scoring policies: thresholds and caps (spec 02, section 9)."""

from typing import Annotated, Final

from .constraints import Range
from .lineage_fields import Lineage
from .primitives import Identifier, Severity

SCORING_POLICY_SCHEMA_VERSION: Final = 2


class ScoringPolicy(Lineage):
    """Thresholds and caps a score is made with; none has a default."""

    policyId: Identifier
    """Name of the policy."""
    severityFloor: Severity
    """Least severity that counts towards FAIL."""
    confidenceThreshold: Annotated[float, Range(minimum=0, maximum=1)]
    """Least confidence a finding needs."""
    catchThreshold: Annotated[float, Range(minimum=0, maximum=1)]
    """Share of valid trials that must be exceeded for a probe to count as caught."""
    minimumTrialCount: Annotated[int, Range(minimum=1)]
    """Fewest valid trials for a result to be comparable."""
    reExecutionCap: Annotated[int, Range(minimum=0)]
    """Most times a trial may be run again."""
    remediationCap: Annotated[int, Range(minimum=0)]
    """Most revisions of a contract."""
    regexMatchStepBudget: Annotated[int, Range(minimum=1)]
    """Most estimated steps of one regular-expression match."""
