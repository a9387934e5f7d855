"""Compare every declared hand-written number with the thing it counts (spec 14, section 9).

1. All sources are counted first, in the order they are declared.
2. Each entry's pattern finds one sentence of its page; each of its groups holds one number, spelled as a word or in
   digits, and that has to be the number of its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from ._value_child import ValueRefusal, take_count, walk
from .gate import Block, Finding, Part, Place, Report, note
from .json_texts import read_json
from .module_value import Answers, ModuleReader, ModuleValue, ShortForm, Take, ValueRequest
from .number_words import LARGEST_WORD, number_word
from .paths import RelativePath
from .pattern import Matcher, Occurrence, Pattern, PatternError, ProsePattern
from .refusals import DocCountSourceError, ScanUnreadableError, system_detail
from .scanned_paths import ScannedPaths, scan, text_of
from .sections import Least, NonEmpty, Path, matches
from .wrapping import WideningError, widen_spaces


@dataclass(frozen=True)
class ModuleSource:
    """A value of a module."""

    kind: Literal["module"]
    from_: ShortForm | ModuleValue
    take: Take | None = None

    @property
    def request(self) -> ValueRequest:
        assert isinstance(self.from_, ModuleValue)  # a short form was read into one
        return ValueRequest(self.from_, "count", take=self.from_.take or self.take or "value")


@dataclass(frozen=True)
class DocumentSource:
    """A value inside a JSON or TOML file."""

    kind: Literal["json", "toml"]
    file: RelativePath
    path: tuple[NonEmpty, ...] = ()
    take: Take = "value"


@dataclass(frozen=True)
class FilesSource:
    """How many files there are."""

    kind: Literal["files"]
    paths: ScannedPaths


@dataclass(frozen=True)
class MatchesSource:
    """How often a pattern occurs, or how many different texts its first group takes."""

    kind: Literal["matches"]
    paths: ScannedPaths
    pattern: Pattern
    distinct: bool = False


Source = ModuleSource | DocumentSource | FilesSource | MatchesSource
SourceName = Annotated[str, matches(r"^[A-Za-z][A-Za-z0-9-]*$")]


@dataclass(frozen=True)
class Entry:
    """A sentence of a page, and what its numbers count."""

    file: RelativePath
    claim: NonEmpty
    pattern: ProsePattern
    counts: Annotated[tuple[str, ...], Least(1)]
    wrap: bool = False
    rendering: Literal["word", "digits"] = "word"

    @property
    def matcher(self) -> Matcher:
        return self.pattern.compiled(widen_spaces(self.pattern.match)) if self.wrap else self.pattern.matcher


@dataclass(frozen=True, kw_only=True)
class Section(ModuleReader):
    """What is counted, and where a page says how many."""

    sources: Mapping[SourceName, Source]
    entries: Annotated[tuple[Entry, ...], Least(1)]

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Every entry is held against something, and every source by something."""
        if not self.sources:
            yield ("sources",), "declares no source, so every entry would be held against nothing"
        for index, entry in enumerate(self.entries):
            for position, name in enumerate(entry.counts):
                if name not in self.sources:
                    yield (
                        ("entries", index, "counts", position),
                        f'names "{name}", which this section declares no source for; it declares '
                        f"{', '.join(self.sources)}",
                    )
            issue = _pattern_issue(entry)
            if issue is not None:
                yield ("entries", index, "pattern", "match"), issue
        used = {name for entry in self.entries for name in entry.counts}
        for name, source in self.sources.items():
            if name not in used:
                yield (
                    ("sources", name),
                    "is declared and no entry uses it; a source nothing reads is a count nobody holds",
                )
            if isinstance(source, MatchesSource) and source.distinct and not _group_count(source.pattern):
                yield (
                    ("sources", name, "pattern", "match"),
                    "counts distinct values and has no capture group; the first group is what the distinct values are "
                    "read from",
                )


def _group_count(pattern: Pattern) -> int:
    try:
        return pattern.matcher.group_count
    except PatternError:
        return 1  # reported as a pattern that does not compile


def _pattern_issue(entry: Entry) -> str | None:
    try:
        _ = entry.pattern.matcher
    except PatternError:
        return None  # reported by the pattern itself
    try:
        groups = entry.matcher.group_count
    except WideningError as error:
        return str(error)
    except PatternError as error:
        return f"does not compile once its spaces are widened: {error}"
    if groups == len(entry.counts):
        return None
    return f"has {groups} capture group(s) and the entry names {len(entry.counts)} count(s); one group holds one number"


