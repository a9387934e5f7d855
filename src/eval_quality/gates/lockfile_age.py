"""Hold the age of every locked entry against a window (spec 14, section 5).

Each entry, in the order of the lock:

1. its origin is checked; an entry excluded by name is exempt from everything else;
2. an entry whose publication time nobody knows is a finding: the gate never passes on ignorance;
3. an entry published after the cutoff is a finding; one published exactly then is old enough.

A row of ``exclude`` that no entry needed is stale: exit 64 unless something was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from .gate import Block, Finding, Part, Place, Report, Stale, note
from .lock_rows import Lockfiles, row_issues, unused_rows
from .locks import Lock, LockEntry, read_lock
from .origins import UNCHECKED, HttpsUrl, Indexes, OriginFault, Origins, missing_registry
from .paths import RelativePath
from .publication import PublicationTimes, Published, read_cache
from .registries import Fetch, HttpsFetch
from .sections import Least, NonEmpty, Path, matches
from .timestamps import DAY, iso_text, now

PackageName = Annotated[
    str,
    Least(1),
    matches(
        r"^(?:@[A-Za-z0-9._~!*'()-]+\/)?[A-Za-z0-9._~!*'()-]+$",
        "is not a package name: this setting takes names such as left-pad or @scope/name, and a package-and-version "
        "pin is not one",
    ),
]


@dataclass(frozen=True)
class Exclusion:
    """A package exempt from the window in some lock files."""

    name: PackageName
    reason: NonEmpty
    lockfiles: Lockfiles


@dataclass(frozen=True)
class Section:
    """Which locks, how old their entries have to be, and who may be asked for their age."""

    lockfiles: Lockfiles
    window_days: Annotated[int, Least(1)] = 7
    cache: RelativePath | None = None
    exclude: tuple[Exclusion, ...] = ()
    npm_registry: HttpsUrl | None = None
    index: Indexes | None = None
    lock_times: Literal["trust", "ignore"] = "trust"
    timeout_ms: Annotated[int, Least(1000)] = 10_000

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Every lock file a row names is listed, and one exemption carries one reason."""
        yield from row_issues(
            "exclude",
            self.exclude,
            self.lockfiles,
            lambda row: (
                row.name,
                f'excludes "{row.name}"',
                "which an earlier row already excludes; one exemption carries one reason",
            ),
        )
        yield from missing_registry(self.lockfiles, self.npm_registry)


class _Excluded(NamedTuple):
    entry: LockEntry
    row: Exclusion


@dataclass(frozen=True)
class _Audit:
    """What was found in one lock file."""

    lock: Lock
    excluded: Sequence[_Excluded]
    off_registry: Sequence[tuple[LockEntry, OriginFault]]
    unknown: Sequence[LockEntry]
    young: Sequence[tuple[LockEntry, Published]]
    origin_unchecked: bool


def check(section: Section, place: Place, *, time: int | None = None, fetch: Fetch | None = None) -> Report:
    """Every lock file in order, then the rows nothing needed. ``time`` and ``fetch`` stand in for clock and network."""
    clock = now() if time is None else time
    cutoff = clock - section.window_days * DAY
    cache = {} if section.cache is None else read_cache(place, section.cache)
    times = PublicationTimes(
        cache,
        trust_locks=section.lock_times == "trust",
        registry=section.npm_registry,
        indexes=section.index or (),
        fetch=HttpsFetch(section.timeout_ms) if fetch is None else fetch,
    )
    parts: list[Part] = [note(f"Effective clock: {iso_text(clock)}")]
    if section.cache is not None:
        parts.append(
            note(
                f"{place.gate}: {len(cache)} publication time(s) read from {section.cache}; only an entry absent from "
                "it is fetched."
            )
        )
    used: set[tuple[int, str]] = set()
    for lockfile in section.lockfiles:
        audit = _audit(section, read_lock(place, lockfile), times, cutoff)
        parts.extend(_parts(f"{place.gate} {lockfile}:", audit, section.window_days, cutoff))
        used |= {(section.exclude.index(row), lockfile) for _, row in audit.excluded}
    stale = unused_rows(section.exclude, used, lambda row: row.name)
    if stale:
        parts.append(
            Stale(
                f'{place.config}\'s "{place.gate}" section excludes {stale}, and no entry there carries that name; the '
                "package left the lockfile or the name is mistyped, so remove the row or narrow its lockfiles"
            )
        )
    return Report(tuple(parts))


def _audit(section: Section, lock: Lock, times: PublicationTimes, cutoff: int) -> _Audit:
    origins = Origins(section.npm_registry, section.index)
    exclusions = {lock.normalise(row.name): row for row in section.exclude if lock.path in row.lockfiles}
    faults = [(entry, origins.fault(lock, entry)) for entry in lock.entries]
    names = [(entry, lock.normalise(entry.name)) for entry in lock.entries]
    excluded = [_Excluded(entry, exclusions[name]) for entry, name in names if name in exclusions]
    held = [entry for entry, fault in faults if fault is None and lock.normalise(entry.name) not in exclusions]
    published = list(zip(held, times.of(lock, held), strict=True))
    return _Audit(
        lock,
        excluded,
        [(entry, fault) for entry, fault in faults if fault is not None],
        [entry for entry, time in published if time is None],
        [(entry, time) for entry, time in published if time is not None and time.time > cutoff],
        origins.is_unchecked(lock),
    )


def _parts(head: str, audit: _Audit, window: int, cutoff: int) -> Iterator[Part]:
    count, exempt = len(audit.lock.entries), len(audit.excluded)
    rows = [
        line
        for entry, row in audit.excluded
        for line in (f"  excluded: {entry.label} ({entry.key})", f"    because: {row.reason}")
    ]
    if not (audit.off_registry or audit.unknown or audit.young):
        origin = f" ({UNCHECKED})" if audit.origin_unchecked else ""
        before = f"published before {iso_text(cutoff)}"
        told = f"{count - exempt} {before} and {exempt} excluded by name" if exempt else f"all {before}"
        yield note(f"{head} passed, {count} entrie(s), {told}{origin}.", *rows)
        return
    if exempt:
        yield note(f"{head} {count} entrie(s), {exempt} excluded by name.", *rows)
    yield from _blocks(head, audit, window, cutoff)


def _blocks(head: str, audit: _Audit, window: int, cutoff: int) -> Iterator[Block]:
    registry = "the npm registry" if audit.lock.ecosystem == "npm" else "a declared index"
    off_registry = [
        _finding(audit.lock, entry, "origin", f"resolved={fault.as_json}") for entry, fault in audit.off_registry
    ]
    unknown = [_finding(audit.lock, entry, "unknown-age", "") for entry in audit.unknown]
    young = [_finding(audit.lock, entry, "age", f"published {time.text}") for entry, time in audit.young]
    blocks = (
        (off_registry, f"failed closed, {len(off_registry)} entrie(s) do not resolve to {registry}:"),
        (unknown, f"failed closed, could not fetch publish metadata for {len(unknown)} entrie(s):"),
        (young, f"{len(young)} entrie(s) published inside the {window}-day window (cutoff {iso_text(cutoff)}):"),
    )
    yield from (Block(f"{head} {heading}", tuple(findings)) for findings, heading in blocks if findings)


def _finding(lock: Lock, entry: LockEntry, rule: str, detail: str) -> Finding:
    text = f"{entry.label}{detail and ' '}{detail} ({entry.key})"
    explained = detail or "has no known publication time"
    return Finding(lock.path, entry.line, rule, f"{entry.label} {explained}", (f"  - {text}",))
