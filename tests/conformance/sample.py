"""``python -m tests.conformance.sample SOURCE``: choose the committed sample of a full set of vectors.

From each area it takes the first vectors of every family (identifiers that differ in their last number only), smallest
first, so that each rule the set exercises is met at least once in a small file.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.conformance.runner import read_vectors

SAMPLE = Path(__file__).parent / "vectors"
PER_FAMILY = 3
MAXIMUM = 160
LARGEST = 24_000


def family(vector: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    kind = tuple(sorted(vector["expect"]))
    return vector["op"], re.sub(r"-?\d+$", "", vector["id"]), kind


def choose(path: Path) -> list[dict[str, Any]]:
    families: dict[tuple[str, str, tuple[str, ...]], list[dict[str, Any]]] = defaultdict(list)
    for vector in read_vectors(path):
        if len(json.dumps(vector)) <= LARGEST:
            families[family(vector)].append(vector)
    for members in families.values():
        members.sort(key=lambda vector: len(json.dumps(vector)))
    rounds = (members[turn] for turn in range(PER_FAMILY) for members in families.values() if turn < len(members))
    return [vector for vector, _ in zip(rounds, range(MAXIMUM), strict=False)]


def main(source: str) -> None:
    SAMPLE.mkdir(exist_ok=True)
    for path in sorted(Path(source).glob("*.jsonl.gz")):
        lines = "".join(json.dumps(vector, separators=(",", ":")) + "\n" for vector in choose(path))
        target = SAMPLE / path.name
        with target.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            packed.write(lines.encode())
        print(f"{target.name}: {lines.count(chr(10))} vectors, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
