"""Every command and code block of the documentation runs, in the order a reader meets it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pages import ROOT, Block, blocks, pages

CONSOLE_SCRIPTS = {
    "eval-quality": "eval_quality.cli.main",
    "eval-quality-gates": "eval_quality.gates.main",
    "eval-quality-report": "eval_quality.report.main",
}
TIMEOUT_SECONDS = 120
_SESSION = 'source "$DOCS_SESSION"; trap \'{ export -p; printf "cd %q\\n" "$PWD"; } > "$DOCS_SESSION"\' EXIT\n'


@pytest.fixture(scope="session")
def console_scripts() -> Iterator[Path]:
    """A directory with the console scripts of this source tree, and ``python`` as the interpreter of the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for script, module in CONSOLE_SCRIPTS.items():
            path = folder / script
            path.write_text(f"#!{sys.executable}\nimport sys\nfrom {module} import main\nsys.exit(main())\n")
            path.chmod(0o755)
        for alias in ("python", "python3"):
            path = folder / alias
            path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            path.chmod(0o755)
        yield folder


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """A copy of what a reader's checkout has beside the package."""
    for name in ("examples", "schemas", "corpus"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("page", [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in pages()])
def test_page(page: Path, reader: Path, console_scripts: Path) -> None:
    source = str(ROOT / "src")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE"))},
        "PATH": f"{console_scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    session = reader / ".session"
    session.write_text("")
    environment["DOCS_SESSION"] = str(session)
    for block in blocks(page):
        if "tools/dev.py" in block.text:
            continue  # sets up an environment of its own, and would run these tests in it
        _follow(block, page, reader, environment)


def _follow(block: Block, page: Path, folder: Path, environment: dict[str, str]) -> None:
    """Do what one block asks for. Shell blocks are one session: folder and exported variables carry over."""
    where = f"{page.relative_to(ROOT)}:{block.line}"
    if block.title is not None:
        target = folder / block.title
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    if block.language == "json":
        json.loads(block.text)
        return
    if block.title is not None:
        return
    if block.language == "sh":
        command = ["bash", "-e", "-o", "pipefail", "-c", _SESSION + block.text]
    else:
        command = [sys.executable, "-c", block.text]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == block.exit_code, f"{where}: {done.returncode}\n{done.stdout}\n{done.stderr}"
