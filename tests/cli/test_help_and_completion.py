"""Help, version, start-up and shell completion."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from eval_quality import VERSION
from eval_quality.cli.grammar import COMMANDS

from .conftest import Run

HEAVY = ("pydantic", "click", "jsonschema", "regress", "re2", "asyncio", "orjson")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["help", "score"], ["nonsense"], ["compile", "--bogus"]]
)
def test_what_needs_no_artifact_loads_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys; from eval_quality.cli.main import main; main(sys.argv[1:]); "
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_compile_loads_no_model_classes(run: Run) -> None:
    script = (
        "import sys; from eval_quality.cli.main import main; main(['compile', '--in', '/dev/null']); "
        "print('pydantic' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "False"


def test_version_and_help(run: Run) -> None:
    assert run("--version").stdout.decode() == f"{VERSION}\n"
    for name in COMMANDS:
        assert run(name, "--help").stdout == run("help", name).stdout
        assert f"eval-quality {name}" in run("help", name).stdout.decode()


@pytest.mark.parametrize(
    ("words", "candidates"),
    [
        (["eval-quality", ""], set(COMMANDS)),
        (["eval-quality", "score", "--pr"], {"--probe", "--preflight-verdict", "--private-manifest"}),
        (["eval-quality", "seal", "--strict"], {"--strict", "--strict-inputs"}),
    ],
)
def test_bash_completion(words: list[str], candidates: set[str]) -> None:
    environment = os.environ | {
        "_EVAL_QUALITY_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [sys.executable, "-m", "eval_quality"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == candidates


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    environment = os.environ | {"_EVAL_QUALITY_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-m", "eval_quality"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "_EVAL_QUALITY_COMPLETE" in done.stdout
