"""Each evidence artifact against itself (spec 10, section 8.1), before artifacts are held against anything else.

An artifact that contradicts itself was changed after it was scored. What no check can see: a change that leaves it
consistent, such as a vector moved to another class or nulled to read as a clean control, because an artifact states its
probe's class nowhere else; and the fields no check reads (``strength.denominator`` and ``note``, ``verdictBasis``,
``exitCode``, the verdict, coverage gaps, lineage). That is what an aggregate's ``aggregateAttestedInputs`` names; the
digests it records bind it to the files for whoever kept them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
from eval_quality.artifacts.strength_aggregate import STRENGTH_CLASS_NAMES, StrengthClassName
from eval_quality.errors import AggregationRefusal
from eval_quality.score.consistency import reduction_consistency_issues
from eval_quality.score.identity import comparability_key, scoring_version
from eval_quality.score.strength import Figures, class_strength_over, is_comparable

_CONTROL_STATES: Final = frozenset({"passed-clean-control", "false-positive"})

SoundnessCheck: TypeAlias = Callable[[EvidenceArtifact], str | None]
"""What is wrong with an artifact in one respect; nothing when it is sound in that respect."""


def refuse_unsound(artifact: EvidenceArtifact, position: int) -> None:
    """Raise ``AggregationRefusal`` ``strength-input-inconsistent`` for the first check an artifact fails."""
    for check in SOUNDNESS_CHECKS:
        detail = check(artifact)
        if detail is not None:
            raise AggregationRefusal("strength-input-inconsistent", evidence_path(position), detail)


def evidence_path(position: int) -> str:
    """How refusals name the artifact presented at a position."""
    return f"EvidenceArtifact[{position}]"


def scored_classes(artifact: EvidenceArtifact) -> list[StrengthClassName]:
    """The classes whose figures an artifact states: its probe's class, or none for a clean control and a canary."""
    vector = artifact["strength"]["vector"]
    return [name for name in STRENGTH_CLASS_NAMES if vector[name] is not None]


def _reduction_departs(artifact: EvidenceArtifact) -> str | None:
    issues = reduction_consistency_issues(
        artifact["scoredProbeId"], artifact["outcomes"], artifact["reducedProbeOutcomes"], artifact["trials"]
    )
    return f"{'.'.join(map(str, issues[0].path))}: {issues[0].message}" if issues else None


def _scoring_version_is_another(artifact: EvidenceArtifact) -> str | None:
    if artifact["scoringVersion"] == scoring_version(artifact["scoringVersionInputs"]):
        return None
    return f"scoringVersion is not the digest of its scoringVersionInputs ({artifact['scoredProbeId']})"


def _excludes_probes(artifact: EvidenceArtifact) -> str | None:
    excluded = artifact["excludedProbeIds"]
    if not excluded:
        return None
    names = ", ".join(excluded)
    return f"excludedProbeIds names {names}, but a scored probe is admitted ({artifact['scoredProbeId']})"


def _comparability_key_is_another(artifact: EvidenceArtifact) -> str | None:
    probe_id, policy_digest = artifact["scoredProbeId"], artifact["scoringVersionInputs"]["scoringPolicyDigest"]
    if artifact["comparabilityKey"] == comparability_key(policy_digest, [probe_id]):
        return None
    return f"comparabilityKey is not the digest of its scoring policy digest and its scored probe ({probe_id})"


def _comparable_disagrees(artifact: EvidenceArtifact) -> str | None:
    unreached = sum(outcome["state"] == "unreached" for outcome in artifact["outcomes"])
    if artifact["strength"]["comparable"] == is_comparable(artifact["trials"], unreached):
        return None
    return f"strength.comparable disagrees with its trials and outcomes ({artifact['scoredProbeId']})"


def _states_several_classes(artifact: EvidenceArtifact) -> str | None:
    classes = scored_classes(artifact)
    if len(classes) <= 1:
        return None
    names = " and ".join(classes)
    return f"strength.vector names {names}, but one artifact scores one probe ({artifact['scoredProbeId']})"


def _counts_a_control(artifact: EvidenceArtifact) -> str | None:
    if not any(outcome["state"] in _CONTROL_STATES for outcome in artifact["outcomes"]):
        return None
    for name in scored_classes(artifact):
        return (
            f"strength.vector.{name} counts a probe whose outcomes are a clean control's, which stays outside every "
            f"class ({artifact['scoredProbeId']})"
        )
    return None


def _figures_depart(artifact: EvidenceArtifact) -> str | None:
    probe_id, reduced = artifact["scoredProbeId"], artifact["reducedProbeOutcomes"][0]
    yielded = class_strength_over([probe_id], {probe_id: Figures(reduced["exercised"], reduced["caught"])})
    for name in scored_classes(artifact):
        if artifact["strength"]["vector"][name] != yielded:
            return f"strength.vector.{name} is not what the probe's own reduction yields ({probe_id})"
    return None


SOUNDNESS_CHECKS: Final[tuple[SoundnessCheck, ...]] = (
    _reduction_departs,  # also leaves exactly one reduced outcome, which later checks rely on
    _scoring_version_is_another,
    _excludes_probes,
    _comparability_key_is_another,
    _comparable_disagrees,
    _states_several_classes,
    _counts_a_control,
    _figures_depart,
)
"""In the order in which they refuse."""
