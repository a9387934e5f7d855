"""The pages a documentation gate reads, and the lines of their fences (spec 14, sections 8 and 10)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from .gate import Place

_SKIPPED: Final = frozenset({"node_modules", "site-packages", "__pycache__"})
FENCE: Final = "```"


class SymbolicLink(Exception):
    """A walk that follows no links met one."""


def encloses(place: Place, page: str) -> bool:
    """Whether a page root is the directory of the configuration, or one around it."""
    root = place.root.resolve()
    named = (place.root / page).resolve()
    return root == named or root.is_relative_to(named)


def pages_under(root: Path, path: str, *, follow_links: bool) -> Iterator[str]:
    """Every markdown file at or below ``path``, nothing when it is absent. Raises ``SymbolicLink``."""
    name = path.rstrip("/").rpartition("/")[2]
    if name in _SKIPPED or (name.startswith(".") and name != "."):
        return
    try:
        mode = os.lstat(root / path).st_mode
        if stat.S_ISLNK(mode):
            if not follow_links:
                raise SymbolicLink(path)
            mode = os.stat(root / path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        for child in sorted(os.listdir(root / path)):
            yield from pages_under(root, child if path == "." else f"{path}/{child}", follow_links=follow_links)
    elif stat.S_ISREG(mode) and path.endswith(".md"):
        yield path


def sorted_pages(root: Path, pages: Sequence[str]) -> list[str]:
    """The pages once each, by absolute path."""
    return sorted(dict.fromkeys(pages), key=lambda page: str(root / page))


def read_page(root: Path, page: str) -> str:
    """A page's text."""
    return (root / page).read_bytes().decode("utf-8", "replace")
