"""The aggregate itself: figures by class, floor decisions, and what went in (spec 10, sections 8.4 to 8.6).

Inputs stand in the order of their probes, so the order in which artifacts were presented never shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from eval_quality.artifacts.schema import issues_of
from eval_quality.artifacts.strength_aggregate import (
    AGGREGATE_ATTESTED_INPUTS,
    STRENGTH_AGGREGATE_SCHEMA_VERSION,
    STRENGTH_CLASS_NAMES,
    AggregatedClass,
    AggregatedClasses,
    AggregateInput,
    FloorDecisions,
    StrengthAggregate,
    StrengthClassName,
    StrengthFloors,
)
from eval_quality.canonical import utf16_key
from eval_quality.errors import PreconditionError
from eval_quality.score.identity import comparability_key
from eval_quality.score.strength import class_strength_over
from eval_quality.version import VERSION

from .agreement import Terms
from .evidence import Member
from .floors import decide_floor


def assemble(
    members: Mapping[str, Member], terms: Terms, floors: StrengthFloors, policy_digest: str
) -> StrengthAggregate:
    """The aggregate over probes that were found sound and in agreement; ``terms`` are what all of them share."""
    figures = {name: class_figures(members, name) for name in STRENGTH_CLASS_NAMES}
    decisions = {name: decide_floor(floors.get(name), figures[name]) for name in STRENGTH_CLASS_NAMES}
    aggregate: StrengthAggregate = {
        "schemaVersion": STRENGTH_AGGREGATE_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "engineVersion": VERSION,
        "mode": terms.mode,
        "scoringVersion": terms.scoring_version,
        "scoringPolicyDigest": policy_digest,
        "comparabilityKey": comparability_key(policy_digest, members),
        "basis": terms.basis,
        "minimumTrialCount": terms.minimum_trial_count,
        "callerAttestedInputs": list(terms.attested_inputs),
        "aggregateAttestedInputs": list(AGGREGATE_ATTESTED_INPUTS),
        "inputs": [_input(probe_id, members[probe_id]) for probe_id in sorted(members, key=utf16_key)],
        "classes": cast(AggregatedClasses, figures),
        "floorDecisions": cast(FloorDecisions, decisions),
    }
    return _conforming(aggregate)


def class_figures(members: Mapping[str, Member], name: StrengthClassName) -> AggregatedClass | None:
    """Catch rate of one class over its probes; none for a class without any."""
    of_class = [probe_id for probe_id, member in members.items() if member.probe_class == name]
    strength = class_strength_over(of_class, members)
    if strength is None:
        return None
    return {
        "caught": strength["caught"],
        "exercised": strength["exercised"],
        "rate": strength["rate"],
        "eligible": len(of_class),
        "comparable": all(members[probe_id].comparable for probe_id in of_class),
    }


def _input(probe_id: str, member: Member) -> AggregateInput:
    return {
        "probeId": probe_id,
        "probeClass": member.probe_class,
        "runId": member.run_id,
        "artifactDigest": member.artifact_digest,
    }


def _conforming(aggregate: StrengthAggregate) -> StrengthAggregate:
    """The aggregate in normal form; what does not conform here is a defect of this package, not of an input."""
    conforming: StrengthAggregate
    conforming, issues = issues_of(StrengthAggregate, aggregate)
    if issues:
        place = issues[0].pointer.removeprefix("/").replace("/", ".")
        complaint = "aggregateStrength(): assembled an aggregate that failed StrengthAggregate validation"
        raise PreconditionError(f'{complaint}, first at "{place}"', issues)
    return conforming
