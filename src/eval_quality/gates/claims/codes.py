"""Codes a page says are raised: a registry, or a literal in the sources, has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ..gate import Finding
from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..pattern import ProsePattern
from ..refusals import DocClaimPathError
from ..sections import Least, Path
from .lists import NO_GROUP, lacks_group
from .material import ClassReport, Material, as_value, disagreeing

_finding = disagreeing("codes")


@dataclass(frozen=True)
class Codes:
    """How a page names a code, and where codes are registered."""

    pattern: ProsePattern
    registries: Annotated[tuple[ShortForm | ModuleValue, ...], Least(1)]
    literal_in_sources: bool = True

    def refine(self) -> Iterator[tuple[Path, str]]:
        """The code is read out of a group."""
        if lacks_group(self.pattern):
            yield ("pattern", "match"), NO_GROUP.format("the code the page names")

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        yield from (ValueRequest(as_value(registry), "strings") for registry in self.registries)

    def check(self, material: Material, answers: Answers) -> ClassReport:
        registered = {code for registry in self.registries for code in answers.strings(as_value(registry))}
        literals = [material.sources.text(path) for path in material.sources.files] if self.literal_in_sources else []
        count = 0
        seen: set[str] = set()
        findings: list[Finding] = []
        for page, number, line in material.authored_lines():
            for match in self.pattern.matcher.occurrences(line):
                count += 1
                code = match.groups[0] or ""
                if code in seen:
                    continue
                seen.add(code)
                if code not in registered and not any(f"'{code}'" in text or f'"{code}"' in text for text in literals):
                    findings.append(self._unknown(page, number, code))
        if not count:
            raise DocClaimPathError(
                f"the codes class examined no code at all; nothing on {len(material.authored)} page(s) matched "
                f"{self.pattern.match}"
            )
        return ClassReport(f"{count} named codes exist", tuple(findings))

    def _unknown(self, page: str, number: int, code: str) -> Finding:
        also = " and nothing in the source roots spells it as a string literal" if self.literal_in_sources else ""
        return _finding(
            page,
            number,
            f"the page says `{code}` is raised, and no registry this section names carries it{also}; it was renamed, "
            "removed, or mistyped",
        )
