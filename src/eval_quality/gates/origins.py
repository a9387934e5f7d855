"""Where an entry of a lock may come from (spec 14, section 2.5).

No registry is built in. npm: the one tarball an entry has on ``npmRegistry``. Python: the declared rows of ``index``;
with none, what a lock says of origins is not checked, and the report says so. The rules for Python, in order:

1. every index the entry names is declared, and every URL is https on a host of a declared index;
2. a repository, a URL, a path or a directory outside the root is no index;
3. every file name is that of this very entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

from .extras import needs_packaging
from .locks import Artifact, Lock, LockEntry
from .locks.model import UNKNOWN_VERSION
from .sections import Least, NonEmpty, Path, matches

HttpsUrl = Annotated[str, Least(1), matches(r"^https://[^/\s]+", "is not an https URL")]

UNCHECKED: Final = "origin unchecked"


@dataclass(frozen=True)
class Index:
    """A package index: ``hosts`` serve its files; ``fetch`` permits asking it for publication times."""

    url: HttpsUrl
    hosts: Annotated[tuple[NonEmpty, ...], Least(1)] | None = None
    fetch: bool = False

    @property
    def file_hosts(self) -> tuple[str, ...]:
        return self.hosts or (urlsplit(self.url).netloc,)


Indexes = Annotated[tuple[Index, ...], Least(1)]


def same_url(one: str, other: str) -> bool:
    """Whether two URLs are the same but for one trailing slash."""
    return one.removesuffix("/") == other.removesuffix("/")


def missing_registry(lockfiles: Sequence[str], registry: str | None) -> Iterator[tuple[Path, str]]:
    """The cross check of a section that lists a lock of npm without naming the registry."""
    npm = next((lockfile for lockfile in lockfiles if lockfile.endswith(".json")), None)
    if npm is not None and registry is None:
        yield (
            ("npmRegistry",),
            f"is absent, and {npm} is an npm lockfile; name the registry its entries have to resolve to",
        )


class OriginFault(NamedTuple):
    """What an entry's lock says of its origin that no declaration accepts."""

    found: object

    @property
    def as_json(self) -> str:
        return json.dumps(self.found, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Origins:
    """The origins one section accepts."""

    registry: str | None
    indexes: tuple[Index, ...] | None

    def is_unchecked(self, lock: Lock) -> bool:
        """Whether the lock says where its entries come from and nothing here says where they may."""
        return self._skips(lock) and any(entry.names_an_origin for entry in lock.entries)

    def fault(self, lock: Lock, entry: LockEntry) -> OriginFault | None:
        """The first thing about the entry's origin that is not accepted; ``None`` when all is."""
        if lock.ecosystem == "npm":
            return None if entry.resolved == self._tarball(entry) else OriginFault(entry.resolved)
        return None if self._skips(lock) else next(map(OriginFault, self._python_faults(entry)), None)

    def _skips(self, lock: Lock) -> bool:
        return lock.ecosystem == "python" and self.indexes is None

    def _tarball(self, entry: LockEntry) -> str:
        registry = (self.registry or "").removesuffix("/")
        return f"{registry}/{entry.name}/-/{entry.name.rpartition('/')[2]}-{entry.version}.tgz"

    def _python_faults(self, entry: LockEntry) -> Iterator[str]:
        declared = self.indexes or ()
        yield from (url for url in entry.indexes if not any(same_url(url, index.url) for index in declared))
        if entry.direct is not None:
            yield entry.direct
        hosts = {host for index in declared for host in index.file_hosts}
        for artifact in entry.artifacts:
            url = artifact.url
            if url is not None and (urlsplit(url).scheme != "https" or urlsplit(url).netloc not in hosts):
                yield url
            elif artifact.file is not None and not is_file_of(entry, artifact.file):
                yield _where(artifact)


def _where(artifact: Artifact) -> str:
    return artifact.url or artifact.file or ""


def is_file_of(entry: LockEntry, file: str) -> bool:
    """Whether a file name is that of a distribution of the entry's own name and version."""
    with needs_packaging():
        from packaging.utils import (
            InvalidSdistFilename,
            InvalidWheelFilename,
            parse_sdist_filename,
            parse_wheel_filename,
        )
        from packaging.version import InvalidVersion, Version
    try:
        name, version = parse_wheel_filename(file)[:2] if file.endswith(".whl") else parse_sdist_filename(file)
        return name == entry.name and (entry.version == UNKNOWN_VERSION or version == Version(entry.version))
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return False
