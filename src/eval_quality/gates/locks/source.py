"""A lock file's text, and what readers of every format ask of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..gate import Place
from ..paths import is_within
from ..refusals import GateConfigurationError, LockfileShapeError


@dataclass(frozen=True)
class LockSource:
    """The text of ``path``, as the section of ``place`` names it."""

    place: Place
    path: str
    text: str

    def is_first_party(self, directory: str) -> bool:
        """Whether a directory, named from where the lock file is, lies inside the root."""
        if posixpath.isabs(directory):
            return is_within(self.place.root, directory)
        return is_within(self.place.root, posixpath.join(posixpath.dirname(self.path), directory))

    def unparsable(self, detail: object) -> GateConfigurationError:
        """What is raised when the text is not in the language of its format."""
        return GateConfigurationError(
            f"{self.place.root / self.path} could not be read: {detail}; {self.place.config}'s "
            f'"{self.place.gate}" section names it under lockfiles'
        )

    def unknown_format(self, detail: object) -> LockfileShapeError:
        """What is raised when the document has another shape or version than the format."""
        return LockfileShapeError(f"{self.path} is not in a lock format this gate reads: {detail}")

    def toml(self) -> dict[str, Any]:
        """The text as a TOML document."""
        import tomllib

        try:
            return tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise self.unparsable(error) from None

    def lines_of(self, pattern: str) -> list[int]:
        """The numbers of the lines that ``pattern`` matches."""
        return [number for number, line in enumerate(self.text.split("\n"), 1) if re.match(pattern, line)]

    @cached_property
    def pyproject(self) -> Mapping[str, Any]:
        """The ``pyproject.toml`` beside the lock file, empty when there is none to read."""
        import tomllib

        try:
            text = (self.place.root / self.path).with_name("pyproject.toml").read_bytes().decode("utf-8", "replace")
            return tomllib.loads(text)
        except (OSError, ValueError):
            return {}
