"""How one gate is run. Its module is imported then, so that naming a gate costs nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from .registry import GATES
from .sections import read_section

if TYPE_CHECKING:
    from .discovery import Discovery
    from .gate import Place, Report


class GateModule(Protocol):
    """What the module of a gate defines: its configuration model, and the check from a section to a report."""

    Section: type[Any]

    def check(self, section: Any, place: Place) -> Report: ...


def run_gate(name: str, discovery: Discovery) -> Report:
    """Find the gate's section, read it, run the gate. Raises ``GateError`` when it cannot be run."""
    place, value = discovery.section(name)
    module = cast(GateModule, import_module(GATES[name].module))
    head = f'{name}: {place.config}\'s "{name}" section is malformed:'
    return module.check(read_section(module.Section, value, head), place)
