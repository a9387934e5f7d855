"""Reference pages leave nothing out and say what the code says."""

from __future__ import annotations

import re
import typing
from types import FunctionType

import pytest
from tools import decision_tables

import eval_quality
from eval_quality.cli.help import help_text
from eval_quality.errors import AGGREGATION_REFUSAL_CODES, FAILURE_CODES, RUNTIME_FAULT_CODES
from eval_quality.score.qualification import QUALIFICATION_FAILURES

from .pages import DOCS

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


def test_decision_tables_are_what_the_code_decides_by() -> None:
    assert decision_tables.main(["--check"]) == 0


@pytest.mark.parametrize("command", [None, "compile", "seal", "preflight", "score", "aggregate-strength"])
def test_the_command_line_page_quotes_the_help(command: str | None) -> None:
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    for block in help_text(command).split("\n\nExit codes")[0].split("\n\n"):
        assert block in page


def test_the_library_page_names_every_function_class_and_vocabulary() -> None:
    page = (REFERENCE / "library.md").read_text(encoding="utf-8")
    public = {
        name: getattr(eval_quality, name) for name in eval_quality.__all__ if not name.endswith("_SCHEMA_VERSION")
    }
    named = [
        name
        for name, value in public.items()
        if isinstance(value, tuple | type | FunctionType) and not (typing.is_typeddict(value) or value is typing.Any)
    ]
    assert len(named) > 60
    assert [name for name in named if not re.search(rf"\b{name}\b", page)] == []
