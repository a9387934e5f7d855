"""Which file configures a gate (spec 14, section 12).

1. A named file is the only one read: TOML when its name ends in ``.toml``, JSON otherwise.
2. Else ``eval-quality.config.json`` and ``pyproject.toml`` of the working directory are both looked at, and exactly one
   of them may carry the gate's section. There is no walk upwards.
3. A file that exists and cannot be parsed is refused even when the other one carries the section.

Only the section of the gate that runs is validated; unknown keys beside it are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from .gate import Place
from .json_texts import read_json
from .refusals import GateConfigurationError, system_detail
from .registry import GATES

DEFAULT_FILE: Final = "eval-quality.config.json"
PYPROJECT: Final = "pyproject.toml"
TOML_TABLE: Final = ("tool", "eval-quality", "gates")


class _Unusable(NamedTuple):
    """A configuration file that cannot be used, and what is said of it."""

    message: str


class Document:
    """One configuration file: its sections by gate, read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_toml = path.suffix == ".toml"

    @cached_property
    def _content(self) -> Mapping[str, Any] | _Unusable | None:
        """The sections, ``None`` when there is no file."""
        try:
            text = self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            return _Unusable(f"{self.path} could not be read: {system_detail(error, 'open')}")
        return self._toml_sections(text) if self.is_toml else self._json_sections(text)

    def _json_sections(self, text: str) -> Mapping[str, Any] | _Unusable | None:
        try:
            content = read_json(text)
        except ValueError as error:
            return _Unusable(f"{self.path} is not valid JSON: {error}")
        if not isinstance(content, dict):
            return _Unusable(
                f"{self.path} is not a JSON object; the top level is an object keyed by gate name, and the {{gate}} "
                'gate reads its "{gate}" key'
            )
        return content

    def _toml_sections(self, text: str) -> Mapping[str, Any] | _Unusable | None:
        import tomllib

        try:
            content: Any = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            return _Unusable(f"{self.path} is not valid TOML: {error}")
        for key in TOML_TABLE:
            content = content.get(key, {}) if isinstance(content, dict) else {}
        return content if isinstance(content, dict) else {}

    def exists(self) -> bool:
        return self._content is not None

    def sections(self, gate: str) -> Mapping[str, Any]:
        """The sections of the file, empty when there is none. Raises when it cannot be used."""
        content = self._content
        if isinstance(content, _Unusable):
            raise GateConfigurationError(f"{gate}: {content.message.replace('{gate}', gate)}")
        return content or {}

    def gates(self) -> list[str]:
        """The gates the file configures, in gate order; none when it cannot be read."""
        return [] if isinstance(self._content, _Unusable) else [gate for gate in GATES if gate in (self._content or {})]


def _absolute(directory: Path, name: str) -> Path:
    """A name as it is when absolute; else from the directory on, its ``..`` folded by its spelling alone."""
    return Path(name) if os.path.isabs(name) else Path(os.path.normpath(directory / name))


class Discovery:
    """The configuration files a command line reads, for one gate or for all."""

    def __init__(self, working_directory: Path, named: str | None = None) -> None:
        names = (DEFAULT_FILE, PYPROJECT) if named is None else (named,)
        self._documents = tuple(Document(_absolute(working_directory, name)) for name in names)

    def section(self, gate: str) -> tuple[Place, object]:
        """Where ``gate`` runs and the unread value of its section. Raises ``GateConfigurationError``."""
        carrying = [document for document in self._documents if gate in document.sections(gate)]
        if len(carrying) == 1:
            document = carrying[0]
            return Place(gate, document.path.parent, document.path), document.sections(gate)[gate]
        raise GateConfigurationError(f"{gate}: {self._explain(gate, carrying)}")

    def _explain(self, gate: str, carrying: list[Document]) -> str:
        """Why not exactly one file carries the section."""
        first, *others = self._documents
        if carrying:
            return (
                f'{first.path} and {others[0].path} both carry a "{gate}" section; keep one, or name one with --config '
                "<path>"
            )
        if first.exists():
            configured = first.gates()
            others_text = f"it configures {', '.join(configured)}" if configured else "it configures no gate at all"
            return (
                f'{first.path} declares no "{gate}" section, and {others_text}; configuring a gate is what opts into '
                f'it, so add a "{gate}" object to run this one'
            )
        if others and others[0].exists():
            return (
                f'{first.path} does not exist and {others[0].path} declares no "{gate}" section under '
                f"[{'.'.join(TOML_TABLE)}]; write one of the two, or name another file with --config <path>"
            )
        return (
            f"{first.path} does not exist, and the {gate} gate is configured there; write the file, or name another "
            "with --config <path>"
        )

    def configured(self) -> list[str]:
        """Every gate that some file configures, in gate order. Raises when a file cannot be used or none is."""
        carried = [document.sections("--all") for document in self._documents]
        gates = [gate for gate in GATES if any(gate in sections for sections in carried)]
        if gates:
            return gates
        names = " and ".join(str(document.path) for document in self._documents)
        plural = "declare" if len(self._documents) > 1 else "declares"
        raise GateConfigurationError(
            f"--all: {names} {plural} no gate; configuring a gate is what opts into it, so add a section, or name "
            "another file with --config <path>"
        )
