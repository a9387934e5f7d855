"""The lines a pattern is matched against: comments and docstrings joined over their line breaks (spec 14, section 3).

1. Lines are split at LF alone. A maximal run of comment lines, in any file type, is one logical line at the number of
   its first line; empty comment lines add nothing and do not end the run.
2. In a Python file each string that stands as a statement of its own is made of doc lines; an empty one ends a run.
3. Every other line is a logical line by itself. Comment runs and doc runs never join.

A joined line is offered twice: its parts with single spaces between them, and with nothing, since a path may be broken
at either place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from eval_quality.canonical import JS_WHITESPACE

from .ecmascript import trim
from .python_source import PYTHON_ENDINGS, Unparsable, parse_python
from .scanned_paths import text_of


class LogicalLine(NamedTuple):
    """Text to match: joined with spaces, and joined with nothing."""

    number: int
    text: str
    tight: str


class _Part(NamedTuple):
    """What one physical line adds to a run."""

    number: int
    text: str


_COMMENT: Final = re.compile(rf"[{JS_WHITESPACE}]*(//+|/\*+|\*+/?|#)")
_STRING_STARTS_A_LINE: Final = re.compile(r"^[ \t\f\ufeff]*[A-Za-z]{0,2}[\"']", re.MULTILINE)
_OPENING: Final = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')")
_LONE_CARRIAGE_RETURN: Final = re.compile("\r(?!\n)")


def logical_lines(path: str, data: bytes) -> Iterator[LogicalLine]:
    """The logical lines of one file, by line number."""
    text = text_of(data)
    lines = text.split("\n")
    doc_parts = _doc_parts(data, text, lines) if path.endswith(PYTHON_ENDINGS) else {}
    comments: list[_Part] = []
    doc: list[_Part] = []
    for number, line in enumerate(lines, 1):
        if number in doc_parts:
            yield from _run(comments)
            body, trailing_comment = doc_parts[number]
            if body:
                doc.append(_Part(number, body))
            if not body or trailing_comment:
                yield from _run(doc)
            if trailing_comment:
                yield LogicalLine(number, trailing_comment, trailing_comment)
            continue
        yield from _run(doc)
        comment = _COMMENT.match(line)
        if comment:
            comments.append(_Part(number, trim(line[comment.end() :].rstrip(JS_WHITESPACE).removesuffix("*/"))))
        else:
            yield from _run(comments)
            yield LogicalLine(number, line, line)
    yield from _run(comments)
    yield from _run(doc)


def _run(parts: list[_Part]) -> Iterator[LogicalLine]:
    """The logical line the collected parts make, if they hold any text; the collection starts anew."""
    if not parts:
        return
    texts = [part.text for part in parts if part.text]
    number = parts[0].number
    parts.clear()
    if texts:
        yield LogicalLine(number, " ".join(texts), "".join(texts))


def _doc_parts(data: bytes, text: str, lines: list[str]) -> dict[int, tuple[str, str]]:
    """By line number, what a docstring's line says and the comment that follows its end."""
    if _STRING_STARTS_A_LINE.search(text) is None or _LONE_CARRIAGE_RETURN.search(text):
        return {}
    tree = parse_python(data)
    if isinstance(tree, Unparsable):
        return {}
    return {
        number: part
        for statement in _statements(tree)
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for number, part in _parts_of(statement.value, lines)
    }


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Every statement, whatever it is nested in; expressions are not entered."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            children = getattr(node, field, ())
            if isinstance(children, list):
                pending.extend(children)
        if isinstance(node, ast.stmt):
            yield node


def _parts_of(literal: ast.Constant, lines: list[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    first, last = literal.lineno, literal.end_lineno or literal.lineno
    opening, closing = _cut(lines[first - 1], literal.col_offset), _cut(lines[last - 1], literal.end_col_offset or 0)
    after = trim(closing[1])
    if trim(opening[0]) or (after and not after.startswith("#")):
        return
    quote = _OPENING.match(opening[1])
    if quote is None:
        return
    for number in range(first, last + 1):
        line = closing[0] if number == last else lines[number - 1]
        if number == first:
            line = line[len(opening[0]) + quote.end() :]
        if number == last:
            line = line.removesuffix(quote[1])
        yield number, (trim(line), trim(after[1:]) if number == last else "")


def _cut(line: str, offset: int) -> tuple[str, str]:
    """``line`` before and after a byte offset, as syntax trees count: a byte order mark is no part of the line."""
    bare = line.removeprefix("\ufeff")
    if bare.isascii():
        head, tail = bare[:offset], bare[offset:]
    else:
        data = bare.encode()
        head, tail = data[:offset].decode("utf-8", "replace"), data[offset:].decode("utf-8", "replace")
    return line[: len(line) - len(bare)] + head, tail
