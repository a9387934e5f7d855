"""The thirteen interchange artifacts, by registry key (spec 01, section 13)."""

import importlib
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

InterchangeArtifactKey = Literal[
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
]
INTERCHANGE_ARTIFACT_KEYS: Final[tuple[InterchangeArtifactKey, ...]] = get_args(InterchangeArtifactKey)
NO_PRIOR_ART: Final = "no prior art"


@dataclass(frozen=True)
class RegisteredArtifact:
    """One entry of the registry."""

    key: InterchangeArtifactKey
    name: str
    prior_art: str = NO_PRIOR_ART
    lineage: bool = True

    def load(self) -> Any:
        """The artifact's type, from the module of the same name."""
        module = importlib.import_module(f"{__package__}.{self.key.replace('-', '_')}")
        return getattr(module, self.name)


ARTIFACT_REGISTRY: Final[dict[str, RegisteredArtifact]] = {
    entry.key: entry
    for entry in (
        RegisteredArtifact("eval-contract", "EvalContract", prior_art="eval-contract"),
        RegisteredArtifact("rubric", "Rubric"),
        RegisteredArtifact("sealed-evaluator-brief", "SealedEvaluatorBrief"),
        RegisteredArtifact("sealed-run-record", "SealedRunRecord", prior_art="h0-run-result"),
        RegisteredArtifact("isolation-manifest", "IsolationManifest", prior_art="isolation-manifest"),
        RegisteredArtifact("evaluator-configuration", "EvaluatorConfiguration"),
        RegisteredArtifact("probe", "Probe", prior_art="h0-ground-truth"),
        RegisteredArtifact("artifact-reference", "ArtifactReference", prior_art="artifact-ref", lineage=False),
        RegisteredArtifact(
            "private-artifact-manifest", "PrivateArtifactManifest", prior_art="private-evidence-manifest"
        ),
        RegisteredArtifact("preflight-verdict", "PreflightVerdict"),
        RegisteredArtifact("scoring-policy", "ScoringPolicy"),
        RegisteredArtifact("evidence-artifact", "EvidenceArtifact"),
        RegisteredArtifact("strength-aggregate", "StrengthAggregate"),
    )
}
