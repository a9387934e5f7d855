"""The gates, in the order every list of them uses (spec 14, section 1), and how one is run.

A gate's module is imported when it runs, so that naming one costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from .discovery import Discovery
    from .gate import Place, Report


class GateModule(Protocol):
    """What the module of a gate defines: its configuration model, and the check from a section to a report."""

    Section: type[Any]

    def check(self, section: Any, place: Place) -> Report: ...


class Gate(NamedTuple):
    """A gate's name, what it holds, and the module that does it."""

    name: str
    holds: str

    @property
    def module(self) -> str:
        return f"{__package__}.{self.name.replace('-', '_')}"


GATES: Final = {
    gate.name: gate
    for gate in (
        Gate("lockfile-age", "every locked entry's registry publication age, against a window you declare"),
        Gate("licences", "every locked entry's licence, against an allowlist of identifiers you declare"),
        Gate("dependency-direction", "every import in the trees you name, against a layer graph you declare"),
        Gate("package-boundary", "every line your package would publish, against the patterns you forbid"),
        Gate("field-ownership", "every write to a field you own, against the modules you let write it"),
        Gate("doc-invocations", "every fenced command in your pages, against the exit code the page claims"),
        Gate("doc-counts", "every hand-written count in your pages, against the thing it counts"),
        Gate("doc-claims", "every prose claim in your pages, against the tree those pages describe"),
    )
}


def run_gate(name: str, discovery: Discovery) -> Report:
    """Find the gate's section, read it, run the gate. Raises ``GateError`` when it cannot be run."""
    from .sections import read_section

    place, value = discovery.section(name)
    module = cast(GateModule, import_module(GATES[name].module))
    head = f'{name}: {place.config}\'s "{name}" section is malformed:'
    return module.check(read_section(module.Section, value, head), place)
