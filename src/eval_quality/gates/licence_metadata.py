"""Where the licences of locked Python packages are read (spec 14, section 4): the first source that knows wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .extras import needs_packaging
from .gate import Place
from .json_texts import read_json
from .licence_expression import NO_LICENCE, Declaration, declared_licence
from .locks import normalise_name
from .locks.read import named_text
from .paths import RelativePath
from .refusals import GateConfigurationError, system_detail

if TYPE_CHECKING:
    from importlib.metadata import PackageMetadata


@dataclass(frozen=True, kw_only=True)
class InstalledMetadata:
    """The distributions of a virtual environment, or of the running interpreter."""

    from_: Literal["installed"]
    environment: RelativePath | None = None


@dataclass(frozen=True, kw_only=True)
class DirectoryMetadata:
    """Every metadata file below a directory."""

    from_: Literal["directory"]
    path: RelativePath


@dataclass(frozen=True, kw_only=True)
class CachedMetadata:
    """A JSON object of licences by ``name@version``."""

    from_: Literal["cache"]
    path: RelativePath


MetadataRow = InstalledMetadata | DirectoryMetadata | CachedMetadata


class MetadataSource(Protocol):
    """Knows what some distributions declare."""

    def versions(self, name: str) -> Mapping[str, Declaration]:
        """What is known of a distribution, by version."""


def metadata_sources(rows: Iterable[MetadataRow], place: Place) -> list[MetadataSource]:
    """The sources the rows describe. Raises ``GateConfigurationError`` for one that is absent or malformed."""
    return [_source(row, place) for row in rows]


def _source(row: MetadataRow, place: Place) -> MetadataSource:
    match row:
        case InstalledMetadata(environment=environment):
            return _Installed(None if environment is None else _site_packages(place, environment))
        case DirectoryMetadata(path=path):
            return _Known(_read_directory(place, path))
        case CachedMetadata(path=path):
            return _Known(_read_cache(place, path))


@dataclass(frozen=True)
class _Installed:
    """Looks distributions up one by one, so that only what is locked is read."""

    directories: list[str] | None

    def versions(self, name: str) -> Mapping[str, Declaration]:
        from importlib.metadata import Distribution, DistributionFinder

        path = {} if self.directories is None else {"path": self.directories}
        found = Distribution.discover(context=DistributionFinder.Context(name=name, **path))
        return {distribution.version: _declared_by(distribution.metadata) for distribution in found}


def _declared_by(metadata: PackageMetadata) -> Declaration:
    expression, licence = (
        next(iter(metadata.get_all(field) or ()), None) for field in ("License-Expression", "License")
    )
    return declared_licence(expression, licence, metadata.get_all("Classifier") or ())


@dataclass(frozen=True)
class _Known:
    """Declarations by name and version."""

    declarations: Mapping[str, Mapping[str, Declaration]]

    def versions(self, name: str) -> Mapping[str, Declaration]:
        return self.declarations.get(name, {})


def _absent(place: Place, path: Path, said: str) -> GateConfigurationError:
    return GateConfigurationError(f'{path} {said}; {place.config}\'s "{place.gate}" section names it under metadata')


def _site_packages(place: Place, environment: str) -> list[str]:
    directory = place.root / environment
    found = [str(path) for path in (*directory.glob("lib/python*/site-packages"), *directory.glob("Lib/site-packages"))]
    if not found:
        raise _absent(place, directory, "is no virtual environment" if directory.exists() else "does not exist")
    return sorted(found)


def _read_directory(place: Place, path: str) -> Mapping[str, Mapping[str, Declaration]]:
    directory = place.root / path
    if not directory.is_dir():
        raise _absent(place, directory, "is no directory" if directory.exists() else "does not exist")
    with needs_packaging():
        from packaging.metadata import parse_email
    declarations: dict[str, dict[str, Declaration]] = {}
    for file in sorted(directory.rglob("*")):
        if file.name not in ("METADATA", "PKG-INFO") and file.suffix != ".metadata":
            continue
        try:
            fields, _ = parse_email(file.read_bytes())
        except OSError as error:
            raise _absent(place, file, f"could not be read: {system_detail(error, 'open')}") from None
        if "name" in fields and "version" in fields:
            versions = declarations.setdefault(normalise_name(fields["name"]), {})
            versions.setdefault(fields["version"], _declared(fields, "license_expression", "license", "classifiers"))
    return declarations


def _read_cache(place: Place, path: str) -> Mapping[str, Mapping[str, Declaration]]:
    file = place.root / path
    try:
        document = read_json(named_text(place, path, "metadata"))
    except ValueError as error:
        raise _absent(place, file, f"could not be read: {error}") from None
    if not isinstance(document, dict):
        raise _absent(place, file, "could not be read: it is not a JSON object")
    declarations: dict[str, dict[str, Declaration]] = {}
    for key, value in document.items():
        name, _, version = key.rpartition("@")
        match value:
            case None:
                declaration = NO_LICENCE
            case str():
                declaration = declared_licence(value, None, ())
            case dict():
                declaration = _declared(value, "license-expression", "license", "classifiers")
            case _:
                raise _absent(place, file, f"could not be read: {key} is no licence")
        declarations.setdefault(normalise_name(name), {})[version] = declaration
    return declarations


def _declared(fields: Mapping[str, Any], expression: str, licence: str, classifiers: str) -> Declaration:
    rows = fields.get(classifiers)
    names = [row for row in rows if isinstance(row, str)] if isinstance(rows, list) else []
    return declared_licence(_text(fields.get(expression)), _text(fields.get(licence)), names)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
