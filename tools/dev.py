"""Set up and run things in a fresh checkout; needs Python 3.11 or newer and nothing else.

    python3 tools/dev.py example    the main job on examples/refund-api: compile, seal, preflight, score, aggregate
    python3 tools/dev.py test       the test suite
    python3 tools/dev.py check      linters, types, generated files, the site, the gates, and the benchmarks once

Each makes a virtual environment in .venv when there is none, and installs the project there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv"
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
CORPUS_DIGEST = "sha256:46d9e83a69609eb5d7266d0588589f0bed55b3f94b77093fb0119e268881c137"
STAMP = ENVIRONMENT / "installed-for"


def run(*command: str | Path, cwd: Path = ROOT, stdout: int | None = None) -> None:
    """Run a command; a failing one ends this process with its exit code."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, check=False, stdout=stdout)
    if done.returncode != 0:
        sys.exit(done.returncode)


def install(extra: str) -> None:
    """The project and one extra in the virtual environment; done again when pyproject.toml has changed."""
    wanted = f"{extra}\n{(ROOT / 'pyproject.toml').read_text(encoding='utf-8')}"
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") in (wanted, wanted.replace(f"{extra}\n", "dev\n", 1)):
        return
    if not BIN.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    target = f"{ROOT}[{extra}]" if extra else str(ROOT)
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target)
    STAMP.write_text(wanted, encoding="utf-8")


def example() -> None:
    """Every stage of an evaluation, on the refund desk: was the planted defect caught?"""
    install("")
    folder, out = ROOT / "examples" / "refund-api", ROOT / "out"
    evidence: list[str | Path] = []
    print("compile, seal, preflight", flush=True)
    command = BIN / "eval-quality"
    run(command, "compile", "--in", "contract.json", "--out", out, cwd=folder)
    run(command, "seal", "--in", "contract.json", "--out", out, cwd=folder)
    run(
        *(command, "preflight", "--contract", "contract.json", "--probes", "probes.json"),
        *("--observations", "observations.json", "--run-id", "run-refund-2026-04", "--out", out),
        cwd=folder,
    )
    for probe in ("P-001", "P-003", "P-004"):
        print(f"score {probe}", flush=True)
        artifact = out / f"evidence-{probe}.json"
        records = [part for trial in (1, 2, 3) for part in ("--record", f"record-{probe}-{trial}.json")]
        run(
            *(command, "score"),
            *records,
            *("--contract", "contract.json", "--probe", f"probe-{probe}.json"),
            *("--preflight-verdict", out / "preflight-verdict.json", "--policy", "scoring-policy.json"),
            *("--corpus-digest", CORPUS_DIGEST, "--isolation-manifest", "isolation-manifest.json"),
            *("--evaluator-configuration", "evaluator-configuration.json", "--out", artifact),
            cwd=folder,
        )
        evidence += ["--evidence", artifact]
    print("aggregate-strength", flush=True)
    policy = ("--floors", "floors.json", "--policy", "scoring-policy.json", "--out", out)
    run(command, "aggregate-strength", *evidence, *policy, cwd=folder)
    print(f"artifacts are in {out.relative_to(ROOT)}/; out/strength-aggregate.json has the catch rate by probe class")


def test() -> None:
    """The test suite, on every core."""
    install("dev")
    run(BIN / "python", "-m", "pytest", "-n", "auto")


def check() -> None:
    """Linters, types, generated files, gates."""
    install("dev")
    python = BIN / "python"
    for arguments in CHECKS:
        print("+", *arguments, flush=True)
        run(python, "-m", *arguments)


CHECKS: Sequence[Sequence[str]] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("eval_quality.artifacts.publish", "--check"),
    ("eval_quality.corpus.publish", "--check"),
    ("tools.generate_models", "--check"),
    ("tools.decision_tables", "--check"),
    ("tools.coverage_predicates", "--check"),
    ("mkdocs", "build", "--quiet", "--strict"),
    ("pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", "dist", "."),
    ("eval_quality.gates", "--all"),
    ("benchmarks", "--size", "small", "--once"),
)
COMMANDS: dict[str, Callable[[], None]] = {"example": example, "test": test, "check": check}


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(str(__doc__))
    if sys.version_info < (3, 11):  # noqa: UP036 - this script is what a user runs with the Python they have
        sys.exit(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    COMMANDS[sys.argv[1]]()
