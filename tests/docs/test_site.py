"""The site builds without a warning: no dead link, no page outside of the navigation, no name without documentation."""

from __future__ import annotations

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
