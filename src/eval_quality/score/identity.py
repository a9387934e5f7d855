"""The two digests that say which results belong together (spec 10, section 5.1).

Equal scoring versions: the results were scored over the same inputs. Equal comparability keys: they were scored under
the same policy and cover the same probes; the corpus is deliberately no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from eval_quality.artifacts.evidence_artifact import ContractScoringVersionInputs, ProductionScoringVersionInputs
from eval_quality.canonical import digest_artifact, utf16_key


def scoring_version(inputs: ProductionScoringVersionInputs | ContractScoringVersionInputs) -> str:
    """The digest of everything a score depends on."""
    return digest_artifact(inputs, "ScoringVersionInputs")


def comparability_key(scoring_policy_digest: str, probe_ids: Iterable[str]) -> str:
    """The digest of a policy and the probes that were scored under it, in whatever order they are given."""
    covered = {"scoringPolicyDigest": scoring_policy_digest, "probeIds": sorted(probe_ids, key=utf16_key)}
    return digest_artifact(covered, "ComparabilityKey")
