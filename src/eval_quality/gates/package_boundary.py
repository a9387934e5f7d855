"""Hold everything a package publishes against forbidden patterns (spec 14, section 3).

1. The entries are the files of ``paths``, the members of the archives under ``distribution``, the fields of the
   manifest. What is not named is exempt.
2. Each entry is read as logical lines (``logical_lines``).
3. The first pattern that matches a logical line, joined either way, is the one violation of that line. A line too long
   to match is a violation by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from eval_quality.canonical import utf16_length, well_formed

from .archives import Distribution, Member, archives_of, members_of
from .ecmascript import utf16_prefix
from .gate import Finding, Place, Report, in_order, summary_or_findings
from .logical_lines import LogicalLine, logical_lines
from .manifest import Manifest, manifest_entries, manifest_file
from .pattern import Flags, LineText, PatternRules
from .refusals import ScanPathError
from .scanned_paths import ScannedPaths, nothing_found, scan
from .sections import Least, Most, NonEmpty, Path

_LONGEST_LINE: Final = 65536
_SHOWN: Final = 120
_TOO_LONG: Final = "line-exceeds-scan-bound"
_PRINTABLE_RUN: Final = re.compile(rb"[ -~]{6,}")


@dataclass(frozen=True, kw_only=True)
class NamedPattern(PatternRules):
    """A forbidden pattern, the name it is reported under and the owner's reason."""

    name: NonEmpty
    match: LineText
    flags: Flags = ""
    reason: NonEmpty


@dataclass(frozen=True, kw_only=True)
class Section:
    """What is published, and what it may not say."""

    paths: ScannedPaths | None = None
    manifest: Manifest | None = None
    patterns: Annotated[tuple[NamedPattern, ...], Least(1), Most(64)]
    distribution: Annotated[tuple[Distribution, ...], Least(1)] | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Names are reported, so each is its own and none is the gate's."""
        if self.paths is None and self.distribution is None:
            yield ("paths",), "Invalid input: expected array, received undefined"
        names = [pattern.name for pattern in self.patterns]
        for index, name in enumerate(names):
            if name == _TOO_LONG:
                yield (
                    ("patterns", index, "name"),
                    f'is reserved: the gate reports a line past its own matching bound under "{_TOO_LONG}"',
                )
            if name in names[:index]:
                yield (
                    ("patterns", index, "name"),
                    f'repeats "{name}"; a violation is reported under this name, so two patterns cannot share one',
                )


class Entry(NamedTuple):
    """Something published: a file, what is meant inside it, and its logical lines."""

    file: str
    inside: str
    lines: Iterator[LogicalLine]


class _Publication:
    """Reads the entries one after another and remembers what it counted."""

    def __init__(self, section: Section, place: Place) -> None:
        self._section = section
        self._place = place
        self.counts: list[tuple[str, int]] = []
        self.unread = 0

    def entries(self) -> Iterator[Entry]:
        root, section = self._place.root, self._section
        if section.paths is not None:
            scanned = scan(root, section.paths, self._place.gate)
            self.counts.extend(scanned.counts)
            yield from (Entry(path, "", logical_lines(path, data)) for path, data in scanned.files.items())
        for row in section.distribution or ():
            yield from self._distribution_entries(row)
        if section.manifest is not None:
            file = manifest_file(root, section.manifest)
            fields = list(manifest_entries(root, section.manifest))
            self.counts.append((file, len(fields)))
            for field, text in fields:
                yield Entry(file, f"#{field}", logical_lines("", well_formed(text).encode()))

    def _distribution_entries(self, row: Distribution) -> Iterator[Entry]:
        gate = self._place.gate
        found = 0
        for archive in archives_of(self._place.root, row, gate):
            read = 0
            for member in members_of(self._place.root, archive):
                if row.extensions is not None and not member.name.endswith(row.extensions):
                    continue
                if member.is_binary and row.binary == "skip":
                    self.unread += 1
                    continue
                read += 1
                yield Entry(archive, f"!{member.name}", _member_lines(member, row.names))
            self.counts.append((archive, read))
            found += read
        if not found and not row.optional:
            raise ScanPathError(nothing_found(row.path, gate, "no built distribution"))


def _member_lines(member: Member, names: bool) -> Iterator[LogicalLine]:
    if names:
        name = well_formed(member.name)
        yield LogicalLine(1, name, name)
    if member.is_binary:
        for run in _PRINTABLE_RUN.finditer(member.data):
            text = run[0].decode("ascii")
            yield LogicalLine(1, text, text)
    else:
        yield from logical_lines(member.name, member.data)


def check(section: Section, place: Place) -> Report:
    """Every logical line of every entry against the patterns."""
    publication = _Publication(section, place)
    keys: set[str] = set()
    found: list[Finding] = []
    for entry in publication.entries():
        keys.add(entry.file + entry.inside)
        found.extend(_violations(entry, section.patterns))
    findings = in_order(found)
    pairs = [f"{count} from {path}" for path, count in publication.counts]
    if publication.unread:
        pairs.append(f"{publication.unread} binary member(s) not read")
    passed = f"{place.gate}: {len(keys)} entr(ies) scanned, 0 violations ({', '.join(pairs)})"
    failed = f"{place.gate}: {len(findings)} violation(s) across {len(keys)} scanned entr(ies):"
    return Report(tuple(summary_or_findings(passed, failed, findings)))


def _violations(entry: Entry, patterns: tuple[NamedPattern, ...]) -> Iterator[Finding]:
    for line in entry.lines:
        if not line.text:
            continue
        if len(line.text) * 2 > _LONGEST_LINE and (length := utf16_length(line.text)) > _LONGEST_LINE:
            reason = (
                f"a logical line of {length} characters is past the {_LONGEST_LINE}-character bound a pattern is "
                "matched within, so no pattern was run against it"
            )
            yield _finding(entry, line.number, _TOO_LONG, f"{utf16_prefix(line.text, _SHOWN)}...", reason)
            continue
        for pattern in patterns:
            matcher = pattern.matcher
            if matcher.matches(line.text) or (line.tight != line.text and matcher.matches(line.tight)):
                yield _finding(entry, line.number, pattern.name, line.text, pattern.reason)
                break


def _finding(entry: Entry, line: int, rule: str, text: str, reason: str) -> Finding:
    shown = f"  {entry.file}{entry.inside}:{line} [{rule}] {text}"
    return Finding(entry.file, line, rule, text, (shown, f"    {reason}"), reason, entry.inside)
