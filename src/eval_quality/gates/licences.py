"""Hold the licence of every locked entry, direct and transitive, against an allowlist (spec 14, section 4).

Each entry, in the order of the lock:

1. an origin that is not accepted is a violation, whatever the licence;
2. an entry no metadata source knows is a violation (Python);
3. an entry that declares nothing is read by evidence where a row says so, and is a violation otherwise;
4. an allowed licence passes, then one that a tolerance for its family allows, else it is a violation.

A row of ``undeclared`` that no entry needed is stale: exit 64 unless something was found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple

from .ecmascript import trim
from .gate import Block, Finding, Part, Place, Report, Stale, note
from .licence_expression import NO_LICENCE, Declaration, is_allowed
from .licence_metadata import InstalledMetadata, MetadataRow, MetadataSource, metadata_sources
from .lock_rows import Lockfiles, row_issues, unlisted, unused_rows
from .locks import Lock, LockEntry, read_lock
from .origins import UNCHECKED, HttpsUrl, Indexes, Origins, missing_registry
from .sections import Least, NonEmpty, Path, matches

SpdxIdentifier = Annotated[
    str,
    Least(1),
    matches(
        r"^[A-Za-z0-9][A-Za-z0-9.+-]*$",
        "is not an SPDX short identifier: this setting takes identifiers such as MIT or Apache-2.0, and a "
        "package-and-version pin is not one",
    ),
]
_DEFAULT_LABEL: Final = "the allowlist"


@dataclass(frozen=True)
class Policy:
    """Further identifiers for one lock file, and the name of the list they make."""

    label: NonEmpty
    reason: NonEmpty
    also: Annotated[tuple[SpdxIdentifier, ...], Least(1)]


@dataclass(frozen=True)
class Marker:
    """A tolerance holds while this file contains this text."""

    file: NonEmpty
    contains: NonEmpty


@dataclass(frozen=True)
class Tolerance:
    """One more identifier for the packages whose names start with ``prefix``."""

    reason: NonEmpty
    lockfiles: Lockfiles
    prefix: NonEmpty
    license: SpdxIdentifier
    optional: bool = True
    marker: Marker | None = None


@dataclass(frozen=True)
class Undeclared:
    """How to read an entry that declares no licence, and the evidence for it."""

    reason: NonEmpty
    lockfiles: Lockfiles
    prefix: NonEmpty
    read_as: SpdxIdentifier
    evidence: NonEmpty


@dataclass(frozen=True)
class Section:
    """Which locks, and what their licences may be."""

    lockfiles: Lockfiles
    allowlist: Annotated[tuple[SpdxIdentifier, ...], Least(1)]
    policies: Mapping[NonEmpty, Policy] = field(default_factory=dict)
    tolerances: tuple[Tolerance, ...] = ()
    undeclared: tuple[Undeclared, ...] = ()
    npm_registry: HttpsUrl | None = None
    index: Indexes | None = None
    metadata: Annotated[tuple[MetadataRow, ...], Least(1)] = (InstalledMetadata(from_="installed"),)

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Every lock file a row names is listed, and one package is read as one licence."""
        for lockfile in self.policies:
            if lockfile not in self.lockfiles:
                yield ("policies", lockfile), unlisted(lockfile, self.lockfiles)
        yield from row_issues("tolerances", self.tolerances, self.lockfiles)
        yield from row_issues(
            "undeclared",
            self.undeclared,
            self.lockfiles,
            lambda row: (
                row.prefix,
                f'reads "{row.prefix}"',
                "which an earlier row already reads; one package is read as one licence",
            ),
        )
        yield from missing_registry(self.lockfiles, self.npm_registry)


class _Reading(NamedTuple):
    """An entry that was read by evidence."""

    entry: LockEntry
    row: Undeclared


class _Tolerated(NamedTuple):
    """An entry that a tolerance allowed."""

    entry: LockEntry
    row: Tolerance


class _Violation(NamedTuple):
    """An entry that nothing allows."""

    entry: LockEntry
    licence: object
    reason: str | None


_Judgement = _Reading | _Tolerated | _Violation | None


def check(section: Section, place: Place) -> Report:
    """Every lock file in order, then the rows that nothing needed."""
    sources = metadata_sources(section.metadata, place) if _reads_python(section) else []
    parts: list[Part] = []
    used: set[tuple[int, str]] = set()
    for lockfile in section.lockfiles:
        audit = _Audit(section, place, read_lock(place, lockfile), sources)
        parts.extend(audit.report())
        used |= {(row, lockfile) for row in audit.used_rows}
    stale = unused_rows(section.undeclared, used, lambda row: row.prefix)
    if stale:
        parts.append(
            Stale(
                f'{place.config}\'s "{place.gate}" section reads {stale} by evidence, and no entry there under that '
                "prefix declares no licence; the package now declares one or the prefix is mistyped, so remove the row "
                "or narrow its lockfiles"
            )
        )
    return Report(tuple(parts))


def _reads_python(section: Section) -> bool:
    return any(not lockfile.endswith(".json") for lockfile in section.lockfiles)


