"""What other repositories' CI runs: the action, the script it calls and the pre-commit hooks."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eval_quality.gates.registry import GATES

from .pages import DOCS, ROOT, blocks

yaml = pytest.importorskip("yaml")

RUN = ("run-refund-2026-04", "sha256:46d9e83a69609eb5d7266d0588589f0bed55b3f94b77093fb0119e268881c137")
REFUND = ROOT / "examples" / "refund-api"


def _read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def _hooks() -> dict[str, Any]:
    return {hook["id"]: hook for hook in _read(".pre-commit-hooks.yaml")}


def _run(command: list[str], scripts: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "eval-quality"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m eval_quality "$@"\n')
    script.chmod(0o755)
    return folder


def _copy(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    for file in REFUND.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def test_the_page_shows_the_script_of_the_action() -> None:
    shown = next(block for block in blocks(DOCS / "how-to" / "ci.md") if block.title == "evaluate.sh")
    assert shown.text == (ROOT / "tools" / "evaluate.sh").read_text(encoding="utf-8")
    assert "tools/evaluate.sh" in _read("action.yml")["runs"]["steps"][-1]["run"]


def test_the_action_hands_over_no_input_as_code() -> None:
    for step in _read("action.yml")["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_every_input_of_the_action_is_used() -> None:
    action = _read("action.yml")
    used = set(re.findall(r"inputs\.([a-z-]+)", str(action["runs"])))
    assert used == set(action["inputs"])


@pytest.mark.parametrize(
    ("trials", "expected"), [("", 0), ("-overlooked", 2), ("-silent-oracle", 3)], ids=["caught", "missed", "invalid"]
)
def test_the_script_ends_as_the_worst_probe_does(trials: str, expected: int, scripts: Path, tmp_path: Path) -> None:
    folder = _copy(tmp_path)
    for trial in (1, 2, 3):
        (folder / f"record-P-001-{trial}.json").write_bytes(
            (REFUND / f"record-P-001{trials}-{trial}.json").read_bytes()
        )
    done = _run(["sh", str(ROOT / "tools" / "evaluate.sh"), str(folder), *RUN, "out"], scripts, tmp_path)
    assert done.returncode == expected, done.stderr


def test_the_script_fails_on_a_floor_that_is_not_met(scripts: Path, tmp_path: Path) -> None:
    folder = _copy(tmp_path)
    for file in folder.glob("*P-003*"):
        file.unlink()
    done = _run(["sh", str(ROOT / "tools" / "evaluate.sh"), str(folder), *RUN, "out"], scripts, tmp_path)
    assert (done.returncode, "a floor is not met" in done.stderr) == (2, True), done.stderr


def test_the_script_stops_at_a_contract_that_breaks_a_rule(scripts: Path, tmp_path: Path) -> None:
    folder = _copy(tmp_path)
    (folder / "contract.json").write_text("{}")
    done = _run(["sh", str(ROOT / "tools" / "evaluate.sh"), str(folder), *RUN, "out"], scripts, tmp_path)
    assert done.returncode == 5


def test_every_gate_has_a_hook() -> None:
    assert {f"eval-quality-{name}" for name in GATES} <= set(_hooks())


def test_hooks_take_contracts_by_name() -> None:
    pattern = _hooks()["eval-quality-compile"]["files"]
    names = (
        "contract.json",
        "evals/contract.json",
        "evals/refund-contract.json",
        "contracts.json",
        "a/notcontract.json",
    )
    assert [bool(re.search(pattern, name)) for name in names] == [True, True, True, False, False]


def test_the_compile_hook_tells_which_contract_fails(scripts: Path, tmp_path: Path) -> None:
    entry = shlex.split(_hooks()["eval-quality-compile"]["entry"])
    good, bad = str(REFUND / "contract.json"), str(REFUND / "floors.json")
    assert _run([*entry, good], scripts, tmp_path).returncode == 0
    done = _run([*entry, good, bad, good], scripts, tmp_path)
    assert (done.returncode, done.stdout.split()) == (5, [bad])
