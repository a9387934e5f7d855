"""Texts a page reprints: they are the same bytes as what they reprint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..gate import Finding
from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..paths import RelativePath
from ..refusals import DocClaimPathError
from ..sections import NonEmpty
from .material import ClassReport, Material, as_value, disagreeing

_finding = disagreeing("transcriptions")


@dataclass(frozen=True)
class Transcription:
    """A page, and the text it reprints."""

    file: RelativePath
    claim: NonEmpty
    text: ShortForm | ModuleValue

    @property
    def request(self) -> ValueRequest:
        return ValueRequest(as_value(self.text), "text")

    def check(self, material: Material, answers: Answers) -> Finding | None:
        """Where the page and the text differ."""
        name = as_value(self.text).name
        page = material.pages.get(self.file)
        if page is None:
            return _finding(self.file, None, "missing, but a transcription entry names it")
        text: str = answers[self.request]
        if not text:
            raise DocClaimPathError(f"{name} is empty, and a transcription of nothing matches every page")
        if text in page:
            return None
        first = text.strip("\n").split("\n")[0]
        line = next((number for number, shown in enumerate(page.split("\n"), 1) if shown == first), None)
        return _finding(
            self.file,
            line,
            f"{self.claim} no longer matches {name}; a transcription and the thing it reprints have to be the same "
            "bytes",
        )


@dataclass(frozen=True)
class Transcriptions:
    """Every reprinted text."""

    rows: tuple[Transcription, ...]

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        yield from (row.request for row in self.rows)

    def check(self, material: Material, answers: Answers) -> ClassReport:
        findings = (row.check(material, answers) for row in self.rows)
        return ClassReport(
            f"{len(self.rows)} transcriptions match their source byte for byte",
            tuple(finding for finding in findings if finding is not None),
        )
