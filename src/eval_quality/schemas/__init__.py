"""The thirteen published JSON Schema documents (spec 02, section 17).

``KEYS`` names them, ``load(key)`` gives one as a value, ``text(key)`` as it is kept, ``path(key)`` as a package resource.
What a document cannot express is listed in ``docs/reference/schemas.md``; an artifact is judged by its declaration.
"""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any, Final

from eval_quality.artifacts.registry import INTERCHANGE_ARTIFACT_KEYS, InterchangeArtifactKey
from eval_quality.shipped import shipped_folder

KEYS: Final[tuple[InterchangeArtifactKey, ...]] = INTERCHANGE_ARTIFACT_KEYS
"""Registry keys of the artifacts that have a document, in registry order."""

__all__ = ["KEYS", "load", "path", "text"]


def path(key: str) -> Traversable:
    """The document of one artifact as a resource; raises ``KeyError`` for a key that ``KEYS`` does not have."""
    if key not in KEYS:
        raise KeyError(f"no schema document is published for {key!r}; the keys are {', '.join(KEYS)}")
    return shipped_folder(__name__, "documents", "schemas") / f"{key}.schema.json"


def text(key: str) -> str:
    """The document of one artifact as it is kept: ASCII, indented, with a final line break."""
    return path(key).read_text(encoding="ascii")


def load(key: str) -> dict[str, Any]:
    """The document of one artifact; every call gives a fresh value."""
    import json

    document: dict[str, Any] = json.loads(text(key))
    return document
