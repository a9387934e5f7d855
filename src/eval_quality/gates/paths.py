"""Paths a configuration may name (spec 14, section 2.1): they lie beneath the configuration file, on any machine."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

from .sections import Holds, Least, Most

_NOT_RELATIVE: Final = (
    "is not a repository-relative path: write it with forward slashes, no leading slash, no drive letter, and no "
    '".." segment, so a configuration can only name files beneath itself'
)


def is_relative_path(text: str) -> bool:
    """Whether ``text`` can only name something beneath the directory it is read from."""
    return (
        not text.startswith("/")
        and "\\" not in text
        and re.match(r"[A-Za-z]:", text) is None
        and not any(segment in ("", "..") for segment in text.split("/"))
    )


RelativePath = Annotated[str, Least(1), Most(400), Holds(is_relative_path, _NOT_RELATIVE)]
RelativePrefix = Annotated[
    str, Least(1), Most(400), Holds(lambda text: is_relative_path(text.removesuffix("/")), _NOT_RELATIVE)
]


def is_within(root: Path, path: str) -> bool:
    """Whether ``path``, taken from ``root``, names something in it: judged by its spelling, without the file system."""
    if PurePosixPath(path).is_absolute():
        return PurePosixPath(path).is_relative_to(root.as_posix())
    depth = 0
    for segment in path.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(segment, 1)
        if depth < 0:
            return False
    return True
