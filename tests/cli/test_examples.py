"""Every command of the examples, from the console: artifacts, standard error and exit codes as expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "examples"
FOLDERS = sorted(folder.parent for root in (ROOT / "examples", SHARED) for folder in root.glob("*/expected"))
COMMANDS = [
    pytest.param(folder, command, id=f"{folder.name}-{number}-{command['argv'][0]}")
    for folder in {folder.name: folder for folder in FOLDERS}.values()
    for number, command in enumerate(json.loads((folder / "expected" / "commands.json").read_text()))
]


def test_there_are_examples() -> None:
    assert {"refund-api", "notes-mcp"} <= {folder.name for folder in FOLDERS}


@pytest.mark.parametrize(("folder", "command"), COMMANDS)
def test_command(run: Run, folder: Path, command: dict[str, Any]) -> None:
    done = run(*command["argv"], cwd=folder)
    expected = b"" if command["stdout"] is None else (folder / command["stdout"]).read_bytes()
    assert (done.returncode, done.stderr.decode()) == (command["exit"], command["stderr"])
    assert done.stdout == expected
