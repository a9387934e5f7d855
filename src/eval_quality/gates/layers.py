"""The configuration of ``dependency-direction``: layers in order of precedence and what each may import (spec 14, 6.1)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from .indirect import Indirect
from .purity import Purity
from .sections import Holds, Least, NonEmpty, Path, matches

_NOT_POSIX: Final = (
    'is not a repository-relative POSIX path: a leading slash, a backslash, an empty segment, and a "." or ".." '
    "segment are all refused"
)


def _is_posix_path(text: str) -> bool:
    return "\\" not in text and not any(segment in ("", ".", "..") for segment in text.split("/"))


PosixPath = Annotated[str, Least(1), Holds(_is_posix_path, _NOT_POSIX)]
PosixPrefix = Annotated[str, Least(1), Holds(lambda text: _is_posix_path(text.removesuffix("/")), _NOT_POSIX)]
LayerName = Annotated[
    str,
    matches(
        r"^[a-z][a-z0-9-]*$",
        "is not a layer name: lowercase letters, digits and hyphens, starting with a letter",
    ),
]
SourceExtension = Annotated[
    str,
    matches(r"^\.[A-Za-z0-9]+$", 'is not a file extension: write it with its leading dot, as ".ts" or ".cjs"'),
]


@dataclass(frozen=True)
class SourceRoot:
    """A tree to scan."""

    path: PosixPath
    extensions: Annotated[tuple[SourceExtension, ...], Least(1)] = (".py",)


@dataclass(frozen=True)
class Unrestricted:
    """Anything outside the trees may be imported."""

    policy: Literal["unrestricted"]

    def admits(self, specifier: str) -> bool:
        return True


@dataclass(frozen=True, kw_only=True)
class Denied:
    """Nothing outside the trees may be imported."""

    policy: Literal["deny"]
    rule: NonEmpty
    stdlib: Literal["hold", "admit"] = "hold"

    def admits(self, specifier: str) -> bool:
        return _is_admitted_stdlib(self.stdlib, specifier)


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """Some modules outside the trees may be imported."""

    policy: Literal["allow"]
    modules: Annotated[tuple[NonEmpty, ...], Least(1)]
    rule: NonEmpty
    stdlib: Literal["hold", "admit"] = "hold"

    def admits(self, specifier: str) -> bool:
        return specifier in self.modules or _is_admitted_stdlib(self.stdlib, specifier)


def _is_admitted_stdlib(stdlib: str, specifier: str) -> bool:
    return stdlib == "admit" and specifier.partition(".")[0] in sys.stdlib_module_names


@dataclass(frozen=True, kw_only=True)
class Layer:
    """Files, and what they may import."""

    name: LayerName
    match: Literal["exact", "prefix"]
    path: PosixPrefix
    label: NonEmpty | None = None
    imports: tuple[str, ...]
    externals: Unrestricted | Denied | Allowed = Unrestricted("unrestricted")

    @property
    def shown(self) -> str:
        """The layer's name in a finding."""
        return self.label or self.name

    def holds(self, file: str) -> bool:
        return file == self.path if self.match == "exact" else file.startswith(self.path)


@dataclass(frozen=True)
class Exemption:
    """One name that one file may import from one module outside the trees."""

    file: PosixPath
    module: NonEmpty
    binding: Annotated[str, matches(r"^[A-Za-z_$][A-Za-z0-9_$]*$", "is not an identifier")]
    rule: NonEmpty


@dataclass(frozen=True)
class DynamicImporter:
    """A file that may import by a name it computes, and why: a table of lazy names, a registry of plug-ins."""

    file: PosixPath
    reason: NonEmpty


