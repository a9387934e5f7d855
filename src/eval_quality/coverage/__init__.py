"""Discipline coverage: which of the seven rules a contract is subject to and satisfies (spec 04, sections 6 to 9)."""

from .rules import DISCIPLINE_RULES, DisciplineRule, coverage_relevance, coverage_satisfaction, evaluate_coverage

__all__ = ["DISCIPLINE_RULES", "DisciplineRule", "coverage_relevance", "coverage_satisfaction", "evaluate_coverage"]
