"""Optional dependencies: imported where they are used, and refused by name when they are not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .refusals import MissingExtraError


@contextmanager
def needs_packaging() -> Iterator[None]:
    """Around an import from ``packaging``. Raises ``MissingExtraError`` when it is missing or too old."""
    try:
        yield
    except ImportError:
        raise MissingExtraError(
            "a lock file of Python is read through the packaging package (26.0 or later), and the optional extra "
            '"gates" is not installed here. Install it (pip install "eval-quality[gates]"). Lock files of npm need '
            "nothing further."
        ) from None
