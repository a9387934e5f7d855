"""Policies and evidence artifacts for tests: every call returns a fresh value that parses and is sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval_quality.artifacts.evidence_artifact import EVIDENCE_ARTIFACT_SCHEMA_VERSION
from eval_quality.artifacts.scoring_policy import SCORING_POLICY_SCHEMA_VERSION
from eval_quality.canonical import digest_artifact
from eval_quality.score.identity import comparability_key, scoring_version
from eval_quality.score.reduction import reduce_trial_set
from eval_quality.score.strength import class_strength_over

Json = dict[str, Any]

A, B, C = (f"sha256:{letter * 64}" for letter in "abc")
"""Three digests."""


def lineage(version: int) -> Json:
    return {"schemaVersion": version, "parentDigest": None, "revisionCount": 0}


def policy(**changes: Any) -> Json:
    """A scoring policy; one trial is enough, and more than half of the trials have to catch."""
    return {
        **lineage(SCORING_POLICY_SCHEMA_VERSION),
        "policyId": "policy",
        "severityFloor": "material",
        "confidenceThreshold": 0.5,
        "catchThreshold": 0.5,
        "minimumTrialCount": 1,
        "reExecutionCap": 1,
        "remediationCap": 3,
        "regexMatchStepBudget": 1000,
    } | changes


def outcome(probe_id: str | None, trial: int, state: str, severity: str = "critical", oracle_id: str = "O-001") -> Json:
    return {
        "oracleId": oracle_id,
        "trialIndex": trial,
        "probeId": probe_id,
        "state": state,
        "severity": severity,
        "disposition": "held",
        "resolvedFrom": None,
        "corroboration": "agrees",
        "selectedObservationIds": [],
        "checkResolution": None,
    }


def reduction(probe_id: str, votes: Sequence[str], severity: str = "critical", catch_threshold: float = 0.5) -> Json:
    """The reduced outcome of a probe whose trials, from 1, voted so."""
    trial_votes = [{"trialIndex": trial, "state": state} for trial, state in enumerate(votes, 1)]
    result = reduce_trial_set(trial_votes, catch_threshold)
    return {
        "probeId": probe_id,
        "severity": severity,
        "exercised": result.exercised,
        "caught": result.caught,
        "catchThreshold": catch_threshold,
        "trialVotes": trial_votes,
        "validCount": result.valid_count,
        "caughtCount": result.caught_count,
        "invalidatedAttempts": result.invalidated_attempts,
    }


def scoring_version_inputs(policy_digest: str, mode: str = "production") -> Json:
    return {
        "contractSchemaVersion": 7,
        "corpusDigest": A,
        "fixtureDigest": A,
        "evaluatorConfigurationDigest": B,
        "scoringPolicyDigest": policy_digest,
        "mode": mode,
    }


def evidence(
    probe_id: str,
    *votes: str,
    probe_class: str | None = "defect",
    under: Json | None = None,
    severity: str = "critical",
    **changes: Any,
) -> Json:
    """The evidence artifact of one probe whose trials voted so; ``under`` is the policy, ``changes`` replace fields."""
    rules = policy() if under is None else under
    policy_digest = digest_artifact(rules, "ScoringPolicy")
    outcomes = [outcome(probe_id, trial, state, severity) for trial, state in enumerate(votes, 1)]
    reduced = reduction(probe_id, votes, severity, rules["catchThreshold"])
    vector: Json = dict.fromkeys(("defect", "gameability", "zero-action"))
    if probe_class is not None:
        vector[probe_class] = class_strength_over(
            [probe_id], {probe_id: reduce_trial_set(reduced["trialVotes"], rules["catchThreshold"])}
        )
    inputs = scoring_version_inputs(policy_digest)
    return {
        **lineage(EVIDENCE_ARTIFACT_SCHEMA_VERSION),
        "runId": f"run-{probe_id}",
        "scoredProbeId": probe_id,
        "scoringVersion": scoring_version(inputs),
        "scoringVersionInputs": inputs,
        "comparabilityKey": comparability_key(policy_digest, [probe_id]),
        "excludedProbeIds": [],
        "exitCode": 0,
        "verdictBasis": [],
        "callerAttestedInputs": ["corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest", "mode"],
        "trials": {
            "declaredMinimum": rules["minimumTrialCount"],
            "completed": len(votes),
            "completedAttempts": [*range(1, len(votes) + 1)],
            "invalidatedAttempts": reduced["invalidatedAttempts"],
        },
        "outcomes": outcomes,
        "reducedProbeOutcomes": [reduced],
        "uncitedFindings": [],
        "coverageGaps": [],
        "strength": {
            "denominator": "unique qualified probe identifiers exercised per class, across the trials",
            "basis": "measured",
            "vector": vector,
            "comparable": len(votes) >= rules["minimumTrialCount"] and "unreached" not in votes,
            "note": None,
        },
        "remediation": {
            "revisionCount": 0,
            "cap": 3,
            "capSource": "caller-attested",
            "lineageChain": {"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        },
        "mode": "production",
        "productionVerdict": "PASS",
    } | changes