@dataclass(frozen=True, kw_only=True)
class Section:
    """The trees, their layers in order of precedence, and what is held beyond them."""

    roots: Annotated[tuple[SourceRoot, ...], Least(1)]
    layers: Annotated[tuple[Layer, ...], Least(1)]
    exemptions: tuple[Exemption, ...] = ()
    purity: Purity | None = None
    commonjs: Literal["forbid", "check"] = "forbid"
    report_only: bool = False
    import_roots: Annotated[tuple[PosixPath, ...], Least(1)] | None = None
    type_checking: Literal["hold", "ignore"] = "hold"
    dynamic_imports: tuple[DynamicImporter, ...] = ()
    indirect: Indirect | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """No root or layer that can never match, no name that means nothing, no exemption that opens nothing."""
        yield from self._root_issues()
        for index in range(len(self.layers)):
            yield from self._layer_issues(index)
        for index, layer in enumerate(self.layers):
            yield from self._unknown_layers(("layers", index, "imports"), layer.imports)
        yield from self._exemption_issues()
        yield from self._unknown_layers(("purity", "layers"), self.purity.layers if self.purity else ())
        for index, row in enumerate(self.indirect.rows if self.indirect else ()):
            for key, name in (("from", row.from_), ("to", row.to)):
                if name not in self._names:
                    yield ("indirect", "rows", index, key), self._unknown(name)

    @property
    def _names(self) -> list[str]:
        return [layer.name for layer in self.layers]

    def _unknown(self, name: str) -> str:
        return f'names "{name}", which is not a declared layer: {", ".join(self._names)}'

    def _unknown_layers(self, at: Path, names: Iterable[str]) -> Iterator[tuple[Path, str]]:
        for position, name in enumerate(names):
            if name not in self._names:
                yield (*at, position), self._unknown(name)

    def _root_issues(self) -> Iterator[tuple[Path, str]]:
        for index, root in enumerate(self.roots):
            for other_index, other in enumerate(self.roots):
                same = root.path == other.path and other_index < index
                if same or root.path.startswith(f"{other.path}/"):
                    yield (
                        ("roots", index, "path"),
                        f'"{root.path}" sits inside the root "{other.path}"; declare the outer root once and list '
                        "every extension it reads",
                    )
                    break

    def _layer_issues(self, index: int) -> Iterator[tuple[Path, str]]:
        layer, earlier = self.layers[index], self.layers[:index]
        at, path = ("layers", index), layer.path
        if layer.name in [other.name for other in earlier]:
            yield (*at, "name"), f'"{layer.name}" is declared twice'
        if layer.match == "prefix" and not path.endswith("/"):
            yield (
                (*at, "path"),
                f'"{path}" is a prefix match and has to end with "/", so that a layer at "src/core/" never claims '
                '"src/core-experimental/x.ts"',
            )
        if layer.match == "exact" and path.endswith("/"):
            yield (*at, "path"), f'"{path}" is an exact match on one file and may not end with "/"'
        if not any(path.startswith(f"{root.path}/") for root in self.roots):
            yield (
                (*at, "path"),
                f'"{path}" sits under none of the declared roots, so it can never match a scanned file',
            )
        for number, other in enumerate(earlier):
            if other.match == "prefix" and path.startswith(other.path):
                yield (
                    (*at, "path"),
                    f'"{path}" is unreachable: layers[{number}] "{other.name}" matches "{other.path}" and every path '
                    f'under it, and it is listed first. Move "{layer.name}" above it.',
                )
                break

    def _exemption_issues(self) -> Iterator[tuple[Path, str]]:
        for index, row in enumerate(self.exemptions):
            layer = self.layer_of(row.file)
            if layer is None:
                yield (
                    ("exemptions", index, "file"),
                    f'"{row.file}" matches no declared layer, so nothing holds it and the exemption opens nothing',
                )
            elif isinstance(layer.externals, Unrestricted):
                yield (
                    ("exemptions", index, "file"),
                    f'"{row.file}" sits in the layer "{layer.name}", whose externals are unrestricted, so this '
                    "exemption grants what that layer already allows",
                )

    def layer_of(self, file: str) -> Layer | None:
        """The first layer that matches a file."""
        return next((layer for layer in self.layers if layer.holds(file)), None)
