"""A pinned requirements file: what ``pip-compile`` and ``uv pip compile`` write.

Lines are joined over a trailing backslash; ``-r`` and ``-c`` are followed inside the root; every line counts, whatever
its marker says. Each requirement is pinned to one version, or comes from a place of its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..extras import needs_packaging
from ..paths import is_within
from ..refusals import LockfileShapeError, system_detail
from .model import UNKNOWN_VERSION, Artifact, Edge, Graph, Lock, LockEntry, Root, normalise_name
from .source import LockSource
from .tables import project_name

_OPTION: Final = re.compile(r"(--[A-Za-z][A-Za-z-]*|-[A-Za-z])[ =]?\s*(.*)", re.DOTALL)
_INDEX_OPTIONS: Final = frozenset({"-i", "--index-url", "--extra-index-url"})
_LINK_OPTIONS: Final = frozenset({"-f", "--find-links"})
_FILE_OPTIONS: Final = frozenset({"-r", "--requirement", "-c", "--constraint"})
_EDITABLE_OPTIONS: Final = frozenset({"-e", "--editable"})
_HASH: Final = re.compile(r"\s--hash[= ]sha256:([0-9A-Fa-f]+)")
_PATH: Final = re.compile(r"(\.{0,2}/|\.$|file:|[^\s@=<>!~;\[]*/)")
_VIA: Final = re.compile(r"\s+#\s*(?:via\s*)?(.*)")


class _Line(NamedTuple):
    file: str
    number: int
    text: str
    required_by: list[str]


class _Pin(NamedTuple):
    line: _Line
    name: str
    version: str
    direct: str | None
    hashes: tuple[str, ...]


def read_requirements(source: LockSource) -> Lock:
    """Read a pinned requirements file."""
    pins: list[_Pin] = []
    indexes: list[str] = []
    links: list[str] = []
    for line in _logical_lines(source, source.path, source.text, ()):
        option = _OPTION.match(line.text)
        if option is None or option[1] in _EDITABLE_OPTIONS:
            pins.extend(_pins(source, line, line.text if option is None else option[2]))
        elif option[1] in _INDEX_OPTIONS:
            indexes.append(option[2].strip())
        elif option[1] in _LINK_OPTIONS:
            links.append(option[2].strip())
    entries = tuple(
        LockEntry(
            name=pin.name,
            version=pin.version,
            node=pin.name,
            key=f"{pin.name}=={pin.version}",
            line=pin.line.number,
            indexes=tuple(indexes),
            direct=next(iter(links), pin.direct),
            artifacts=tuple(Artifact(sha256=digest) for digest in pin.hashes),
        )
        for pin in pins
    )
    return Lock(source.path, "python", entries, _graph(source, pins))


def _logical_lines(source: LockSource, file: str, text: str, including: tuple[str, ...]) -> Iterator[_Line]:
    """The lines of a file and of those it includes, with the names their ``# via`` comments give."""
    if file in including:
        raise LockfileShapeError(f"{source.path} includes {file}, which includes itself")
    pending, first = "", 0
    last: _Line | None = None
    for number, physical in enumerate(text.split("\n"), 1):
        via = _VIA.fullmatch(physical)
        if via and last is not None and not pending:
            last.required_by.append(via[1].strip())
            continue
        first = first or number
        if physical.rstrip().endswith("\\"):
            pending += physical.rstrip()[:-1] + " "
            continue
        content = re.sub(r"(^|\s)#.*", "", pending + physical).strip()
        line_number, pending, first = first, "", 0
        option = _OPTION.match(content)
        if option is not None and option[1] in _FILE_OPTIONS:
            yield from _included(source, file, option[2].strip(), (*including, file))
        elif content:
            last = _Line(file, line_number, content, [])
            yield last


def _included(source: LockSource, file: str, name: str, including: tuple[str, ...]) -> Iterator[_Line]:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
    if not is_within(source.place.root, path):
        raise LockfileShapeError(f"{file} includes {name}, which lies outside the directory of the configuration")
    try:
        text = (source.place.root / path).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise LockfileShapeError(f"{file} includes {name}: {system_detail(error, 'open')}") from None
    yield from _logical_lines(source, path, text, including)


def _pins(source: LockSource, line: _Line, text: str) -> Iterator[_Pin]:
    """The pin a line is; nothing for a path inside the root, which is first-party."""
    hashes = tuple(digest.lower() for digest in _HASH.findall(text))
    bare = re.split(r"\s--", text, maxsplit=1)[0].strip()
    with needs_packaging():
        from packaging.requirements import InvalidRequirement, Requirement
    try:
        requirement = Requirement(bare)
    except InvalidRequirement:
        if _PATH.match(bare):
            if not source.is_first_party(bare.removeprefix("file:").partition("[")[0]):
                yield _Pin(line, bare, UNKNOWN_VERSION, bare, hashes)
            return
        raise _unpinned(line) from None
    name = normalise_name(requirement.name)
    if requirement.url:
        yield _Pin(line, name, UNKNOWN_VERSION, requirement.url, hashes)
        return
    specifiers = list(requirement.specifier)
    if len(specifiers) != 1 or specifiers[0].operator not in ("==", "===") or "*" in specifiers[0].version:
        raise _unpinned(line)
    yield _Pin(line, name, specifiers[0].version, None, hashes)


def _unpinned(line: _Line) -> LockfileShapeError:
    return LockfileShapeError(
        f"{line.file}:{line.number} is not pinned to one version, so it is not a lock: {line.text}"
    )


def _graph(source: LockSource, pins: list[_Pin]) -> Graph:
    names = {pin.name for pin in pins}
    required: list[Edge] = []
    edges: dict[str, list[Edge]] = {}
    for pin in pins:
        for requirer in filter(None, pin.line.required_by):
            parent = normalise_name(requirer)
            (edges.setdefault(parent, []) if parent in names else required).append(Edge(pin.name, pin.name))
    return Graph((Root(project_name(source), required),), edges)
