"""Boundaries crossed through a third module (spec 14, section 6.6).

The import graph of whole packages is built by ``grimp`` in a child process whose path is the import roots. For each
row, the nearest module of the forbidden layer is searched from every module of the other, over chains of at least three
modules that do not come back to the layer they start in: a direct import is the file rule's to report.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from .refusals import GateConfigurationError, MissingExtraError
from .sections import Least, NonEmpty, matches

_CHILD: Final = Path(__file__).with_name("_graph_child.py")
_MISSING: Final = (
    'the dependency-direction gate follows indirect imports through the grimp package, and the optional extra "graph" '
    'is not installed here. Install it (pip install "eval-quality[graph]"), or drop "indirect" from the '
    '"dependency-direction" section to run without it. No other gate needs it.'
)


@dataclass(frozen=True)
class IndirectRow:
    """One layer that may not reach another, through whatever lies between."""

    from_: NonEmpty
    to: NonEmpty
    rule: NonEmpty


@dataclass(frozen=True)
class Indirect:
    """The packages whose import graph is built, and what it may not hold."""

    packages: Annotated[
        tuple[Annotated[str, matches(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$", "is not a package name")], ...], Least(1)
    ]
    rows: Annotated[tuple[IndirectRow, ...], Least(1)]


class Chain(NamedTuple):
    """A way from one layer to another: its modules, the line of the first import, and the row it breaks."""

    modules: tuple[str, ...]
    line: int
    row: IndirectRow


ImportGraph = Mapping[str, Mapping[str, int]]
"""For every module, the modules it imports and the line it does so."""


def build_import_graph(indirect: Indirect, root: Path, import_roots: list[str], *, type_checking: bool) -> ImportGraph:
    """The import graph of the packages. Raises ``MissingExtraError`` and ``GateConfigurationError``."""
    if find_spec("grimp") is None:
        raise MissingExtraError(_MISSING)
    path = os.pathsep.join(str(root / directory) for directory in import_roots)
    request = {"packages": indirect.packages, "exclude_type_checking_imports": not type_checking}
    child = subprocess.run(
        [sys.executable, str(_CHILD)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    if child.returncode:
        last = (child.stderr.strip().split("\n") or [""])[-1]
        raise GateConfigurationError(f"dependency-direction: the import graph could not be built: {last}")
    graph: ImportGraph = json.loads(child.stdout)
    return graph


def forbidden_chains(
    graph: ImportGraph, rows: tuple[IndirectRow, ...], layer_of: Callable[[str], str | None]
) -> Iterator[Chain]:
    """For each row, the shortest chain from every module of its first layer that reaches its second."""
    layers = {module: layer_of(module) for module in graph}
    for row in rows:
        for module in sorted(module for module, layer in layers.items() if layer == row.from_):
            chain = _nearest(graph, module, row, layers)
            if chain is not None:
                yield Chain(chain, graph[module][chain[1]], row)


def _nearest(
    graph: ImportGraph, start: str, row: IndirectRow, layers: Mapping[str, str | None]
) -> tuple[str, ...] | None:
    seen = {start}
    level: list[tuple[str, ...]] = [(start,)]
    while level:
        following = []
        for chain in level:
            for module in sorted(graph.get(chain[-1], ())):
                layer = layers.get(module)
                if layer == row.to and len(chain) > 1:
                    return (*chain, module)
                if module not in seen and layer not in (row.to, row.from_):
                    seen.add(module)
                    following.append((*chain, module))
        level = following
    return None
