"""Oracles carry both channels, and the direction tells nothing the check does not hold (spec 05, section 5.12; AD-3).

The direction is what the evaluator is told, the check is what scores the answer. Each evidence target of the direction
is read somewhere in the check, once bound elements are put in the place of ``@``; the relation named is one the check
uses; the two polarities agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eval_quality.errors import StructuralFailure
from eval_quality.expression_walk import pointers_of, substitute

from .paths import oracle_path

if TYPE_CHECKING:
    from eval_quality.artifacts.oracles import Oracle

    from .sites import Site
    from .subject import Subject


def check_channels(subject: Subject) -> Iterator[StructuralFailure]:
    """Every oracle has a direction and a check (row 16)."""
    for oracle in subject.contract["oracles"]:
        for channel in ("direction", "check"):
            if oracle[channel] is None:
                path = f"{oracle_path(oracle['id'])}.{channel}"
                yield StructuralFailure("oracle-missing-channel", path, f"omits its {channel} (AD-3)")


def check_alignment(subject: Subject) -> Iterator[StructuralFailure]:
    """Every direction agrees with the check of its oracle (row 17)."""
    for oracle, site in subject.oracles:
        if site is not None:
            for place, detail in _disagreements(oracle, site):
                path = f"{oracle_path(oracle['id'])}.direction.{place}"
                yield StructuralFailure("direction-check-misaligned", path, detail)


def _disagreements(oracle: Oracle, site: Site) -> Iterator[tuple[str, str]]:
    """Fields of a direction that disagree with the check, each with what is wrong."""
    direction = oracle["direction"]
    if direction is None:
        return
    read = {substitute(use.pointer, node.root) for node in site.nodes for use in pointers_of(node)}
    for target in direction["evidenceTargets"]:
        if target not in read:
            yield "evidenceTargets", f'"{target}" is not contained in check, even after quantifier substitution (AD-3)'
    if all(node.op != direction["relation"] for node in site.nodes):
        yield "relation", f'"{direction["relation"]}" does not appear anywhere in check (AD-3)'
    if direction["polarity"] != oracle["polarity"]:
        yield (
            "polarity",
            f'"{direction["polarity"]}" disagrees with the oracle\'s own polarity "{oracle["polarity"]}" (AD-3, AD-33)',
        )
