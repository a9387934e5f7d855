"""Whole commands, timed from outside: wall time and peak memory of processes.

The unit is ``B``: importing pydantic and click, which a command line built on them would pay before it does anything.
Turns of all cases are interleaved, so that a slow moment of the machine does not fall on one of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from .sizes import A_DIGEST, RUN

Command = Sequence[str]

ENGINE: Final = (sys.executable, "-m", "eval_quality")
UNIT: Final = "B"
BARE: Final = "python"
FEW_ARTIFACTS: Final = 200
ARGUMENTS: Final = "python, same arguments"
"""A bare interpreter with the arguments of an aggregate: CPython keeps several copies of them."""

_JUDGED: Final = frozenset({0, 1, 2})
"""Exit codes of a run that came to a judgement, whatever it was."""


class Run(NamedTuple):
    """One run of a process."""

    seconds: float
    peak_bytes: int


class Process(NamedTuple):
    """What several runs of a process came to."""

    seconds: float
    """The median."""
    peak_bytes: int


def run(command: Command, folder: Path) -> Run:
    """Run a command to its end; raises ``RuntimeError`` if it breaks."""
    started = perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        told = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = perf_counter() - started
    if process.returncode not in _JUDGED:
        raise RuntimeError(f"{' '.join(command[:4])} ended with {process.returncode}: {told[-400:]}")
    return Run(seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def timed(commands: Mapping[str, Command], folder: Path, turns: int) -> dict[str, Process]:
    """Run every command several times, turn by turn."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(turns):
        for name, command in commands.items():
            runs[name].append(run(command, folder))
    return {
        name: Process(median(each.seconds for each in of), max(each.peak_bytes for each in of))
        for name, of in runs.items()
    }


def yardsticks() -> dict[str, Command]:
    """What commands are held against."""
    return {
        BARE: (sys.executable, "-c", "pass"),
        UNIT: (sys.executable, "-c", "from pydantic import BaseModel; import click"),
        "version": (*ENGINE, "--version"),
    }


def commands(folder: Path) -> dict[str, Command]:
    """The five commands over the inputs in a folder."""
    records, evidence = _files(folder, "records"), _files(folder, "evidence")
    cases: dict[str, Command] = {
        "compile": ("compile", "--in", "contract.json", "--out", "out/compiled.json"),
        "seal": ("seal", "--in", "contract.json", "--out", "out/brief.json"),
        "preflight": (
            *("preflight", "--contract", "contract.json", "--probes", "probes.json"),
            *("--observations", "observations.json", "--run-id", RUN, "--out", "out/verdict.json"),
        ),
        "score": (
            *("score", *_repeated("--record", records), "--contract", "contract.json", "--probe", "probe.json"),
            *("--preflight-verdict", "preflight_verdict.json", "--policy", "policy.json", "--corpus-digest", A_DIGEST),
            *("--isolation-manifest", "manifest.json", "--evaluator-configuration", "configuration.json"),
            *("--out", "out/evidence.json"),
        ),
        "aggregate": aggregate(evidence),
    }
    if len(evidence) > FEW_ARTIFACTS:
        cases[f"aggregate {FEW_ARTIFACTS}"] = aggregate(evidence[:FEW_ARTIFACTS])
    whole: dict[str, Command] = {name: (*ENGINE, *case) for name, case in cases.items()}
    whole[ARGUMENTS] = (sys.executable, "-c", "pass", *cases["aggregate"])
    return whole


def aggregate(evidence: Sequence[str]) -> Command:
    shared = ("--floors", "floors.json", "--policy", "policy.json", "--out", "out/aggregate.json")
    return ("aggregate-strength", *_repeated("--evidence", evidence), *shared)


def _repeated(flag: str, values: Sequence[str]) -> Iterator[str]:
    for value in values:
        yield from (flag, value)


def _files(folder: Path, kind: str) -> list[str]:
    return sorted(f"{kind}/{path.name}" for path in (folder / kind).iterdir())
