"""What the generators of reference pages share: Markdown tables, and a page that is written or compared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "reference"


class Page(NamedTuple):
    """A generated page: its name, its text, and what the text is made from."""

    name: str
    text: Callable[[], str]
    sources: str

    def run(self, arguments: Sequence[str], usage: str | None) -> int:
        """Write the page, or with ``--check`` compare it."""
        if list(arguments) not in ([], ["--check"]):
            print(usage, file=sys.stderr)
            return 64
        path, text = _FOLDER / f"{self.name}.md", self.text()
        if not arguments:
            path.write_text(text, encoding="utf-8")
            return 0
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return 0
        module = f"tools.{self.name.replace('-', '_')}"
        print(f"{path.name} is not what {self.sources} say: run python -m {module}", file=sys.stderr)
        return 1


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A Markdown table."""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"


def code(text: str) -> str:
    return f"`{text}`"
