"""The fields of a manifest that a registry publishes verbatim (spec 14, section 3, step 2)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from .json_texts import read_json
from .paths import RelativePath
from .refusals import ScanPathError, system_detail
from .sections import Least, matches

FieldPath = Annotated[
    str,
    matches(
        r"^[A-Za-z_$][A-Za-z0-9_$-]*(?:\.[A-Za-z_$][A-Za-z0-9_$-]*)*$",
        "is not a manifest field path; write one key, or several joined by dots",
    ),
]


@dataclass(frozen=True)
class Manifest:
    """A manifest file (``pyproject.toml`` when there is one, else ``package.json``) and the fields to scan."""

    fields: Annotated[tuple[FieldPath, ...], Least(1)]
    file: RelativePath | None = None


_ABSENT: Final = object()
_SECTION: Final = 'the "package-boundary" section names it under'


def manifest_file(root: Path, manifest: Manifest) -> str:
    """The file that ``manifest`` means."""
    return manifest.file or ("pyproject.toml" if (root / "pyproject.toml").exists() else "package.json")


def manifest_entries(root: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """``(field, text)`` of every field and of what lies inside it. Raises ``ScanPathError``."""
    file = manifest_file(root, manifest)
    document = _read(root, file)
    for field in manifest.fields:
        value = _at(document, field.split("."))
        if value is _ABSENT:
            raise ScanPathError(_explain_absence(file, field, document))
        yield from _texts(file, field, value)


def _read(root: Path, file: str) -> Any:
    try:
        text = (root / file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise ScanPathError(
            f"{file} could not be read: {system_detail(error, 'open')}; {_SECTION} manifest.file"
        ) from None
    language = "TOML" if file.endswith(".toml") else "JSON"
    try:
        if language == "JSON":
            return read_json(text)
        import tomllib

        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScanPathError(f"{file} is not valid {language}: {error}") from None


def _at(document: Any, keys: list[str]) -> Any:
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return _ABSENT
        document = document[key]
    return document


def _explain_absence(file: str, field: str, document: Any) -> str:
    table, _, name = field.rpartition(".")
    dynamic = _at(document, ["project", "dynamic"])
    if table == "project" and isinstance(dynamic, list) and name in dynamic:
        return (
            f'{file} declares "{field}" dynamic, so it carries no text to scan; build the distribution and name it '
            "under distribution"
        )
    return (
        f'{file} carries no "{field}", and {_SECTION} manifest.fields; a field that is not there would otherwise read '
        "as a field with nothing in it"
    )


def _texts(file: str, key: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case None:
            raise ScanPathError(f"{file}#{key} is null, so there is nothing to scan")
        case dict():
            for name, member in value.items():
                yield from _texts(file, f"{key}.{name}", member)
        case list() if any(isinstance(member, dict | list) for member in value):
            for index, member in enumerate(value):
                yield from _texts(file, f"{key}.{index}", member)
        case list():
            yield key, " ".join(map(_scalar_text, value))
        case _:
            yield key, _scalar_text(value)


def _scalar_text(value: object) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            from eval_quality.canonical import number_text

            return number_text(value)
        case datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)
