"""Evaluator configurations (spec 02, section 8)."""

from typing import Final, TypedDict

from .eval_contract import Budgets
from .lineage_fields import Lineage
from .primitives import Digest, JsonObjectValue, NonEmptyText

EVALUATOR_CONFIGURATION_SCHEMA_VERSION: Final = 1


class JudgeConfiguration(TypedDict):
    """The judge's model."""

    modelSnapshot: NonEmptyText
    """Its name."""
    systemPromptDigest: Digest | None
    """Its system prompt."""


class EvaluatorConfiguration(Lineage):
    """Who evaluated, and with what."""

    sealedBriefDigest: Digest
    """The brief it was given."""
    evaluatorIdentity: NonEmptyText
    """Its name."""
    modelSnapshot: NonEmptyText
    """Its model."""
    systemPromptDigest: Digest
    """Its system prompt."""
    decodingParameters: JsonObjectValue
    """How the model was sampled."""
    toolInventory: list[str]
    """Tools it had."""
    permissionInventory: list[str]
    """What it was allowed."""
    budgets: Budgets
    """What it might spend."""
    seed: int | None
    """Random seed."""
    judgeConfiguration: JudgeConfiguration | None
    """The judge, when there is one."""