def check(section: Section, place: Place) -> Report:
    """Every source, then every entry."""
    requests = [source.request for source in section.sources.values() if isinstance(source, ModuleSource)]
    answers = section.read(place, requests)
    counts = {name: _count(name, source, place, answers) for name, source in section.sources.items()}
    findings = tuple(finding for entry in section.entries for finding in _disagreements(entry, place.root, counts))
    return Report(tuple(_parts(section, place, findings)))


def _parts(section: Section, place: Place, findings: tuple[Finding, ...]) -> Iterator[Part]:
    numbers = {
        rendering: sum(len(entry.counts) for entry in section.entries if entry.rendering == rendering)
        for rendering in ("word", "digits")
    }
    files = len({entry.file for entry in section.entries})
    yield note(
        f"{place.gate}: {numbers['word']} numeral(s) across {files} file(s) held against their source, plus "
        f"{numbers['digits']} count(s) written as digits, {len(findings)} disagreement(s)"
    )
    if findings:
        yield Block(f"{place.gate}: {len(findings)} count(s) disagree with their source:", findings)


def _count(name: str, source: Source, place: Place, answers: Answers) -> int:
    match source:
        case ModuleSource():
            return int(answers[source.request])
        case DocumentSource():
            return _document_count(name, source, place.root)
        case FilesSource(paths=paths):
            return len(scan(place.root, paths, place.gate).files)
        case MatchesSource(paths=paths, pattern=pattern, distinct=distinct):
            texts = map(text_of, scan(place.root, paths, place.gate).files.values())
            found = [occurrence for text in texts for occurrence in pattern.matcher.occurrences(text)]
            return len({match.groups[0] for match in found} - {None}) if distinct else len(found)


def _document_count(name: str, source: DocumentSource, root: FilePath) -> int:
    where = f'the source "{name}": {source.file}'
    try:
        value = walk(_document(source, root), list(source.path), where, "a value with no properties")
        return take_count(value, source.take, where)
    except ValueRefusal as refusal:
        raise DocCountSourceError(str(refusal)) from None
    except OSError as error:
        detail = system_detail(error, "open")
    except (ValueError, RecursionError) as error:
        detail = str(error)
    raise DocCountSourceError(f"{where} could not be read as {source.kind.upper()}: {detail}")


def _document(source: DocumentSource, root: FilePath) -> Any:
    text = (root / source.file).read_bytes().decode("utf-8", "replace")
    if source.kind == "json":
        return read_json(text)
    import tomllib

    return tomllib.loads(text)


def _disagreements(entry: Entry, root: FilePath, counts: Mapping[str, int]) -> Iterator[Finding]:
    try:
        text = text_of((root / entry.file).read_bytes())
    except FileNotFoundError:
        yield _finding(entry.file, None, "missing, but a count entry names it")
        return
    except OSError as error:
        raise ScanUnreadableError(f"{entry.file} could not be read: {system_detail(error, 'open')}") from None
    sentences = list(entry.matcher.occurrences(text))
    if not sentences:
        yield _finding(
            entry.file,
            None,
            f"no sentence matches the pattern for {entry.claim}; the entry is dead and either the sentence or the "
            "entry has to move",
        )
    elif len(sentences) > 1:
        lines = ", ".join(str(sentence.line) for sentence in sentences)
        yield _finding(
            entry.file,
            None,
            f"{len(sentences)} sentences match the pattern for {entry.claim} (lines {lines}); a count entry names one "
            "sentence",
        )
    else:
        for number, name in enumerate(entry.counts):
            message = _disagreement(entry, sentences[0], number, counts[name])
            if message is not None:
                yield _finding(entry.file, sentences[0].line, f"{entry.claim} {message}")


def _disagreement(entry: Entry, sentence: Occurrence, number: int, value: int) -> str | None:
    carried = sentence.groups[number]
    if not carried:
        return f"matched, and capture group {number + 1} took no text; a group a match can skip holds no number"
    if entry.rendering == "digits":
        owed = str(value)
    elif value > LARGEST_WORD:
        return f"is {value}, outside the word table's range (0-{LARGEST_WORD}); write this one as digits"
    else:
        owed = number_word(value)
        if carried[0] == carried[0].upper():
            owed = owed.capitalize()
    return None if carried == owed else f'reads "{carried}" and is {owed} ({value})'


def _finding(file: str, line: int | None, message: str) -> Finding:
    where = file if line is None else f"{file}:{line}"
    return Finding(file, line or 1, "count", message, (f"  {where}: {message}",))
