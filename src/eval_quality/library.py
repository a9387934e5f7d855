"""The library's entry points: stages, and what goes with them, over typed models (spec 08, section 13.2).

Every argument that is an artifact, or a part of one, may be a model or a JSON value as a parser gives it; an artifact
comes back as a model. Each function is the one of its name inside the package with models around it, and raises what
that one raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict, cast

from eval_quality import stages

if TYPE_CHECKING:
    from eval_quality.abort import AbortSignal
    from eval_quality.artifacts.evidence_artifact import CheckResolution
    from eval_quality.artifacts.primitives import Severity
    from eval_quality.evaluate import PointerDenotesCollection, ReferenceSetKeys, ResolveOperand
    from eval_quality.lineage import LineageReport
    from eval_quality.models.base import ArtifactModel
    from eval_quality.models.eval_contract import EvalContract
    from eval_quality.models.evidence_artifact import EvidenceArtifact
    from eval_quality.models.preflight_verdict import PreflightVerdict
    from eval_quality.models.sealed_evaluator_brief import SealedEvaluatorBrief
    from eval_quality.models.strength_aggregate import StrengthAggregate
    from eval_quality.plan_index import PlanIndex
    from eval_quality.ports import CorpusPort, EnvironmentProbePort
    from eval_quality.score.dominance import DominanceRelation
    from eval_quality.score.home_operation import HomeOperation
    from eval_quality.score.qualification import QualificationResult
    from eval_quality.score.verdicts import LadderResolution
    from eval_quality.scoring import ScoreResult
    from eval_quality.stages import DiagnosticSink

    ArtifactInput = Mapping[str, Any] | ArtifactModel
    """An artifact as a model, or as a JSON value."""


class RunScoreResult(NamedTuple):
    """What a score came to: the artifact (none when Invalid), the ladder's verdict, and the probe's qualification."""

    artifact: EvidenceArtifact | None
    ladder: LadderResolution
    qualification: QualificationResult


class PreflightFromObservationsOptions(TypedDict):
    """Keyword arguments of ``preflight_from_observations``."""

    contract: ArtifactInput
    probes: Sequence[ArtifactInput]
    observations: Sequence[Mapping[str, Any]]
    run_id: str
    sink: NotRequired[DiagnosticSink | None]


class RunPreflightOptions(TypedDict):
    """Keyword arguments of ``run_preflight``."""

    contract: ArtifactInput
    probes: Sequence[ArtifactInput]
    run_id: str
    port: EnvironmentProbePort
    signal: NotRequired[AbortSignal | None]
    sink: NotRequired[DiagnosticSink | None]


class RunScoreOptions(TypedDict):
    """Keyword arguments of ``run_score``; ``score`` takes them without the last two."""

    record: ArtifactInput | Sequence[ArtifactInput]
    manifest: ArtifactInput | None
    configuration: ArtifactInput | None
    contract: ArtifactInput
    probe: ArtifactInput
    preflight_verdict: ArtifactInput
    policy: ArtifactInput
    corpus_digest: str
    private_manifest: NotRequired[ArtifactInput | None]
    designated_oracle_id: NotRequired[str | None]
    port: NotRequired[CorpusPort | None]
    signal: NotRequired[AbortSignal | None]


class AggregateStrengthOptions(TypedDict):
    """Keyword arguments of ``aggregate_strength``."""

    evidence: Sequence[ArtifactInput]
    floors: ArtifactInput
    policy: ArtifactInput


def _wire(value: Any) -> Any:
    """A JSON value: models, alone or in a list, become what they stand for."""
    if hasattr(value, "to_wire"):
        return value.to_wire()
    if isinstance(value, list | tuple):
        return [_wire(each) for each in value]
    return value


def _members(values: Mapping[str, Any]) -> dict[str, Any]:
    """Named values as JSON values."""
    return {name: _wire(value) for name, value in values.items()}


def compile(contract: ArtifactInput, *, strict: bool = True) -> EvalContract:
    """Check a contract against the schema and every discipline rule.

    ``strict`` adds the rules on undeclared inputs. Raises ``RuntimeFault`` for what is no contract of this version and
    ``StructuralFailure`` (see ``FAILURE_CODES``) with the first rule it breaks.
    """
    from eval_quality.models.eval_contract import EvalContract

    return EvalContract.from_wire(stages.compile(_wire(contract), strict=strict))


def seal(contract: ArtifactInput, *, strict: bool = True) -> SealedEvaluatorBrief:
    """Compile a contract and seal it into the brief an independent evaluator is given.

    Raises what ``compile`` raises, and ``RuntimeFault`` ``schema-parse-failure`` for a contract that compiles and cannot
    be told.
    """
    from eval_quality.models.sealed_evaluator_brief import SealedEvaluatorBrief

    return SealedEvaluatorBrief.from_wire(stages.seal(_wire(contract), strict=strict))


def preflight_from_observations(
    *,
    contract: ArtifactInput,
    probes: Sequence[ArtifactInput],
    observations: Sequence[Mapping[str, Any]],
    run_id: str,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Judge an environment from observations somebody made; a verdict that did not pass is returned, not raised.

    Raises ``RuntimeFault`` and ``StructuralFailure`` for inputs that nothing can be planned from.
    """
    from eval_quality.models.preflight_verdict import PreflightVerdict

    verdict = stages.preflight(
        contract=_wire(contract), probes=_wire(probes), observations=_wire(observations), run_id=run_id, sink=sink
    )
    return PreflightVerdict.from_wire(verdict)


