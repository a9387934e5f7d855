"""When an entry of a lock was published (spec 14, section 5).

The first source that knows is asked: the cache, then the lock's own upload times, then a registry, if the section
permits one. Of several files the youngest counts: a wheel added later is new code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from .gate import Place
from .json_texts import read_json
from .locks import Lock, LockEntry, normalise_name
from .locks.read import named_text
from .origins import Index, is_file_of, same_url
from .refusals import GateConfigurationError
from .registries import Fetch, FetchError
from .timestamps import milliseconds

_SIMPLE_API: Final = "application/vnd.pypi.simple.v1+json"
_AT_A_TIME: Final = 8


class Published(NamedTuple):
    """A publication time, and its text as the source spells it."""

    time: int
    text: str


def _published(text: object) -> Published | None:
    time = milliseconds(text) if isinstance(text, str) else None
    return None if time is None else Published(time, str(text))


def _youngest(texts: Iterable[object]) -> Published | None:
    """The latest of several times; nothing when one of them is unknown or there is none."""
    times = [_published(text) for text in texts]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def read_cache(place: Place, cache: str) -> dict[str, Published]:
    """The publication times by ``name@version``. Raises ``GateConfigurationError``."""
    path = place.root / cache
    try:
        document = read_json(named_text(place, cache, "cache"))
    except ValueError as error:
        naming = f'{place.config}\'s "{place.gate}" section names it under cache'
        raise GateConfigurationError(f"{path} could not be read: {error}; {naming}") from None
    refused = f'{path} is not a JSON object mapping "name@version" to a publication timestamp'
    if not isinstance(document, dict):
        raise GateConfigurationError(refused)
    times = {key: _published(value) for key, value in document.items()}
    for key, time in times.items():
        if time is None:
            raise GateConfigurationError(f"{refused}: {key}")
    return {key: time for key, time in times.items() if time is not None}


class Request(NamedTuple):
    """One document of a registry: about a package of npm, or about a project of an index."""

    url: str
    accept: str


class PublicationTimes:
    """Finds the publication times of the entries of one section's locks."""

    def __init__(
        self,
        cache: Mapping[str, Published],
        *,
        trust_locks: bool,
        registry: str | None,
        indexes: Sequence[Index],
        fetch: Fetch,
    ) -> None:
        self._cache = cache
        self._normalised = {_normalise_key(key): time for key, time in cache.items()}
        self._trust_locks = trust_locks
        self._registry = registry
        self._indexes = [index for index in indexes if index.fetch]
        self._fetch = fetch
        self._documents: dict[Request, Any] = {}

    def of(self, lock: Lock, entries: Sequence[LockEntry]) -> list[Published | None]:
        """The time of each entry; ``None`` where nothing tells."""
        known = [self._known(lock, entry) for entry in entries]
        asked = [
            () if time is not None else tuple(self._requests(lock, entry))
            for time, entry in zip(known, entries, strict=True)
        ]
        self._ask(request for requests in asked for request in requests)
        return [
            time if time is not None else self._answer(lock, entry, requests)
            for time, entry, requests in zip(known, entries, asked, strict=True)
        ]

    def _known(self, lock: Lock, entry: LockEntry) -> Published | None:
        if lock.ecosystem == "npm":
            return self._cache.get(entry.label)
        cached = self._normalised.get(entry.label)
        if cached is not None or not self._trust_locks:
            return cached
        return _youngest(artifact.uploaded for artifact in entry.artifacts)

    def _requests(self, lock: Lock, entry: LockEntry) -> Iterable[Request]:
        if lock.ecosystem == "npm":
            if self._registry is not None:
                name = entry.name.replace("/", "%2F")
                yield Request(f"{self._registry.removesuffix('/')}/{name}", "application/json")
            return
        for index in self._indexes:
            if not entry.indexes or any(same_url(url, index.url) for url in entry.indexes):
                yield Request(f"{index.url.removesuffix('/')}/{quote(entry.name)}/", _SIMPLE_API)

    def _ask(self, requests: Iterable[Request]) -> None:
        """Fetch every document not fetched yet, a few at a time."""
        missing = list(dict.fromkeys(request for request in requests if request not in self._documents))
        if missing:
            with ThreadPoolExecutor(min(_AT_A_TIME, len(missing))) as pool:
                self._documents.update(zip(missing, pool.map(self._document, missing), strict=True))

    def _document(self, request: Request) -> Any:
        try:
            return read_json(self._fetch(request.url, request.accept).decode("utf-8", "replace"))
        except (FetchError, ValueError):
            return None

    def _answer(self, lock: Lock, entry: LockEntry, requests: Iterable[Request]) -> Published | None:
        read = _npm_time if lock.ecosystem == "npm" else _index_time
        answers = (read(self._documents[request], entry) for request in requests)
        return next((answer for answer in answers if answer is not None), None)


def _normalise_key(key: str) -> str:
    name, at, version = key.rpartition("@")
    return f"{normalise_name(name)}{at}{version}"


def _npm_time(document: Any, entry: LockEntry) -> Published | None:
    times = document.get("time") if isinstance(document, dict) else None
    return _published(times.get(entry.version)) if isinstance(times, dict) else None


def _index_time(document: Any, entry: LockEntry) -> Published | None:
    """The youngest of the relevant files of a project's page (PEP 691, PEP 700)."""
    meta = document.get("meta") if isinstance(document, dict) else None
    version = meta.get("api-version") if isinstance(meta, dict) else None
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(version, str) or version.partition(".")[0] != "1" or not isinstance(files, list):
        return None
    rows = [file for file in files if isinstance(file, dict)]
    return _youngest(file.get("upload-time") for file in _relevant(rows, entry))


def _relevant(files: list[dict[str, Any]], entry: LockEntry) -> list[dict[str, Any]]:
    """The files in the lock by name; else those with a hash of the pin; else every file of the version."""
    names = {artifact.file for artifact in entry.artifacts if artifact.file}
    if names:
        return [file for file in files if file.get("filename") in names]
    hashes = {artifact.sha256 for artifact in entry.artifacts if artifact.sha256}
    if hashes:
        return [file for file in files if _sha256(file) in hashes]
    return [file for file in files if _is_of_version(file.get("filename"), entry)]


def _sha256(file: dict[str, Any]) -> object:
    hashes = file.get("hashes")
    return hashes.get("sha256") if isinstance(hashes, dict) else None


def _is_of_version(filename: object, entry: LockEntry) -> bool:
    return isinstance(filename, str) and is_file_of(entry, filename)
