"""The README and the pages of docs/ as programs: which fenced blocks a reader is asked to run, in order.

A block in ``sh`` or ``python`` is run; one in ``json`` must be JSON. ``title="NAME"`` after the language makes it a
file of that name instead, ``exit=N`` says with which code a shell block ends, and ``no-run`` that it is only shown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
README: Final = ROOT / "README.md"
_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_RUNNABLE: Final = ("sh", "python", "json")


class Block(NamedTuple):
    """One fenced block: where it is, its language, what its info string asks for, and its text."""

    line: int
    language: str
    title: str | None
    exit_code: int
    text: str


def pages() -> list[Path]:
    """Every page that has something to run."""
    return [page for page in (README, *sorted(DOCS.rglob("*.md"))) if any(blocks(page))]


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page to run, in order."""
    text = page.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        language, *options = shlex.split(fence["info"].replace("{", " ").replace("}", " ")) or [""]
        if "no-run" in options:
            continue
        settings = dict(option.split("=", 1) for option in options if "=" in option)
        title = settings.get("title")
        if title is None and language not in _RUNNABLE:
            continue
        indent = len(fence["indent"])
        body = "".join(line[indent:] if line.strip() else line for line in fence["body"].splitlines(keepends=True))
        yield Block(text.count("\n", 0, fence.start()) + 1, language, title, int(settings.get("exit", "0")), body)
