"""The stages of the pipeline and who produces which artifact, as data (spec 03, section 7).

Nothing at run time reads these tables; the documentation is made from them, and the repository's checks hold the code
to them: only stages whose edge is ``mints`` may write ``parentDigest`` or ``revisionCount``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from eval_quality.artifacts.registry import InterchangeArtifactKey

StageName = Literal["compile", "seal", "ingest", "preflight", "score", "emit", "aggregate"]
InternalProduct = Literal["probe-plan", "probe-observations", "validated-observations", "scored-outcomes-and-verdict"]
StageValueInput = Literal["mode", "corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest", "strengthFloors"]
LineageEdge = Literal["mints", "carries-through", "none"]
Producer = Literal[StageName, "caller", "embedded"]

INTERNAL_PRODUCTS: Final[tuple[InternalProduct, ...]] = get_args(InternalProduct)
STAGE_VALUE_INPUTS: Final[tuple[StageValueInput, ...]] = get_args(StageValueInput)


@dataclass(frozen=True)
class PipelineStage:
    """One stage: what it reads, what it owns, how it stands to lineage, and the package that writes what it owns.

    ``value_inputs`` are inputs that are no artifacts. ``owns_interchange`` is what the stage owns where that leaves the
    pipeline, none where it stays inside.
    """

    name: StageName
    inputs: tuple[InterchangeArtifactKey | InternalProduct, ...]
    value_inputs: tuple[StageValueInput, ...]
    owns: InterchangeArtifactKey | InternalProduct
    owns_interchange: InterchangeArtifactKey | None
    lineage: LineageEdge

    @property
    def package(self) -> str:
        """The package whose modules are the stage."""
        return f"eval_quality.{self.name}"


PIPELINE_STAGES: Final[tuple[PipelineStage, ...]] = (
    PipelineStage(
        name="compile",
        inputs=("eval-contract",),
        value_inputs=(),
        owns="eval-contract",
        owns_interchange="eval-contract",
        lineage="carries-through",
    ),
    PipelineStage(
        name="seal",
        inputs=("eval-contract",),
        value_inputs=(),
        owns="sealed-evaluator-brief",
        owns_interchange="sealed-evaluator-brief",
        lineage="mints",
    ),
    PipelineStage(
        name="ingest",
        inputs=("sealed-run-record", "isolation-manifest", "evaluator-configuration"),
        value_inputs=("mode",),
        owns="validated-observations",
        owns_interchange=None,
        lineage="none",
    ),
    PipelineStage(
        name="preflight",
        inputs=("eval-contract", "probe", "probe-plan", "probe-observations"),
        value_inputs=(),
        owns="preflight-verdict",
        owns_interchange="preflight-verdict",
        lineage="mints",
    ),
    PipelineStage(
        name="score",
        inputs=("eval-contract", "validated-observations", "probe", "preflight-verdict", "scoring-policy"),
        value_inputs=(),
        owns="scored-outcomes-and-verdict",
        owns_interchange=None,
        lineage="none",
    ),
    PipelineStage(
        name="emit",
        inputs=("scored-outcomes-and-verdict",),
        value_inputs=("corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest"),
        owns="evidence-artifact",
        owns_interchange="evidence-artifact",
        lineage="mints",
    ),
    PipelineStage(
        name="aggregate",
        inputs=("evidence-artifact", "scoring-policy"),
        value_inputs=("strengthFloors",),
        owns="strength-aggregate",
        owns_interchange="strength-aggregate",
        lineage="mints",
    ),
)
"""In the published order, which is not that of a run: the ``score`` command chains ingest, score and emit over a
verdict that pre-flight minted before."""

ARTIFACT_PRODUCERS: Final[Mapping[InterchangeArtifactKey, Producer]] = {
    "eval-contract": "compile",
    "rubric": "caller",
    "sealed-evaluator-brief": "seal",
    "sealed-run-record": "caller",
    "isolation-manifest": "caller",
    "evaluator-configuration": "caller",
    "probe": "caller",
    "artifact-reference": "embedded",
    "private-artifact-manifest": "caller",
    "preflight-verdict": "preflight",
    "scoring-policy": "caller",
    "evidence-artifact": "emit",
    "strength-aggregate": "aggregate",
}
"""Where each interchange artifact comes from; the contract is the caller's document and, once accepted, a stage's."""

LINEAGE_WRITERS: Final[tuple[str, ...]] = tuple(stage.package for stage in PIPELINE_STAGES if stage.lineage == "mints")
"""The packages that may write lineage fields."""
