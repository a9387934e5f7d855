"""Lock files that are TOML tables of packages: ``uv.lock``, ``pylock.toml`` (PEP 751) and ``poetry.lock``."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..extras import needs_packaging
from ..timestamps import utc_text
from .model import (
    NO_ROOT_NAME,
    UNKNOWN_VERSION,
    Artifact,
    Edge,
    Graph,
    Lock,
    LockEntry,
    Root,
    artifact_of_url,
    normalise_name,
)
from .source import LockSource

Package = Mapping[str, Any]
_UV_LOCAL: Final = ("virtual", "editable", "directory")
_UV_DIRECT: Final = ("git", "url", "path", *_UV_LOCAL)
_POETRY_VERSIONS: Final = ("1", "2")


class _Requirement(NamedTuple):
    """A name some package requires, with the version when the lock gives it."""

    name: str
    version: str | None = None


class _Nodes:
    """The packages of a lock by number, found by name."""

    def __init__(self, packages: Sequence[Package]) -> None:
        self._by_name: dict[str, list[tuple[str, object]]] = {}
        for number, package in enumerate(packages):
            self._by_name.setdefault(normalise_name(package["name"]), []).append((str(number), package.get("version")))

    def edges(self, requirements: Iterable[_Requirement]) -> list[Edge]:
        """Edges to every package the requirements mean."""
        return [
            Edge(requirement.name, node)
            for requirement in requirements
            for node, version in self._by_name.get(normalise_name(requirement.name), ())
            if requirement.version in (None, version)
        ]


def read_uv_lock(source: LockSource) -> Lock:
    """Read a lock of uv. Its first-party packages are the roots."""
    document = source.toml()
    if document.get("version") != 1:
        raise source.unknown_format(f"version is {document.get('version')!r}, and 1 is what it knows")
    packages = _packages(source, document, "package")
    own = [_is_own_uv_package(source, package) for package in packages]
    nodes = _Nodes(packages)
    plain = {
        str(number): nodes.edges(_uv_requirements(package.get("dependencies")))
        for number, package in enumerate(packages)
    }
    edges = {
        str(number): [*plain[str(number)], *nodes.edges(_uv_optional_requirements(package))]
        for number, package in enumerate(packages)
    }
    mandatory = Graph(tuple(Root("", plain[str(number)]) for number, is_own in enumerate(own) if is_own), plain).chains
    graph = Graph(tuple(Root(package["name"], edges[str(n)]) for n, package in enumerate(packages) if own[n]), edges)
    lines = source.lines_of(r"\s*\[\[package\]\]")
    entries = tuple(
        _entry(
            package,
            number,
            lines,
            optional=str(number) not in mandatory,
            indexes=_texts(_table(package, "source").get("registry")),
            direct=_spelled(_table(package, "source"), _UV_DIRECT),
            artifacts=tuple(map(_artifact, _files(package, "sdist", "wheels"))),
        )
        for number, package in enumerate(packages)
        if not own[number]
    )
    return Lock(source.path, "python", entries, graph)


def _is_own_uv_package(source: LockSource, package: Package) -> bool:
    return any(
        isinstance(directory, str) and source.is_first_party(directory)
        for directory in map(_table(package, "source").get, _UV_LOCAL)
    )


def _uv_requirements(rows: object) -> Iterator[_Requirement]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            yield _Requirement(row["name"], row.get("version"))


def _uv_optional_requirements(package: Package) -> Iterator[_Requirement]:
    for key in ("optional-dependencies", "dev-dependencies"):
        for rows in _table(package, key).values():
            yield from _uv_requirements(rows)


def read_pylock(source: LockSource) -> Lock:
    """Read a lock in the standard format."""
    document = source.toml()
    with needs_packaging():
        from packaging.pylock import Pylock, PylockUnsupportedVersionError, PylockValidationError
    try:
        Pylock.from_dict(document)
    except (PylockValidationError, PylockUnsupportedVersionError) as error:
        raise source.unknown_format(error) from None
    packages = _packages(source, document, "packages")
    lines = source.lines_of(r"\s*\[\[packages\]\]")
    entries = tuple(
        _entry(
            package,
            number,
            lines,
            optional=any(word in str(package.get("marker", "")) for word in ("extras", "dependency_groups")),
            indexes=_texts(package.get("index")),
            direct=_pylock_direct(package),
            artifacts=tuple(map(_artifact, _files(package, "sdist", "archive", "wheels"))),
        )
        for number, package in enumerate(packages)
        if not _is_own_pylock_package(source, package)
    )
    nodes = _Nodes(packages)
    edges = {
        str(number): nodes.edges(_uv_requirements(package.get("dependencies")))
        for number, package in enumerate(packages)
    }
    return Lock(source.path, "python", entries, _pyproject_graph(source, nodes, edges))


def _is_own_pylock_package(source: LockSource, package: Package) -> bool:
    directory = _table(package, "directory").get("path")
    return isinstance(directory, str) and source.is_first_party(directory)


def _pylock_direct(package: Package) -> str | None:
    """A source that is no index; an artefact that has only a path is one."""
    for key in ("vcs", "archive", "directory"):
        if key in package:
            return _spelled(package[key], ("url", "path")) or key
    return next((str(file["path"]) for file in _files(package, "sdist", "wheels") if "url" not in file), None)


def read_poetry_lock(source: LockSource) -> Lock:
    """Read a lock of poetry; what the repository itself requires stands in the ``pyproject.toml`` beside it."""
    document = source.toml()
    metadata = _table(document, "metadata")
    version = str(metadata.get("lock-version", "1.0"))
    if "metadata" not in document or version.partition(".")[0] not in _POETRY_VERSIONS:
        raise source.unknown_format(f"lock-version is {version!r}, and 1 and 2 are what it knows")
    packages = _packages(source, document, "package")
    files = _table(metadata, "files")
    lines = source.lines_of(r"\s*\[\[package\]\]")
    entries = tuple(
        _entry(
            package,
            number,
            lines,
            optional=package.get("optional") is True,
            indexes=_texts(_poetry_source(package, "legacy")),
            direct=_poetry_direct(package),
            artifacts=tuple(map(_artifact, _rows(package.get("files", files.get(package["name"]))))),
        )
        for number, package in enumerate(packages)
        if not _is_own_poetry_package(source, package)
    )
    nodes = _Nodes(packages)
    edges = {
        str(number): nodes.edges(map(_Requirement, _table(package, "dependencies")))
        for number, package in enumerate(packages)
    }
    return Lock(source.path, "python", entries, _pyproject_graph(source, nodes, edges))


def _poetry_source(package: Package, kind: str) -> object:
    origin = _table(package, "source")
    return origin.get("url") if origin.get("type") == kind else None


def _poetry_direct(package: Package) -> str | None:
    origin = _table(package, "source")
    return None if not origin or origin.get("type") == "legacy" else str(origin.get("url", origin.get("type")))


def _is_own_poetry_package(source: LockSource, package: Package) -> bool:
    directory = _poetry_source(package, "directory")
    return isinstance(directory, str) and source.is_first_party(directory)


def _pyproject_graph(source: LockSource, nodes: _Nodes, edges: Mapping[str, Sequence[Edge]]) -> Graph:
    project, poetry = _table(source.pyproject, "project"), _table(_table(source.pyproject, "tool"), "poetry")
    name = project.get("name") or poetry.get("name")
    required = [*_project_requirements(source.pyproject, project), *_poetry_requirements(poetry)]
    return Graph((Root(name if isinstance(name, str) else NO_ROOT_NAME, nodes.edges(required)),), edges)


def _project_requirements(pyproject: Package, project: Package) -> Iterator[_Requirement]:
    with needs_packaging():
        from packaging.requirements import InvalidRequirement, Requirement
    lists = [
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(pyproject, "dependency-groups").values(),
    ]
    for text in (text for rows in lists if isinstance(rows, list) for text in rows if isinstance(text, str)):
        try:
            yield _Requirement(Requirement(text).name)
        except InvalidRequirement:
            continue


def _poetry_requirements(poetry: Package) -> Iterator[_Requirement]:
    groups = [poetry, *_table(poetry, "group").values()]
    for group in groups:
        for key in ("dependencies", "dev-dependencies"):
            yield from map(_Requirement, _table(group, key))


def project_name(source: LockSource) -> str:
    """The name of the project whose ``pyproject.toml`` stands beside the lock file."""
    return _pyproject_graph(source, _Nodes(()), {}).roots[0].name


def _packages(source: LockSource, document: Package, key: str) -> list[Package]:
    packages = document.get(key, [])
    if not isinstance(packages, list):
        raise source.unknown_format(f"{key} is no array of tables")
    for package in packages:
        if not isinstance(package, dict) or not isinstance(package.get("name"), str):
            raise source.unknown_format(f"a {key} table carries no name")
    return packages


def _entry(
    package: Package,
    number: int,
    lines: Sequence[int],
    *,
    optional: bool,
    indexes: tuple[str, ...],
    direct: str | None,
    artifacts: tuple[Artifact, ...],
) -> LockEntry:
    name, version = normalise_name(package["name"]), str(package.get("version", UNKNOWN_VERSION))
    line = lines[number] if number < len(lines) else 1
    return LockEntry(name, version, str(number), f"{name}=={version}", line, optional, indexes, direct, artifacts)


def _artifact(file: Package) -> Artifact:
    uploaded = next((_time_text(file[key]) for key in ("upload-time", "upload_time") if key in file), None)
    sha256 = _sha256(file)
    if isinstance(file.get("url"), str):
        artifact = artifact_of_url(file["url"], sha256, uploaded)
        return artifact._replace(file=file["name"]) if isinstance(file.get("name"), str) else artifact
    named = next((file[key] for key in ("name", "file", "filename", "path") if isinstance(file.get(key), str)), None)
    return Artifact(None if named is None else named.rpartition("/")[2], None, sha256, uploaded)


def _sha256(file: Package) -> str | None:
    digest = _table(file, "hashes").get("sha256") or file.get("hash")
    return digest.removeprefix("sha256:").lower() if isinstance(digest, str) else None


def _time_text(value: object) -> str | None:
    """A time as its source spells it; a TOML date-time in UTC with milliseconds. A local one is no point in time."""
    if isinstance(value, datetime.datetime):
        return None if value.tzinfo is None else utc_text(value)
    return value if isinstance(value, str) else None


def _files(package: Package, *keys: str) -> Iterator[Package]:
    for key in keys:
        yield from _rows(package.get(key))


def _rows(value: object) -> list[Package]:
    rows = value if isinstance(value, list) else [value]
    return [row for row in rows if isinstance(row, dict)]


def _table(package: Package, key: str) -> Package:
    value = package.get(key)
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()


def _spelled(table: Package, keys: Iterable[str]) -> str | None:
    return next((str(table[key]) for key in keys if key in table), None)
