"""Which artifact a JSON value is, by what it holds (never by the name of its file).

Every kind of artifact is told by keys that no other kind has together; the keys are those that all versions of the
kind share, so that a stale artifact is recognised and can be refused for its version. Two inputs of a run that are no
artifacts are recognised too: floors and observations. A report shows nothing of them, and a directory that holds a
whole run is still a fair thing to point at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from eval_quality import stamps
from eval_quality.artifacts.evidence_artifact import EVIDENCE_ARTIFACT_SCHEMA_VERSION
from eval_quality.artifacts.registry import InterchangeArtifactKey
from eval_quality.artifacts.sealed_evaluator_brief import SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION
from eval_quality.artifacts.strength_aggregate import STRENGTH_AGGREGATE_SCHEMA_VERSION, STRENGTH_CLASS_NAMES

Kind = Literal[InterchangeArtifactKey, "floors", "observations"]

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
    check = _STAMP_CHECKS.get(kind)
    if check is not None:
        check(value)


def _stamped(name: str, accepted: int) -> Callable[[object], None]:
    """The check of an artifact that the package writes, with the consequence for a report."""
    path, consequence = f"{name}.schemaVersion", "a report on it would show what this build does not define"
    return lambda value: stamps.check_stamp(value, accepted, path, consequence)


_STAMP_CHECKS: Final[Mapping[Kind, Callable[[object], None]]] = {
    "eval-contract": stamps.check_contract_stamp,
    "sealed-evaluator-brief": _stamped("SealedEvaluatorBrief", SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION),
    "sealed-run-record": partial(stamps.check_record_stamp, index=0),
    "isolation-manifest": stamps.check_isolation_manifest_stamp,
    "evaluator-configuration": stamps.check_evaluator_configuration_stamp,
    "probe": stamps.check_probe_stamp,
    "private-artifact-manifest": stamps.check_private_manifest_stamp,
    "preflight-verdict": stamps.check_preflight_verdict_stamp,
    "scoring-policy": stamps.check_scoring_policy_stamp,
    "evidence-artifact": _stamped("EvidenceArtifact", EVIDENCE_ARTIFACT_SCHEMA_VERSION),
    "strength-aggregate": _stamped("StrengthAggregate", STRENGTH_AGGREGATE_SCHEMA_VERSION),
}
"""Kinds that carry a version this build states."""
