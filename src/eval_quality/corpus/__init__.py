"""The development corpus: twenty-four evaluation contracts of small systems, one declaration state each.

``names()`` lists the contracts, ``load(name)`` gives one as a value, ``text(name)`` as it is kept, ``path(name)`` as a
package resource. ``index()`` says what compiling each comes to and gives the digest of every file of the corpus; ``root()``
is the folder they lie in. The corpus's own ``README.md`` says which discipline rule each contract exercises.
"""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any

from eval_quality.shipped import shipped_folder

__all__ = ["index", "load", "names", "path", "root", "text"]


def root() -> Traversable:
    """The folder of the corpus: ``contracts``, ``compile-seal-example``, ``index.json`` and ``README.md``."""
    return shipped_folder(__name__, "dev", "corpus/dev")


def names() -> tuple[str, ...]:
    """Names of the contracts, sorted."""
    entries = (entry.name for entry in (root() / "contracts").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in entries if name.endswith(".json")))


def path(name: str) -> Traversable:
    """One contract as a resource; raises ``KeyError`` for a name that ``names()`` does not have."""
    if name not in names():
        raise KeyError(f"the development corpus has no contract named {name!r}")
    return root() / "contracts" / f"{name}.json"


def text(name: str) -> str:
    """One contract as it is kept."""
    return path(name).read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """One contract, parsed from JSON and not compiled; every call gives a fresh value."""
    from eval_quality.canonical import read_json

    contract: dict[str, Any] = read_json(text(name))
    return contract


def index() -> dict[str, Any]:
    """What each contract comes to (``contracts``) and the SHA-256 digest of each file (``files``)."""
    from eval_quality.canonical import read_json

    listed: dict[str, Any] = read_json((root() / "index.json").read_text(encoding="utf-8"))
    return listed
