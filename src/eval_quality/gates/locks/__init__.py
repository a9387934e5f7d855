"""Lock files of npm and Python as entries with an origin and a dependency graph (spec 14, section 2.5)."""

from .model import Artifact, Lock, LockEntry, normalise_name
from .read import read_lock

__all__ = ["Artifact", "Lock", "LockEntry", "normalise_name", "read_lock"]
