"""The site builds without a warning: no dead link, no page outside of the navigation, no name without documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import ROOT

pytest.importorskip("mkdocstrings")


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    leftovers = [
        page.name for page in tmp_path.rglob("*.html") if re.search(r"```|exit=\d|no-run", page.read_text("utf-8"))
    ]
    assert leftovers == [], "fences that the site shows as text"
