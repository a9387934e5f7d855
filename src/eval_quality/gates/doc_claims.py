"""Hold prose that is neither a number nor a command against the tree (spec 14, section 10).

Eight classes of claim, each a block of the section and each optional; a section with none is refused, and so is a class
that examined nothing. They run in a fixed order and each adds its part to the summary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from .claims.citations import Citations
from .claims.codes import Codes
from .claims.dated import Dated
from .claims.fences import Fences, JsonFence
from .claims.lists import Lists, TranscribedList
from .claims.material import ClaimClass, Material, Sources
from .claims.symbols import Symbols
from .claims.transcriptions import Transcription, Transcriptions
from .claims.vocabulary import Vocabulary
from .doc_pages import SymbolicLink, encloses, pages_under, read_page, sorted_pages
from .gate import Block, Part, Place, Report, note
from .module_value import ModuleReader
from .paths import RelativePath
from .refusals import DocClaimPathError
from .scanned_paths import ScannedPaths, scan
from .sections import Least, NonEmpty, Path

_BLOCKS: Final = ("citations", "symbols", "lists", "codes", "fences", "vocabulary", "dated", "transcriptions")


@dataclass(frozen=True, kw_only=True)
class Section(ModuleReader):
    """The pages, the sources they speak of, and the classes of claim that are held."""

    pages: Annotated[tuple[RelativePath, ...], Least(1)]
    generated: tuple[NonEmpty, ...] = ()
    sources: ScannedPaths | None = None
    citations: Citations | None = None
    symbols: Symbols | None = None
    lists: Annotated[tuple[TranscribedList, ...], Least(1)] | None = None
    codes: Codes | None = None
    fences: Annotated[tuple[JsonFence, ...], Least(1)] | None = None
    vocabulary: Vocabulary | None = None
    dated: Dated | None = None
    transcriptions: Annotated[tuple[Transcription, ...], Least(1)] | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Some class is adopted, and those that resolve against sources have them."""
        adopted = [name for name in _BLOCKS if getattr(self, name) is not None]
        if not adopted:
            yield (
                (),
                "declares no class of claim, so the gate would report a pass over nothing; add at least one of "
                f"{', '.join(_BLOCKS[:-1])} or {_BLOCKS[-1]}",
            )
        resolving = [name for name in ("citations", "symbols", "codes") if name in adopted]
        if self.sources is None and resolving:
            yield ("sources",), f"is absent, and {', '.join(resolving)} resolve against it"

    @property
    def classes(self) -> list[ClaimClass]:
        """The adopted classes in the order they run."""
        classes: tuple[ClaimClass | None, ...] = (
            self.citations,
            self.symbols,
            Lists(self.lists) if self.lists else None,
            self.dated,
            self.codes,
            Fences(self.fences) if self.fences else None,
            self.vocabulary,
            Transcriptions(self.transcriptions) if self.transcriptions else None,
        )
        return [claims for claims in classes if claims is not None]


def check(section: Section, place: Place) -> Report:
    """Every adopted class over the pages."""
    material = _material(section, place)
    requests = [request for claims in section.classes for request in claims.requests(material)]
    answers = section.read(place, requests)
    reports = [claims.check(material, answers) for claims in section.classes]
    findings = tuple(finding for report in reports for finding in report.findings)
    parts = [*(report.part for report in reports), f"{len(findings)} disagreement(s)"]
    printed: list[Part] = [note(f"{place.gate}: {', '.join(parts)}")]
    if findings:
        printed.append(Block(f"{place.gate}: {len(findings)} prose claim(s) disagree with the tree:", findings))
    return Report(tuple(printed))


def _material(section: Section, place: Place) -> Material:
    pages = sorted_pages(place.root, [page for named in section.pages for page in _pages(named, place)])
    authored = tuple(page for page in pages if not page.endswith(section.generated))
    if not authored:
        raise DocClaimPathError(
            f"every one of the {len(pages)} page(s) matches a suffix under generated ({', '.join(section.generated)}); "
            "the classes that read authored pages would hold nothing"
        )
    files = {} if section.sources is None else scan(place.root, section.sources, place.gate, "sources").files
    texts = {page: read_page(place.root, page) for page in pages}
    return Material(place.root, place.config, texts, authored, Sources(files))


def _pages(named: str, place: Place) -> list[str]:
    if encloses(place, named):
        raise DocClaimPathError(
            f'the "{place.gate}" section names "{named}" under pages, and that encloses the directory the '
            "configuration sits in; name a page or a directory inside it"
        )
    try:
        pages = list(pages_under(place.root, named, follow_links=False))
    except SymbolicLink as link:
        raise DocClaimPathError(
            f"{link} is a symbolic link, and this walk does not follow links; name the directory itself under pages"
        ) from None
    if not pages:
        raise DocClaimPathError(
            f'"{named}" holds no markdown, and the "{place.gate}" section names it under pages; a root that reaches no '
            "page is coverage the gate reports as clean"
        )
    return pages