async def run_preflight(
    *,
    contract: ArtifactInput,
    probes: Sequence[ArtifactInput],
    run_id: str,
    port: EnvironmentProbePort,
    signal: AbortSignal | None = None,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Judge an environment by probing it through a port, one leg after the other.

    Raises what ``preflight_from_observations`` raises, and the port's faults; no leg is issued after one.
    """
    from eval_quality.abort import AbortSignal
    from eval_quality.models.preflight_verdict import PreflightVerdict

    verdict = await stages.run_preflight(
        contract=_wire(contract),
        probes=_wire(probes),
        run_id=run_id,
        port=port,
        signal=signal or AbortSignal(),
        sink=sink,
    )
    return PreflightVerdict.from_wire(verdict)


def score(
    *,
    record: ArtifactInput | Sequence[ArtifactInput],
    manifest: ArtifactInput | None,
    configuration: ArtifactInput | None,
    contract: ArtifactInput,
    probe: ArtifactInput,
    preflight_verdict: ArtifactInput,
    policy: ArtifactInput,
    corpus_digest: str,
    private_manifest: ArtifactInput | None = None,
    designated_oracle_id: str | None = None,
) -> RunScoreResult:
    """Score the sealed records of one probe, where nothing private has to be resolved.

    ``record`` is one record or a list of trials. Raises ``RuntimeFault``, ``DesignatedOracleRefusal``, and
    ``PreconditionError`` for inputs that name a private reference.
    """
    return _scored(
        stages.score(
            record=_wire(record),
            manifest=_wire(manifest),
            configuration=_wire(configuration),
            contract=_wire(contract),
            probe=_wire(probe),
            preflight_verdict=_wire(preflight_verdict),
            policy=_wire(policy),
            private_manifest=_wire(private_manifest),
            corpus_digest=corpus_digest,
            designated_oracle_id=designated_oracle_id,
        )
    )


async def run_score(
    *,
    record: ArtifactInput | Sequence[ArtifactInput],
    manifest: ArtifactInput | None,
    configuration: ArtifactInput | None,
    contract: ArtifactInput,
    probe: ArtifactInput,
    preflight_verdict: ArtifactInput,
    policy: ArtifactInput,
    corpus_digest: str,
    private_manifest: ArtifactInput | None = None,
    designated_oracle_id: str | None = None,
    port: CorpusPort | None = None,
    signal: AbortSignal | None = None,
) -> RunScoreResult:
    """Score as ``score`` does, with a corpus that private references are resolved from and checked against.

    Raises ``RuntimeFault`` ``digest-mismatch`` for bytes that are not what was declared, and the port's own faults.
    """
    return _scored(
        await stages.run_score(
            record=_wire(record),
            manifest=_wire(manifest),
            configuration=_wire(configuration),
            contract=_wire(contract),
            probe=_wire(probe),
            preflight_verdict=_wire(preflight_verdict),
            policy=_wire(policy),
            private_manifest=_wire(private_manifest),
            corpus_digest=corpus_digest,
            designated_oracle_id=designated_oracle_id,
            port=port,
            signal=signal,
        )
    )


def _scored(result: ScoreResult) -> RunScoreResult:
    from eval_quality.models.evidence_artifact import EvidenceArtifact

    artifact = None if result.artifact is None else EvidenceArtifact.from_wire(result.artifact)
    return RunScoreResult(artifact, result.ladder, result.qualification)


def aggregate_strength(
    *, evidence: Sequence[ArtifactInput], floors: ArtifactInput, policy: ArtifactInput
) -> StrengthAggregate:
    """Catch rate by probe class over the evidence artifacts of a run, against declared floors.

    Raises ``RuntimeFault`` for inputs that cannot be read and ``AggregationRefusal`` for evidence that must not be
    combined. A floor that is not met is part of the answer.
    """
    from eval_quality.aggregate import aggregate_strength
    from eval_quality.models.strength_aggregate import StrengthAggregate

    return StrengthAggregate.from_wire(aggregate_strength(_wire(evidence), _wire(floors), _wire(policy)))


def qualify_probe(probe: ArtifactInput, home_operation: HomeOperation | None) -> QualificationResult:
    """Whether a probe is fit to test an evaluation, and every reason why not.

    ``home_operation`` is what ``resolve_home_operation`` finds for its signature, or ``None``. Raises ``RuntimeFault`` for
    what is no probe.
    """
    from eval_quality.artifacts.probe import Probe
    from eval_quality.artifacts.schema import parse
    from eval_quality.score.qualification import qualify_probe

    return qualify_probe(parse(Probe, _wire(probe), "Probe"), home_operation)


def resolve_home_operation(signature: ArtifactInput, interfaces: Sequence[ArtifactInput]) -> HomeOperation | None:
    """The operation a defect signature is about, among the interfaces of a contract."""
    from eval_quality.artifacts.defect_signature import DefectSignature
    from eval_quality.artifacts.interfaces import PermittedInterface
    from eval_quality.artifacts.schema import parse
    from eval_quality.score.home_operation import resolve_home_operation

    permitted = parse(list[PermittedInterface], _wire(list(interfaces)), "PermittedInterface[]")
    return resolve_home_operation(parse(DefectSignature, _wire(signature), "DefectSignature"), permitted)


def compare_dominance(a: ArtifactInput, b: ArtifactInput, severity_floor: Severity) -> DominanceRelation:
    """Which of two evidence artifacts shows the stronger evaluation, or that they do not compare."""
    from eval_quality.score.dominance import ComparableResult, compare_dominance

    return compare_dominance(cast(ComparableResult, _wire(a)), cast(ComparableResult, _wire(b)), severity_floor)


def serialize_artifact(artifact: ArtifactInput, artifact_path: str) -> str:
    """An artifact as a file holds it: canonical text (RFC 8785) and one line break."""
    from eval_quality.canonical import serialize_artifact

    return serialize_artifact(_wire(artifact), artifact_path)


def digest_artifact(artifact: Any, artifact_path: str) -> str:
    """The digest of an artifact's canonical text, ``sha256:`` and 64 hexadecimal digits."""
    from eval_quality.canonical import digest_artifact

    return digest_artifact(_wire(artifact), artifact_path)


def digest_composite(fields: Mapping[str, Any], artifact_path: str) -> str:
    """One digest over named values, under a protocol member that keeps it apart from any artifact's digest.

    Raises ``PreconditionError`` for no field or a field named ``protocol``, and what ``digest_artifact`` raises.
    """
    from eval_quality.canonical import digest_composite

    return digest_composite(_members(fields), artifact_path)


def validate_lineage_chain(
    artifacts: Sequence[ArtifactInput],
    *,
    artifact_path: str,
    accepted_schema_version: int,
    declared_revision_count: int,
    remediation_cap: int | None,
) -> LineageReport:
    """Report every defect of a chain of whole artifacts of one type, presented in any order.

    Raises ``PreconditionError`` for a declared count or a cap that is no non-negative safe integer, ``RuntimeFault``
    ``schema-version-mismatch`` for a member of another version, and what ``digest_artifact`` raises.
    """
    from eval_quality.lineage import validate_lineage_chain

    return validate_lineage_chain(
        _wire(list(artifacts)),
        artifact_path=artifact_path,
        accepted_schema_version=accepted_schema_version,
        declared_revision_count=declared_revision_count,
        remediation_cap=remediation_cap,
    )


def resolve_check(
    expression: ArtifactInput,
    resolve_operand: ResolveOperand,
    pointer_denotes_collection: PointerDenotesCollection,
    reference_set_keys: ReferenceSetKeys,
    regex_match_step_budget: int,
    artifact_path: str,
) -> CheckResolution:
    """Resolve one check to a tree of ``resolution``, ``introductionCondition`` and ``children``, a JSON value.

    Raises ``RuntimeFault`` (``non-canonicalizable-value``, ``operator-cannot-accept-operand``, ``budget-exhausted``) at
    ``artifact_path``, and ``PreconditionError`` for what a compiled contract rules out.
    """
    from eval_quality.evaluate import resolve_check

    return resolve_check(
        _wire(expression),
        resolve_operand,
        pointer_denotes_collection,
        reference_set_keys,
        regex_match_step_budget,
        artifact_path,
    )


def make_resolve_operand(
    step_observations: Mapping[str, ArtifactInput], reference_sets: Mapping[str, Sequence[Any]]
) -> ResolveOperand:
    """A resolver over the observation selected for each step and the members of each reference set.

    A step that is not in the mapping has no selected observation. The resolver raises ``PreconditionError`` for a
    pointer outside the grammar.
    """
    from eval_quality.evaluate import make_resolve_operand

    return make_resolve_operand(_members(step_observations), reference_sets)


def make_pointer_denotes_collection(
    contract: ArtifactInput, plan_index: PlanIndex | None = None
) -> PointerDenotesCollection:
    """Whether a contract declares a pointer a collection, as a function of the pointer.

    Without an index one is built when first needed, which raises ``PreconditionError`` for a repeated identifier.
    """
    from eval_quality.evaluate import make_pointer_denotes_collection

    return make_pointer_denotes_collection(_wire(contract), plan_index)


def reference_set_keys_of(contract: ArtifactInput) -> ReferenceSetKeys:
    """The keys each reference set of a contract declares; nothing for a contract without any."""
    from eval_quality.evaluate import reference_set_keys_of

    return reference_set_keys_of(_wire(contract))
