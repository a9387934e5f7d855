"""The contract under compilation, with what several checks look up in it.

Everything here is derived from the contract alone and computed at most once; checks share it and never change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from eval_quality.plan_index import PlanIndex, build_plan_index, key_of

from .captures import CapturedBinding, captured_bindings
from .paths import oracle_path, witness_path
from .sites import Site, WitnessSite
from .surface import Surface

if TYPE_CHECKING:
    from eval_quality.artifacts.eval_contract import EvalContract
    from eval_quality.artifacts.interfaces import AnyOperation
    from eval_quality.artifacts.oracles import Oracle
    from eval_quality.artifacts.plan import InteractionStep


class DeclaredOperation(NamedTuple):
    """An operation where the contract declares it."""

    interface_id: str
    operation: AnyOperation
    path: str
    """The operation by position, as paths into its witness begin."""


@dataclass(frozen=True)
class Subject:
    """A parsed contract, and the indexes its checks share."""

    contract: EvalContract

    @cached_property
    def plan(self) -> PlanIndex:
        """Steps and operations by identifier; one declared twice resolves to nothing."""
        return build_plan_index(
            self.contract["interactionPlan"], self.contract["permittedInterfaces"], duplicate_ids="unresolved"
        )

    @cached_property
    def operations(self) -> tuple[DeclaredOperation, ...]:
        """Every operation, in declaration order."""
        return tuple(self._operations())

    @cached_property
    def oracles(self) -> tuple[tuple[Oracle, Site | None], ...]:
        """Each oracle with the site of its check, if it has one."""
        return tuple(
            (
                oracle,
                None
                if oracle["check"] is None
                else Site(oracle["check"], oracle_path(oracle["id"]) + ".check", self.surface_of_step),
            )
            for oracle in self.contract["oracles"]
        )

    @cached_property
    def oracle_sites(self) -> tuple[Site, ...]:
        """The checks of all oracles that have one."""
        return tuple(site for _, site in self.oracles if site is not None)

    @cached_property
    def witness_sites(self) -> tuple[WitnessSite, ...]:
        """The relations of all sensitivity witnesses."""
        return tuple(self._witness_sites())

    @property
    def sites(self) -> tuple[Site, ...]:
        """Every expression of the contract: checks, then relations."""
        return self.oracle_sites + self.witness_sites

    @cached_property
    def captures(self) -> tuple[tuple[InteractionStep, tuple[CapturedBinding, ...]], ...]:
        """Each plan step with what it captures."""
        return tuple((step, tuple(captured_bindings(step))) for step in self.contract["interactionPlan"])

    def surface_of_step(self, step_id: str) -> Surface | None:
        """What a plan step exercises; ``None`` when the step or its operation does not resolve."""
        step = self.plan.step_of(step_id)
        return None if step is None else self.surface_exercised_by(step)

    def surface_exercised_by(self, step: InteractionStep) -> Surface | None:
        """What a step of the plan exercises, whether or not its identifier is unique."""
        operation = self.plan.any_operation_of(key_of(step))
        return None if operation is None else self.surface(operation)

    def surface(self, operation: AnyOperation) -> Surface:
        """What a declared operation shows and accepts."""
        return self._surfaces[id(operation)]

    @cached_property
    def _surfaces(self) -> dict[int, Surface]:
        return {id(declared.operation): Surface(declared.operation) for declared in self.operations}

    def _operations(self) -> Iterator[DeclaredOperation]:
        for i, interface in enumerate(self.contract["permittedInterfaces"]):
            operations: Sequence[AnyOperation] = interface["operations"]
            for j, operation in enumerate(operations):
                yield DeclaredOperation(interface["logicalId"], operation, witness_path(i, j))

    def _witness_sites(self) -> Iterator[WitnessSite]:
        for _, operation, path in self.operations:
            witness = operation["sensitivityWitness"]
            if witness is not None:
                surface = self.surface(operation)
                legs = {leg["legId"]: surface for leg in witness["legs"]}
                path += ".sensitivityWitness"
                yield WitnessSite(witness["relation"], path + ".relation", legs.get, witness, surface, path)
