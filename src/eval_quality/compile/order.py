"""The order of the checks, which is their only priority (spec 05, section 4).

A contract with several defects is refused for the one whose check comes first. A check is a generator of failures in
the order it meets them, over a shared ``Subject``; compilation raises the first failure of the first check that has
one, and what a check would yield after it is never asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from eval_quality.errors import StructuralFailure
from eval_quality.stamps import check_contract_stamp

from . import (
    alignment,
    artifact_references,
    behaviors,
    bindings,
    declarations,
    inventory,
    legality,
    mandatory_inputs,
    patterns,
    plan_graph,
    reachability,
    rubrics,
    step_references,
    witnesses,
)
from .subject import Subject

if TYPE_CHECKING:
    from eval_quality.artifacts.eval_contract import EvalContract


class Check(NamedTuple):
    """One row of the order."""

    name: str
    failures: Callable[[Subject], Iterator[StructuralFailure]]
    strict_only: bool = False


CHECKS: Final = (
    Check("duplicate interface identifier", inventory.check_interface_identifiers),
    Check("requirement linkage", behaviors.check_linkage),
    Check("observable success criterion", behaviors.check_success_criteria),
    Check("artifact references", artifact_references.check_artifact_references),
    Check("evidence reachability", reachability.check_evidence),
    Check("captured reachability", bindings.check_captures),
    Check("bound-element scope", legality.check_bound_elements),
    Check("operand legality", legality.check_operands),
    Check("regex constructs", patterns.check_patterns),
    Check("quantifier over non-collection", legality.check_quantified_collections),
    Check("quantifier nesting", legality.check_quantifier_nesting),
    Check("reference-set resolution", legality.check_reference_sets),
    Check("duplicate operation signature", inventory.check_signatures),
    Check("undeclared mandatory input", mandatory_inputs.check_bound_inputs, strict_only=True),
    Check("sensitivity witness declared", witnesses.check_witnesses_declared, strict_only=True),
    Check("oracle channel", alignment.check_channels),
    Check("oracle alignment", alignment.check_alignment),
    Check("interface kind", inventory.check_interface_kinds),
    Check("nested temporal clause", plan_graph.check_temporal_clauses),
    Check("scripting bound", plan_graph.check_scripting_bound),
    Check("binding cycle", bindings.check_cycles),
    Check("captured channel", bindings.check_captured_channels),
    Check("rubric identifiers", rubrics.check_identifiers),
    Check("rubric reasoning prose", rubrics.check_reasoning_prose),
    Check("rubric anchoring", rubrics.check_anchoring),
    Check("rubric evidence reachability", rubrics.check_criterion_evidence),
    Check("forbidden-input floor", declarations.check_forbidden_inputs),
    Check("excluded content", declarations.check_excluded_content),
    Check("scoped resource references", declarations.check_scoped_resources),
    Check("waiver completeness", declarations.check_waivers),
    Check("step-reference reducibility", step_references.check_step_references),
    Check("witness leg identifiers", witnesses.check_leg_identifiers),
    Check("witness legality and fixture reset", witnesses.check_witnesses),
)
"""Rows 2 to 33 of the order; row 1 is the version stamp."""


def compile_contract(contract: EvalContract, *, strict: bool = True) -> EvalContract:
    """Hold a parsed contract to every discipline rule and return it, unchanged.

    ``strict`` adds the two checks on undeclared inputs. Raises ``StructuralFailure`` with the first defect in the
    order; ``RuntimeFault`` for a stale version stamp or a reference-set key that has no digest; ``PreconditionError``
    for a nested quantifier whose pointers address no evidence channel (spec 05, section 7).
    """
    check_contract_stamp(contract)
    subject = Subject(contract)
    for check in CHECKS:
        if strict or not check.strict_only:
            raise_first(check.failures(subject))
    return contract


def raise_first(failures: Iterable[StructuralFailure]) -> None:
    """Raise the first failure there is."""
    for failure in failures:
        raise failure
