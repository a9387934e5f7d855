"""Scoring, from whole inputs and part by part."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import fields, is_dataclass
from typing import Any

from eval_quality.canonical import serialize_artifact
from eval_quality.emit import emit
from eval_quality.ingest import conditions, ingest
from eval_quality.ingest.quotation import UnwitnessedQuotation
from eval_quality.score.assessment import Assessment, EvidenceIntegrity, ScoredOutcome
from eval_quality.score.designation import check_designated_oracle
from eval_quality.score.finding_map import FindingMapper
from eval_quality.score.observations import TrialObservations
from eval_quality.score.outcome import CitedFinding, OutcomeInputs, OutcomeResolution, resolve_outcome
from eval_quality.score.reduction import reduce_trial_set
from eval_quality.score.selection import PreparedPlan, StepSelection, TrialSelection
from eval_quality.score.stage import score as score_stage
from eval_quality.score.verdicts import LadderResolution, resolve_verdict
from eval_quality.score.witness_match import ProbeWitnessMatch, WitnessPartition, match_probe_witness
from eval_quality.stages import run_score

from .qualify import spelled as qualification
from .spelling import camel_fields, snake


class _Corpus:
    def __init__(self, contents: dict[str, str]) -> None:
        self._contents = contents

    async def resolve(self, request: Any, signal: Any) -> Any:
        reference = request["privateRef"]
        return {"privateRef": reference, "bytes": base64.b64decode(self._contents[reference])}


def _ladder(ladder: LadderResolution) -> dict[str, Any]:
    return {
        "verdict": ladder.verdict,
        "exitCode": ladder.exit_code,
        "strictPromotable": ladder.strict_promotable,
        "basis": list(ladder.basis),
    }


def _result(artifact: Any, ladder: LadderResolution, probe_qualification: Any) -> dict[str, Any]:
    text = None if artifact is None else serialize_artifact(artifact, "EvidenceArtifact")
    return {"artifactText": text, "ladder": _ladder(ladder), "qualification": qualification(probe_qualification)}


def _score(value: dict[str, Any]) -> dict[str, Any]:
    result = asyncio.run(
        run_score(
            record=value["record"],
            manifest=value["manifest"],
            configuration=value["configuration"],
            contract=value["contract"],
            probe=value["probe"],
            preflight_verdict=value["preflightVerdict"],
            policy=value["policy"],
            private_manifest=value["privateManifest"],
            corpus_digest=value["corpusDigest"],
            designated_oracle_id=value.get("designatedOracleId"),
            port=_Corpus(value["corpus"]) if "corpus" in value else None,
        )
    )
    return _result(result.artifact, result.ladder, result.qualification)


def _stage(value: dict[str, Any]) -> dict[str, Any]:
    records = value["record"] if isinstance(value["record"], list) else [value["record"]]
    trials = [ingest(record, value["manifest"], value["configuration"]) for record in records]
    scored = score_stage(
        value["contract"],
        trials,
        value["probe"],
        value["preflightVerdict"],
        value["policy"],
        value["waiver"],
        value["evaluationFault"],
        value.get("designatedOracleId"),
    )
    artifact = None
    if scored.ladder.verdict is not None and records:
        artifact = emit(
            scored,
            value["corpusDigest"],
            value["preflightVerdict"]["fixtureDigest"],
            records[0]["evaluatorConfigurationDigest"],
        )
    return _result(artifact, scored.ladder, scored.probe_qualification)


def _witness(value: dict[str, Any] | None) -> ProbeWitnessMatch | None:
    if value is None:
        return None
    partition = value.get("partition", {})
    return ProbeWitnessMatch(
        result=value["result"],
        home_operation_resolved=value.get("homeOperationResolved", True),
        exercised=value.get("exercised", True),
        partition=WitnessPartition(*(tuple(ids) for ids in partition.values())),
        witness_observation_ids=tuple(value.get("witnessObservationIds", ())),
        unwitnessed_finding_ids=tuple(value.get("unwitnessedFindingIds", ())),
        observation_ids=tuple(value.get("observationIds", ())),
    )


def _selection(value: dict[str, Any]) -> StepSelection:
    return StepSelection(value["result"], tuple(value["matchedObservationIds"]))


def _outcome(value: dict[str, Any]) -> dict[str, Any]:
    cited = value["citedFinding"]
    plain = {snake(name): each for name, each in value.items()}
    inputs = OutcomeInputs(
        **plain
        | {
            "cited_finding": cited and CitedFinding(cited["findingId"], cited["bucket"]),
            "witness": _witness(value["witness"]),
            "selections": [_selection(each) for each in value["selections"]],
        }
    )
    return camel_fields(resolve_outcome(inputs)._asdict())


def _read(kind: Any, value: dict[str, Any]) -> Any:
    """A result type from the wire's spelling."""
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else list(kind._fields)
    given = {snake(name): tuple(each) if isinstance(each, list) else each for name, each in value.items()}
    return kind(**{name: given[name] for name in names if name in given})


