"""Lines of a basis in words."""

from __future__ import annotations

import pytest

from eval_quality.report.basis import conditions_of, explain
from eval_quality.report.names import Names
from eval_quality.report.run import Run
from eval_quality.score.verdicts import BEHAVIOURAL_FAILURES

from .runs import EXAMPLE, GAPS, load, run_of

NAMES = Names.of(load(EXAMPLE / "contract.json"), None)
CARRIED = (
    *(f"oracle O-001 resolved {state} at or above the severity floor" for state in BEHAVIOURAL_FAILURES),
    *(f"oracle O-001 resolved {state} below the severity floor" for state in BEHAVIOURAL_FAILURES),
    "evidence reported incomplete",
    "evidence truncated past its disclosed bound",
    "evidence unavailable",
    "evidence internally inconsistent",
    "presented lineage chain is internally inconsistent",
    "evaluator recommendation FAIL",
    "evaluator recommendation CONCERNS",
    "coverage gap whole-body unsatisfied at or above the severity floor",
    "finding F-002 confidence 0.1 below the policy threshold",
    "finding F-003: defect finding citing no oracle",
    "1 completed trials below the declared minimum of 3",
    "oracle O-001 resolved unreached",
    "oracle O-001 waived (not-applicable)",
)
"""Every line that an artifact can carry (spec 09, section 15.3)."""


@pytest.mark.parametrize("line", CARRIED)
def test_every_line_an_artifact_can_carry_is_explained(line: str) -> None:
    text = explain(line, NAMES)
    assert text != explain("something else", NAMES)
    assert text.endswith(".")
    assert "{" not in text


def test_the_contract_s_own_names_are_used() -> None:
    scope = "a refund request whose amount is no number is refused and leaves no record"
    assert f"O-001 (“{scope}”)" in explain("oracle O-001 resolved unreached", NAMES)
    assert "O-004 (“The refund list refuses a malformed order”)" in explain("oracle O-004 resolved unreached", NAMES)
    assert "O-999 looks" in explain("oracle O-999 resolved unreached", NAMES)


def test_a_description_is_never_read_as_a_format() -> None:
    contract = load(EXAMPLE / "contract.json")
    contract["oracles"][0]["direction"]["scope"] = "{0} {oracle.__class__} %s"
    text = explain("oracle O-001 resolved missed below the severity floor", Names.of(contract, None))
    assert "(“{0} {oracle.__class__} %s”)" in text


@pytest.mark.parametrize("state", ["{x}", "{", "}", "{0.__class__}", "%s"])
def test_what_a_basis_says_is_never_read_as_a_format(state: str) -> None:
    text = explain(f"oracle O-999 resolved {state} below the severity floor", NAMES)
    assert text.startswith(f"O-999 ended as {state}. The behavior is less severe")


def test_equal_lines_are_told_once() -> None:
    [first, second] = conditions_of(["oracle O-001 resolved unreached"] * 3 + ["evidence unavailable"], NAMES)
    assert (first.times, second.times) == ("in 3 trials", "")


def test_the_brief_names_behaviors_where_there_is_no_contract() -> None:
    run = run_of(EXAMPLE / "expected/sealed-evaluator-brief.json")
    assert run.brief is not None
    assert "The agent refuses" in Names.of(None, run.brief.value).oracle("O-001")
    assert Names.of(None, None).oracle("O-001") == "O-001"
    assert run_of(GAPS / "eval-contract.json") != Run()
