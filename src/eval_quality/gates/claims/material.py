"""What every class of claim reads, and how it answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from ..gate import Finding
from ..module_value import Answers, ModuleValue, ValueRequest
from ..scanned_paths import text_of
from .declared_names import Declarations, declared_names

TOKEN: Final = re.compile(r"`([A-Za-z_][A-Za-z0-9_]*)`")
"""An identifier between backticks; a call is none."""


class Sources:
    """The scanned sources: their texts and what they declare, each worked out when it is first asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._declared: dict[str, Declarations] = {}

    def text(self, path: str) -> str:
        return text_of(self.files[path])

    def declared_in(self, path: str) -> Declarations:
        """The names one file declares, with the line of each."""
        if path not in self._declared:
            self._declared[path] = declared_names(path, self.files[path])
        return self._declared[path]

    @cached_property
    def declared(self) -> frozenset[str]:
        """Every name some file declares."""
        return frozenset(name for path in self.files for name in self.declared_in(path))


@dataclass(frozen=True)
class Material:
    """The pages by path in their order, those a person wrote, and the sources."""

    root: Path
    config: Path
    pages: Mapping[str, str]
    authored: tuple[str, ...]
    sources: Sources

    def lines(self, page: str) -> list[str]:
        return self.pages[page].split("\n")

    def authored_lines(self) -> Iterator[tuple[str, int, str]]:
        """Every line of the authored pages: page, number, text."""
        for page in self.authored:
            for number, line in enumerate(self.lines(page), 1):
                yield page, number, line


class ClassReport(NamedTuple):
    """A class's part of the summary, and what disagrees."""

    part: str
    findings: tuple[Finding, ...]


class ClaimClass(Protocol):
    """A block of the section."""

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        """The values of modules the class compares with."""

    def check(self, material: Material, answers: Answers) -> ClassReport:
        """Compare the pages with the tree. Raises ``DocClaimPathError`` when nothing was examined."""


def as_value(source: object) -> ModuleValue:
    """A module value of a section that was read: its short form has become one."""
    assert isinstance(source, ModuleValue)
    return source


def disagreeing(rule: str) -> Callable[[str, int | None, str], Finding]:
    """A maker of findings: page, line (if there is one), and what is said."""

    def finding(page: str, line: int | None, message: str) -> Finding:
        at = page if line is None else f"{page}:{line}"
        return Finding(page, line or 1, rule, message, (f"  {at}: {message}",))

    return finding


def stale_entry(material: Material, rule: str, message: str) -> Finding:
    """A finding about the configuration rather than a page."""
    return Finding(material.config.name, 1, rule, message, (f"  {message}",))
