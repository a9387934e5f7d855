"""Hold every import against an ordered list of layers (spec 14, section 6).

1. Every file under a root belongs to the first layer that matches it; a file in none is a violation.
2. Each import leads to a scanned file, whose layer has to be among those the importer permits, or outside, where the
   layer's policy for externals holds, less the exemptions.
3. Pure layers neither wait nor read a clock nor use a forbidden name.
4. ``indirect`` holds what no single file shows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .gate import Block, Finding, Place, Report, in_order, note
from .indirect import ImportGraph, Indirect, build_import_graph, forbidden_chains
from .layers import Layer, Section, Unrestricted
from .purity import impurities
from .python_imports import Aliases, DynamicImport, Import, ModuleFinder, Resolution, imports_of
from .python_source import Unparsable, parse_python, require_python
from .refusals import GateConfigurationError, ScanPathError, ScanUnreadableError
from .scanned_paths import ScannedPath, scan, text_of

__all__ = ["Section", "check"]


def check(section: Section, place: Place) -> Report:
    """Every file under the roots, then what lies between them."""
    files = _scan(section, place)
    import_roots = _import_roots(section, place)
    finder = ModuleFinder(files, import_roots, {root: _names_in(place, root) for root in import_roots})
    direction = _Direction(section, place, finder)
    found = [finding for file, data in files.items() for finding in direction.violations(file, data)]
    if section.indirect is not None:
        graph = build_import_graph(
            section.indirect, place.root, import_roots, type_checking=section.type_checking == "hold"
        )
        found.extend(direction.indirect_violations(graph, section.indirect))
    found.extend(direction.idle_dynamic_importers())
    findings = in_order(dict.fromkeys(found))
    scanned = f"{len(files)} file(s) scanned across {len(section.roots)} root(s)"
    head = f"{place.gate}:"
    if not findings:
        return Report((note(f"{head} passed, {scanned}, 0 violations."),))
    counted = f"{len(findings)} violation(s) across {len(files)} scanned file(s)"
    if section.report_only:
        advice = f'Set "reportOnly": false in {place.config} to make it.'
        summary = f"{head} report-only, {counted}; this run did not fail. {advice}"
        return Report((note(summary), Block(None, findings, "stdout")), enforced=False)
    return Report((note(f"{head} {counted}:"), Block(None, findings)))


def _refusal(place: Place, detail: object) -> GateConfigurationError:
    return GateConfigurationError(
        f'{place.gate}: {detail}; {place.config}\'s "{place.gate}" section declares the roots'
    )


def _scan(section: Section, place: Place) -> dict[str, bytes]:
    rows = [ScannedPath(root.path, extensions=root.extensions) for root in section.roots]
    try:
        files = scan(place.root, rows, place.gate, "roots").files
    except (ScanPathError, ScanUnreadableError) as error:
        raise _refusal(place, error) from None
    require_python(files, place.gate)
    return files


def _import_roots(section: Section, place: Place) -> list[str]:
    """Where absolute imports start: as declared, or above every package a root lies in."""
    if section.import_roots is not None:
        return list(section.import_roots)
    return list(dict.fromkeys(_first_directory_outside_packages(place, root.path) for root in section.roots))


def _first_directory_outside_packages(place: Place, directory: str) -> str:
    while directory and (place.root / directory / "__init__.py").exists():
        directory = directory.rpartition("/")[0]
    return directory


def _names_in(place: Place, directory: str) -> frozenset[str]:
    """The names an import root offers: its modules and directories."""
    try:
        return frozenset(
            path.stem if path.suffix in (".py", ".pyi") else path.name
            for path in (place.root / directory).iterdir()
            if path.is_dir() or path.suffix in (".py", ".pyi")
        )
    except OSError as error:
        raise _refusal(place, f"{directory} could not be read: {error}") from None


class _Direction:
    """Holds one file after another."""

    def __init__(self, section: Section, place: Place, finder: ModuleFinder) -> None:
        self._section = section
        self._place = place
        self._finder = finder
        self._dynamic = {row.file for row in section.dynamic_imports}
        self._used_dynamic: set[str] = set()
        self._pure = set(section.purity.layers) if section.purity else set()
        self._unnamed_roots = {
            root.path: root.path.rpartition("/")[2]
            for root in section.roots
            if section.import_roots is None and not (place.root / root.path / "__init__.py").exists()
        }

    def violations(self, file: str, data: bytes) -> Iterator[Finding]:
        layer = self._section.layer_of(file)
        if layer is None:
            yield _finding(
                file,
                1,
                file,
                "file sits under a declared root but in no declared layer; add it to a layer directory or declare the "
                "layer",
                "no-layer",
            )
            return
        tree = parse_python(data)
        if isinstance(tree, Unparsable):
            reason = f"{tree.reason}; the layer rules could not be applied to it"
            yield _finding(file, tree.line, "", reason, "unparsable")
            return
        nodes = list(ast.walk(tree))
        aliases = Aliases(nodes)
        for edge in imports_of(nodes, aliases, type_checking=self._section.type_checking == "hold"):
            if isinstance(edge, DynamicImport) and file in self._dynamic:
                self._used_dynamic.add(file)
            elif isinstance(edge, DynamicImport):
                rule = f"dynamic {edge.function}() argument must be a string literal"
                yield _finding(file, edge.line, edge.source(text_of(data)), rule, "dynamic-import")
            else:
                yield from self._held(file, layer, edge)
        if self._section.purity is not None and layer.name in self._pure:
            for line, specifier, rule in impurities(nodes, aliases, self._section.purity):
                yield _finding(file, line, specifier, rule, "purity")

    def _held(self, file: str, layer: Layer, edge: Import) -> Iterator[Finding]:
        resolution = self._finder.resolve(file, edge)
        if resolution.fault is not None:
            self._refuse_unnamed_root(edge)
            yield _finding(file, edge.line, resolution.specifier, resolution.fault, "unresolved")
        elif resolution.target is not None:
            target = self._section.layer_of(resolution.target)
            if target is None or target.name not in layer.imports:
                rule = f"{layer.shown} may not import {resolution.target if target is None else target.shown}"
                yield _finding(file, edge.line, resolution.specifier, rule, "layer")
        else:
            self._refuse_unnamed_root(edge)
            yield from self._held_external(file, layer, edge, resolution)

    def _held_external(self, file: str, layer: Layer, edge: Import, resolution: Resolution) -> Iterator[Finding]:
        externals = layer.externals
        if isinstance(externals, Unrestricted) or externals.admits(resolution.specifier):
            return
        exemptions = [
            row for row in self._section.exemptions if row.file == file and row.module == resolution.specifier
        ]
        if any(edge.alone == row.binding for row in exemptions):
            return
        rule = exemptions[0].rule if exemptions else externals.rule
        yield _finding(file, edge.line, resolution.specifier, rule, "external")

    def _refuse_unnamed_root(self, edge: Import) -> None:
        for path, name in self._unnamed_roots.items():
            if not edge.level and edge.module.partition(".")[0] == name:
                raise _refusal(
                    self._place,
                    f"{path} holds no __init__.py, so the gate cannot tell which name imports it; declare importRoots",
                )

    def idle_dynamic_importers(self) -> Iterator[Finding]:
        """Rows of ``dynamicImports`` that permit nothing: the file is gone or spells its imports now."""
        for row in self._section.dynamic_imports:
            if row.file not in self._used_dynamic:
                rule = "dynamicImports names this file and it imports nothing by a computed name; drop the row"
                yield _finding(row.file, 1, row.file, rule, "dynamic-import")

    def indirect_violations(self, graph: ImportGraph, indirect: Indirect) -> Iterator[Finding]:
        layers = {layer.name: layer.shown for layer in self._section.layers}
        for chain in forbidden_chains(graph, indirect.rows, self._layer_name):
            through = " > ".join(chain.modules)
            rule = f"{layers[chain.row.from_]} reaches {layers[chain.row.to]} through {through}; {chain.row.rule}"
            file = self._finder.file_of(chain.modules[0]) or chain.modules[0]
            yield _finding(file, chain.line, chain.modules[1], rule, "indirect")

    def _layer_name(self, module: str) -> str | None:
        file = self._finder.file_of(module)
        layer = None if file is None else self._section.layer_of(file)
        return None if layer is None else layer.name


def _finding(file: str, line: int, specifier: str, rule: str, kind: str) -> Finding:
    return Finding(file, line, kind, f'"{specifier}": {rule}', (f'  {file}:{line} "{specifier}": {rule}',))
