"""Reference pages leave nothing out and say what the code says."""

from __future__ import annotations

import json
import re

import pytest
from tools import coverage_predicates, decision_tables

import eval_quality
from eval_quality import corpus
from eval_quality.cli.help import help_text
from eval_quality.errors import AGGREGATION_REFUSAL_CODES, FAILURE_CODES, RUNTIME_FAULT_CODES
from eval_quality.score.qualification import QUALIFICATION_FAILURES

from .failure_examples import CONTRACTS, FAULTS, PROBES
from .pages import DOCS, ROOT

REFERENCE = DOCS / "reference"
CODES = (*FAILURE_CODES, *RUNTIME_FAULT_CODES, *AGGREGATION_REFUSAL_CODES, *QUALIFICATION_FAILURES)


def _sections(page: str) -> dict[str, str]:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    return {
        found[1]: found[2]
        for found in re.finditer(r"^### ([^\n]+)\n(.*?)(?=^#{2,3} |\Z)", text, re.MULTILINE | re.DOTALL)
    }


def test_every_code_is_explained_in_registry_order() -> None:
    assert list(_sections("failure-codes.md")) == list(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_an_example_and_a_remedy(code: str) -> None:
    section = _sections("failure-codes.md")[code]
    assert re.search(r"^Example: .{10}", section, re.MULTILINE)
    assert re.search(r"^Remedy: .{3}", section, re.MULTILINE)


@pytest.mark.parametrize("code", [*CONTRACTS, *FAULTS])
def test_the_message_shown_for_a_contract_is_the_engines(code: str) -> None:
    with pytest.raises(eval_quality.EvalQualityError) as caught:
        eval_quality.seal((CONTRACTS | FAULTS)[code].artifact())
    assert caught.value.code == code
    assert f"```text\n{caught.value}\n```" in _sections("failure-codes.md")[code]


@pytest.mark.parametrize("code", PROBES)
def test_the_message_shown_for_a_probe_is_the_engines(code: str) -> None:
    probe = PROBES[code].artifact()
    folder = (ROOT / "examples" / PROBES[code].file).parent
    interfaces = json.loads((folder / "contract.json").read_text(encoding="utf-8"))["permittedInterfaces"]
    signature = probe["defectSignature"]
    home = None if signature is None else eval_quality.resolve_home_operation(signature, interfaces)
    failures = eval_quality.qualify_probe(probe, home).failures
    assert _shown(next(failure for failure in failures if failure.code == code)) in _sections("failure-codes.md")[code]


def _shown(failure: eval_quality.QualificationFailure) -> str:
    return f"```text\n{failure.code} in {failure.artifact_path}: {failure.detail}\n```"


def test_examples_are_of_codes_that_exist() -> None:
    assert set(FAILURE_CODES) - set(CONTRACTS) == {
        "brief-exceeds-scripting-bound"
    }  # raised by an audit, not by a command
    assert set(PROBES) == set(QUALIFICATION_FAILURES)


EVIDENCE = ROOT / "examples" / "refund-api"


@pytest.mark.parametrize(
    ("code", "caught", "times"), [("strength-inputs-disagree", True, 2), ("strength-input-inconsistent", False, 1)]
)
def test_the_message_shown_for_evidence_is_the_engines(code: str, caught: bool, times: int) -> None:
    evidence = json.loads((EVIDENCE / "evidence-artifact-P-001.json").read_text(encoding="utf-8"))
    evidence["reducedProbeOutcomes"][0]["caught"] = caught
    policy = json.loads((EVIDENCE / "scoring-policy.json").read_text(encoding="utf-8"))
    with pytest.raises(eval_quality.AggregationRefusal) as refused:
        eval_quality.aggregate_strength(evidence=[evidence] * times, floors={}, policy=policy)
    assert refused.value.code == code
    assert f"```text\n{refused.value}\n```" in _sections("failure-codes.md")[code]


def test_decision_tables_are_what_the_code_decides_by() -> None:
    assert decision_tables.main(["--check"]) == 0


def test_coverage_predicates_are_what_rules_and_corpus_say() -> None:
    assert coverage_predicates.main(["--check"]) == 0


def test_a_cell_that_no_contract_occupies_as_it_claims_is_refused() -> None:
    """Spec 04, section 10: the errors, in the order they are looked for."""
    contracts = [corpus.load(name) for name in corpus.names()]
    first, second, *others = coverage_predicates.CELLS
    rule = first.rule
    for given, cells, told in (
        (
            [*contracts, contracts[0]],
            [],
            "two corpus contracts share the identifier absent-collection-locations",
        ),
        (
            contracts,
            [first._replace(contract_id="lost")],
            f"cell {rule}/absent names contract lost, which the corpus does not carry",
        ),
        (contracts, [second, *others], f"no corpus contract occupies cell {rule}/absent"),
        (
            contracts,
            [first, first, second, *others],
            f"the corpus occupies cell {rule}/absent more than once ({first.contract_id}, {first.contract_id})",
        ),
        (
            contracts,
            [first._replace(contract_id="satisfied-declarations"), second, *others],
            f"satisfied-declarations places {rule} at relevant=true/satisfied=true, but cell absent asserts "
            "relevant=true/satisfied=false",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(told)) as refused:
            coverage_predicates.coverage_predicate_table(given, cells)
        assert str(refused.value) == f"coveragePredicateTable: {told}"


@pytest.mark.parametrize("command", [None, "compile", "seal", "preflight", "score", "aggregate-strength"])
def test_the_command_line_page_quotes_the_help(command: str | None) -> None:
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    for block in help_text(command).split("\n\nExit codes")[0].split("\n\n"):
        assert block in page


def test_the_library_page_names_every_public_name() -> None:
    page = (REFERENCE / "library.md").read_text(encoding="utf-8")
    named = [name for name in eval_quality.__all__ if not name.endswith("_SCHEMA_VERSION")]
    assert len(named) > 110
    assert [name for name in named if not re.search(rf"\b{name}\b", page)] == []
