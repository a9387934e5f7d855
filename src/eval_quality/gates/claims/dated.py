"""Sentences that are true as of a time: each is registered with what settles it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from ..gate import Finding
from ..hash_subject import SubjectError, subject_digest
from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..paths import RelativePath
from ..pattern import ProsePattern
from ..sections import Least, NonEmpty, Path, matches
from .material import ClassReport, Material, disagreeing

_finding = disagreeing("dated")


@dataclass(frozen=True)
class AsOf:
    """The digest of what was read when the claim was last confirmed."""

    hash: Annotated[str, matches(r"^[0-9a-f]{64}$")]
    subject: RelativePath | None = None


@dataclass(frozen=True)
class DatedClaim:
    """A sentence by its key, and whether a predicate or a reader settles it."""

    file: RelativePath
    key: NonEmpty
    settles: Literal["read"] | ShortForm | ModuleValue
    reason: NonEmpty
    as_of: AsOf | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Only what a reader confirmed can be pinned."""
        if self.as_of is not None and self.settles != "read":
            yield ("asOf",), "pins content beside a predicate, which already re-runs on every check"

    @property
    def predicate(self) -> ValueRequest | None:
        return ValueRequest(self.settles, "predicate") if isinstance(self.settles, ModuleValue) else None


@dataclass(frozen=True)
class Dated:
    """What makes a line a dated claim, and the registered ones."""

    triggers: Annotated[tuple[ProsePattern, ...], Least(1)]
    claims: Annotated[tuple[DatedClaim, ...], Least(1)]
    headings: ProsePattern | None = None

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        yield from (claim.predicate for claim in self.claims if claim.predicate is not None)

    def check(self, material: Material, answers: Answers) -> ClassReport:
        dated = list(self._dated_lines(material))
        findings = [
            _finding(
                page,
                number,
                "this sentence claims something is true as of now, or not yet true, and no dated.claims entry holds "
                "it; register it with how it is settled",
            )
            for page, number, line in dated
            if not any(claim.file == page and claim.key in line for claim in self.claims)
        ]
        seen = {(page, number) for page, number, _ in dated}
        for claim in self.claims:
            finding = _hold(claim, material, seen, answers)
            if finding is not None:
                findings.append(finding)
        settled = sum(claim.predicate is not None for claim in self.claims)
        part = (
            f"{len(self.claims)} time-sensitive claims registered ({settled} settled by a predicate, "
            f"{len(self.claims) - settled} by review)"
        )
        return ClassReport(part, tuple(findings))

    def _dated_lines(self, material: Material) -> Iterator[tuple[str, int, str]]:
        owed, current = False, None
        for page, number, line in material.authored_lines():
            if page != current:
                owed, current = False, page
            if line.startswith("#"):
                owed = self.headings is not None and self.headings.matcher.matches(line)
            elif (owed and line.startswith("- ")) or any(trigger.matcher.matches(line) for trigger in self.triggers):
                yield page, number, line


def _hold(claim: DatedClaim, material: Material, dated: set[tuple[str, int]], answers: Answers) -> Finding | None:
    carrying = [
        number
        for number, line in enumerate(material.lines(claim.file) if claim.file in material.authored else (), 1)
        if claim.key in line
    ]
    if len(carrying) > 1:
        return _finding(
            claim.file,
            None,
            f'{len(carrying)} sentences carry "{claim.key}"; a dated.claims entry names one, so either the new '
            "sentence needs its own entry or the key needs to be longer",
        )
    message = _disagreement(claim, material, carrying, dated, answers)
    return None if message is None else _finding(claim.file, None, message)


def _disagreement(
    claim: DatedClaim, material: Material, carrying: list[int], dated: set[tuple[str, int]], answers: Answers
) -> str | None:
    if not carrying:
        return (
            f'dated.claims holds "{claim.key}", which the page no longer carries; the sentence was rewritten, so '
            "re-read the claim and move the entry"
        )
    if (claim.file, carrying[0]) not in dated:
        return (
            f'dated.claims holds "{claim.key}", and the sentence carrying it no longer reads as a dated claim; re-read '
            "it and move the entry"
        )
    if claim.predicate is not None and not answers[claim.predicate]:
        return f'"{claim.key}" is no longer true; the check that settles it ({claim.reason}) now answers no'
    return None if claim.as_of is None else _content_changed(claim, claim.as_of, material)


def _content_changed(claim: DatedClaim, pinned: AsOf, material: Material) -> str | None:
    subject = pinned.subject or claim.file
    try:
        digest = subject_digest(material.root / subject)
    except SubjectError as error:
        return f'"{claim.key}" is pinned to {subject}, which could not be read: {error}'
    if digest == pinned.hash:
        return None
    return (
        f'"{claim.key}" was confirmed against {subject} at {pinned.hash}, and its content now hashes to {digest}; read '
        "it again, and if the claim still holds pin the new digest (python -m eval_quality.gates.hash_subject "
        f"{subject})"
    )
