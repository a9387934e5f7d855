"""``package-lock.json``, versions 2 and 3: a map from places in ``node_modules`` to what is installed there.

The root, workspace members and links are first-party: they are walked for the dependency path and not counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..json_texts import read_json
from ..refusals import LockfileShapeError
from .model import NO_ROOT_NAME, UNKNOWN_VERSION, Edge, Graph, Lock, LockEntry, Root
from .source import LockSource

_MODULES: Final = "node_modules/"
_REQUIREMENTS: Final = ("dependencies", "optionalDependencies", "peerDependencies")


def read_npm_lock(source: LockSource) -> Lock:
    """Read a lock of npm."""
    try:
        document = read_json(source.text)
    except ValueError as error:
        raise source.unparsable(error) from None
    packages = document.get("packages") if isinstance(document, dict) else None
    if not isinstance(packages, dict):
        raise LockfileShapeError(
            f"{source.path} carries no packages map, so it is not a version 2 or 3 npm lockfile and there is nothing "
            "to audit"
        )
    for key, package in packages.items():
        if not isinstance(package, dict):
            raise source.unknown_format(f'packages["{key}"] is no object')
    lines = _lines(source.text, packages)
    entries = tuple(
        _entry(key, package, lines.get(key, 1)) for key, package in packages.items() if _is_counted(key, package)
    )
    return Lock(source.path, "npm", entries, _graph(document, packages))


def _is_counted(key: str, package: Mapping[str, Any]) -> bool:
    return _MODULES in key and package.get("link") is not True


def _entry(key: str, package: Mapping[str, Any], line: int) -> LockEntry:
    name, version = package.get("name"), package.get("version")
    return LockEntry(
        name=name if isinstance(name, str) else key.rpartition(_MODULES)[2],
        version=version if isinstance(version, str) else UNKNOWN_VERSION,
        node=key,
        key=key,
        line=line,
        optional=package.get("optional") is True,
        resolved=package.get("resolved"),
        licence=package.get("license"),
    )


def _lines(text: str, packages: Mapping[str, Any]) -> dict[str, int]:
    """The line each package's key stands on."""
    keys = {json.dumps(key, ensure_ascii=False): key for key in packages}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        head, colon, rest = line.strip().rpartition(":")
        if colon and rest.strip() == "{" and head.rstrip() in keys:
            lines.setdefault(keys[head.rstrip()], number)
    return lines


def _graph(document: Mapping[str, Any], packages: Mapping[str, Any]) -> Graph:
    root = packages.get("", {})
    name = root.get("name") or document.get("name")
    edges = {key: list(_edges(key, package, packages, _REQUIREMENTS)) for key, package in packages.items()}
    own = Root(
        name if isinstance(name, str) else NO_ROOT_NAME,
        list(_edges("", root, packages, (*_REQUIREMENTS, "devDependencies"))),
    )
    return Graph((own,), edges)


def _edges(
    key: str, package: Mapping[str, Any], packages: Mapping[str, Any], groups: tuple[str, ...]
) -> Iterator[Edge]:
    for group in groups:
        names = package.get(group)
        for name in names if isinstance(names, dict) else ():
            node = _resolve(key, name, packages)
            if node is not None:
                yield Edge(name, node)


def _resolve(key: str, name: str, packages: Mapping[str, Any]) -> str | None:
    """The nearest ``node_modules/<name>`` seen from ``key``, through a link to what it leads to."""
    while True:
        candidate = f"{key}/{_MODULES}{name}" if key else _MODULES + name
        if candidate in packages:
            target = packages[candidate].get("resolved")
            is_link = packages[candidate].get("link") is True
            return target if is_link and isinstance(target, str) and target in packages else candidate
        if not key:
            return None
        key = key.rpartition("/")[0]
