"""Write down what a development environment installs: locks/requirements-dev.txt, its licences, its publication times.

    python tools/lock.py [index]    run with the interpreter of the environment to record, .venv/bin/python

The lock lists every distribution that ``.[dev]`` brings in, with what requires it. ``locks/licences.json`` has what each
declares; ``locks/published.json`` when it was published, asked of the index for entries it does not know yet. The gates
``licences`` and ``lockfile-age`` read all three, so that no check needs a network.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from eval_quality.gates.gate import Place
from eval_quality.gates.licence_metadata import InstalledMetadata, metadata_sources
from eval_quality.gates.locks import normalise_name, read_lock
from eval_quality.gates.origins import Index
from eval_quality.gates.publication import PublicationTimes
from eval_quality.gates.registries import HttpsFetch

ROOT = Path(__file__).resolve().parents[1]
LOCK, LICENCES, PUBLISHED = (
    ROOT / "locks" / name for name in ("requirements-dev.txt", "licences.json", "published.json")
)
EXTRA = "dev"
PLACE = Place("lock", ROOT, Path(__file__))


def main() -> None:
    required_by = requirements()
    LOCK.parent.mkdir(exist_ok=True)
    LOCK.write_text("".join(lock_lines(required_by)), "utf-8")
    write(LICENCES, licences(required_by))
    write(PUBLISHED, published(sys.argv[1] if len(sys.argv) > 1 else None))


def requirements() -> dict[str, set[str]]:
    """The names of all distributions, and of what requires each."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = normalise_name(project["name"])
    required_by: dict[str, set[str]] = {}
    pending = [(Requirement(text), own) for text in (*project["dependencies"], *extras[EXTRA])]
    seen = set()
    while pending:
        requirement, requirer = pending.pop()
        name = normalise_name(requirement.name)
        if name == own:
            pending.extend((Requirement(text), own) for extra in requirement.extras for text in extras[extra])
            continue
        required_by.setdefault(name, set()).add(requirer)
        key = (name, *sorted(requirement.extras))
        if key not in seen:
            seen.add(key)
            pending.extend((further, name) for further in required(distribution(name), requirement.extras))
    return required_by


def required(installed: Distribution, extras: set[str]) -> Iterator[Requirement]:
    """What a distribution requires here, with these extras of it."""
    for text in installed.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            try:
                distribution(requirement.name)
            except PackageNotFoundError:
                continue  # required on another platform only
            yield requirement


def lock_lines(required_by: Mapping[str, set[str]]) -> Iterator[str]:
    yield "# Written by tools/lock.py: what a development environment installs.\n"
    for name in sorted(required_by):
        yield f"{name}=={distribution(name).version}\n    # via\n"
        yield from (f"    #   {requirer}\n" for requirer in sorted(required_by[name]))


def licences(names: Mapping[str, set[str]]) -> dict[str, object]:
    """What each declares; null for a text that names no identifier."""
    (source,) = metadata_sources([InstalledMetadata(from_="installed")], PLACE)
    return {
        f"{name}@{version}": declaration.licence if declaration.reason is None else None
        for name in sorted(names)
        for version, declaration in source.versions(name).items()
        if version == distribution(name).version
    }


def published(index: str | None) -> dict[str, str]:
    """The publication time of each: as it is known, else as the index tells."""
    lock = read_lock(PLACE, str(LOCK.relative_to(ROOT)))
    known: dict[str, str] = json.loads(PUBLISHED.read_text("utf-8")) if PUBLISHED.exists() else {}
    missing = [entry for entry in lock.entries if entry.label not in known]
    if missing and index is not None:
        times = PublicationTimes(
            {}, trust_locks=False, registry=None, indexes=[Index(index, fetch=True)], fetch=HttpsFetch(30_000)
        )
        found = zip(missing, times.of(lock, missing), strict=True)
        known |= {entry.label: time.text for entry, time in found if time is not None}
    return {entry.label: known[entry.label] for entry in lock.entries if entry.label in known}


def write(path: Path, document: Mapping[str, object]) -> None:
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
