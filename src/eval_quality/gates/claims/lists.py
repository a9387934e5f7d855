"""Lists that a sentence spells out: they have the members of what they transcribe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..gate import Finding
from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..paths import RelativePath
from ..pattern import Matcher, PatternError, ProsePattern
from ..sections import NonEmpty, Path
from .material import ClassReport, Material, as_value, disagreeing

_finding = disagreeing("lists")
NO_GROUP = "has no capture group, and {} is read out of the first one"


def lacks_group(pattern: ProsePattern) -> bool:
    """Whether a pattern that compiles captures nothing."""
    try:
        return not pattern.matcher.group_count
    except PatternError:
        return False


@dataclass(frozen=True)
class TranscribedList:
    """A sentence, which of its backticked texts are members, and the value that has them all."""

    file: RelativePath
    claim: NonEmpty
    pattern: ProsePattern
    token_shape: ProsePattern | ModuleValue | ShortForm
    expected: ShortForm | ModuleValue

    def refine(self) -> Iterator[tuple[Path, str]]:
        """The members are read out of a group."""
        if lacks_group(self.pattern):
            yield ("pattern", "match"), NO_GROUP.format("the stretch of prose that spells the list")

    @property
    def _admitted(self) -> ValueRequest | None:
        shape = self.token_shape
        return None if isinstance(shape, ProsePattern) else ValueRequest(as_value(shape), "strings")

    def requests(self) -> Iterator[ValueRequest]:
        yield ValueRequest(as_value(self.expected), "strings")
        if self._admitted is not None:
            yield self._admitted

    def check(self, material: Material, answers: Answers) -> Finding | None:
        """What the sentence says wrong."""
        text = material.pages.get(self.file)
        if text is None:
            return _finding(self.file, None, "missing, but a list entry names it")
        flags = self.pattern.flags if "s" in self.pattern.flags else f"{self.pattern.flags}s"
        sentences = list(Matcher(self.pattern.match, flags).occurrences(text))
        if len(sentences) != 1:
            return _finding(
                self.file,
                None,
                f"{len(sentences)} sentences match the pattern for {self.claim}; a list entry names exactly one, so "
                "either the sentence or the entry has to move",
            )
        spelled = {
            token for token in re.findall(r"`([^`]+)`", sentences[0].groups[0] or "") if self._admits(token, answers)
        }
        source = as_value(self.expected)
        expected = answers.strings(source)
        omitted, added = sorted(set(expected) - spelled), sorted(spelled - set(expected))
        if not omitted and not added:
            return None
        halves = [f"{verb} {', '.join(names)}" for verb, names in (("omits", omitted), ("adds", added)) if names]
        return _finding(
            self.file,
            sentences[0].line,
            f"{self.claim} {' and '.join(halves)}; {source.name} has {', '.join(sorted(expected))}",
        )

    def _admits(self, token: str, answers: Answers) -> bool:
        if isinstance(self.token_shape, ProsePattern):
            return self.token_shape.matcher.matches(token)
        return token in answers.strings(as_value(self.token_shape))


@dataclass(frozen=True)
class Lists:
    """Every transcribed list."""

    rows: tuple[TranscribedList, ...]

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        for row in self.rows:
            yield from row.requests()

    def check(self, material: Material, answers: Answers) -> ClassReport:
        findings = (row.check(material, answers) for row in self.rows)
        return ClassReport(
            f"{len(self.rows)} transcribed lists match their source",
            tuple(finding for finding in findings if finding is not None),
        )
