"""What ingest may find wrong with a record (spec 10, section 2), in the order it is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from eval_quality.artifacts.eval_contract import ForbiddenInput

from .quotation import UnwitnessedQuotation

RecordSubject = Literal["observation", "finding", "oracle-disposition", "judge-result"]
AgreementField = Literal["runId", "contractDigest", "evaluatorConfigurationDigest"]
AGREEMENT_FIELDS: Final[tuple[AgreementField, ...]] = ("runId", "contractDigest", "evaluatorConfigurationDigest")
"""Fields that record and isolation manifest must agree on; the condition arm is deliberately none of them."""


@dataclass(frozen=True)
class DuplicateRecordIdentifier:
    """An identifier that a record gives to several things."""

    kind: ClassVar = "duplicate-record-identifier"
    subject: RecordSubject
    identifier: str
    occurrences: int


@dataclass(frozen=True)
class DanglingCitation:
    """A finding that cites observations the record does not hold."""

    kind: ClassVar = "dangling-citation"
    finding_id: str
    unresolved_observation_ids: tuple[str, ...]


@dataclass(frozen=True)
class DanglingDispositionCitation:
    """A disposition that cites observations the record does not hold."""

    kind: ClassVar = "dangling-disposition-citation"
    oracle_id: str
    unresolved_observation_ids: tuple[str, ...]


@dataclass(frozen=True)
class UnwitnessedQuotations:
    """Quotations the evidence does not bear out."""

    kind: ClassVar = "unwitnessed-quotation"
    quotations: tuple[UnwitnessedQuotation, ...]


@dataclass(frozen=True)
class IsolationManifestAbsent:
    """Nothing says how the evaluator was kept apart."""

    kind: ClassVar = "isolation-manifest-absent"


@dataclass(frozen=True)
class IsolationManifestViolation:
    """The evaluator reached what it was not allowed, or somebody says so."""

    kind: ClassVar = "isolation-manifest-violation"
    violation: str | None
    mounts_outside_allowlist: tuple[str, ...]
    network_targets_outside_allowlist: tuple[str, ...]
    tool_calls_outside_allowlist: tuple[str, ...]


@dataclass(frozen=True)
class ForbiddenInputNotWithheld:
    """The evaluator was given what must be kept from it."""

    kind: ClassVar = "forbidden-input-not-withheld"
    inputs: tuple[ForbiddenInput, ...]


@dataclass(frozen=True)
class CrossArtifactDisagreement:
    """Record and isolation manifest name different things."""

    kind: ClassVar = "cross-artifact-disagreement"
    field: AgreementField
    record_value: str
    manifest_value: str


@dataclass(frozen=True)
class EvaluatorConfigurationAbsent:
    """Nothing says who evaluated."""

    kind: ClassVar = "evaluator-configuration-absent"


@dataclass(frozen=True)
class EvaluatorConfigurationDigestMismatch:
    """The evaluator configuration is not the one the record names."""

    kind: ClassVar = "evaluator-configuration-digest-mismatch"
    declared_digest: str
    computed_digest: str


@dataclass(frozen=True)
class JudgeResultUnscored:
    """A judge left a criterion without a score."""

    kind: ClassVar = "judge-result-unscored"
    rubric_id: str
    criterion_id: str


IngestCondition: TypeAlias = (
    DuplicateRecordIdentifier
    | DanglingCitation
    | DanglingDispositionCitation
    | UnwitnessedQuotations
    | IsolationManifestAbsent
    | IsolationManifestViolation
    | ForbiddenInputNotWithheld
    | CrossArtifactDisagreement
    | EvaluatorConfigurationAbsent
    | EvaluatorConfigurationDigestMismatch
    | JudgeResultUnscored
)
