"""Builds an import graph in a process of its own: packages on standard input, ``{importer: {imported: line}}`` out."""

import json
import sys

import grimp


def main() -> None:
    request = json.load(sys.stdin)
    graph = grimp.build_graph(
        *request["packages"],
        include_external_packages=False,
        exclude_type_checking_imports=request["exclude_type_checking_imports"],
        cache_dir=None,
    )
    json.dump({module: _imports(graph, module) for module in graph.modules}, sys.stdout)


def _imports(graph: grimp.ImportGraph, module: str) -> dict[str, int]:
    return {
        imported: min(detail["line_number"] for detail in graph.get_import_details(importer=module, imported=imported))
        for imported in graph.find_modules_directly_imported_by(module)
    }


if __name__ == "__main__":
    main()
