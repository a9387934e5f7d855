"""What a page tells a reader to do: the commands and files of its fences, in order (spec 14, section 8).

1. A line that starts with three backticks opens or closes a fence. A comment ``<!-- expect-exit: N -->`` before it
   declares the code of its one run; a fence labelled ``text`` right after it is that run's transcript.
2. A line ``Usage:`` starts a grammar block, which holds no commands.
3. In a fence, a here-document or an ``echo`` into a file is a write, ``mkdir -p`` a directory, and a line that starts
   with a declared spelling a run.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from eval_quality.canonical import JS_WHITESPACE

from .doc_pages import FENCE
from .ecmascript import trim


class WriteFile(NamedTuple):
    """The page tells its reader to write a file."""

    path: str
    text: str


class MakeDirectory(NamedTuple):
    """The page tells its reader to make a directory."""

    path: str


@dataclass
class Run:
    """A command line of the page: its first line's number, the spelling it starts with, and what follows."""

    line: int
    invocation: str
    spelling: str
    arguments: str
    declared_exit: int | None = None
    transcript: tuple[str, ...] = ()


Action = WriteFile | MakeDirectory | Run

_USAGE: Final = "Usage:"
_EXPECT_EXIT: Final = re.compile(r"<!--\s*expect-exit:\s*(\d{1,3})\s*-->", re.ASCII)
_HERE_DOCUMENT: Final = re.compile(r"cat\s*>\s*(\S+)\s*<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\2\s*")
_ECHO: Final = re.compile(r"echo\s+(.*?)\s*>\s*(\S+)\s*")
_MAKE_DIRECTORY: Final = re.compile(r"mkdir\s+-p\s+(\S+)\s*")
_PLACEHOLDER: Final = re.compile(r"<[^>]*>|\[[^\]]*\]")


def is_placeholder(token: str) -> bool:
    """Whether a token stands for something only the reader has: ``<path>`` or ``[options]``."""
    return _PLACEHOLDER.fullmatch(token) is not None


def actions_of(text: str, spellings: Sequence[str]) -> list[Action]:
    """Everything a page tells its reader to do; ``spellings`` are the command heads that count as runs."""
    return list(_Page(text, spellings).actions())


class _Page:
    """Reads one page from its first line to its last."""

    def __init__(self, text: str, spellings: Sequence[str]) -> None:
        self._lines = text.split("\n")
        self._heads = [
            (spelling, re.compile(r"\s+".join(map(re.escape, spelling.split())) + r"(?:\s+(.*)|$)", re.DOTALL))
            for spelling in sorted(spellings, key=len, reverse=True)
        ]
        self._next = 0
        self._waiting: Run | None = None
        """The run whose transcript may follow."""

    def actions(self) -> Iterator[Action]:
        before = ""
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            if line.lstrip(JS_WHITESPACE).startswith(FENCE):
                yield from self._fence(line, before)
                before = line
            elif line == _USAGE:
                self._waiting = None
                self._skip_grammar()
                before = line
            elif trim(line):
                self._waiting = None
                before = line

    def _skip_grammar(self) -> None:
        while self._next < len(self._lines):
            line = self._lines[self._next]
            if line.lstrip(JS_WHITESPACE).startswith(FENCE) or not _is_grammar(line):
                return
            self._next += 1

    def _fence(self, opening: str, before: str) -> Iterator[Action]:
        waiting, self._waiting = self._waiting, None
        first = self._next
        body = self._body()
        if waiting is not None and _label(opening) == "text":
            waiting.transcript = _transcript(body)
            return
        declaration = _EXPECT_EXIT.fullmatch(trim(before))
        declared = None if declaration is None else int(declaration[1])
        actions = list(self._body_actions(body, first, declared))
        runs = [action for action in actions if isinstance(action, Run)]
        if len(runs) == 1 and declared is not None:
            self._waiting = runs[0]
        yield from actions

    def _body(self) -> list[str]:
        """The lines up to the end of the fence, which is passed."""
        start = self._next
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            if line.lstrip(JS_WHITESPACE).startswith(FENCE):
                return self._lines[start : self._next - 1]
        return self._lines[start:]

    def _body_actions(self, body: list[str], first: int, declared: int | None) -> Iterator[Action]:
        index = 0
        while index < len(body):
            number = first + index + 1
            if body[index] == _USAGE:
                index = next((at for at in range(index + 1, len(body)) if not _is_grammar(body[at])), len(body))
                continue
            line = trim(body[index]).removeprefix("$ ")
            index += 1
            if match := _HERE_DOCUMENT.fullmatch(line):
                end = next((at for at in range(index, len(body)) if trim(body[at]) == match[3]), len(body))
                yield WriteFile(match[1], "".join(f"{text}\n" for text in body[index:end]))
                index = end + 1
            elif match := _ECHO.fullmatch(line):
                yield WriteFile(match[2], _unquoted(match[1]) + "\n")
            elif match := _MAKE_DIRECTORY.fullmatch(line):
                yield MakeDirectory(match[1])
            else:
                while line.endswith("\\") and index < len(body):
                    line = f"{line[:-1].rstrip(JS_WHITESPACE)} {trim(body[index])}"
                    index += 1
                yield from self._run(line, number, declared)

    def _run(self, line: str, number: int, declared: int | None) -> Iterator[Run]:
        for spelling, head in self._heads:
            match = head.fullmatch(line)
            if match is None:
                continue
            arguments = trim(match[1] or "")
            if arguments and not is_placeholder(arguments.split()[0]):
                yield Run(number, line, spelling, arguments, declared)
            return


def _is_grammar(line: str) -> bool:
    """Whether a line after ``Usage:`` still belongs to it: blank or indented."""
    return not trim(line) or line[0] in JS_WHITESPACE


def _label(opening: str) -> str:
    return re.split(r"[\s{]", trim(opening).removeprefix(FENCE).lstrip("`"), maxsplit=1)[0]


def _transcript(body: list[str]) -> tuple[str, ...]:
    """The lines of a transcript: without blank lines at its edges and white space common to all."""
    filled = [index for index, line in enumerate(body) if trim(line)]
    if not filled:
        return ()
    return tuple(textwrap.dedent("\n".join(body[filled[0] : filled[-1] + 1])).split("\n"))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
