"""The library, timed inside one process, each stage beside its floor.

The floor of a stage is what nobody who reads the same bytes gets around: a JSON reader in C, one validation pass, one
canonicalisation and one digest of what was read. ``python -m benchmarks.in_process SIZE TURNS SECONDS FOLDER`` prints
JSON.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson

from eval_quality.aggregate import aggregate_strength
from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.evidence_artifact import EvidenceArtifact
from eval_quality.artifacts.schema import parse
from eval_quality.artifacts.sealed_run_record import SealedRunRecord
from eval_quality.canonical import digest_artifact
from eval_quality.stages import compile, score, seal

from .sizes import A_DIGEST, SIZES, Size

MOST_TURNS: Final = 50
SCORED_BESIDE: Final = ("contract", "probe", "policy", "preflight_verdict", "manifest", "configuration")
"""What a score reads beside its records."""


class Stage(NamedTuple):
    """One stage over its inputs: the texts it reads, their types, and what it does with their values."""

    name: str
    texts: Sequence[bytes]
    annotation: Any
    work: Callable[[], object]


def seconds(work: Callable[[], object], size: Size) -> float:
    """The median time of several turns, garbage of earlier ones left aside."""
    times: list[float] = []
    while len(times) < size.turns or (sum(times) < size.seconds and len(times) < MOST_TURNS):
        gc.collect()
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return median(times)


def stages(folder: Path) -> Iterator[Stage]:
    """Every stage over the inputs in a folder, its values read beforehand."""
    texts = {path.stem: path.read_bytes() for path in folder.glob("*.json")}
    read = {name: json.loads(text) for name, text in texts.items()}
    contract = read["contract"]
    yield Stage("compile", [texts["contract"]], EvalContract, lambda: compile(contract))
    yield Stage("seal", [texts["contract"]], EvalContract, lambda: seal(contract))
    record_texts = [path.read_bytes() for path in sorted((folder / "records").iterdir())]
    records = [*map(json.loads, record_texts)]

    beside = {name: read[name] for name in SCORED_BESIDE}

    def scored() -> object:
        return score(record=records, **beside, private_manifest=None, corpus_digest=A_DIGEST)

    yield Stage("score", record_texts, SealedRunRecord, scored)
    evidence_texts = [path.read_bytes() for path in sorted((folder / "evidence").iterdir())]
    evidence = [*map(json.loads, evidence_texts)]
    yield Stage(
        "aggregate",
        evidence_texts,
        EvidenceArtifact,
        lambda: aggregate_strength(evidence, read["floors"], read["policy"]),
    )


def floor(stage: Stage) -> None:
    """Read, validate, write and digest what a stage reads."""
    for text in stage.texts:
        value = parse(stage.annotation, json.loads(text), stage.name)
        trusting_digest(value)


def trusting_digest(value: Any) -> str:
    """A digest by a compiled encoder that takes everything on trust."""
    return sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def digests(size: Size, folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Canonical text and digest beside ``trusting_digest``."""
    shapes: dict[str, Any] = {
        "contract": json.loads((folder / "contract.json").read_bytes()),
        "records": [json.loads(path.read_bytes()) for path in sorted((folder / "records").iterdir())],
        "numbers": [(2 * number + 1) / 14 for number in range(size.contract_bytes // 20)],
        "whole and half numbers": [number / 2 for number in range(size.contract_bytes // 20)],
        "texts": [f"article {number} \N{SNOWMAN}" for number in range(size.contract_bytes // 20)],
        "small objects": [{"a": number, "b": None, "c": True} for number in range(size.contract_bytes // 30)],
        "one key in another": _nested(200),
    }
    for name, value in shapes.items():
        ours = seconds(partial(digest_artifact, value, "Bench"), size)
        theirs = seconds(partial(trusting_digest, value), size)
        yield name, {"seconds": ours, "orjson_seconds": theirs}


def _nested(depth: int) -> Any:
    value: Any = 0
    for level in range(depth):
        value = {f"level-{level}": value}
    return value


def measured(size: Size, folder: Path) -> dict[str, Any]:
    """Everything there is to time in one process."""
    results: dict[str, Any] = {"stages": {}, "digests": dict(digests(size, folder))}
    for stage in stages(folder):
        results["stages"][stage.name] = {
            "bytes": sum(map(len, stage.texts)),
            "seconds": seconds(stage.work, size),
            "floor_seconds": seconds(partial(floor, stage), size),
        }
    return results


if __name__ == "__main__":
    name, turns, spent, folder = sys.argv[1:]
    size = SIZES[name]._replace(turns=int(turns), seconds=float(spent))
    json.dump(measured(size, Path(folder)), sys.stdout)
