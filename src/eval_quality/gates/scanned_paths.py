"""The files a section asks for (spec 14, section 2.2).

A walk never follows a symbolic link and never skips what it cannot read: either would leave a file out while the run
reported a clean tree. A row that matched nothing is refused for the same reason, unless its owner said it may.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from .paths import RelativePath
from .refusals import ScanPathError, ScanUnreadableError, system_detail
from .sections import Least, matches

Extension = Annotated[
    str,
    matches(r"^\.[A-Za-z0-9][A-Za-z0-9.]*$", 'is not a file extension; write it with its leading dot, as ".ts"'),
]
Extensions = Annotated[tuple[Extension, ...], Least(1)]
_NEVER_SOURCES: Final = "__pycache__"


@dataclass(frozen=True)
class ScannedPath:
    """A directory to walk, or one file."""

    path: RelativePath
    recursive: bool = True
    extensions: Extensions | None = None
    optional: bool = False


ScannedPaths = Annotated[tuple[ScannedPath, ...], Least(1)]


class Scan(NamedTuple):
    """What was read: the bytes of each file by its path from the root, and how many files each row gave."""

    files: dict[str, bytes]
    counts: tuple[tuple[str, int], ...]


def text_of(data: bytes) -> str:
    """Bytes as text: UTF-8 with replacement characters, a byte order mark kept."""
    return data.decode("utf-8", "replace")


def scan(root: Path, rows: Iterable[ScannedPath], gate: str, key: str = "paths") -> Scan:
    """Read every file the rows ask for. ``key`` is the name under which the section of ``gate`` lists them.

    Raises ``ScanPathError`` (a path is absent or matched nothing) and ``ScanUnreadableError``.
    """
    files: dict[str, bytes] = {}
    counts = []
    for row in rows:
        found = list(_files_of(root, row, gate, key))
        if not found and not row.optional:
            raise ScanPathError(nothing_found(row.path, gate))
        files.update((path, read_bytes(root, path)) for path in found if path not in files)
        counts.append((row.path, len(found)))
    return Scan(files, tuple(counts))


def nothing_found(path: str, gate: str, what: str = "no file") -> str:
    """What is said of a path that gave nothing to scan."""
    return (
        f'{path} holds {what} the "{gate}" section asked for, so a scan of nothing would report zero violations for '
        "the wrong reason; mark it optional if it may be empty"
    )


def does_not_exist(path: str, gate: str, key: str) -> str:
    """What is said of a path that is not there."""
    return f'{path} does not exist, and the "{gate}" section names it under {key}; mark it optional if it may be absent'


def read_bytes(root: Path, path: str) -> bytes:
    """The bytes of one scanned file. Raises ``ScanUnreadableError``."""
    try:
        return (root / path).read_bytes()
    except OSError as error:
        raise ScanUnreadableError(f"{path} could not be read: {system_detail(error, 'open')}") from None


def mode_of(root: Path, path: str) -> int | None:
    """What kind of file a path is; ``None`` when there is none. Raises ``ScanUnreadableError``, for a link too."""
    try:
        mode = os.lstat(root / path).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ScanUnreadableError(f"{path} could not be read: {system_detail(error, 'lstat')}") from None
    if stat.S_ISLNK(mode):
        raise ScanUnreadableError(f"{path} is a symbolic link, and this scan does not follow links")
    return mode


def entries_of(root: Path, directory: str) -> list[os.DirEntry[str]]:
    """What a directory holds, by name. Raises ``ScanUnreadableError``."""
    try:
        with os.scandir(root / directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise ScanUnreadableError(f"{directory} could not be read: {system_detail(error, 'scandir')}") from None


def _files_of(root: Path, row: ScannedPath, gate: str, key: str) -> Iterator[str]:
    path = row.path
    mode = mode_of(root, path)
    if mode is None:
        if not row.optional:
            raise ScanPathError(does_not_exist(path, gate, key))
    elif stat.S_ISDIR(mode):
        yield from _walk(root, path, row.recursive, row.extensions)
    elif stat.S_ISREG(mode):
        yield path


def _walk(root: Path, directory: str, recursive: bool, extensions: Sequence[str] | None) -> Iterator[str]:
    endings = None if extensions is None else tuple(extensions)
    for entry in entries_of(root, directory):
        child = f"{directory}/{entry.name}"
        if entry.is_symlink():
            raise ScanUnreadableError(
                f"{child} is a symbolic link; this scan does not follow links, and skipping one would leave a file "
                "unscanned while the run reported a clean tree"
            )
        if entry.is_dir():
            if recursive and entry.name != _NEVER_SOURCES:
                yield from _walk(root, child, recursive, extensions)
        elif entry.is_file() and (endings is None or entry.name.endswith(endings)):
            yield child
