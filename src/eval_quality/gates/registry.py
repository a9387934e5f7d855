"""The gates, in the order every list of them uses (spec 14, section 1)."""

from __future__ import annotations

from typing import Final, NamedTuple


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
