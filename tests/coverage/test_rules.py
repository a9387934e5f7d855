"""The table of rules, and the gaps it finds."""

from __future__ import annotations

from typing import Any

from eval_quality.coverage import DISCIPLINE_RULES, coverage_relevance, coverage_satisfaction, evaluate_coverage
from eval_quality.coverage.rules import RULES, coverage_severity
from tests.contracts import minimal_contract


def test_the_table_holds_each_rule_once_in_order() -> None:
    assert tuple(entry.rule for entry in RULES) == DISCIPLINE_RULES
    contract: Any = minimal_contract()
    assert tuple(coverage_relevance(contract)) == tuple(coverage_satisfaction(contract)) == DISCIPLINE_RULES


def test_a_gap_is_a_relevant_rule_that_is_not_satisfied() -> None:
    contract: Any = minimal_contract()
    assert [gap["rule"] for gap in evaluate_coverage(contract)] == [*DISCIPLINE_RULES]
    groups: Any = minimal_contract(siblingGroups={"operations": [], "parameters": []})
    assert [gap["rule"] for gap in evaluate_coverage(groups)] == [
        rule for rule in DISCIPLINE_RULES if rule != "sibling-cross-check"
    ]
    assert evaluate_coverage(contract)[0] == {
        "rule": "success-indicator-separation",
        "relevancePredicate": "success-indicator-separation-relevance",
        "satisfactionPredicate": "success-indicator-separation-satisfaction",
        "satisfied": False,
        "severity": "critical",
    }


def test_waivers_close_no_gap() -> None:
    contract: Any = minimal_contract()
    assert evaluate_coverage(contract) == evaluate_coverage(contract | {"waivers": []})


def test_severity_is_the_highest_of_the_behaviors() -> None:
    contract: Any = minimal_contract()
    first, second = contract["behaviors"]
    for severities, highest in (
        (("low", "low"), "low"),
        (("low", "material"), "material"),
        (("critical", "low"), "critical"),
    ):
        behaviors = [first | {"severity": severities[0]}, second | {"severity": severities[1]}]
        assert coverage_severity(contract | {"behaviors": behaviors}) == highest


def test_a_contract_without_operations_is_subject_to_everything_and_satisfies_nothing() -> None:
    contract: Any = minimal_contract(permittedInterfaces=[])
    relevance, satisfaction = coverage_relevance(contract), coverage_satisfaction(contract)
    assert all(answer.relevant for answer in relevance.values())
    assert not any(answer.satisfied for answer in satisfaction.values())
    for rule in DISCIPLINE_RULES:
        if rule != "sibling-cross-check":
            assert relevance[rule].reason.startswith("the contract declares no operation, so the declaration")
            assert satisfaction[rule].reason.startswith("the contract declares no operation, so the site")
