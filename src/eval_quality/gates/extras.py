"""Optional dependencies: imported where they are used, and refused by name when they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .refusals import MissingExtraError


def require(module: str, message: str) -> Any:
    """The imported module. Raises ``MissingExtraError`` with ``message``, which says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(message) from None


def packaging(module: str) -> Any:
    """A module of the ``packaging`` distribution, which reads versions, lock files and licence expressions."""
    return require(
        f"packaging.{module}",
        "a lock file of Python is read through the packaging package (26.0 or later), and the optional extra "
        '"gates" is not installed here. Install it (pip install "eval-quality[gates]"). Lock files of npm need nothing '
        "further.",
    )
