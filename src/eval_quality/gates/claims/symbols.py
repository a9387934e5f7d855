"""Identifiers between backticks: the sources declare them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..gate import Finding
from ..module_value import Answers, ValueRequest
from ..pattern import ProsePattern
from ..refusals import DocClaimPathError
from ..sections import NonEmpty
from .material import TOKEN, ClassReport, Material, disagreeing, stale_entry

_RULE: Final = "symbols"
_finding = disagreeing(_RULE)
_SHAPE: Final = ProsePattern(
    "^(?:[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|[A-Z][A-Z0-9_]{3,}$|[A-Z][a-z]{3,}$|[a-z][a-z0-9]*(?:_[a-z0-9]+)+$)"
)
"""What looks like a name of a program: mixed case, a constant, a capitalised word, or words joined with ``_``."""


@dataclass(frozen=True)
class Foreign:
    """A name that something other than these sources declares."""

    token: NonEmpty
    reason: NonEmpty


@dataclass(frozen=True)
class Symbols:
    """The shape of an identifier, and those declared elsewhere."""

    shape: ProsePattern = _SHAPE
    foreign: tuple[Foreign, ...] = ()

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        yield from ()

    def check(self, material: Material, answers: Answers) -> ClassReport:
        foreign = {row.token for row in self.foreign}
        count = 0
        seen: set[str] = set()
        findings: list[Finding] = []
        for page in material.pages:
            for number, line in enumerate(material.lines(page), 1):
                for token in TOKEN.findall(line):
                    if not self.shape.matcher.matches(token):
                        continue
                    count += 1
                    if token not in seen and token not in foreign and token not in material.sources.declared:
                        findings.append(
                            _finding(
                                page,
                                number,
                                f"the page spells `{token}`, which nothing in the source roots declares; it was "
                                "renamed, removed, or mistyped, or it belongs under symbols.foreign with its reason",
                            )
                        )
                    seen.add(token)
        if not count:
            raise DocClaimPathError(
                f"the symbols class examined no backticked identifier at all; its shape is {self.shape.match}, and a "
                "shape matching nothing switches the class off"
            )
        findings.extend(
            stale_entry(material, _RULE, f"symbols.foreign names `{token}`, which no page spells; drop the entry")
            for token in (row.token for row in self.foreign)
            if token not in seen
        )
        return ClassReport(f"{count} backticked identifiers are declared", tuple(findings))
