"""The evidence artifact of a scored run (spec 10, section 5).

Every artifact begins a lineage of its own: no parent, revision 0. Nothing of the designated oracle, the engine version
or the probe's class is written. Before it is handed out, the artifact has to conform to its schema, and its reduction
has to follow from the outcomes it lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from eval_quality.artifacts.evidence_artifact import (
    EVIDENCE_ARTIFACT_SCHEMA_VERSION,
    ContractScoringVersionInputs,
    EvidenceArtifact,
    ProductionScoringVersionInputs,
    ReducedProbeOutcome,
    ScoringVersionInputName,
    Strength,
)
from eval_quality.assembled import conforming, path_text
from eval_quality.canonical import digest_artifact
from eval_quality.errors import PreconditionError
from eval_quality.score.consistency import reduction_consistency_issues
from eval_quality.score.identity import comparability_key, scoring_version
from eval_quality.score.reduction import TrialSetResult
from eval_quality.score.stage import ScoredRun
from eval_quality.score.strength import build_strength_vector, is_comparable

CALLER_ATTESTED_INPUTS: Final[tuple[ScoringVersionInputName, ...]] = (
    "corpusDigest",
    "fixtureDigest",
    "evaluatorConfigurationDigest",
    "mode",
)
"""Inputs of the scoring version that are taken on the caller's word."""


def emit(
    scored: ScoredRun, corpus_digest: str, fixture_digest: str, evaluator_configuration_digest: str
) -> EvidenceArtifact:
    """Write down a run that came to a verdict.

    Digests: the corpus, as the caller gives it; the fixture, as pre-flight found it; the evaluator configuration, as
    the first record declares it. Raises ``PreconditionError`` for a run without a verdict or whose parts contradict
    each other.
    """
    mode = scored.assessment.mode
    policy_digest = digest_artifact(scored.policy, "ScoringPolicy")
    inputs = cast(
        ProductionScoringVersionInputs | ContractScoringVersionInputs,
        {
            "contractSchemaVersion": scored.contract["schemaVersion"],
            "corpusDigest": corpus_digest,
            "fixtureDigest": fixture_digest,
            "evaluatorConfigurationDigest": evaluator_configuration_digest,
            "scoringPolicyDigest": policy_digest,
            "mode": mode,
        },
    )
    probe_id, admitted = scored.probe["probeId"], scored.probe_qualification.qualified
    assembled: dict[str, Any] = {
        "schemaVersion": EVIDENCE_ARTIFACT_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": scored.run_id,
        "scoredProbeId": probe_id,
        "scoringVersion": scoring_version(inputs),
        "scoringVersionInputs": inputs,
        "comparabilityKey": comparability_key(policy_digest, [probe_id] if admitted else []),
        "excludedProbeIds": [] if admitted else [probe_id],
        "exitCode": scored.ladder.exit_code,
        "verdictBasis": list(scored.ladder.basis),
        "callerAttestedInputs": list(CALLER_ATTESTED_INPUTS),
        "trials": scored.assessment.trials,
        "outcomes": list(scored.outcomes),
        "reducedProbeOutcomes": list(scored.reduced_probe_outcomes),
        "uncitedFindings": list(scored.uncited_findings),
        "coverageGaps": list(scored.assessment.coverage_gaps),
        "strength": _strength(scored),
        "remediation": {
            "revisionCount": scored.contract["revisionCount"],
            "cap": scored.policy["remediationCap"],
            "capSource": "caller-attested",
            "lineageChain": scored.assessment.remediation_state,
        },
        "mode": mode,
        **_verdict(scored),
    }
    complaint = "emit(): assembled an artifact that failed EvidenceArtifact validation"
    artifact: EvidenceArtifact = conforming(EvidenceArtifact, assembled, complaint)
    _refuse_inconsistent(artifact, scored)
    return artifact


def _verdict(scored: ScoredRun) -> dict[str, Any]:
    """The fields that only one mode has."""
    if scored.assessment.mode == "production":
        return {"productionVerdict": scored.ladder.verdict}
    return {
        "contractVerdict": scored.ladder.verdict,
        "uncitedFindingGaps": list(scored.assessment.uncited_defect_findings),
        "systemRecommendationRecorded": scored.assessment.evaluator_recommendation,
        "systemRecommendationNote": None,
    }


def _strength(scored: ScoredRun) -> Strength:
    completed = scored.assessment.trials["completed"]
    trial_count = f"{completed} completed trial{'' if completed == 1 else 's'}"
    admitted = [scored.probe] if scored.probe_qualification.qualified else []
    return {
        "denominator": f"unique qualified probe identifiers exercised per class, across {trial_count}",
        "basis": "measured",
        "vector": build_strength_vector(admitted, {scored.probe["probeId"]: scored.trial_set_result}),
        "comparable": _is_comparable(scored),
        "note": " ".join(_note(scored, f"{len(admitted)} admitted probe over {trial_count}.")),
    }


def _unreached(scored: ScoredRun) -> list[str]:
    """Oracles that were not reached, once for each trial."""
    return [outcome["oracleId"] for outcome in scored.outcomes if outcome["state"] == "unreached"]


def _is_comparable(scored: ScoredRun) -> bool:
    return is_comparable(scored.assessment.trials, len(_unreached(scored)))


def _note(scored: ScoredRun, measured: str) -> Iterator[str]:
    """The sentences that say what was measured and why it may not be compared."""
    trials = scored.assessment.trials
    yield measured
    if trials["completed"] < trials["declaredMinimum"]:
        yield f"Below the declared minimum of {trials['declaredMinimum']}."
    if unreached := _unreached(scored):
        yield f"{', '.join(unreached)} resolved unreached."
    if not _is_comparable(scored):
        yield "The vector is reported and marked non-comparable."


def _refuse_inconsistent(artifact: EvidenceArtifact, scored: ScoredRun) -> None:
    """Refuse a reduction that does not follow from the outcomes, or is not the one the run was scored with."""
    reduced = artifact["reducedProbeOutcomes"]
    issues = reduction_consistency_issues(artifact["scoredProbeId"], artifact["outcomes"], reduced, artifact["trials"])
    if issues or not _is_as_scored(reduced[0], scored):
        place = path_text(issues[0].path if issues else ("reducedProbeOutcomes",))
        raise PreconditionError(
            f'emit(): assembled an artifact whose trial reduction is inconsistent, first at "{place}"'
        )


def _is_as_scored(reduced: ReducedProbeOutcome, scored: ScoredRun) -> bool:
    stated = TrialSetResult(
        reduced["exercised"],
        reduced["caught"],
        reduced["validCount"],
        reduced["caughtCount"],
        reduced["invalidatedAttempts"],
    )
    return stated == scored.trial_set_result and reduced["catchThreshold"] == scored.policy["catchThreshold"]
