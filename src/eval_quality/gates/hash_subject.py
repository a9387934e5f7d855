"""The digest of what a page's text says, whatever its layout (spec 14, section 10.1).

``python -m eval_quality.gates.hash_subject <path>`` prints it. The text is normalised first, in this order: line breaks
become LF; a fence is kept as it is; elsewhere trailing white space goes, inner runs become one space, runs of blank
lines one blank line, and indentation two spaces a level; one LF ends the text.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAB: Final = 4


class SubjectError(Exception):
    """A subject cannot be read; the message says why."""


def subject_digest(path: Path) -> str:
    """SHA-256 of the normalised text, in lower-case hexadecimal. Raises ``SubjectError``."""
    if path.is_symlink():
        raise SubjectError("it is a symbolic link")
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise SubjectError((error.strerror or "it cannot be read").lower()) from None
    return hashlib.sha256(normalise(text).encode()).hexdigest()


def normalise(text: str) -> str:
    """``text`` without what layout alone changes."""
    lines = re.sub(r"\r\n?", "\n", text).split("\n")
    return "\n".join(_normal_lines(lines)).rstrip("\n") + "\n"


def _normal_lines(lines: Sequence[str]) -> Iterator[str]:
    closer: re.Pattern[str] | None = None
    levels = [0]
    blank = False
    for line in lines:
        if closer is not None:
            yield line
            closer = None if closer.fullmatch(line) else closer
            continue
        if not line.strip():
            if not blank:
                yield ""
            blank = True
            continue
        blank = False
        opening = _FENCE.match(line)
        if opening is not None:
            marker = opening[1]
            closer = re.compile(rf" {{0,3}}{re.escape(marker[0])}{{{len(marker)},}}\s*")
            yield line
            continue
        width = _width(line)
        while width < levels[-1]:
            levels.pop()
        if width > levels[-1]:
            levels.append(width)
        yield "  " * (len(levels) - 1) + " ".join(line.split())


def _width(line: str) -> int:
    """How far a line is indented; a tab reaches the next multiple of four."""
    width = 0
    for character in line:
        if character == "\t":
            width += _TAB - width % _TAB
        elif character.isspace():
            width += 1
        else:
            break
    return width


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the digest of the named file; 64 when it cannot be read."""
    names = sys.argv[1:] if arguments is None else arguments
    if len(names) != 1:
        sys.stderr.write("hash_subject: name one file\n")
        return 64
    try:
        sys.stdout.write(f"{subject_digest(Path(names[0]))}\n")
    except SubjectError as error:
        sys.stderr.write(f"hash_subject: {names[0]}: {error}\n")
        return 64
    return 0


if __name__ == "__main__":
    sys.exit(main())
