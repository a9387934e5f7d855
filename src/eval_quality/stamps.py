"""Version stamps: what an artifact's ``schemaVersion`` must be, read before the artifact is parsed (AD-11).

1. A stamp is read off the raw value: only an object has one, and only a number counts. Whatever else stands there is
   the parse's to report.
2. A stamp other than the accepted one is a ``RuntimeFault`` ``schema-version-mismatch``, never a structural failure;
   the reader names what would go wrong if the artifact were read all the same.

One function for each artifact the package reads (spec 05 section 3, spec 08 section 4). The accepted versions live
beside the artifacts, so each function loads only the module it names.
"""

from __future__ import annotations

from eval_quality.errors import RuntimeFault

__all__ = [
    "check_contract_stamp",
    "check_evaluator_configuration_stamp",
    "check_evidence_stamp",
    "check_isolation_manifest_stamp",
    "check_preflight_verdict_stamp",
    "check_private_manifest_stamp",
    "check_probe_stamp",
    "check_record_stamp",
    "check_scoring_policy_stamp",
    "check_stamp",
]


def check_stamp(artifact: object, accepted: int, artifact_path: str, consequence: str) -> None:
    """Refuse a raw artifact stamped for another version than ``accepted``.

    ``consequence`` completes the sentence that says why no other version is read. Raises ``RuntimeFault``
    ``schema-version-mismatch`` at ``artifact_path``.
    """
    stamped = _number(artifact, "schemaVersion")
    if stamped is not None and stamped != accepted:
        from eval_quality.canonical import number_text

        raise RuntimeFault(
            "schema-version-mismatch",
            artifact_path,
            f'carries "schemaVersion" {number_text(stamped)} where this build reads {accepted}; an artifact written '
            f"for another version is not read leniently, {consequence} (AD-11)",
        )


def check_contract_stamp(contract: object) -> None:
    """Check the stamp of an evaluation contract; compile, seal, pre-flight and score read it first."""
    from eval_quality.artifacts.eval_contract import EVAL_CONTRACT_SCHEMA_VERSION

    check_stamp(
        contract,
        EVAL_CONTRACT_SCHEMA_VERSION,
        "EvalContract.schemaVersion",
        "since its stale version would travel into the scoring version",
    )


def check_record_stamp(record: object, index: int) -> None:
    """Check the stamp of the sealed run record at ``index``; its path names the trial when the record does."""
    from eval_quality.artifacts.sealed_run_record import SEALED_RUN_RECORD_SCHEMA_VERSION
    from eval_quality.canonical import number_text

    trial = _number(record, "trialIndex")
    place = f"index={index}" if trial is None else f"trialIndex={number_text(trial)}"
    check_stamp(
        record,
        SEALED_RUN_RECORD_SCHEMA_VERSION,
        f"SealedRunRecord[{place}].schemaVersion",
        "a record written for another version would be scored under a shape this build does not define",
    )


def check_isolation_manifest_stamp(manifest: object) -> None:
    """Check the stamp of an isolation manifest; a null one has none."""
    from eval_quality.artifacts.isolation_manifest import ISOLATION_MANIFEST_SCHEMA_VERSION

    check_stamp(
        manifest,
        ISOLATION_MANIFEST_SCHEMA_VERSION,
        "IsolationManifest.schemaVersion",
        "a manifest written for another version would be checked for isolation violations under a shape this build "
        "does not define",
    )


def check_evaluator_configuration_stamp(configuration: object) -> None:
    """Check the stamp of an evaluator configuration; a null one has none."""
    from eval_quality.artifacts.evaluator_configuration import EVALUATOR_CONFIGURATION_SCHEMA_VERSION

    check_stamp(
        configuration,
        EVALUATOR_CONFIGURATION_SCHEMA_VERSION,
        "EvaluatorConfiguration.schemaVersion",
        "a configuration written for another version would be ingested under a shape this build does not define",
    )


def check_probe_stamp(probe: object) -> None:
    """Check the stamp of a probe; its path names the probe when the probe has a textual ``probeId``."""
    from eval_quality.artifacts.probe import PROBE_SCHEMA_VERSION

    identifier = probe.get("probeId") if isinstance(probe, dict) else None
    check_stamp(
        probe,
        PROBE_SCHEMA_VERSION,
        f"Probe[probeId={identifier}].schemaVersion" if isinstance(identifier, str) else "Probe.schemaVersion",
        "since the stamp says which shapes the probe was authored against: the qualification record on every probe, "
        "and the witness legs and the defect signature grammar on a seeded one",
    )


def check_preflight_verdict_stamp(verdict: object) -> None:
    """Check the stamp of a pre-flight verdict."""
    from eval_quality.artifacts.preflight_verdict import PREFLIGHT_VERDICT_SCHEMA_VERSION

    check_stamp(
        verdict,
        PREFLIGHT_VERDICT_SCHEMA_VERSION,
        "PreflightVerdict.schemaVersion",
        "a verdict written for another version would gate the run under a shape this build does not define",
    )


def check_scoring_policy_stamp(policy: object) -> None:
    """Check the stamp of a scoring policy."""
    from eval_quality.artifacts.scoring_policy import SCORING_POLICY_SCHEMA_VERSION

    check_stamp(
        policy,
        SCORING_POLICY_SCHEMA_VERSION,
        "ScoringPolicy.schemaVersion",
        "a policy written for another version would be applied under thresholds and caps this build does not define",
    )


def check_private_manifest_stamp(manifest: object) -> None:
    """Check the stamp of a private artifact manifest; a null one has none."""
    from eval_quality.artifacts.private_artifact_manifest import PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION

    check_stamp(
        manifest,
        PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION,
        "PrivateArtifactManifest.schemaVersion",
        "a manifest written for another version would be checked against the corpus under a shape this build does not "
        "define",
    )


def check_evidence_stamp(evidence: object, index: int) -> None:
    """Check the stamp of the evidence artifact at ``index`` of an aggregation."""
    from eval_quality.artifacts.evidence_artifact import EVIDENCE_ARTIFACT_SCHEMA_VERSION

    check_stamp(
        evidence,
        EVIDENCE_ARTIFACT_SCHEMA_VERSION,
        f"EvidenceArtifact[{index}].schemaVersion",
        "a class rate over a stale evidence artifact would rest on a reduction this build does not define",
    )


def _number(artifact: object, key: str) -> float | None:
    """A key of a raw artifact, if the artifact is an object and the value is a number; a boolean is none."""
    value = artifact.get(key) if isinstance(artifact, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
