"""The names a source file declares, and the line where it does (spec 14, section 10).

A mention in a comment, a docstring or an import is no declaration.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..python_source import PYTHON_ENDINGS, Unparsable, parse_python
from ..scanned_paths import text_of

Declarations = Mapping[str, int]

_ANY_TEXT: Final = re.compile(
    r"(?:^|\s)(?:export\s+)?(?:async\s+)?(?:const|let|function|type|class|interface)\s+([A-Za-z_][A-Za-z0-9_]*)\b"
    r"|^\s*(?:readonly\s+)?([A-Za-z_][A-Za-z0-9_]*)\??:",
    re.MULTILINE | re.ASCII,
)
_BROKEN_PYTHON: Final = re.compile(
    r"^\s*(?:async\s+def|def|class)\s+([A-Za-z_][A-Za-z0-9_]*)\b|^\s*([A-Za-z_][A-Za-z0-9_]*)\s*[:=]",
    re.MULTILINE | re.ASCII,
)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def declared_names(path: str, data: bytes) -> Declarations:
    """Each declared name and the line that declares it first."""
    if not path.endswith(PYTHON_ENDINGS):
        return _first_lines(_by_line(text_of(data), _ANY_TEXT))
    tree = parse_python(data)
    if isinstance(tree, Unparsable):
        return _first_lines(_by_line(text_of(data), _BROKEN_PYTHON))
    *directories, file = path.split("/")
    own = [file.rpartition(".")[0]]
    if own == ["__init__"] and directories:
        own.append(directories[-1])
    return _first_lines([*_in_tree(tree), *((name, 1) for name in own)])


def _first_lines(names: list[tuple[str, int]] | Iterator[tuple[str, int]]) -> Declarations:
    lines: dict[str, int] = {}
    for name, line in names:
        lines[name] = min(line, lines.get(name, line))
    return lines


def _by_line(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    line, counted = 1, 0
    for match in pattern.finditer(text):
        group = 1 if match[1] is not None else 2
        line, counted = line + text.count("\n", counted, match.start(group)), match.start(group)
        yield match[group], line


def _in_tree(tree: ast.Module) -> Iterator[tuple[str, int]]:
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, in_function = pending.pop()
        if isinstance(node, _DEFINITIONS):
            yield node.name, node.lineno
            in_function = not isinstance(node, ast.ClassDef)
            if not isinstance(node, ast.ClassDef):
                yield from _parameters(node.args)
        else:
            yield from _bound(node, in_function)
        pending.extend(
            (child, in_function)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
        )


def _parameters(arguments: ast.arguments) -> Iterator[tuple[str, int]]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    yield from ((argument.arg, argument.lineno) for argument in every if argument is not None)


def _bound(node: Any, in_function: bool) -> Iterator[tuple[str, int]]:
    """The targets of an assignment: names in module and class bodies, attributes of ``self`` anywhere."""
    match node:
        case ast.Assign():
            targets: list[ast.expr] = node.targets
        case ast.AnnAssign() | ast.AugAssign():
            targets = [node.target]
        case _ if type(node).__name__ == "TypeAlias":
            targets = [node.name]
        case _:
            return
    for target in targets:
        for part in ast.walk(target):
            match part:
                case ast.Name(id=name, ctx=ast.Store()) if not in_function:
                    yield name, part.lineno
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                    yield name, part.lineno
