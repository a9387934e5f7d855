"""Write docs/reference/coverage-predicates.md from the discipline rules and the development corpus.

    python -m tools.coverage_predicates            write the page
    python -m tools.coverage_predicates --check    exit 1 when the page is not what rules and corpus say

Every rule is shown in every declaration state by a contract of the corpus. A contract that is not in the state it is
shown for is an error (spec 04, section 10).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tools.pages import Page, code, table

from eval_quality import corpus
from eval_quality.coverage import DISCIPLINE_RULES, coverage_relevance, coverage_satisfaction, evaluate_coverage

STATES: Final[Mapping[str, tuple[bool, bool]]] = {
    "absent": (True, False),
    "explicitly-empty": (False, True),
    "witnessed": (True, True),
    "unwitnessed": (True, False),
}
"""What each state says of a rule: is it relevant, is it satisfied?"""


class Cell(NamedTuple):
    """One rule in one state, and the contract that shows it."""

    rule: str
    state: str
    contract_id: str


WITNESS: Final = "satisfied-declarations"
"""The contract that satisfies every rule."""
SHOWN_BY: Final[Mapping[str, tuple[str, str, str]]] = {
    "success-indicator-separation": ("absent-success-indicator", "empty-channel-roles", "split-indicator-oracle"),
    "whole-body": ("no-operation-inventory", "single-required-response-key", "per-key-split-oracles"),
    "malformed-input": ("no-operation-inventory", "empty-request-shapes", "no-type-violating-step"),
    "per-record": ("absent-collection-locations", "empty-collection-locations", "no-collection-quantifier"),
    "sibling-cross-check": ("absent-sibling-groups", "empty-sibling-groups", "unaddressed-parameter-sibling"),
    "omission-and-completeness": ("absent-collection-locations", "unnamed-reference-set", "wrong-cardinality-form"),
    "state-change-read-back": ("no-operation-inventory", "no-state-change-marker", "no-read-back-relation"),
}
"""For each rule, the contracts that show it absent, explicitly empty and unwitnessed."""
CELLS: Final = tuple(
    Cell(rule, state, contract)
    for rule, (absent, empty, unwitnessed) in SHOWN_BY.items()
    for state, contract in zip(STATES, (absent, empty, WITNESS, unwitnessed), strict=True)
)


class Reading(NamedTuple):
    """What one contract comes to under one rule."""

    contract_id: str
    rule: str
    relevant: bool
    satisfied: bool
    why_relevant: str
    why_satisfied: str
    severity: str | None
    """Of the gap, where there is one."""

    @property
    def predicates(self) -> tuple[str, str]:
        return predicates_of(self.rule)


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with ``--check`` compare it."""
    return Page("coverage-predicates", _page, "rules and corpus").run(arguments, __doc__)


def _page() -> str:
    return coverage_predicate_table([corpus.load(name) for name in corpus.names()], CELLS)


def coverage_predicate_table(contracts: Sequence[Any], cells: Sequence[Cell]) -> str:
    """The page; raises ``ValueError`` for cells that the contracts do not occupy as they claim to."""
    ids = [contract["contractId"] for contract in contracts]
    for contract_id, times in Counter(ids).items():
        if times > 1:
            raise ValueError(f"coveragePredicateTable: two corpus contracts share the identifier {contract_id}")
    readings = {(reading.contract_id, reading.rule): reading for each in contracts for reading in readings_of(each)}
    _check_cells(ids, cells, readings)
    return "\n".join(_render(cells, list(readings.values()))) + "\n"


def readings_of(contract: Any) -> Iterator[Reading]:
    """What a contract comes to under each rule, in rule order."""
    relevance, satisfaction = coverage_relevance(contract), coverage_satisfaction(contract)
    severities = {gap["rule"]: gap["severity"] for gap in evaluate_coverage(contract)}
    for rule in DISCIPLINE_RULES:
        relevant, why_relevant = relevance[rule]
        satisfied, why_satisfied = satisfaction[rule]
        severity = severities.get(rule)
        yield Reading(contract["contractId"], rule, relevant, satisfied, why_relevant, why_satisfied, severity)


