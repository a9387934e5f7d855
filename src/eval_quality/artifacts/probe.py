"""Probes: a system with a planted defect, or a clean control (spec 02, section 5)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .artifact_reference import ArtifactReference
from .constraints import Length, Tag
from .defect_signature import DefectSignature
from .lineage_fields import Lineage
from .primitives import BehaviorId, DefectId, Digest, NonEmptyText, ProbeId, Severity
from .probe_qualification import ProbeQualification
from .witnesses import ManifestationWitness

PROBE_SCHEMA_VERSION: Final = 6

ProbeClass = Literal["defect", "gameability", "zero-action", "canary"]
PROBE_CLASSES: Final[tuple[ProbeClass, ...]] = get_args(ProbeClass)


class Defect(TypedDict):
    """What was planted."""

    defectId: DefectId
    """Stable identifier."""
    behaviorId: BehaviorId
    """The behavior it breaks."""
    summary: NonEmptyText
    """What it is."""
    severity: Severity
    """How bad it is."""
    oracleEvidence: list[ArtifactReference]
    """Evidence that an oracle sees it."""
    source: Literal["natural", "controlled-mutation"]
    """Whether it grew or was planted."""
    manifestationWitness: ManifestationWitness | None
    """The exchange that shows it."""


class ProbeHead(Lineage):
    """What every probe carries."""

    probeId: ProbeId
    """Stable identifier."""
    probeClass: ProbeClass
    """What the probe is for."""
    behaviorId: BehaviorId
    """The behavior it tests the evaluation of."""
    systemId: NonEmptyText
    """The system under evaluation."""
    implementationDigest: Digest
    """Digest of the implementation."""
    artifactDigest: Digest
    """Digest of what is run."""
    commitDigest: Digest
    """Digest that names the commit."""
    rationale: NonEmptyText
    """Why this probe."""
    qualification: ProbeQualification
    """How it shows that it is fit."""


class CleanControlProbe(ProbeHead):
    """A system without a known defect."""

    expectedClean: Literal[True]
    """Says that no defect is known."""
    defects: Annotated[list[Defect], Length(maximum=0)]
    """Empty."""


class SeededProbe(ProbeHead):
    """A system with a defect."""

    expectedClean: Literal[False]
    """Says that the system is not expected to be clean."""
    defects: list[Defect]
    """What is planted."""
    defectSignature: DefectSignature | None
    """How the defect shows; null only for a canary."""


Probe = Annotated[CleanControlProbe | SeededProbe, Tag("expectedClean")]
