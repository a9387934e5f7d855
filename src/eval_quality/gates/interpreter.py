"""The Python interpreter a documentation gate runs (spec 14, section 2.4)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from .gate import Place
from .refusals import GateConfigurationError

_IN_ENVIRONMENT: Final = ("bin/python", "Scripts/python.exe")


def interpreter(place: Place, python: str | None) -> str:
    """The interpreter a section names, itself or by its environment; the running one when it names none."""
    if python is None:
        return sys.executable
    path = place.root / python
    candidates = [path / name for name in _IN_ENVIRONMENT] if path.is_dir() else [path]
    found = next((candidate for candidate in candidates if os.access(candidate, os.X_OK)), None)
    if found is None:
        said = "holds no interpreter" if path.exists() else "does not exist"
        raise GateConfigurationError(f'{path} {said}; {place.config}\'s "{place.gate}" section names it under python')
    return str(found)


def import_path(root: Path, named: tuple[str, ...] | None) -> list[str]:
    """The directories imports start from: as named, else ``src`` when there is one, then the root."""
    if named is not None:
        return list(named)
    return ["src", "."] if (root / "src").is_dir() else ["."]
