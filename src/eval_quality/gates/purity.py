"""What keeps a layer from being pure: waiting, clocks, and the names its owner forbids (spec 14, section 6.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from .python_imports import Aliases
from .python_source import dotted_name
from .sections import Least, NonEmpty, matches

_CLOCKS: Final = frozenset(
    {"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"}
)


@dataclass(frozen=True)
class Member:
    """A dotted name that a pure layer may not use, and why."""

    member: Annotated[
        str,
        matches(r"^[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)+$", "is not an `object.member` pair"),
    ]
    rule: NonEmpty


@dataclass(frozen=True, kw_only=True)
class Purity:
    """The layers that have to be pure, and what is said of each kind of impurity."""

    layers: Annotated[tuple[str, ...], Least(1)]
    await_rule: NonEmpty
    async_function_rule: NonEmpty
    new_date_rule: NonEmpty
    members: tuple[Member, ...] = ()


class Impurity(NamedTuple):
    """Something impure: its line, how it is spelled, and the rule it breaks."""

    line: int
    specifier: str
    rule: str


def impurities(nodes: Iterable[ast.AST], aliases: Aliases, purity: Purity) -> Iterator[Impurity]:
    """Everything impure among a tree's nodes."""
    rules = {row.member: row.rule for row in purity.members}
    for node in nodes:
        match node:
            case ast.Await(lineno=line) | ast.AsyncFor(lineno=line) | ast.AsyncWith(lineno=line):
                yield Impurity(line, "await", purity.await_rule)
            case ast.comprehension(is_async=1, target=ast.expr(lineno=line)):
                yield Impurity(line, "await", purity.await_rule)
            case ast.AsyncFunctionDef(lineno=line):
                yield Impurity(line, "async", purity.async_function_rule)
            case ast.Attribute(lineno=line):
                yield from _reference(line, dotted_name(node), aliases, rules, purity.new_date_rule)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for name in names:
                    pair = f"{module}.{name.name}"
                    if pair in rules:
                        yield Impurity(name.lineno, pair, rules[pair])


def _reference(
    line: int, written: str | None, aliases: Aliases, rules: dict[str, str], clock_rule: str
) -> Iterator[Impurity]:
    if written is None:
        return
    resolved = aliases.resolve(written)
    if resolved in _CLOCKS:
        yield Impurity(line, written, clock_rule)
    pair = written if written in rules else resolved
    if pair in rules:
        yield Impurity(line, pair, rules[pair])
