"""Taking in evidence artifacts one at a time (spec 10, sections 7 and 8.1).

The artifact is let go as soon as its row is kept. What is wrong with the evidence cannot be raised when it is met,
because a stale stamp of any artifact is told before an artifact that does not parse, and both before the floors, the
policy and any artifact that contradicts itself. So the first of each is kept until its turn comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
from eval_quality.artifacts.schema import issues_of
from eval_quality.artifacts.strength_aggregate import StrengthClassName
from eval_quality.canonical import digest_artifact, utf16_key
from eval_quality.errors import AggregationRefusal, Issue, RuntimeFault
from eval_quality.stamps import check_evidence_stamp

from .agreement import Place, Repetition, Terms
from .soundness import refuse_unsound, scored_classes


class Member(NamedTuple):
    """One scored probe of the run, as far as the aggregate counts it."""

    position: int
    probe_class: StrengthClassName | None
    run_id: str
    artifact_digest: str
    exercised: bool
    caught: bool
    comparable: bool


@dataclass
class Evidence:
    """The evidence taken in so far, and the first thing wrong with it of each sort."""

    count: int = 0
    members: dict[str, Member] = field(default_factory=dict)
    """By probe, in the order presented."""
    stated: dict[Terms, Place] = field(default_factory=dict)
    """The first artifact to state each combination of what all have to share."""
    repetition: Repetition | None = None
    stale: RuntimeFault | None = None
    issues: list[Issue] = field(default_factory=list)
    unsound: AggregationRefusal | RuntimeFault | None = None

    def take(self, value: Any, digest: str | None = None) -> None:
        """Take in one raw artifact; ``digest`` is its canonical digest, for a caller that has it already."""
        position = self.count
        self.count += 1
        if self.stale is not None:
            return
        try:
            check_evidence_stamp(value, position)
        except RuntimeFault as fault:
            self.stale = fault
            return
        artifact, issues = issues_of(EvidenceArtifact, value)
        self.issues += (Issue(f"/{position}{issue.pointer}", issue.message) for issue in issues)
        if self.issues or self.unsound is not None:
            return
        try:
            refuse_unsound(artifact, position)
            self._keep(artifact, position, digest or digest_artifact(artifact, "EvidenceArtifact"))
        except (AggregationRefusal, RuntimeFault) as error:
            self.unsound = error

    def _keep(self, artifact: EvidenceArtifact, position: int, digest: str) -> None:
        place, strength = Place(position, artifact["scoredProbeId"]), artifact["strength"]
        reduced = artifact["reducedProbeOutcomes"][0]
        terms = Terms(
            scoring_policy_digest=artifact["scoringVersionInputs"]["scoringPolicyDigest"],
            minimum_trial_count=artifact["trials"]["declaredMinimum"],
            catch_threshold=reduced["catchThreshold"],
            scoring_version=artifact["scoringVersion"],
            basis=strength["basis"],
            attested_inputs=tuple(sorted(artifact["callerAttestedInputs"], key=utf16_key)),
            mode=artifact["mode"],
        )
        self.stated.setdefault(terms, place)
        member = Member(
            position=position,
            probe_class=next(iter(scored_classes(artifact)), None),
            run_id=artifact["runId"],
            artifact_digest=digest,
            exercised=reduced["exercised"],
            caught=reduced["caught"],
            comparable=strength["comparable"],
        )
        earlier = self.members.setdefault(place.probe_id, member).position
        if earlier != position and self.repetition is None:
            self.repetition = Repetition(place, earlier)
