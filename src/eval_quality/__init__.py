"""Tests the test: did an evaluation of an AI agent, skill or tool catch the planted defect?

The names below are the library's surface; each is loaded when it is first used. The other public doors are
``eval_quality.adapters``, ``eval_quality.conformance``, ``eval_quality.schemas`` and ``eval_quality.corpus``; every other
module is internal.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eval_quality.abort import AbortSignal
    from eval_quality.addresses import (
        ADDRESS_CLASSES,
        AddressClass,
        ParsedAddress,
        classify_address,
        parse_address,
        stays_on_host,
    )
    from eval_quality.artifacts.eval_contract import EVAL_CONTRACT_SCHEMA_VERSION
    from eval_quality.artifacts.evaluator_configuration import EVALUATOR_CONFIGURATION_SCHEMA_VERSION
    from eval_quality.artifacts.evidence_artifact import EVIDENCE_ARTIFACT_SCHEMA_VERSION, OUTCOME_STATES
    from eval_quality.artifacts.isolation_manifest import ISOLATION_MANIFEST_SCHEMA_VERSION
    from eval_quality.artifacts.preflight_verdict import PREFLIGHT_VERDICT_SCHEMA_VERSION
    from eval_quality.artifacts.primitives import SEVERITY_LEVELS, Severity
    from eval_quality.artifacts.private_artifact_manifest import PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION
    from eval_quality.artifacts.probe import PROBE_SCHEMA_VERSION
    from eval_quality.artifacts.registry import INTERCHANGE_ARTIFACT_KEYS
    from eval_quality.artifacts.scoring_policy import SCORING_POLICY_SCHEMA_VERSION
    from eval_quality.artifacts.sealed_evaluator_brief import SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION
    from eval_quality.artifacts.sealed_run_record import SEALED_RUN_RECORD_SCHEMA_VERSION
    from eval_quality.artifacts.strength_aggregate import STRENGTH_AGGREGATE_SCHEMA_VERSION
    from eval_quality.artifacts.target_policies import ProbeTargetAuthorization, ProbeTargetPolicy
    from eval_quality.artifacts.verdicts import EVALUATOR_RECOMMENDATIONS, VERDICTS, Verdict
    from eval_quality.artifacts.witnesses import WitnessChannel
    from eval_quality.canonical import digest_bytes, scan_json
    from eval_quality.coverage import DISCIPLINE_RULES, DisciplineRule
    from eval_quality.errors import (
        AGGREGATION_REFUSAL_CODES,
        FAILURE_CODES,
        FORBIDDEN_TARGET_REASONS,
        PORT_FAILURE_REASONS,
        RUNTIME_FAULT_CODES,
        AggregationRefusal,
        AggregationRefusalCode,
        DesignatedOracleRefusal,
        EvalQualityError,
        FailureCode,
        ForbiddenTargetReason,
        Issue,
        PortFailureReason,
        PreconditionError,
        RuntimeFault,
        RuntimeFaultCode,
        StructuralFailure,
    )
    from eval_quality.evaluate import ABSENT, PointerDenotesCollection, ReferenceSetKeys, ResolvedValue, ResolveOperand
    from eval_quality.library import (
        AggregateStrengthOptions,
        PreflightFromObservationsOptions,
        RunPreflightOptions,
        RunScoreOptions,
        RunScoreResult,
        aggregate_strength,
        compare_dominance,
        compile,
        digest_artifact,
        digest_composite,
        make_pointer_denotes_collection,
        make_resolve_operand,
        preflight_from_observations,
        qualify_probe,
        reference_set_keys_of,
        resolve_check,
        resolve_home_operation,
        run_preflight,
        run_score,
        score,
        seal,
        serialize_artifact,
        validate_lineage_chain,
    )
    from eval_quality.models.artifact_reference import ArtifactReference
    from eval_quality.models.base import JsonValue
    from eval_quality.models.defect_signature import DefectSignature
    from eval_quality.models.eval_contract import EvalContract
    from eval_quality.models.evaluator_configuration import EvaluatorConfiguration
    from eval_quality.models.evidence_artifact import CheckResolution, EvidenceArtifact
    from eval_quality.models.expressions import Expression, Operand
    from eval_quality.models.interfaces import AnyOperation, PermittedInterface
    from eval_quality.models.isolation_manifest import IsolationManifest
    from eval_quality.models.preflight_verdict import PreflightCheck, PreflightVerdict
    from eval_quality.models.private_artifact_manifest import PrivateArtifactManifest
    from eval_quality.models.probe import Probe
    from eval_quality.models.rubric import Rubric
    from eval_quality.models.scoring_policy import ScoringPolicy
    from eval_quality.models.sealed_evaluator_brief import SealedEvaluatorBrief
    from eval_quality.models.sealed_run_record import Observation, SealedRunRecord
    from eval_quality.models.strength_aggregate import StrengthAggregate, StrengthFloors
    from eval_quality.models.witnesses import (
        FixtureReset,
        ManifestationWitness,
        SensitivityWitness,
        SensitivityWitnessLeg,
        WitnessInputs,
    )
    from eval_quality.plan_index import PlanIndex
    from eval_quality.score.dominance import DOMINANCE_RELATIONS, ComparableResult, DominanceRelation
    from eval_quality.score.home_operation import HomeOperation
    from eval_quality.score.qualification import (
        QUALIFICATION_FAILURES,
        QualificationFailure,
        QualificationFailureCode,
        QualificationResult,
    )
    from eval_quality.score.verdicts import LadderResolution
    from eval_quality.stages import Diagnostic, DiagnosticSink
    from eval_quality.targets import (
        DENIAL_REASONS,
        DenialReason,
        PolicyDecision,
        ResolvedTarget,
        evaluate_target,
        is_safe_method,
    )
    from eval_quality.version import VERSION

__version__ = "7.2.0"

_NAMES_BY_HOME = {
    "abort": ("AbortSignal",),
    "addresses": (
        "ADDRESS_CLASSES",
        "AddressClass",
        "ParsedAddress",
        "classify_address",
        "parse_address",
        "stays_on_host",
    ),
    "artifacts.eval_contract": ("EVAL_CONTRACT_SCHEMA_VERSION",),
    "artifacts.evaluator_configuration": ("EVALUATOR_CONFIGURATION_SCHEMA_VERSION",),
    "artifacts.evidence_artifact": ("EVIDENCE_ARTIFACT_SCHEMA_VERSION", "OUTCOME_STATES"),
    "artifacts.isolation_manifest": ("ISOLATION_MANIFEST_SCHEMA_VERSION",),
    "artifacts.preflight_verdict": ("PREFLIGHT_VERDICT_SCHEMA_VERSION",),
    "artifacts.primitives": ("SEVERITY_LEVELS", "Severity"),
    "artifacts.private_artifact_manifest": ("PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION",),
    "artifacts.probe": ("PROBE_SCHEMA_VERSION",),
    "artifacts.registry": ("INTERCHANGE_ARTIFACT_KEYS",),
    "artifacts.scoring_policy": ("SCORING_POLICY_SCHEMA_VERSION",),
    "artifacts.sealed_evaluator_brief": ("SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION",),
    "artifacts.sealed_run_record": ("SEALED_RUN_RECORD_SCHEMA_VERSION",),
    "artifacts.strength_aggregate": ("STRENGTH_AGGREGATE_SCHEMA_VERSION",),
    "artifacts.target_policies": ("ProbeTargetAuthorization", "ProbeTargetPolicy"),
    "artifacts.verdicts": ("EVALUATOR_RECOMMENDATIONS", "VERDICTS", "Verdict"),
    "artifacts.witnesses": ("WitnessChannel",),
    "canonical": ("digest_bytes", "scan_json"),
    "coverage": ("DISCIPLINE_RULES", "DisciplineRule"),
    "errors": (
        "AGGREGATION_REFUSAL_CODES",
        "FAILURE_CODES",
        "FORBIDDEN_TARGET_REASONS",
        "PORT_FAILURE_REASONS",
        "RUNTIME_FAULT_CODES",
        "AggregationRefusal",
        "AggregationRefusalCode",
        "DesignatedOracleRefusal",
        "EvalQualityError",
        "FailureCode",
        "ForbiddenTargetReason",
        "Issue",
        "PortFailureReason",
        "PreconditionError",
        "RuntimeFault",
        "RuntimeFaultCode",
        "StructuralFailure",
    ),
    "evaluate": ("ABSENT", "PointerDenotesCollection", "ReferenceSetKeys", "ResolveOperand", "ResolvedValue"),
    "library": (
        "AggregateStrengthOptions",
        "PreflightFromObservationsOptions",
        "RunPreflightOptions",
        "RunScoreOptions",
        "RunScoreResult",
        "aggregate_strength",
        "compare_dominance",
        "compile",
        "digest_artifact",
        "digest_composite",
        "make_pointer_denotes_collection",
        "make_resolve_operand",
        "preflight_from_observations",
        "qualify_probe",
        "reference_set_keys_of",
        "resolve_check",
        "resolve_home_operation",
        "run_preflight",
        "run_score",
        "score",
        "seal",
        "serialize_artifact",
        "validate_lineage_chain",
    ),
    "models.artifact_reference": ("ArtifactReference",),
    "models.base": ("JsonValue",),
    "models.defect_signature": ("DefectSignature",),
    "models.eval_contract": ("EvalContract",),
    "models.evaluator_configuration": ("EvaluatorConfiguration",),
    "models.evidence_artifact": ("CheckResolution", "EvidenceArtifact"),
    "models.expressions": ("Expression", "Operand"),
    "models.interfaces": ("AnyOperation", "PermittedInterface"),
    "models.isolation_manifest": ("IsolationManifest",),
    "models.preflight_verdict": ("PreflightCheck", "PreflightVerdict"),
    "models.private_artifact_manifest": ("PrivateArtifactManifest",),
    "models.probe": ("Probe",),
    "models.rubric": ("Rubric",),
    "models.scoring_policy": ("ScoringPolicy",),
    "models.sealed_evaluator_brief": ("SealedEvaluatorBrief",),
    "models.sealed_run_record": ("Observation", "SealedRunRecord"),
    "models.strength_aggregate": ("StrengthAggregate", "StrengthFloors"),
    "models.witnesses": (
        "FixtureReset",
        "ManifestationWitness",
        "SensitivityWitness",
        "SensitivityWitnessLeg",
        "WitnessInputs",
    ),
    "plan_index": ("PlanIndex",),
    "score.dominance": ("DOMINANCE_RELATIONS", "ComparableResult", "DominanceRelation"),
    "score.home_operation": ("HomeOperation",),
    "score.qualification": (
        "QUALIFICATION_FAILURES",
        "QualificationFailure",
        "QualificationFailureCode",
        "QualificationResult",
    ),
    "score.verdicts": ("LadderResolution",),
    "stages": ("Diagnostic", "DiagnosticSink"),
    "targets": (
        "DENIAL_REASONS",
        "DenialReason",
        "PolicyDecision",
        "ResolvedTarget",
        "evaluate_target",
        "is_safe_method",
    ),
    "version": ("VERSION",),
}
_HOMES = {name: home for home, names in _NAMES_BY_HOME.items() for name in names}

__all__ = [
    "ABSENT",
    "ADDRESS_CLASSES",
    "AGGREGATION_REFUSAL_CODES",
    "DENIAL_REASONS",
    "DISCIPLINE_RULES",
    "DOMINANCE_RELATIONS",
    "EVALUATOR_CONFIGURATION_SCHEMA_VERSION",
    "EVALUATOR_RECOMMENDATIONS",
    "EVAL_CONTRACT_SCHEMA_VERSION",
    "EVIDENCE_ARTIFACT_SCHEMA_VERSION",
    "FAILURE_CODES",
    "FORBIDDEN_TARGET_REASONS",
    "INTERCHANGE_ARTIFACT_KEYS",
    "ISOLATION_MANIFEST_SCHEMA_VERSION",
    "OUTCOME_STATES",
    "PORT_FAILURE_REASONS",
    "PREFLIGHT_VERDICT_SCHEMA_VERSION",
    "PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION",
    "PROBE_SCHEMA_VERSION",
    "QUALIFICATION_FAILURES",
    "RUNTIME_FAULT_CODES",
    "SCORING_POLICY_SCHEMA_VERSION",
    "SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION",
    "SEALED_RUN_RECORD_SCHEMA_VERSION",
    "SEVERITY_LEVELS",
    "STRENGTH_AGGREGATE_SCHEMA_VERSION",
    "VERDICTS",
    "VERSION",
    "AbortSignal",
    "AddressClass",
    "AggregateStrengthOptions",
    "AggregationRefusal",
    "AggregationRefusalCode",
    "AnyOperation",
    "ArtifactReference",
    "CheckResolution",
    "ComparableResult",
    "DefectSignature",
    "DenialReason",
    "DesignatedOracleRefusal",
    "Diagnostic",
    "DiagnosticSink",
    "DisciplineRule",
    "DominanceRelation",
    "EvalContract",
    "EvalQualityError",
    "EvaluatorConfiguration",
    "EvidenceArtifact",
    "Expression",
    "FailureCode",
    "FixtureReset",
    "ForbiddenTargetReason",
    "HomeOperation",
    "IsolationManifest",
    "Issue",
    "JsonValue",
    "LadderResolution",
    "ManifestationWitness",
    "Observation",
    "Operand",
    "ParsedAddress",
    "PermittedInterface",
    "PlanIndex",
    "PointerDenotesCollection",
    "PolicyDecision",
    "PortFailureReason",
    "PreconditionError",
    "PreflightCheck",
    "PreflightFromObservationsOptions",
    "PreflightVerdict",
    "PrivateArtifactManifest",
    "Probe",
    "ProbeTargetAuthorization",
    "ProbeTargetPolicy",
    "QualificationFailure",
    "QualificationFailureCode",
    "QualificationResult",
    "ReferenceSetKeys",
    "ResolveOperand",
    "ResolvedTarget",
    "ResolvedValue",
    "Rubric",
    "RunPreflightOptions",
    "RunScoreOptions",
    "RunScoreResult",
    "RuntimeFault",
    "RuntimeFaultCode",
    "ScoringPolicy",
    "SealedEvaluatorBrief",
    "SealedRunRecord",
    "SensitivityWitness",
    "SensitivityWitnessLeg",
    "Severity",
    "StrengthAggregate",
    "StrengthFloors",
    "StructuralFailure",
    "Verdict",
    "WitnessChannel",
    "WitnessInputs",
    "__version__",
    "aggregate_strength",
    "classify_address",
    "compare_dominance",
    "compile",
    "digest_artifact",
    "digest_bytes",
    "digest_composite",
    "evaluate_target",
    "is_safe_method",
    "make_pointer_denotes_collection",
    "make_resolve_operand",
    "parse_address",
    "preflight_from_observations",
    "qualify_probe",
    "reference_set_keys_of",
    "resolve_check",
    "resolve_home_operation",
    "run_preflight",
    "run_score",
    "scan_json",
    "score",
    "seal",
    "serialize_artifact",
    "stays_on_host",
    "validate_lineage_chain",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Door(ModuleType):
    """This module, where a public name that is also a subpackage's (``compile``, ``score``...) stays the public name."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Door
