"""What a lock file says, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

Ecosystem = Literal["npm", "python"]
UNKNOWN_VERSION: Final = "(unknown)"
NO_ROOT_NAME: Final = "(root)"


def normalise_name(name: str) -> str:
    """The PEP 503 spelling of a distribution's name; also of the beginning of one."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Artifact(NamedTuple):
    """A file an entry is installed from. ``uploaded`` is the lock's own text of its publication time."""

    file: str | None = None
    url: str | None = None
    sha256: str | None = None
    uploaded: str | None = None


def artifact_of_url(url: str, sha256: str | None = None, uploaded: str | None = None) -> Artifact:
    """The file a URL leads to."""
    return Artifact(unquote(urlsplit(url).path.rpartition("/")[2]), url, sha256, uploaded)


@dataclass(frozen=True)
class LockEntry:
    """A locked package.

    ``node`` identifies it in the graph, ``key`` is how a reader finds it in the file. ``indexes`` are the registries it
    is said to come from, ``direct`` a source that is no registry. ``resolved`` and ``licence`` are what npm records.
    """

    name: str
    version: str
    node: str
    key: str
    line: int
    optional: bool = False
    indexes: tuple[str, ...] = ()
    direct: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    resolved: object = None
    licence: object = None

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def names_an_origin(self) -> bool:
        """Whether the lock says where the entry comes from."""
        return bool(self.indexes or self.direct) or any(artifact.url for artifact in self.artifacts)


class Edge(NamedTuple):
    """A requirement: the name as the requirer spells it, and the node it leads to."""

    name: str
    node: str


class Root(NamedTuple):
    """A first-party package and what it requires."""

    name: str
    edges: Sequence[Edge]


@dataclass(frozen=True)
class Graph:
    """Who requires whom."""

    roots: tuple[Root, ...]
    edges: Mapping[str, Sequence[Edge]] = field(default_factory=dict)

    @cached_property
    def chains(self) -> Mapping[str, tuple[str, ...]]:
        """For every node that a root reaches, the names on the first shortest way to it."""
        chains: dict[str, tuple[str, ...]] = {}
        level: list[tuple[tuple[str, ...], Iterable[Edge]]] = [((root.name,), root.edges) for root in self.roots]
        while level:
            following: list[tuple[tuple[str, ...], Iterable[Edge]]] = []
            for chain, edges in level:
                for edge in edges:
                    if edge.node not in chains:
                        chains[edge.node] = (*chain, edge.name)
                        following.append((chains[edge.node], self.edges.get(edge.node, ())))
            level = following
        return chains


@dataclass(frozen=True)
class Lock:
    """The entries of one lock file in its own order."""

    path: str
    ecosystem: Ecosystem
    entries: tuple[LockEntry, ...]
    graph: Graph

    def dependency_path(self, entry: LockEntry) -> str:
        """How the repository comes to need ``entry``; its key when nothing says."""
        return " > ".join(self.graph.chains.get(entry.node, (entry.key,)))

    def normalise(self, name: str) -> str:
        """A name, or the beginning of one, as this lock's ecosystem compares them."""
        return normalise_name(name) if self.ecosystem == "python" else name
