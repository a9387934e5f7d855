"""Sentences that say what is accepted and what is refused: they agree with the two sets.

A verb governs a mention. Which one, in order: the only one there is; the verb before, when another mention stands
between it and this one, unless a verb follows this one at once; else the nearer, the one before on a tie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Final, NamedTuple

from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..refusals import DocClaimPathError
from ..sections import Least, NonEmpty, Path
from .material import ClassReport, Material, as_value, disagreeing

_finding = disagreeing("vocabulary")
_ACCEPTS: Final = (
    *("accepts", "accept", "accepted", "admits", "admit", "admitted"),
    *("supports", "support", "supported", "compiles", "compile", "compiled"),
)
_REFUSES: Final = ("rejects", "reject", "rejected", "refuses", "refuse", "refused", "stops at compilation")

_NEGATED: Final = re.compile(r"\b(?:not|never|no longer|cannot|used to|nor)\b[^.]{0,24}\Z", re.IGNORECASE | re.ASCII)
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|be|been|being)\s+(?:(?:\w+ly|still|now|also|already|then)\s+){0,2}\Z", re.IGNORECASE | re.ASCII
)
_NOTHING_BETWEEN: Final = re.compile(
    r"(?:\s|\b(?:is|are|be|been|being|still|now|also|then|already)\b)*", re.IGNORECASE | re.ASCII
)
_BACKTICKED: Final = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Verbs:
    """Which verbs accept, which refuse, and which of them are participles."""

    accepts: Annotated[tuple[NonEmpty, ...], Least(1)] = _ACCEPTS
    refuses: Annotated[tuple[NonEmpty, ...], Least(1)] = _REFUSES
    participles: tuple[NonEmpty, ...] | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """No verb means both, and every participle is a verb."""
        both = [verb for verb in self.accepts if verb in self.refuses]
        if both:
            yield (), f"carries {', '.join(both)} in both lists, and a verb in both is read as a refusal"
        unknown = [verb for verb in self.participles or () if verb not in (*self.accepts, *self.refuses)]
        if unknown:
            yield (
                ("participles",),
                f"names {', '.join(unknown)}, which neither verb list carries, so nothing would ever be tested against "
                "it",
            )

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        longest_first = sorted((*self.accepts, *self.refuses), key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE | re.ASCII)

    def is_refusal(self, verb: str) -> bool:
        return verb.lower() in {known.lower() for known in self.refuses}

    def is_participle(self, verb: str) -> bool:
        if self.participles is None:
            return verb.lower().endswith("ed")
        return verb.lower() in {known.lower() for known in self.participles}


class _Span(NamedTuple):
    """A verb or a mention of a sentence."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """The words a sentence may accept or refuse, and the sets that say which is true."""

    tokens: ShortForm | ModuleValue
    accepted: ShortForm | ModuleValue
    refused: ShortForm | ModuleValue
    verbs: Verbs = Verbs()

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        for source in (self.tokens, self.accepted, self.refused):
            yield ValueRequest(as_value(source), "strings")

    def check(self, material: Material, answers: Answers) -> ClassReport:
        source = as_value(self.tokens)
        tokens = frozenset(answers.strings(source))
        if not tokens:
            raise DocClaimPathError(f"{source.name} is empty, so the vocabulary class would hold no sentence at all")
        sets = {
            is_refusal: (as_value(named), answers.strings(as_value(named)))
            for is_refusal, named in ((False, self.accepted), (True, self.refused))
        }
        count = 0
        findings = []
        for page, number, line in material.authored_lines():
            for token, verb in self._governed(line, tokens):
                count += 1
                named, members = sets[self.verbs.is_refusal(verb)]
                if token not in members:
                    message = f'the sentence has "{verb}" governing `{token}`, and {named.name} is {", ".join(members)}'
                    findings.append(_finding(page, number, message))
        if not count:
            raise DocClaimPathError(
                f"the vocabulary class classified no mention at all; {source.name} is {', '.join(sorted(tokens))}, and "
                "no page spells any of them beside a verb the section names"
            )
        return ClassReport(f"{count} vocabulary mentions agree with the two sets", tuple(findings))

    def _governed(self, line: str, tokens: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Every mention on a line with the verb that governs it."""
        for sentence in re.split(r"(?<=\.)\s+", line):
            mentions = [
                _Span(*match.span(), match[1]) for match in _BACKTICKED.finditer(sentence) if match[1] in tokens
            ]
            verbs = list(self._verbs(sentence)) if mentions else []
            for mention in mentions:
                verb = _governing(sentence, mention, mentions, verbs)
                if verb is not None:
                    yield mention.text, verb.text

    def _verbs(self, sentence: str) -> Iterator[_Span]:
        """The verbs that say something now: not quoted, not negated, and no participle of the past."""
        quoted = [match.span() for match in _BACKTICKED.finditer(sentence)]
        for match in self.verbs.pattern.finditer(sentence):
            before = sentence[: match.start()]
            if any(start < match.start() and match.end() < end for start, end in quoted) or _NEGATED.search(before):
                continue
            if self.verbs.is_participle(match[0]) and not _PASSIVE.search(before):
                continue
            yield _Span(*match.span(), match[0])


def _governing(sentence: str, mention: _Span, mentions: list[_Span], verbs: list[_Span]) -> _Span | None:
    before = next((verb for verb in reversed(verbs) if verb.end <= mention.start), None)
    after = next((verb for verb in verbs if verb.start >= mention.end), None)
    if before is None or after is None:
        return before or after
    if any(before.end <= other.start and other.end <= mention.start for other in mentions):
        return after if _NOTHING_BETWEEN.fullmatch(sentence[mention.end : after.start]) else before
    return before if mention.start - before.end <= after.start - mention.end else after
