"""The reference page names every key of every gate, and the hooks every gate."""

from __future__ import annotations

import dataclasses
import re
from importlib import import_module
from pathlib import Path

import pytest

from eval_quality.gates.registry import GATES
from eval_quality.gates.sections import key_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "gates.md").read_text("utf-8")
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")


@pytest.mark.parametrize("gate", GATES)
def test_every_key_of_a_section_has_its_row(gate: str) -> None:
    section = PAGE.partition(f"\n## {gate}\n")[2].partition("\n## ")[0]
    first_cells = " ".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))
    described = set(re.findall(r"`([A-Za-z]+)`", first_cells))
    model = import_module(GATES[gate].module).Section
    assert described == {key_of(field.name) for field in dataclasses.fields(model)}


def test_there_is_a_hook_for_every_gate() -> None:
    hooks = re.findall(r"^- id: (\S+)\n(?:  .*\n)*?  entry: eval-quality-gates ([a-z]\S+)$", HOOKS, re.MULTILINE)
    assert hooks == [(f"eval-quality-{gate}", gate) for gate in GATES]
