"""Citations of source lines: they resolve, and the cited lines still hold what the sentence names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from ..gate import Finding
from ..module_value import Answers, ValueRequest
from ..paths import RelativePath
from ..refusals import DocClaimPathError
from ..scanned_paths import Extension
from ..sections import Least, NonEmpty
from .material import TOKEN, ClassReport, Material, disagreeing

_finding = disagreeing("citations")
_DEFAULT_EXTENSIONS: Final = (".py", ".pyi", ".toml", ".json", ".ts", ".mjs")


@dataclass(frozen=True)
class Unanchored:
    """A citation whose sentence names no symbol, and why that is held by review."""

    file: RelativePath
    citation: NonEmpty
    reason: NonEmpty


class _Citation(NamedTuple):
    """A cited place on a line of a page."""

    page: str
    number: int
    line: str
    cited: str
    first: int
    last: int
    ranged: bool
    start: int
    end: int

    @property
    def sentence(self) -> str:
        before = self.line[: self.start]
        opened = max(before.rfind(". "), before.rfind("| "))
        closed = self.line.find(". ", self.end)
        return self.line[opened + 2 if opened >= 0 else 0 : closed if closed >= 0 else len(self.line)]


@dataclass(frozen=True)
class Citations:
    """Which files a page may cite by line, how far a symbol may have moved, and what review holds."""

    extensions: Annotated[tuple[Extension, ...], Least(1)] = _DEFAULT_EXTENSIONS
    window: Annotated[int, Least(0)] = 4
    unanchored: tuple[Unanchored, ...] = ()

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        yield from ()

    def check(self, material: Material, answers: Answers) -> ClassReport:
        review = _Review(self, material)
        citations = list(self._citations(material))
        if not citations:
            raise DocClaimPathError(
                "the citations class examined no citation at all; adopt it only on pages that cite source, or the "
                "class reports a pass over nothing"
            )
        findings = [finding for citation in citations for finding in review.read(citation)]
        findings.extend(review.unused())
        part = (
            f"{len(citations)} citations resolve ({review.anchored} anchored on a symbol, {len(self.unanchored)} held "
            "by review)"
        )
        return ClassReport(part, tuple(findings))

    def _citations(self, material: Material) -> Iterator[_Citation]:
        extensions = "|".join(re.escape(extension[1:]) for extension in self.extensions)
        pattern = re.compile(
            rf"`?((?:[A-Za-z0-9._-]+/)*[A-Za-z0-9._-]+\.(?:{extensions})):(\d+)(?:-(\d+))?`?", re.ASCII
        )
        for page in material.pages:
            for number, line in enumerate(material.lines(page), 1):
                for match in pattern.finditer(line):
                    cited, first, last = match.groups()
                    yield _Citation(
                        page, number, line, cited, int(first), int(last or first), last is not None, *match.span()
                    )


class _Review:
    """Reads the citations in order; a base name resolved once on a page means the same file further down."""

    def __init__(self, claims: Citations, material: Material) -> None:
        self._claims = claims
        self._sources = material.sources
        self._resolved: dict[tuple[str, str], str] = {}
        self._endings = Counter(
            "/".join(parts[index:])
            for parts in (path.split("/") for path in material.sources.files)
            for index in range(1, len(parts))
        )
        self._used: set[Unanchored] = set()
        self.anchored = 0

    def read(self, citation: _Citation) -> Iterator[Finding]:
        page, number, cited = citation.page, citation.number, citation.cited
        target = self._target(page, cited)
        if target is None:
            count = self._endings[cited]
            message = f"the citation `{cited}` resolves to {count} files in the source roots; spell the path from the "
            yield _finding(page, number, f"{message}repository root")
            return
        lines = self._sources.text(target).split("\n")
        length = len(lines) - (lines[-1] == "")
        if citation.last > length:
            message = f"the citation `{cited}:{citation.last}` is past the end of {target}, which has {length} lines"
            yield _finding(page, number, message)
            return
        declared = self._sources.declared_in(target)
        names = [name for name in dict.fromkeys(TOKEN.findall(citation.sentence)) if name in declared]
        if not names:
            yield from self._unnamed(citation, target)
        elif self._is_near(citation, names, lines):
            self.anchored += 1
        else:
            quoted = ", ".join(f"`{name}`" for name in names)
            places = ", ".join(f"`{name}` is at {target}:{declared[name]}" for name in names)
            message = f"the citation `{cited}:{citation.first}` names {quoted} and none of them is within "
            yield _finding(page, number, f"{message}{self._claims.window} lines of {target}:{citation.first}; {places}")

    def _target(self, page: str, cited: str) -> str | None:
        base = cited.rpartition("/")[2]
        target: str | None = cited if cited in self._sources.files else self._resolved.get((page, base))
        if target is None and self._endings[cited] == 1:
            target = next(path for path in self._sources.files if path.endswith(f"/{cited}"))
        if target is not None:
            self._resolved[page, base] = target
        return target

    def _unnamed(self, citation: _Citation, target: str) -> Iterator[Finding]:
        spelled = f"{target}:{citation.first}{f'-{citation.last}' if citation.ranged else ''}"
        rows = [row for row in self._claims.unanchored if row.file == citation.page and spelled.endswith(row.citation)]
        self._used.update(rows)
        if not rows:
            yield _finding(
                citation.page,
                citation.number,
                f"the citation `{citation.cited}:{citation.first}` sits in a sentence naming no symbol {target} "
                "declares, so nothing holds the line number; name one, or register it under citations.unanchored with "
                "the reason",
            )

    def _is_near(self, citation: _Citation, names: list[str], lines: list[str]) -> bool:
        window = self._claims.window
        text = "\n".join(lines[max(citation.first - 1 - window, 0) : citation.last + window])
        return any(re.search(rf"\b{re.escape(name)}\b", text, re.ASCII) for name in names)

    def unused(self) -> Iterator[Finding]:
        for row in self._claims.unanchored:
            if row not in self._used:
                message = f"citations.unanchored names `{row.citation}`, which the page no longer carries unanchored; "
                yield _finding(row.file, None, f"{message}drop the entry")
