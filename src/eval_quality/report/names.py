"""What the contract calls things: oracles, behaviors and interfaces by their identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eval_quality.artifacts.eval_contract import Behavior, EvalContract
from eval_quality.artifacts.oracles import Oracle
from eval_quality.artifacts.sealed_evaluator_brief import SealedEvaluatorBrief


@dataclass(frozen=True)
class Names:
    """The contract's own names. Without a contract the brief tells the behaviors; without either, identifiers remain."""

    behaviors: Mapping[str, Behavior] = field(default_factory=dict)
    oracles: Mapping[str, Oracle] = field(default_factory=dict)
    behavior_by_oracle: Mapping[str, Behavior] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, contract: EvalContract | None, brief: SealedEvaluatorBrief | None) -> Names:
        behaviors = (contract or brief or {"behaviors": []})["behaviors"]
        by_oracle: dict[str, Behavior] = {}
        for behavior in behaviors:
            for oracle_id in behavior["oracles"]:
                by_oracle.setdefault(oracle_id, behavior)
        return cls(
            {behavior["id"]: behavior for behavior in behaviors},
            {oracle["id"]: oracle for oracle in contract["oracles"]} if contract else {},
            by_oracle,
            {each["oracleId"]: each["text"] for each in brief["directions"]} if brief else {},
        )

    def behavior(self, behavior_id: str) -> str:
        """A behavior in the author's words."""
        behavior = self.behaviors.get(behavior_id)
        return behavior_id if behavior is None else f"{behavior_id}, “{behavior['description']}”"

    def about(self, oracle_id: str) -> str | None:
        """What an oracle watches, in the author's words: its scope, or else the behavior it belongs to."""
        oracle = self.oracles.get(oracle_id)
        scope = oracle["direction"]["scope"] if oracle is not None and oracle["direction"] is not None else None
        if scope:
            return scope
        behavior = self.behavior_by_oracle.get(oracle_id)
        return (behavior["description"] or None) if behavior is not None else self.directions.get(oracle_id)

    def oracle(self, oracle_id: str) -> str:
        """An oracle with what it watches."""
        about = self.about(oracle_id)
        return oracle_id if about is None else f"{oracle_id} (“{about}”)"
