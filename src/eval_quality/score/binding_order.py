"""The order in which captured values can be resolved (spec 09, section 4).

A step depends on the steps it captures from and on the one it comes after. Steps are laid out in tiers, each of which
depends on earlier tiers only; members of a cycle, and all that depends on them, are in no tier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from eval_quality.artifacts.plan import InteractionStep
from eval_quality.compile.captures import captured_bindings


class BindingOrder(NamedTuple):
    """Step identifiers in tiers, and those that no order suits; both as declared."""

    tiers: tuple[tuple[str, ...], ...]
    cyclic: tuple[str, ...]


def binding_order(plan: Sequence[InteractionStep]) -> BindingOrder:
    """Order the steps of a plan; entries of one identifier are one step, and what is not declared is no dependency."""
    depends: dict[str, set[str]] = {step["stepId"]: set() for step in plan}
    for step in plan:
        named = (*(binding.target.step_id for binding in captured_bindings(step)), step["after"])
        depends[step["stepId"]].update(each for each in named if each is not None and each in depends)
    dependents: dict[str, list[str]] = defaultdict(list)
    for step_id, sources in depends.items():
        for source in sources:
            dependents[source].append(step_id)
    position = {step_id: place for place, step_id in enumerate(depends)}
    missing = {step_id: len(sources) for step_id, sources in depends.items()}
    tiers: list[tuple[str, ...]] = []
    ready = [step_id for step_id, count in missing.items() if count == 0]
    while ready:
        tiers.append(tuple(ready))
        next_ready = []
        for dependent in (dependent for step_id in ready for dependent in dependents[step_id]):
            missing[dependent] -= 1
            if missing[dependent] == 0:
                next_ready.append(dependent)
        ready = sorted(next_ready, key=position.__getitem__)
    return BindingOrder(tuple(tiers), tuple(step_id for step_id, count in missing.items() if count > 0))
