"""The inputs of a score: read in a fixed order, checked against the corpus, handed to the stages (spec 08, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evaluator_configuration import EvaluatorConfiguration
from eval_quality.artifacts.isolation_manifest import IsolationManifest
from eval_quality.artifacts.preflight_verdict import PreflightVerdict
from eval_quality.artifacts.primitives import Digest
from eval_quality.artifacts.private_artifact_manifest import PrivateArtifactManifest
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.schema import parse
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.canonical import digest_bytes
from eval_quality.errors import DesignatedOracleRefusal, PreconditionError, RuntimeFault
from eval_quality.sealed_records import SealedRecords
from eval_quality.stamps import (
    check_contract_stamp,
    check_evaluator_configuration_stamp,
    check_isolation_manifest_stamp,
    check_preflight_verdict_stamp,
    check_private_manifest_stamp,
    check_probe_stamp,
    check_scoring_policy_stamp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eval_quality.abort import AbortSignal
    from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
    from eval_quality.ports import CorpusPort
    from eval_quality.score.qualification import QualificationResult
    from eval_quality.score.verdicts import LadderResolution


class ScoreResult(NamedTuple):
    """What a score came to: the artifact (none when Invalid), the ladder's verdict, and the probe's qualification."""

    artifact: EvidenceArtifact | None
    ladder: LadderResolution
    qualification: QualificationResult


@dataclass(frozen=True)
class ScoringInputs:
    """Parsed inputs."""

    records: SealedRecords
    manifest: IsolationManifest | None
    configuration: EvaluatorConfiguration | None
    contract: EvalContract
    probe: Probe
    preflight_verdict: PreflightVerdict
    policy: ScoringPolicy
    private_manifest: PrivateArtifactManifest | None
    corpus_digest: str
    designated_oracle_id: str | None

    @classmethod
    def read(
        cls,
        *,
        record: object,
        manifest: object,
        configuration: object,
        contract: object,
        probe: object,
        preflight_verdict: object,
        policy: object,
        private_manifest: object,
        corpus_digest: object,
        designated_oracle_id: str | None,
    ) -> ScoringInputs:
        """Stamp and parse every input; the first failure wins.

        Raises ``RuntimeFault`` (``schema-version-mismatch``, ``schema-parse-failure``) and ``DesignatedOracleRefusal``.
        """
        from eval_quality.score.designation import check_designated_oracle

        records = SealedRecords.of(record)
        records.check()
        inputs = cls(
            records=records,
            manifest=_read(IsolationManifest, manifest, check_isolation_manifest_stamp, optional=True),
            configuration=_read(
                EvaluatorConfiguration, configuration, check_evaluator_configuration_stamp, optional=True
            ),
            contract=_read(EvalContract, contract, check_contract_stamp),
            probe=_read(Probe, probe, check_probe_stamp, name="Probe"),
            preflight_verdict=_read(PreflightVerdict, preflight_verdict, check_preflight_verdict_stamp),
            policy=_read(ScoringPolicy, policy, check_scoring_policy_stamp),
            private_manifest=_read(
                PrivateArtifactManifest, private_manifest, check_private_manifest_stamp, optional=True
            ),
            corpus_digest=parse(Digest, corpus_digest, "ScoringVersionInputs.corpusDigest"),
            designated_oracle_id=designated_oracle_id,
        )
        if designated_oracle_id is not None:
            refusal = check_designated_oracle(inputs.contract, inputs.probe, designated_oracle_id)
            if refusal is not None:
                raise DesignatedOracleRefusal(refusal)
        return inputs

    def _private_records(self) -> Iterator[tuple[str, str, str]]:
        """Records whose isolation manifest is private: artifact path, reference, declared digest."""
        trials = self.records.trials
        for trial in trials:
            reference = trial.isolation_manifest
            if reference["storage"] == "private":
                place = f"[trialIndex={trial.trial_index}]" if len(trials) > 1 else ""
                path = f"SealedRunRecord{place}.isolationManifestArtifact"
                yield path, reference["privateRef"], reference["digest"]

    def refuse_private_references(self) -> None:
        """Raise ``PreconditionError`` when something private would have to be resolved."""
        if self.private_manifest is not None and self.private_manifest["entries"]:
            raise _no_port("PrivateArtifactManifest")
        for path, _, _ in self._private_records():
            raise _no_port(path)

    async def check_private_references(self, port: CorpusPort | None, signal: AbortSignal) -> None:
        """Resolve everything private, one after the other, and compare its digest with the declared one.

        Raises ``RuntimeFault`` ``digest-mismatch``, the port's faults, and ``PreconditionError`` without a port.
        """
        from eval_quality.emit import check_private_artifact_digests

        if self.private_manifest is not None and self.private_manifest["entries"]:
            resolved = {}
            for entry in self.private_manifest["entries"]:
                reference = entry["privateRef"]
                resolved[reference] = await _digest_of(port, reference, "PrivateArtifactManifest", signal)
            check_private_artifact_digests(self.private_manifest, resolved)
        for path, reference, declared in self._private_records():
            found = await _digest_of(port, reference, path, signal)
            if found != declared:
                detail = f'declares digest "{declared}", but the resolved bytes digest to "{found}"'
                raise RuntimeFault("digest-mismatch", path, detail)

    def score(self) -> ScoreResult:
        """Ingest and score one record after the other, and write the evidence artifact where there is a verdict."""
        from eval_quality.emit import emit
        from eval_quality.ingest import ingest
        from eval_quality.score.stage import score

        scored = score(
            self.contract,
            (ingest(record, self.manifest, self.configuration) for record in self.records),
            self.probe,
            self.preflight_verdict,
            self.policy,
            designated_oracle_id=self.designated_oracle_id,
            judge_results_unscored=any(trial.has_unscored_judge_result for trial in self.records.trials),
        )
        artifact = None
        if scored.ladder.verdict is not None:
            artifact = emit(
                scored,
                self.corpus_digest,
                self.preflight_verdict["fixtureDigest"],
                self.records.trials[0].evaluator_configuration_digest,
            )
        return ScoreResult(artifact, scored.ladder, scored.probe_qualification)


def _read(
    annotation: Any,
    value: object,
    check_stamp: Callable[[object], None],
    *,
    name: str | None = None,
    optional: bool = False,
) -> Any:
    """A stamped and parsed input; ``name`` is that of an annotation that has none of its own."""
    if optional and value is None:
        return None
    check_stamp(value)
    return parse(annotation, value, name or annotation.__name__)


def _no_port(path: str) -> PreconditionError:
    return PreconditionError(f"runScore(): {path} names a private reference, but no CorpusPort was supplied")


async def _digest_of(port: CorpusPort | None, reference: str, path: str, signal: AbortSignal) -> str:
    from eval_quality.artifacts.port_messages import CorpusResolveRequest
    from eval_quality.ports import corpus_resolve_parsers, invoke_port

    if port is None:
        raise _no_port(path)
    response = await invoke_port(
        port.resolve,
        CorpusResolveRequest(privateRef=reference),
        corpus_resolve_parsers,
        signal,
        request_path="CorpusResolveRequest",
        response_path="CorpusResolveResponse",
    )
    return digest_bytes(response["bytes"])
