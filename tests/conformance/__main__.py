"""``python -m tests.conformance PATH... [--first N]``: run vector files (or folders of them), report per area."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.conformance.runner import run_file


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help=".jsonl.gz files, or folders that hold them")
    parser.add_argument("--first", type=int, default=3, help="failures to print in full for each area (default 3)")
    parser.add_argument("--unsure", action="store_true", help="name the unsure vectors that differ")
    options = parser.parse_args()
    files = [file for path in options.paths for file in (sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path])]
    if not files:
        parser.error("no .jsonl.gz file there")
    failed = False
    for file in files:
        report = run_file(file)
        print(report.line(), flush=True)
        if options.unsure:
            for name in report.unsure_differ:
                print(f"  unsure {name}")
        for vector, actual in report.failures[: options.first]:
            print(f"  FAIL {json.dumps(vector, ensure_ascii=False)}\n  got  {json.dumps(actual, ensure_ascii=False)}")
        failed = failed or bool(report.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
