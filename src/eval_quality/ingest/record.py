"""One record ingested (spec 10, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eval_quality.artifacts.eval_contract import FORBIDDEN_INPUT_FLOOR
from eval_quality.artifacts.evaluator_configuration import EvaluatorConfiguration
from eval_quality.artifacts.isolation_manifest import IsolationManifest
from eval_quality.artifacts.sealed_run_record import (
    Finding,
    Observation,
    OracleDisposition,
    RunMode,
    SealedRunRecord,
)
from eval_quality.artifacts.verdicts import RecommendationName
from eval_quality.canonical import digest_artifact, utf16_key

from .conditions import (
    AGREEMENT_FIELDS,
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    IngestCondition,
    IsolationManifestAbsent,
    IsolationManifestViolation,
    JudgeResultUnscored,
    RecordSubject,
    UnwitnessedQuotations,
)
from .quotation import UnwitnessedQuotation, audit_quotation


@dataclass(frozen=True)
class ValidatedObservations:
    """A record as scoring reads it: sorted, with everything that is wrong with it."""

    run_id: str
    trial_index: int
    contract_digest: str
    evaluator_configuration_digest: str
    mode: RunMode
    evaluator_recommendation: RecommendationName
    observations: tuple[Observation, ...]
    """By sequence."""
    findings: tuple[Finding, ...]
    """By identifier."""
    dispositions: tuple[OracleDisposition, ...]
    """By oracle."""
    conditions: tuple[IngestCondition, ...]
    unwitnessed_quotations: tuple[UnwitnessedQuotation, ...]
    isolation_violation: tuple[str, ...]


def ingest(
    record: SealedRunRecord, manifest: IsolationManifest | None, configuration: EvaluatorConfiguration | None
) -> ValidatedObservations:
    """Check one record against itself, the isolation manifest and the evaluator configuration.

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` only: for evidence a quotation is looked for in, or for the
    configuration.
    """
    quotations = tuple(audit_quotation(record["observations"], record["findings"]))
    isolation = _isolation(manifest)
    found: list[IngestCondition | None] = [
        *_duplicates(record),
        *_dangling_citations(record),
        *_dangling_dispositions(record),
        *([UnwitnessedQuotations(quotations)] if quotations else []),
        isolation,
        *_manifest_conditions(record, manifest),
        _configuration_condition(record, configuration),
        *unscored_judge_results(record),
    ]
    return ValidatedObservations(
        run_id=record["runId"],
        trial_index=record["trialIndex"],
        contract_digest=record["contractDigest"],
        evaluator_configuration_digest=record["evaluatorConfigurationDigest"],
        mode=record["mode"],
        evaluator_recommendation=record["evaluatorRecommendation"],
        observations=tuple(
            sorted(record["observations"], key=lambda each: (each["sequence"], utf16_key(each["observationId"])))
        ),
        findings=tuple(sorted(record["findings"], key=lambda each: utf16_key(each["findingId"]))),
        dispositions=tuple(sorted(record["oracleDispositions"], key=lambda each: utf16_key(each["oracleId"]))),
        conditions=tuple(each for each in found if each is not None),
        unwitnessed_quotations=quotations,
        isolation_violation=tuple(_isolation_lines(isolation)),
    )


def _duplicates(record: SealedRunRecord) -> Iterator[DuplicateRecordIdentifier]:
    identifiers: tuple[tuple[RecordSubject, Iterable[str]], ...] = (
        ("observation", (each["observationId"] for each in record["observations"])),
        ("finding", (each["findingId"] for each in record["findings"])),
        ("oracle-disposition", (each["oracleId"] for each in record["oracleDispositions"])),
        ("judge-result", (f"{each['rubricId']}/{each['criterionId']}" for each in record["judgeResults"])),
    )
    for subject, each in identifiers:
        counted = Counter(each)
        for identifier in sorted(counted, key=utf16_key):
            if counted[identifier] > 1:
                yield DuplicateRecordIdentifier(subject, identifier, counted[identifier])


def _unresolved(cited: Sequence[str], declared: frozenset[str]) -> tuple[str, ...]:
    """What of a citation names nothing, repeats dropped, in the order it was cited."""
    return tuple(identifier for identifier in dict.fromkeys(cited) if identifier not in declared)


def _joined_key(*texts: str) -> bytes:
    return utf16_key("\0".join(texts))


def _dangling_citations(record: SealedRunRecord) -> list[DanglingCitation]:
    declared = frozenset(each["observationId"] for each in record["observations"])
    found = [
        DanglingCitation(finding["findingId"], unresolved)
        for finding in record["findings"]
        if (unresolved := _unresolved(finding["observationIds"], declared))
    ]
    return sorted(found, key=lambda each: _joined_key(each.finding_id, *each.unresolved_observation_ids))


def _dangling_dispositions(record: SealedRunRecord) -> list[DanglingDispositionCitation]:
    declared = frozenset(each["observationId"] for each in record["observations"])
    found = [
        DanglingDispositionCitation(disposition["oracleId"], unresolved)
        for disposition in record["oracleDispositions"]
        if (unresolved := _unresolved(disposition["observationIds"], declared))
    ]
    return sorted(found, key=lambda each: _joined_key(each.oracle_id, *each.unresolved_observation_ids))


def _outside(observed: Sequence[str], allowed: Sequence[str]) -> tuple[str, ...]:
    return _unresolved(observed, frozenset(allowed))


def _isolation(manifest: IsolationManifest | None) -> IsolationManifestAbsent | IsolationManifestViolation | None:
    if manifest is None:
        return IsolationManifestAbsent()
    violation = IsolationManifestViolation(
        manifest["violation"],
        _outside(manifest["observedMounts"], manifest["allowedMounts"]),
        _outside(manifest["observedNetworkTargets"], manifest["networkAllowlist"]),
        _outside(manifest["observedToolCalls"], manifest["toolAllowlist"]),
    )
    return None if violation == IsolationManifestViolation(None, (), (), ()) else violation


def _isolation_lines(condition: IsolationManifestAbsent | IsolationManifestViolation | None) -> Iterator[str]:
    match condition:
        case IsolationManifestAbsent():
            yield "isolation manifest absent"
        case IsolationManifestViolation(violation, mounts, targets, calls):
            if violation is not None:
                yield f"manifest violation: {violation}"
            yield from (f"mount outside allowlist: {mount}" for mount in mounts)
            yield from (f"network target outside allowlist: {target}" for target in targets)
            yield from (f"tool call outside allowlist: {call}" for call in calls)


def _manifest_conditions(record: SealedRunRecord, manifest: IsolationManifest | None) -> Iterator[IngestCondition]:
    if manifest is None:
        return
    accounting = manifest["forbiddenInputAccounting"]
    admitted = tuple(each for each in FORBIDDEN_INPUT_FLOOR if not accounting[each]["withheld"])
    if admitted:
        yield ForbiddenInputNotWithheld(admitted)
    for field in AGREEMENT_FIELDS:
        if record[field] != manifest[field]:
            yield CrossArtifactDisagreement(field, record[field], manifest[field])


def _configuration_condition(
    record: SealedRunRecord, configuration: EvaluatorConfiguration | None
) -> IngestCondition | None:
    if configuration is None:
        return EvaluatorConfigurationAbsent()
    declared = record["evaluatorConfigurationDigest"]
    computed = digest_artifact(configuration, "EvaluatorConfiguration")
    return None if declared == computed else EvaluatorConfigurationDigestMismatch(declared, computed)


def unscored_judge_results(record: SealedRunRecord) -> list[JudgeResultUnscored]:
    """The criteria that judges left without a score, sorted."""
    unscored = {
        f"{each['rubricId']}/{each['criterionId']}": JudgeResultUnscored(each["rubricId"], each["criterionId"])
        for each in record["judgeResults"]
        if each["score"] is None
    }
    return sorted(unscored.values(), key=lambda each: _joined_key(each.rubric_id, each.criterion_id))
