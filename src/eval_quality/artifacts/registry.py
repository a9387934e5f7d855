"""The thirteen interchange artifacts, by registry key (spec 01, section 13)."""

import importlib
from collections.abc import Mapping
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


@dataclass(frozen=True)
class RegisteredArtifact:
    """One entry of the registry: ``eval-contract`` is ``EvalContract`` in the module ``eval_contract``."""

    key: InterchangeArtifactKey

    @property
    def name(self) -> str:
        """The name of the artifact's type."""
        return "".join(word.capitalize() for word in self.key.split("-"))

    def load(self) -> Any:
        """The artifact's type, from the module of the same name."""
        module = importlib.import_module(f"{__package__}.{self.key.replace('-', '_')}")
        return getattr(module, self.name)


ARTIFACT_REGISTRY: Final[Mapping[str, RegisteredArtifact]] = {
    key: RegisteredArtifact(key) for key in INTERCHANGE_ARTIFACT_KEYS
}