def predicates_of(rule: str) -> tuple[str, str]:
    return f"{rule}-relevance", f"{rule}-satisfaction"


def _check_cells(ids: Sequence[str], cells: Sequence[Cell], readings: Mapping[tuple[str, str], Reading]) -> None:
    for cell in cells:
        if cell.contract_id not in ids:
            raise ValueError(
                f"coveragePredicateTable: cell {cell.rule}/{cell.state} names contract {cell.contract_id}, which the "
                "corpus does not carry"
            )
    for rule in DISCIPLINE_RULES:
        for state in STATES:
            shown = [cell.contract_id for cell in cells if (cell.rule, cell.state) == (rule, state)]
            if not shown:
                raise ValueError(f"coveragePredicateTable: no corpus contract occupies cell {rule}/{state}")
            if len(shown) > 1:
                raise ValueError(
                    f"coveragePredicateTable: the corpus occupies cell {rule}/{state} more than once "
                    f"({', '.join(shown)})"
                )
    for cell in cells:
        reading = readings[cell.contract_id, cell.rule]
        found, claimed = (reading.relevant, reading.satisfied), STATES[cell.state]
        if found != claimed:
            raise ValueError(
                f"coveragePredicateTable: {cell.contract_id} places {cell.rule} at {_verdict(*found)}, but cell "
                f"{cell.state} asserts {_verdict(*claimed)}"
            )


def _verdict(relevant: bool, satisfied: bool) -> str:
    return f"relevant={str(relevant).lower()}/satisfied={str(satisfied).lower()}"


def _render(cells: Sequence[Cell], readings: Sequence[Reading]) -> Iterator[str]:
    yield "<!-- Generated by `python -m tools.coverage_predicates`: do not edit. -->\n"
    yield "# Coverage predicates\n"
    yield "Each of the seven [discipline rules](decision-tables.md#discipline-rules) has a predicate that says whether a"
    yield "contract is subject to it and one that says whether the contract satisfies it. Below they run over the"
    yield "contracts of the development corpus.\n"
    yield "## The fourteen predicates\n"
    yield from table(
        ("Rule", "Relevance predicate", "Satisfaction predicate"),
        (tuple(map(code, (rule, *predicates_of(rule)))) for rule in DISCIPLINE_RULES),
    )
    yield "\n## Declaration-state coverage\n"
    shown = {(cell.rule, cell.state): cell.contract_id for cell in cells}
    yield from table(
        ("Rule", "Absent", "Explicitly empty", "Witnessed", "Unwitnessed"),
        ((code(rule), *(code(shown[rule, state]) for state in STATES)) for rule in DISCIPLINE_RULES),
    )
    yield "\nEach cell names the contract that occupies it. No cell is for a rule that is neither relevant nor satisfied:"
    yield "a rule that is relevant for no site is satisfied.\n"
    yield "## Coverage gaps\n"
    yield "A rule that is relevant and not satisfied is a gap.\n"
    yield from table(
        (
            *("Contract", "Rule", "Relevance predicate", "Satisfaction predicate"),
            *("Severity", "Why relevance fired", "Why satisfaction failed"),
        ),
        (
            (
                *map(code, (each.contract_id, each.rule, *each.predicates)),
                *(each.severity, each.why_relevant, each.why_satisfied),
            )
            for each in readings
            if each.severity is not None
        ),
    )
    yield "\n## The full matrix\n"
    yield "Every contract against every rule.\n"
    yield from table(
        ("Contract", "Rule", "Relevant", "Satisfied", "Gap", "Relevance reason", "Satisfaction reason"),
        (
            (
                *(code(each.contract_id), code(each.rule)),
                *map(_answer, (each.relevant, each.satisfied, each.severity is not None)),
                *(each.why_relevant, each.why_satisfied),
            )
            for each in readings
        ),
    )


def _answer(holds: bool) -> str:
    return "yes" if holds else "no"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