class _Audit:
    """Judges the entries of one lock file."""

    def __init__(self, section: Section, place: Place, lock: Lock, sources: list[MetadataSource]) -> None:
        policy = section.policies.get(lock.path)
        self._place = place
        self._lock = lock
        self._sources = sources
        self._policy = policy
        self._label = _DEFAULT_LABEL if policy is None else policy.label
        self._identifiers = {*section.allowlist, *(() if policy is None else policy.also)}
        self._origins = Origins(section.npm_registry, section.index)
        self._undeclared = [(index, row) for index, row in enumerate(section.undeclared) if lock.path in row.lockfiles]
        self._tolerances = [row for row in section.tolerances if lock.path in row.lockfiles and self._holds(row)]
        self.used_rows: set[int] = set()

    def _holds(self, row: Tolerance) -> bool:
        if row.marker is None:
            return True
        try:
            text = (self._place.root / row.marker.file).read_bytes().decode("utf-8", "replace")
        except OSError:
            return False
        return row.marker.contains in text

    def report(self) -> Iterator[Part]:
        judgements = [self._judge(entry) for entry in self._lock.entries]
        violations = [judgement for judgement in judgements if isinstance(judgement, _Violation)]
        exceptions = list(_exceptions(judgements))
        head = f"licences {self._lock.path}:"
        if violations:
            if exceptions:
                yield note(*exceptions)
            yield Block(
                f"{head} {len(violations)} entrie(s) outside {self._label}:", tuple(map(self._finding, violations))
            )
            return
        origin = f" ({UNCHECKED})" if self._origins.is_unchecked(self._lock) else ""
        passed = f"{head} passed against {self._label}, {len(judgements)} entrie(s), all allowlisted{origin}."
        policy = [] if self._policy is None else [f"  {self._label}: {self._policy.reason}"]
        yield note(passed, *policy, *exceptions)

    def _judge(self, entry: LockEntry) -> _Judgement:
        fault = self._origins.fault(self._lock, entry)
        declaration = self._declaration(entry)
        if fault is not None:
            where = (
                f"resolved {fault.as_json} is not this entry's own tarball on the npm registry"
                if self._lock.ecosystem == "npm"
                else f"{fault.found} is not a declared index"
            )
            return _Violation(entry, declaration.licence if isinstance(declaration, Declaration) else None, where)
        if isinstance(declaration, str):
            return _Violation(entry, None, declaration)
        if declaration.licence is None:
            return self._judge_undeclared(entry)
        if declaration.reason is not None:
            return _Violation(entry, declaration.licence, declaration.reason)
        if is_allowed(declaration.licence, self._identifiers):
            return None
        return self._judge_tolerance(entry, declaration.licence)

    def _declaration(self, entry: LockEntry) -> Declaration | str:
        """What the entry declares, or why nobody knows."""
        if self._lock.ecosystem == "npm":
            return _npm_declaration(entry.licence)
        other = None
        for source in self._sources:
            versions = source.versions(entry.name)
            if entry.version in versions:
                return versions[entry.version]
            other = other or next(iter(versions), None)
        return "no metadata source knows this version" if other is None else f"installed is {other}"

    def _judge_undeclared(self, entry: LockEntry) -> _Judgement:
        for index, row in self._undeclared:
            if self._lock.normalise(entry.name).startswith(self._lock.normalise(row.prefix)):
                self.used_rows.add(index)
                if is_allowed(row.read_as, self._identifiers):
                    return _Reading(entry, row)
                reason = f"read as {row.read_as} by evidence, and {self._label} does not carry it"
                return _Violation(entry, None, reason)
        return _Violation(entry, None, "declares no licence")

    def _judge_tolerance(self, entry: LockEntry, licence: object) -> _Judgement:
        name = self._lock.normalise(entry.name)
        for row in self._tolerances:
            applies = name.startswith(self._lock.normalise(row.prefix)) and (entry.optional or not row.optional)
            if applies and is_allowed(licence, self._identifiers | {row.license}):
                return _Tolerated(entry, row)
        return _Violation(entry, licence, None)

    def _finding(self, violation: _Violation) -> Finding:
        entry = violation.entry
        licence = json.dumps(violation.licence, ensure_ascii=False, separators=(",", ":"))
        because = "" if violation.reason is None else f" ({violation.reason})"
        message = f"{entry.label}: license={licence}{because}"
        chain = f"dependency path: {self._lock.dependency_path(entry)}"
        lines = (f"  - {message}", f"    {chain}")
        return Finding(self._lock.path, entry.line, "licence", f"{message}; {chain}", lines, violation.reason)


def _npm_declaration(value: object) -> Declaration:
    """What npm records: a text, or an object whose ``type`` is one; any other shape is no licence that can pass."""
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        value = value["type"]
    is_blank = value is None or (isinstance(value, str) and not trim(value))
    return NO_LICENCE if is_blank else Declaration(value)


def _exceptions(judgements: list[_Judgement]) -> Iterator[str]:
    for reading in judgements:
        if isinstance(reading, _Reading):
            yield f"  read by evidence: {reading.entry.label} as {reading.row.read_as}"
            yield f"    evidence: {reading.row.evidence}"
            yield f"    because: {reading.row.reason}"
    tolerated = [judgement for judgement in judgements if isinstance(judgement, _Tolerated)]
    if tolerated:
        yield f"  tolerated: {', '.join(judgement.entry.label for judgement in tolerated)}"
        yield from (f"  because: {reason}" for reason in dict.fromkeys(judgement.row.reason for judgement in tolerated))
