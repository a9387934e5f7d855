"""Make inputs, measure, print a table; ends with an error only if a run breaks."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import processes, report
from .sizes import SIZES, Size


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--size", choices=[*SIZES], action="append", help="measure this size; repeatable [all]")
    parser.add_argument("--once", action="store_true", help="run each case once: does it run at all?")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what the inputs are made from [1]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write what was measured")
    options = parser.parse_args(arguments)
    results: dict[str, Any] = {}
    for size in (SIZES[name] for name in options.size or SIZES):
        with TemporaryDirectory() as folder:
            chosen = size._replace(turns=1, seconds=0.0) if options.once else size
            results[size.name] = measured(chosen, options.seed, Path(folder))
    print("\n".join(report.rows(results)))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def measured(size: Size, seed: int, folder: Path) -> dict[str, Any]:
    """Everything about one size; inputs are made and the library is timed in processes of their own."""
    child("benchmarks.inputs", size.name, str(seed), str(folder))
    library = json.loads(child("benchmarks.in_process", size.name, str(size.turns), str(size.seconds), str(folder)))
    cases = {**processes.yardsticks(), **processes.commands(folder)}
    timed = processes.timed(cases, folder, size.turns)
    read = [path for path in (*folder.glob("*.json"), *(folder / "records").iterdir()) if path.stem != "observations"]
    return {
        "input_bytes": {"score": sum(path.stat().st_size for path in read)},
        "processes": {name: each._asdict() for name, each in timed.items()},
        **library,
    }


def child(module: str, *arguments: str) -> str:
    """What a module of this package prints when it is run."""
    command = [sys.executable, "-m", module, *arguments]
    root = Path(__file__).parents[1]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
