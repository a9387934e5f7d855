"""Where a Python file writes, declares or spells an owned field (spec 14, section 7).

A construct puts a field in one of four positions: assignment, literal (a key with a value of its own), type (a shape
without a value) or string (what reaches it reflectively). Reading is no position. A bare name that happens to equal a
field is an assignment, but no write that a declared writer owes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, Literal, NamedTuple

Kind = Literal["assignment", "literal", "type", "string", "helper"]

_SHAPES: Final = frozenset({"TypedDict", "NamedTuple", "namedtuple"})
_NAMED_READS: Final = frozenset({"getattr", "hasattr"})


class Position(NamedTuple):
    """One occurrence: the line, the name, how it occurs, and whether that writes the field."""

    line: int
    subject: str
    kind: Kind
    writes: bool = False


def positions(tree: ast.Module, fields: Collection[str], helpers: Collection[str]) -> Iterator[Position]:
    """Every position of an owned field, and every mention of a helper."""
    reader = _Reader(frozenset(fields), frozenset(helpers))
    for node in ast.walk(tree):
        rule = _RULES.get(type(node))
        if rule is not None:
            yield from rule(reader, node)
    # A string whose place another rule explained is no string position; the rules have all run by now.
    for constant in reader.strings:
        if constant not in reader.explained:
            yield Position(constant.lineno, constant.value, "string")


class _Reader:
    """The rules, one for each kind of node, and the strings they have explained."""

    def __init__(self, fields: frozenset[str], helpers: frozenset[str]) -> None:
        self.fields = fields
        self.helpers = helpers
        self.strings: list[Any] = []
        self.explained: set[ast.AST] = set()
        self._settled: set[ast.AST] = set()

    def constant(self, node: ast.Constant) -> Iterator[Position]:
        if isinstance(node.value, str) and node.value in self.fields:
            self.strings.append(node)
        yield from ()

    def _field(self, node: ast.AST | None) -> str | None:
        """The field a string literal spells; the literal is explained by whoever asks."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self.fields:
            self.explained.add(node)
            return node.value
        return None

    def attribute(self, node: ast.Attribute) -> Iterator[Position]:
        if node.attr in self.helpers:
            yield Position(node.lineno, node.attr, "helper")
        if node.attr in self.fields and not isinstance(node.ctx, ast.Load) and node not in self._settled:
            yield Position(node.lineno, node.attr, "assignment", isinstance(node.ctx, ast.Store))

    def subscript(self, node: ast.Subscript) -> Iterator[Position]:
        field = None if isinstance(node.ctx, ast.Del) else self._field(node.slice)
        if field is not None and isinstance(node.ctx, ast.Store):
            yield Position(node.lineno, field, "assignment", True)

    def name(self, node: ast.Name) -> Iterator[Position]:
        if node.id in self.helpers:
            yield Position(node.lineno, node.id, "helper")
        if node.id in self.fields and isinstance(node.ctx, ast.Store) and node not in self._settled:
            yield Position(node.lineno, node.id, "assignment")

    def annotation(self, node: ast.AnnAssign) -> Iterator[Position]:
        """A declared shape without a value; with one it is an assignment like any other."""
        name = node.target.attr if isinstance(node.target, ast.Attribute) else getattr(node.target, "id", None)
        if node.value is None and name in self.fields:
            self._settled.add(node.target)
            yield Position(node.lineno, str(name), "type")

    def class_body(self, node: ast.ClassDef) -> Iterator[Position]:
        """In a class body a bare name is a field of the class."""
        yield from self.definition(node)
        for statement in node.body:
            match statement:
                case ast.Assign():
                    targets = statement.targets
                case ast.AnnAssign(value=ast.expr()):
                    targets = [statement.target]
                case _:
                    continue
            for target in targets:
                if isinstance(target, ast.Name) and target.id in self.fields:
                    self._settled.add(target)
                    yield Position(target.lineno, target.id, "assignment", True)

    def keyword(self, node: ast.keyword) -> Iterator[Position]:
        if node.arg in self.fields and node not in self._settled:
            yield Position(node.lineno, str(node.arg), "literal", True)

    def dict_display(self, node: ast.Dict) -> Iterator[Position]:
        for key in node.keys:
            if key not in self.explained and (field := self._field(key)) is not None:
                yield Position(getattr(key, "lineno", node.lineno), field, "literal", True)

    def dict_comprehension(self, node: ast.DictComp) -> Iterator[Position]:
        field = self._field(node.key)
        if field is not None:
            yield Position(node.key.lineno, field, "literal", True)

    def call(self, node: ast.Call) -> Iterator[Position]:
        function = node.func
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
        if called in _SHAPES:
            yield from self._shape(node)
        elif called in _NAMED_READS and isinstance(function, ast.Name):
            self._read(node.args[1:2])
        elif called == "get" and isinstance(function, ast.Attribute):
            self._read(node.args[:1])

    def _shape(self, call: ast.Call) -> Iterator[Position]:
        """The fields of a functional ``TypedDict`` or ``NamedTuple``."""
        for keyword in call.keywords:
            if keyword.arg in self.fields:
                self._settled.add(keyword)
                yield Position(keyword.lineno, str(keyword.arg), "type")
        for argument in call.args[1:]:
            for constant in ast.walk(argument):
                field = self._field(constant)
                if field is not None:
                    yield Position(getattr(constant, "lineno", call.lineno), field, "type")

    def _read(self, expressions: list[ast.expr]) -> None:
        for expression in expressions:
            self._field(expression)

    def comparison(self, node: ast.Compare) -> Iterator[Position]:
        for operand in (node.left, *node.comparators):
            self._read(operand.elts if isinstance(operand, ast.Tuple | ast.List | ast.Set) else [operand])
        yield from ()

    def pattern(self, node: ast.match_case) -> Iterator[Position]:
        for inner in ast.walk(node.pattern):
            self._field(inner)
        yield from ()

    def format_string(self, node: ast.JoinedStr) -> Iterator[Position]:
        self._read(node.values)
        yield from ()

    def imported(self, node: ast.alias) -> Iterator[Position]:
        for name in {node.name.rpartition(".")[2], node.asname}:
            if name in self.helpers:
                yield Position(node.lineno, str(name), "helper")

    def definition(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Position]:
        if node.name in self.helpers:
            yield Position(node.lineno, node.name, "helper")


_RULES: Final[dict[type[ast.AST], Callable[[_Reader, Any], Iterator[Position]]]] = {
    ast.Constant: _Reader.constant,
    ast.Attribute: _Reader.attribute,
    ast.Subscript: _Reader.subscript,
    ast.Name: _Reader.name,
    ast.AnnAssign: _Reader.annotation,
    ast.ClassDef: _Reader.class_body,
    ast.FunctionDef: _Reader.definition,
    ast.AsyncFunctionDef: _Reader.definition,
    ast.keyword: _Reader.keyword,
    ast.Dict: _Reader.dict_display,
    ast.DictComp: _Reader.dict_comprehension,
    ast.Call: _Reader.call,
    ast.Compare: _Reader.comparison,
    ast.match_case: _Reader.pattern,
    ast.JoinedStr: _Reader.format_string,
    ast.alias: _Reader.imported,
}
"""Every node that can hold a position. The walk meets a node before its children, so a rule can settle them."""
