"""Coverage gaps in words: what is missing, where, what would close it, and who accepts it meanwhile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from eval_quality.artifacts.primitives import SEVERITY_LEVELS
from eval_quality.coverage import DISCIPLINE_RULES, coverage_satisfaction, evaluate_coverage

from .run import Run
from .view import CoverageView, Fact, GapView, WaiverView
from .words import RULES, RuleWords, plural

_WAIVER_FIELDS = (
    ("rationale", "Why"),
    ("condition", "On condition that"),
    ("approval", "Approval"),
    ("expiresAt", "Until"),
)


def open_gaps(run: Run) -> dict[str, str] | None:
    """Rules that are not satisfied, each with its severity, in rule order; ``None`` when nothing given says."""
    found: dict[str, str] = {}
    if run.evidence:
        gaps: Iterable[Any] = (gap for source in run.evidence.values() for gap in source.value["coverageGaps"])
    elif run.contract is not None:
        gaps = evaluate_coverage(run.contract.value)
    else:
        return None
    for gap in gaps:
        if not gap["satisfied"]:
            known = found.get(gap["rule"], gap["severity"])
            found[gap["rule"]] = max(known, gap["severity"], key=SEVERITY_LEVELS.index)
    order: list[str] = [rule for rule in DISCIPLINE_RULES if rule in found]
    return {rule: found[rule] for rule in (*order, *(rule for rule in sorted(found) if rule not in order))}


def coverage_view(run: Run) -> CoverageView:
    """Coverage of a run."""
    gaps = open_gaps(run)
    contract = run.contract.value if run.contract is not None else None
    waivers: dict[str | None, list[WaiverView]] = defaultdict(list)
    for waiver in contract["waivers"] if contract is not None else ():
        waivers[waiver["rule"]].append(_waiver_view(waiver))
    if gaps is None:
        return CoverageView("Nothing given tells what the contract covers.", (), _others(waivers, ()))
    reasons: dict[str, str] = {}
    if contract is not None:
        reasons |= {rule: answer.reason for rule, answer in coverage_satisfaction(contract).items()}
    views = []
    for rule, severity in gaps.items():
        words = RULES.get(rule, RuleWords("", "satisfy the rule"))
        views.append(GapView(rule, words.asks, severity, reasons.get(rule, ""), words.closed_by, tuple(waivers[rule])))
    number = len(views)
    summary = (
        f"{plural(number, 'discipline rule')} of {len(DISCIPLINE_RULES)} "
        f"{'applies and is' if number == 1 else 'apply and are'} not satisfied."
        if views
        else f"Every one of the {len(DISCIPLINE_RULES)} discipline rules that applies to the contract is satisfied."
    )
    return CoverageView(summary, tuple(views), _others(waivers, gaps))


def _others(waivers: dict[str | None, list[WaiverView]], gaps: Iterable[str]) -> tuple[WaiverView, ...]:
    """Waivers that name no open gap, in the order of their identifiers."""
    told = set(gaps)
    rest = [view for rule, views in waivers.items() if rule not in told for view in views]
    return tuple(sorted(rest, key=lambda each: each.waiver_id))


def _waiver_view(waiver: Any) -> WaiverView:
    facts = [Fact("Rule", waiver["rule"] or "none named")]
    facts += [Fact(label, waiver[key] or "not stated") for key, label in _WAIVER_FIELDS]
    return WaiverView(waiver["id"], tuple(facts))
