"""Reading a lock file: its name decides the format (spec 14, section 2.5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final

from ..gate import Place
from ..refusals import GateConfigurationError, LockfileShapeError, system_detail
from .model import Lock
from .npm import read_npm_lock
from .requirements import read_requirements
from .source import LockSource
from .tables import read_poetry_lock, read_pylock, read_uv_lock

_FORMATS: Final[tuple[tuple[str, Callable[[LockSource], Lock]], ...]] = (
    (r".*\.json", read_npm_lock),
    (r"uv\.lock", read_uv_lock),
    (r"pylock(\.[^.]+)?\.toml", read_pylock),
    (r"poetry\.lock", read_poetry_lock),
    (r".*\.(txt|in)", read_requirements),
)


def read_lock(place: Place, lockfile: str) -> Lock:
    """The lock file ``lockfile`` names. Raises ``GateConfigurationError`` and ``LockfileShapeError``."""
    name = PurePosixPath(lockfile).name
    reader = next((reader for pattern, reader in _FORMATS if re.fullmatch(pattern, name)), None)
    if reader is None:
        raise LockfileShapeError(
            f"{lockfile} is not a lockfile this gate reads; it reads package-lock.json, uv.lock, pylock.toml, "
            "poetry.lock and a pinned requirements.txt"
        )
    lock = reader(LockSource(place, lockfile, named_text(place, lockfile, "lockfiles")))
    if not lock.entries:
        raise LockfileShapeError(f"{lockfile} locks no entry, so the gate would report a pass over nothing")
    return lock


def named_text(place: Place, file: str, key: str) -> str:
    """The text of a file the section names under ``key``. Raises ``GateConfigurationError``."""
    path = place.root / file
    naming = f'{place.config}\'s "{place.gate}" section names it under {key}'
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        raise GateConfigurationError(f"{path} does not exist; {naming}") from None
    except OSError as error:
        raise GateConfigurationError(f"{path} could not be read: {system_detail(error, 'open')}; {naming}") from None
