"""What was measured, as a table to read and as JSON to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from statistics import linear_regression
from typing import Any

from .processes import ARGUMENTS, FEW_ARTIFACTS, UNIT

Results = Mapping[str, Any]
"""By size name: ``input_bytes``, ``processes``, ``stages``, ``digests``."""


def rows(results: Results) -> Iterator[str]:
    """The lines of the report."""
    for size, measured in results.items():
        yield from _processes(size, measured)
        yield from _stages(size, measured["stages"])
        yield from _digests(size, measured["digests"])
    yield from _growth(results)
    yield from _memory(results)


def _processes(size: str, measured: Mapping[str, Any]) -> Iterator[str]:
    unit = measured["processes"][UNIT]["seconds"]
    yield f"{size}: whole processes              ms       {UNIT}   peak MB"
    for name, process in measured["processes"].items():
        seconds, peak = process["seconds"], process["peak_bytes"] / 2**20
        yield f"  {name:22} {seconds * 1000:12.1f} {seconds / unit:7.2f} {peak:9.1f}"


def _stages(size: str, stages: Mapping[str, Any]) -> Iterator[str]:
    yield f"{size}: in one process       KB read        ms  floor ms   ratio"
    for name, stage in stages.items():
        ours, floor = stage["seconds"], stage["floor_seconds"]
        yield f"  {name:16} {stage['bytes'] / 1000:14.1f} {ours * 1000:9.2f} {floor * 1000:9.2f} {ours / floor:7.2f}"


def _digests(size: str, digests: Mapping[str, Any]) -> Iterator[str]:
    yield f"{size}: canonical text and digest      ms  orjson ms   ratio"
    for name, digest in digests.items():
        ours, theirs = digest["seconds"], digest["orjson_seconds"]
        yield f"  {name:22} {ours * 1000:12.3f} {theirs * 1000:10.3f} {ours / theirs:7.2f}"


def growth(results: Results) -> dict[str, float]:
    """For each stage the exponent ``e`` of a fit of time to ``bytes ** e``."""
    return {
        name: exponent([(of["stages"][name]["bytes"], of["stages"][name]["seconds"]) for of in results.values()])
        for name in next(iter(results.values()))["stages"]
    }


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a straight line through the logarithms of points."""
    return linear_regression(*zip(*((log(x), log(y)) for x, y in points), strict=True)).slope


def _growth(results: Results) -> Iterator[str]:
    if len(results) > 1:
        yield "growth with the bytes read: time ~ bytes ** exponent"
        yield from (f"  {name:22} {slope:12.2f}" for name, slope in growth(results).items())


def _memory(results: Results) -> Iterator[str]:
    last = [*results.values()][-1]
    processes, few = last["processes"], f"aggregate {FEW_ARTIFACTS}"
    if few in processes:
        yield f"peak memory, by that of aggregate over {FEW_ARTIFACTS} artifacts"
        for name in ("aggregate", ARGUMENTS):
            yield f"  {name:22} {processes[name]['peak_bytes'] / processes[few]['peak_bytes']:12.2f}"
    yield "peak memory of score, by the bytes it reads"
    yield f"  {'':22} {processes['score']['peak_bytes'] / last['input_bytes']['score']:12.2f}"
