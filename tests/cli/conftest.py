"""The command line as a process, and the example it is mostly run on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "refund-api"
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``eval-quality`` in a fresh directory."""

    def run_there(
        *arguments: str | bytes | Path, stdin: bytes = b"", **options: object
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "eval_quality", *map(os.fsencode, arguments)]
        defaults: dict[str, object] = {"cwd": tmp_path, "capture_output": True, "timeout": 60, "env": dict(os.environ)}
        if "stdin" not in options:
            defaults["input"] = stdin
        return subprocess.run(command, check=False, **(defaults | options))  # type: ignore[call-overload]

    return run_there


@pytest.fixture
def example() -> Path:
    return EXAMPLE