_CONDITIONS = {
    "duplicateRecordIdentifiers": conditions.DuplicateRecordIdentifier,
    "danglingCitations": conditions.DanglingCitation,
    "danglingDispositionCitations": conditions.DanglingDispositionCitation,
    "forbiddenInputsNotWithheld": conditions.ForbiddenInputNotWithheld,
    "crossArtifactDisagreements": conditions.CrossArtifactDisagreement,
    "evaluatorConfigurationAbsent": conditions.EvaluatorConfigurationAbsent,
    "evaluatorConfigurationDigestMismatches": conditions.EvaluatorConfigurationDigestMismatch,
    "judgeResultsUnscored": conditions.JudgeResultUnscored,
}


def _scored(value: dict[str, Any]) -> ScoredOutcome:
    return ScoredOutcome(
        value["oracleId"],
        value["required"],
        value["severity"],
        value["checkResolved"],
        _read(OutcomeResolution, value["resolution"]),
    )


def _verdict(value: dict[str, Any]) -> dict[str, Any]:
    integrity, state = value["evidenceIntegrity"], value["outcomeState"]
    assessment = Assessment(
        mode=value["mode"],
        outcomes=[_scored(each) for each in state["outcomes"]],
        unwitnessed_quotations=[_read(UnwitnessedQuotation, each) for each in state["unwitnessedQuotations"]],
        trials=state["trials"],
        re_execution_cap=state["reExecutionCap"],
        evidence=EvidenceIntegrity(
            reported_incomplete=integrity["disclosure"]["reportedIncomplete"],
            over_truncated=integrity["overTruncated"],
            unavailable=integrity["unavailable"],
            internally_inconsistent=integrity["internallyInconsistent"],
            isolation_violation=integrity["isolationViolation"],
            conditions=[_read(kind, each) for name, kind in _CONDITIONS.items() for each in integrity[name]],
            trial_set_disagreements=integrity["trialSetDisagreements"],
        ),
        evaluator_recommendation=value["evaluatorRecommendation"],
        coverage_gaps=value["coverageGaps"],
        uncited_defect_findings=value["uncitedDefectFindings"],
        finding_confidences=[(each["findingId"], each["confidence"]) for each in value["findings"]],
        confidence_threshold=value["confidenceThreshold"],
        remediation_state=value["remediationState"],
        preflight_passed=value["preflightPassed"],
        severity_floor=value["severityFloor"],
    )
    return _ladder(resolve_verdict(assessment))


def _match(value: dict[str, Any]) -> dict[str, Any]:
    match = match_probe_witness(value["probe"], value["interfaces"], value["observations"], value["findings"])
    partition = {name: list(ids) for name, ids in match.partition._asdict().items()}
    return camel_fields(match._asdict()) | {
        "partition": partition,
        "partitionSizes": {name: len(ids) for name, ids in partition.items()},
    }


def _map(value: dict[str, Any]) -> dict[str, Any]:
    mapper = FindingMapper.of(value["probes"], value["interfaces"])
    buckets = mapper.map(TrialObservations(value["observations"]), value["findings"])
    return {
        bucket: [{"findingId": each.finding_id, "probeId": each.probe_id} for each in entries]
        for bucket, entries in buckets.items()
    }


def _select(value: dict[str, Any]) -> dict[str, Any]:
    plan = PreparedPlan(value["interactionPlan"], value["permittedInterfaces"])
    trial = TrialSelection(plan, TrialObservations(value["observations"]))
    selections = [(planned.step_id, trial.select(planned)) for planned in plan.steps]
    return {
        "order": {"tiers": [list(tier) for tier in plan.order.tiers], "cyclic": list(plan.order.cyclic)},
        "selections": [{"stepId": step_id} | camel_fields(each._asdict()) for step_id, each in selections],
    }


OPERATIONS = {
    "score": _score,
    "scoreStage": _stage,
    "resolveOutcome": _outcome,
    "resolveProductionVerdict": _verdict,
    "resolveContractVerdict": _verdict,
    "reduceTrialSet": lambda value: camel_fields(reduce_trial_set(value["votes"], value["catchThreshold"])._asdict()),
    "checkDesignatedOracle": lambda value: check_designated_oracle(
        value["contract"], value["probe"], value["designatedOracleId"]
    ),
    "matchProbeWitness": _match,
    "mapFindings": _map,
    "selectSteps": _select,
}
