"""The seven discipline rules as a table, and the gaps they find in a contract (spec 04, sections 6 and 9)."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, get_args

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import CoverageGap
from eval_quality.artifacts.primitives import SEVERITY_LEVELS, Severity

from . import relevance, satisfaction
from .declared import DeclaredContract
from .relevance import Relevance, RelevancePredicate
from .satisfaction import Satisfaction, SatisfactionPredicate

DisciplineRule = Literal[
    "success-indicator-separation",
    "whole-body",
    "malformed-input",
    "per-record",
    "sibling-cross-check",
    "omission-and-completeness",
    "state-change-read-back",
]
DISCIPLINE_RULES: Final[tuple[DisciplineRule, ...]] = get_args(DisciplineRule)


class RuleEntry(NamedTuple):
    """One rule: when it applies, and when it is satisfied."""

    rule: DisciplineRule
    relevant: RelevancePredicate
    satisfied: SatisfactionPredicate


RULES: Final[tuple[RuleEntry, ...]] = (
    RuleEntry(
        "success-indicator-separation",
        relevance.success_indicator_separation,
        satisfaction.success_indicator_separation,
    ),
    RuleEntry("whole-body", relevance.whole_body, satisfaction.whole_body),
    RuleEntry("malformed-input", relevance.malformed_input, satisfaction.malformed_input),
    RuleEntry("per-record", relevance.per_record, satisfaction.per_record),
    RuleEntry("sibling-cross-check", relevance.sibling_cross_check, satisfaction.sibling_cross_check),
    RuleEntry("omission-and-completeness", relevance.omission_and_completeness, satisfaction.omission_and_completeness),
    RuleEntry("state-change-read-back", relevance.state_change_read_back, satisfaction.state_change_read_back),
)


def coverage_relevance(contract: EvalContract) -> dict[DisciplineRule, Relevance]:
    """For each rule, in order, whether the contract is subject to it, and why."""
    declared = DeclaredContract(contract)
    return {entry.rule: entry.relevant(declared) for entry in RULES}


def coverage_satisfaction(contract: EvalContract) -> dict[DisciplineRule, Satisfaction]:
    """For each rule, in order, whether the contract satisfies it, and why."""
    declared = DeclaredContract(contract)
    return {entry.rule: entry.satisfied(declared) for entry in RULES}


def coverage_severity(contract: EvalContract) -> Severity:
    """The severity of a gap: the highest of the contract's behaviors."""
    return max((behavior["severity"] for behavior in contract["behaviors"]), key=SEVERITY_LEVELS.index)


def evaluate_coverage(contract: EvalContract) -> list[CoverageGap]:
    """One record for each rule that applies and is not satisfied, in rule order; waivers are not consulted here."""
    declared, severity = DeclaredContract(contract), coverage_severity(contract)
    return [
        {
            "rule": entry.rule,
            "relevancePredicate": f"{entry.rule}-relevance",
            "satisfactionPredicate": f"{entry.rule}-satisfaction",
            "satisfied": False,
            "severity": severity,
        }
        for entry in RULES
        if entry.relevant(declared).relevant and not entry.satisfied(declared).satisfied
    ]
