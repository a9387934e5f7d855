"""Built distributions read in place, never extracted (spec 14, section 3, step 6).

A member that could be anything but a plain file inside the archive, or that is too large to hold, is refused: what an
installer would do with it is not known here.
"""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

from .paths import RelativePath
from .refusals import ScanPathError, ScanUnreadableError, system_detail
from .scanned_paths import Extensions, does_not_exist, entries_of, mode_of, nothing_found

_LARGEST_MEMBER: Final = 64 * 1024 * 1024
_LARGEST_ARCHIVE: Final = 1024 * 1024 * 1024
_SNIFFED: Final = 8192
_ENDINGS: Final = {
    "any": (".whl", ".tar.gz", ".tgz", ".zip"),
    "wheel": (".whl",),
    "sdist": (".tar.gz", ".tgz", ".zip"),
}


@dataclass(frozen=True)
class Distribution:
    """An archive, or a directory whose archives are all read."""

    path: RelativePath
    kind: Literal["any", "wheel", "sdist"] = "any"
    extensions: Extensions | None = None
    names: bool = False
    binary: Literal["strings", "skip"] = "strings"
    optional: bool = False


class Member(NamedTuple):
    """A file in an archive."""

    archive: str
    name: str
    data: bytes

    @property
    def is_binary(self) -> bool:
        return b"\0" in self.data[:_SNIFFED]


def archives_of(root: Path, row: Distribution, gate: str) -> list[str]:
    """The archives a row names, by name. Raises ``ScanPathError`` and ``ScanUnreadableError``."""
    path, endings = row.path, _ENDINGS[row.kind]
    mode = mode_of(root, path)
    if mode is None:
        if row.optional:
            return []
        raise ScanPathError(does_not_exist(path, gate, "distribution"))
    inside = [f"{path}/{entry.name}" for entry in entries_of(root, path)] if stat.S_ISDIR(mode) else [path]
    found = [archive for archive in inside if archive.endswith(endings)]
    if not found and not row.optional:
        raise ScanPathError(nothing_found(path, gate, "no built distribution"))
    return found


def members_of(root: Path, archive: str) -> Iterator[Member]:
    """The files of an archive. Raises ``ScanUnreadableError`` for a damaged or an unsafe one."""
    read = _tar_members if archive.endswith((".tar.gz", ".tgz")) else _zip_members
    seen: set[str] = set()
    total = 0
    try:
        for name, fault, size, data in read(root / archive):
            total += size
            fault = fault or _fault_of(name, size, total, seen)
            if fault:
                raise ScanUnreadableError(f"{archive}!{name} could not be read: {fault}")
            seen.add(name)
            yield Member(archive, name, data)
    except OSError as error:
        raise ScanUnreadableError(f"{archive} could not be read: {system_detail(error, 'open')}") from None
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise ScanUnreadableError(f"{archive} could not be read: {error}") from None


_Read = tuple[str, str | None, int, bytes]


def _zip_members(path: Path) -> Iterator[_Read]:
    with zipfile.ZipFile(path) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            mode = info.external_attr >> 16
            if info.is_dir():
                continue
            fault = None
            if info.flag_bits & 1:
                fault = "it is encrypted"
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                fault = "it is no plain file"
            readable = fault is None and info.file_size <= _LARGEST_MEMBER
            yield info.filename, fault, info.file_size, archive.read(info) if readable else b""


def _tar_members(path: Path) -> Iterator[_Read]:
    with tarfile.open(path, "r:gz") as archive:
        for info in archive:
            if info.isdir():
                continue
            fault = None if info.isreg() else "it is no plain file"
            content = archive.extractfile(info) if fault is None and info.size <= _LARGEST_MEMBER else None
            yield info.name, fault, info.size, b"" if content is None else content.read()


def _fault_of(name: str, size: int, total: int, seen: set[str]) -> str | None:
    """What makes a member one that must not be trusted."""
    if name.startswith("/") or "\\" in name or ".." in name.split("/"):
        return "its path leads out of the archive"
    if name in seen:
        return "the archive holds two members of that name"
    if size > _LARGEST_MEMBER:
        return f"it is larger than {_LARGEST_MEMBER} bytes"
    if total > _LARGEST_ARCHIVE:
        return f"the archive holds more than {_LARGEST_ARCHIVE} bytes"
    return None
