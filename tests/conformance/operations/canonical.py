"""Canonical text, digests and the faults of the value domain."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from eval_quality.canonical import (
    assert_hashed_artifact_value,
    canonicalize,
    digest_artifact,
    digest_bytes,
    digest_composite,
    digest_directory,
    serialize,
    serialize_artifact,
)

from ..runner import Text
from .lineage import OPERATIONS as LINEAGE

_SPECIALS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"), "-0": -0.0}


def _nested(shape: str, depth: int, leaf: Any) -> Any:
    for level in range(depth):
        in_array = shape == "array" or (shape == "mixed" and level % 2 == 0)
        leaf = [leaf] if in_array else {"k": leaf}
    return leaf


def _at(root: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        root = root[int(name)] if isinstance(root, list) else root[name]
    return root


def _value(case: dict[str, Any]) -> Any:
    """The value a case describes, with the places set that JSON cannot spell."""
    root = _nested(**case["nested"]) if "nested" in case else case["value"]
    for place in case.get("place", ()):
        parent, _, token = place["at"].rpartition("/")
        set_to = _SPECIALS[place["special"]] if "special" in place else _at(root, place["same"])
        if not place["at"]:
            root = set_to
            continue
        container, name = _at(root, parent), token.replace("~1", "/").replace("~0", "~")
        container[int(name) if isinstance(container, list) else name] = set_to
    return root


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "serialize": lambda case: Text(serialize(_value(case), case["path"])),
    "serializeArtifact": lambda case: Text(serialize_artifact(_value(case), case["path"])),
    "canonicalizeBytes": lambda case: b64encode(canonicalize(_value(case), case["path"])).decode(),
    "assertHashedArtifactValue": lambda case: assert_hashed_artifact_value(_value(case), case["path"]),
    "digestArtifact": lambda case: digest_artifact(_value(case), case["path"]),
    "digestBytes": lambda case: digest_bytes(b64decode(case["base64"])),
    "digestComposite": lambda case: digest_composite(case["fields"], case["path"]),
    "digestDirectory": lambda case: digest_directory(case["members"], case["path"]),
    **LINEAGE,
}
