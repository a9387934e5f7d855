"""Worked JSON blocks: they parse against the schema of what they show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from ..doc_pages import FENCE
from ..gate import Finding
from ..json_texts import read_json
from ..module_value import Answers, ModuleValue, ShortForm, ValueRequest
from ..paths import RelativePath
from ..pattern import ProsePattern
from ..sections import Least, NonEmpty
from .material import ClassReport, Material, as_value, disagreeing

_finding = disagreeing("fences")
_SHOWN_ISSUES = 3


class _Block(NamedTuple):
    """The values of a fence, as JSON texts, with the number of its first line."""

    line: int
    values: tuple[str, ...]


@dataclass(frozen=True)
class JsonFence:
    """A block by the sentence that introduces it, and the schema its value, or each member of it, has."""

    file: RelativePath
    claim: NonEmpty
    intro: ProsePattern
    schema: ShortForm | ModuleValue
    shape: Literal["one", "each"] = "one"
    lookahead: Annotated[int, Least(1)] = 3

    def block(self, material: Material) -> _Block | Finding:
        """What the page shows, or why that cannot be told."""
        if self.file not in material.pages:
            return _finding(self.file, None, "missing, but a fence entry names it")
        lines = material.lines(self.file)
        intro = next((number for number, line in enumerate(lines) if self.intro.matcher.matches(line)), None)
        if intro is None:
            return _finding(
                self.file,
                None,
                f"no sentence introduces {self.claim}; the entry is dead and either the sentence or the entry has to "
                "move",
            )
        following = range(intro + 1, min(intro + 1 + self.lookahead, len(lines)))
        opening = next((number for number in following if lines[number].strip() == f"{FENCE}json"), None)
        if opening is None:
            return _finding(self.file, intro + 1, f"{self.claim} is introduced with no json fence after it")
        closing = next(
            (number for number in range(opening + 1, len(lines)) if lines[number].strip().startswith(FENCE)), None
        )
        if closing is None:
            return _finding(self.file, opening + 1, f"the json fence for {self.claim} is never closed")
        return self._values(opening + 2, "\n".join(lines[opening + 1 : closing]))

    def _values(self, line: int, text: str) -> _Block | Finding:
        try:
            value = read_json(text)
        except ValueError as error:
            return _finding(self.file, line, f"{self.claim} is not valid JSON ({error})")
        if self.shape == "one":
            return _Block(line, (text,))
        if not isinstance(value, list):
            return _finding(self.file, line, f"{self.claim} is declared as an array and is not one")
        return _Block(line, tuple(map(json.dumps, value)))

    def request(self, block: _Block) -> ValueRequest:
        return ValueRequest(as_value(self.schema), "schema", block.values)

    def disagreements(self, block: _Block, answers: Answers) -> Iterator[Finding]:
        """Every value the schema refuses."""
        for index, issues in enumerate(answers[self.request(block)]):
            if issues:
                member = f" member {index}" if self.shape == "each" else ""
                name = as_value(self.schema).name
                yield _finding(
                    self.file,
                    block.line,
                    f"{self.claim}{member} does not parse against {name} ({_shown(issues)})",
                )


def _shown(issues: list[Any]) -> str:
    texts = [
        f"{'.'.join(map(str, path)) or '<root>'}: {' '.join(message.split())}"
        for path, message in issues[:_SHOWN_ISSUES]
        if message
    ]
    return "; ".join(texts) or "the schema refused it and reported no issue"


@dataclass(frozen=True)
class Fences:
    """Every worked block."""

    rows: tuple[JsonFence, ...]

    def requests(self, material: Material) -> Iterator[ValueRequest]:
        for row in self.rows:
            block = row.block(material)
            if isinstance(block, _Block):
                yield row.request(block)

    def check(self, material: Material, answers: Answers) -> ClassReport:
        findings: list[Finding] = []
        for row in self.rows:
            block = row.block(material)
            findings.extend([block] if isinstance(block, Finding) else row.disagreements(block, answers))
        return ClassReport(f"{len(self.rows)} worked JSON blocks parse against their schema", tuple(findings))
