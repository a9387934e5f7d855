"""Which artifact a JSON value is, by what it holds (never by the name of its file).

Every kind of artifact is told by keys that no other kind has together; the keys are those that all versions of the
kind share, so that a stale artifact is recognised and can be refused for its version. Two inputs of a run that are no
artifacts are recognised too: floors and observations. A report shows nothing of them, and a directory that holds a
whole run is still a fair thing to point at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from eval_quality.artifacts.evidence_artifact import EVIDENCE_ARTIFACT_SCHEMA_VERSION
from eval_quality.artifacts.strength_aggregate import STRENGTH_AGGREGATE_SCHEMA_VERSION, STRENGTH_CLASS_NAMES

Kind = Literal[
    "eval-contract",
    "rubric",
    "sealed-evaluator-brief",
    "sealed-run-record",
    "isolation-manifest",
    "evaluator-configuration",
    "probe",
    "artifact-reference",
    "private-artifact-manifest",
    "preflight-verdict",
    "scoring-policy",
    "evidence-artifact",
    "strength-aggregate",
    "floors",
    "observations",
]

DISTINGUISHING_KEYS: Final[Mapping[Kind, frozenset[str]]] = {
    "evidence-artifact": frozenset({"scoredProbeId", "verdictBasis"}),
    "strength-aggregate": frozenset({"classes", "floorDecisions"}),
    "preflight-verdict": frozenset({"checks", "passed"}),
    "sealed-evaluator-brief": frozenset({"directions", "contractDigest"}),
    "sealed-run-record": frozenset({"oracleDispositions", "observations"}),
    "eval-contract": frozenset({"behaviors", "permittedInterfaces", "oracles"}),
    "probe": frozenset({"probeClass", "qualification"}),
    "scoring-policy": frozenset({"policyId", "severityFloor"}),
    "isolation-manifest": frozenset({"forbiddenInputAccounting"}),
    "evaluator-configuration": frozenset({"evaluatorIdentity", "decodingParameters"}),
    "rubric": frozenset({"scaleLevels", "criteria"}),
    "private-artifact-manifest": frozenset({"entries"}),
    "artifact-reference": frozenset({"storage", "privateRef"}),
}
_OBSERVATION_KEYS: Final = frozenset({"probeId", "interfaceId", "operationId"})


class Recognised(NamedTuple):
    """A value and what it is."""

    kind: Kind
    value: Any


def recognise(value: object) -> list[Recognised]:
    """The artifacts a JSON value is: one for an object, several for a list of probes, none for what is no artifact."""
    if isinstance(value, dict):
        kind = _kind_of(value)
        return [] if kind is None else [Recognised(kind, value)]
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        if all(_kind_of(each) == "probe" for each in value):
            return [Recognised("probe", each) for each in value]
        if all(each.keys() >= _OBSERVATION_KEYS for each in value):
            return [Recognised("observations", value)]
    return []


def _kind_of(value: dict[str, Any]) -> Kind | None:
    for kind, keys in DISTINGUISHING_KEYS.items():
        if value.keys() >= keys:
            return kind
    if value and value.keys() <= set(STRENGTH_CLASS_NAMES):
        return "floors"
    return None


def check_stamp_of(kind: Kind, value: Any) -> None:
    """Refuse an artifact stamped for another version; raises ``RuntimeFault`` ``schema-version-mismatch``."""
    from eval_quality import stamps

    match kind:
        case "eval-contract":
            stamps.check_contract_stamp(value)
        case "preflight-verdict":
            stamps.check_preflight_verdict_stamp(value)
        case "scoring-policy":
            stamps.check_scoring_policy_stamp(value)
        case "probe":
            stamps.check_probe_stamp(value)
        case "sealed-run-record":
            stamps.check_record_stamp(value, 0)
        case "isolation-manifest":
            stamps.check_isolation_manifest_stamp(value)
        case "evaluator-configuration":
            stamps.check_evaluator_configuration_stamp(value)
        case "private-artifact-manifest":
            stamps.check_private_manifest_stamp(value)
        case "sealed-evaluator-brief":
            from eval_quality.artifacts.sealed_evaluator_brief import SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION as accepted

            stamps.check_stamp(value, accepted, "SealedEvaluatorBrief.schemaVersion", _MISREAD)
        case "evidence-artifact":
            stamps.check_stamp(value, EVIDENCE_ARTIFACT_SCHEMA_VERSION, "EvidenceArtifact.schemaVersion", _MISREAD)
        case "strength-aggregate":
            stamps.check_stamp(value, STRENGTH_AGGREGATE_SCHEMA_VERSION, "StrengthAggregate.schemaVersion", _MISREAD)
        case _:
            pass


_MISREAD: Final = "a report on it would show what this build does not define"
