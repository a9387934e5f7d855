"""What a Python file imports, read from its syntax tree (spec 14, section 6.3).

Imports count wherever they stand, in functions and ``try`` too. ``from __future__ import`` is none, a string in an
annotation is none, and neither is the implicit import of parent packages. A call that imports by name counts when the
name is a literal and is reported when it is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from .python_source import dotted_name

_SHOWN: Final = 80
_IMPORTERS: Final = {
    "importlib.import_module": "name",
    "import_module": "name",
    "__import__": "name",
    "runpy.run_module": "mod_name",
    "pkgutil.resolve_name": "name",
}
"""Functions that import by name, and the keyword of the name."""


class Import(NamedTuple):
    """One imported name.

    ``module`` is written without the leading dots that ``level`` counts; ``name`` is what a ``from`` import takes from
    it. ``alone`` is that name when a ``from`` clause takes nothing else.
    """

    line: int
    level: int
    module: str
    name: str | None = None
    alone: str | None = None

    @property
    def specifier(self) -> str:
        """The module as written."""
        return "." * self.level + self.module

    @property
    def specifier_with_name(self) -> str:
        """The module as written, when the name taken from it is a module itself."""
        return f"{self.specifier}{'.' if self.module else ''}{self.name}"


class DynamicImport(NamedTuple):
    """A call that imports what only the running program knows: the function as written, and its argument."""

    line: int
    function: str
    argument: ast.expr | None

    def source(self, text: str) -> str:
        """The argument as it stands in the file, cut short."""
        written = None if self.argument is None else ast.get_source_segment(text, self.argument)
        return " ".join((written or "").split())[:_SHOWN]


class Aliases:
    """The dotted names that a file's imports bind local names to."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._names: dict[str, str] = {}
        for node in nodes:
            match node:
                case ast.Import(names):
                    self._names.update((name.asname, name.name) for name in names if name.asname)
                case ast.ImportFrom(module=str(module), names=names, level=0):
                    self._names.update((name.asname or name.name, f"{module}.{name.name}") for name in names)

    def resolve(self, name: str) -> str:
        """``name`` with its first part replaced by what an import bound it to."""
        head, dot, rest = name.partition(".")
        return self._names.get(head, head) + dot + rest


def imports_of(nodes: Iterable[ast.AST], aliases: Aliases, *, type_checking: bool) -> Iterator[Import | DynamicImport]:
    """The imports among a tree's nodes; those only a type checker sees count when ``type_checking`` says so."""
    nodes = list(nodes)
    ignored = set() if type_checking else set(_unseen_at_run_time(nodes))
    for node in nodes:
        match node:
            case ast.Import(names) if node not in ignored:
                for alias in names:
                    yield Import(alias.lineno, 0, alias.name)
            case ast.ImportFrom(module, names, level) if node not in ignored and module != "__future__":
                alone = names[0].name if len(names) == 1 else None
                for alias in names:
                    name = None if alias.name == "*" else alias.name
                    yield Import(alias.lineno, level or 0, module or "", name, alone)
            case ast.Call(function):
                called = dotted_name(function)
                keyword = None if called is None else _IMPORTERS.get(aliases.resolve(called), _IMPORTERS.get(called))
                if called is not None and keyword is not None:
                    yield _called_import(node, called, keyword)


def _unseen_at_run_time(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        if isinstance(node, ast.If) and (dotted_name(node.test) or "").rpartition(".")[2] == "TYPE_CHECKING":
            for statement in node.body:
                yield from ast.walk(statement)


def _called_import(call: ast.Call, called: str, keyword: str) -> Import | DynamicImport:
    by_keyword = (argument.value for argument in call.keywords if argument.arg == keyword)
    argument = call.args[0] if call.args else next(by_keyword, None)
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        text = argument.value.partition(":")[0]
        module = text.lstrip(".")
        return Import(call.lineno, len(text) - len(module), module)
    return DynamicImport(call.lineno, called, argument)


class Resolution(NamedTuple):
    """Where an import leads: a scanned file, outside the trees, or nowhere; and how a finding spells it."""

    specifier: str
    target: str | None = None
    fault: str | None = None


ESCAPES: Final = "relative import escapes the declared roots"
UNRESOLVED_RELATIVE: Final = "relative import does not resolve to a scanned file"
UNRESOLVED: Final = "import does not resolve to a scanned file"


class ModuleFinder:
    """Resolves imports to scanned files under the directories that absolute imports start from."""

    def __init__(
        self, files: Iterable[str], import_roots: Iterable[str], present: Mapping[str, frozenset[str]]
    ) -> None:
        self._modules: dict[str, dict[str, str]] = {root: {} for root in import_roots}
        self._present = present
        ordered = sorted(files, key=lambda file: (file.endswith("/__init__.py"), file.endswith(".pyi")))
        for root, modules in self._modules.items():
            for file in ordered:
                name = _module_name(file, root)
                if name is not None:
                    modules.setdefault(name, file)

    def file_of(self, module: str) -> str | None:
        """The scanned file an absolute name means."""
        return next((modules[module] for modules in self._modules.values() if module in modules), None)

    def resolve(self, file: str, edge: Import) -> Resolution:
        """Where one import of ``file`` leads."""
        return self._resolve_relative(file, edge) if edge.level else self._resolve_absolute(edge)

    def _resolve_absolute(self, edge: Import) -> Resolution:
        for specifier, module in _candidates(edge, edge.module):
            target = self.file_of(module)
            if target is not None:
                return Resolution(specifier, target)
        first = edge.module.partition(".")[0]
        known = any(first in names for names in self._present.values())
        return Resolution(edge.specifier, fault=UNRESOLVED if known else None)

    def _resolve_relative(self, file: str, edge: Import) -> Resolution:
        root = self._root_of(file)
        package = file[len(root) + 1 if root else 0 :].split("/")[:-1]
        if edge.level > len(package):
            return Resolution(edge.specifier, fault=ESCAPES)
        base = ".".join([*package[: len(package) - edge.level + 1], *filter(None, [edge.module])])
        for specifier, module in _candidates(edge, base):
            target = self._modules[root].get(module)
            if target is not None:
                return Resolution(specifier, target)
        return Resolution(edge.specifier, fault=UNRESOLVED_RELATIVE)

    def _root_of(self, file: str) -> str:
        """The innermost import root around a file; the outermost when it lies under none."""
        around = [root for root in self._modules if not root or file.startswith(f"{root}/")]
        return max(around, key=len, default=next(iter(self._modules), ""))


def _candidates(edge: Import, module: str) -> Iterator[tuple[str, str]]:
    """The modules an import may mean, the most specific first, and how it is then spelled."""
    if edge.name is not None:
        yield edge.specifier_with_name, f"{module}.{edge.name}"
    yield edge.specifier, module


def _module_name(file: str, root: str) -> str | None:
    """The dotted name under which an import root offers a file."""
    prefix = f"{root}/" if root else ""
    if not file.startswith(prefix):
        return None
    stem = file[len(prefix) :].rpartition(".")[0]
    return stem.removesuffix("/__init__").replace("/", ".")
