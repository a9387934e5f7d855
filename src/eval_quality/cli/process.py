"""What a process that runs one command sets before anything else."""

from __future__ import annotations

import gc
import sys
from typing import Final

_DEEPEST_RECURSION: Final = 40_000
"""Frames for contracts that nest their checks hundreds of levels deep; pure Python calls take no C stack."""


def set_up_process() -> None:
    """Let deep values through, and spare a short-lived process that builds large trees the search for cycles."""
    gc.disable()
    sys.setrecursionlimit(_DEEPEST_RECURSION)
