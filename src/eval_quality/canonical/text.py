"""Canonical JSON text, the RFC 8785 profile that artifacts are hashed and written in (spec 03, section 2).

No whitespace; object members in the order of their keys' UTF-16 code units; numbers as ECMAScript writes them; strings
with the fewest escapes. A value outside the domain raises ``RuntimeFault`` ``non-canonicalizable-value`` that names the
first offence of a depth-first walk. Of one node, in order: number finite and safe, string well formed, type known, depth,
cycle; then every key of an object before any of its values, and the values in sorted key order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

from eval_quality.errors import RuntimeFault

from .domain import (
    MAX_NESTING_DEPTH,
    MAX_SAFE_INTEGER,
    binary64,
    is_well_formed,
    js_key_order,
    json_string,
    number_text,
    utf16_key,
)


def serialize(value: object, artifact_path: str) -> str:
    """The canonical text of a value, which its digest covers; no trailing newline.

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` at ``artifact_path`` for a value outside the domain.
    """
    return _Walk(artifact_path).text(value, _Walk.sorted_members)


def serialize_artifact(value: object, artifact_path: str) -> str:
    """The text of an artifact's file: its canonical text and one newline."""
    return serialize(value, artifact_path) + "\n"


def canonicalize(value: object, artifact_path: str) -> bytes:
    """The canonical text of a value in UTF-8."""
    return serialize(value, artifact_path).encode()


def assert_hashed_artifact_value(value: object, artifact_path: str) -> None:
    """Refuse a value outside the domain, visiting members in the order the object lists them (spec 03, section 2.4)."""
    _Walk(artifact_path).text(value, _Walk.listed_members)


Members = Iterator[tuple[str, str | int, Any]]
"""What a container holds: the text that leads to a member, the step to it (a key or an index), the member."""


class _Open(NamedTuple):
    container: object
    members: Members
    close: str


class _Walk:
    """One iterative depth-first walk; ``steps`` leads from the root to the node under it."""

    def __init__(self, artifact_path: str) -> None:
        self._artifact_path = artifact_path
        self._steps: list[str | int] = []

    def text(self, root: object, object_members: Callable[[_Walk, dict[str, Any]], Members]) -> str:
        pieces: list[str] = []
        opened: list[_Open] = []
        ancestors: set[int] = set()

        def visit(node: object) -> None:
            kind = type(node)
            if kind is not dict and kind is not list:
                pieces.append(self._scalar(node))
                return
            if len(opened) >= MAX_NESTING_DEPTH:
                self._refuse(f"nesting depth exceeds {MAX_NESTING_DEPTH} at {self._location()}")
            if id(node) in ancestors:
                self._refuse(f"cyclic reference at {self._location()}")
            ancestors.add(id(node))
            if isinstance(node, dict):
                opened.append(_Open(node, object_members(self, node), "}"))
                pieces.append("{")
            elif isinstance(node, list):
                opened.append(_Open(node, _elements(node), "]"))
                pieces.append("[")

        visit(root)
        while opened:
            for lead, step, member in opened[-1].members:
                pieces.append(lead)
                self._steps.append(step)
                depth = len(opened)
                visit(member)
                if len(opened) > depth:
                    break
                self._steps.pop()
            else:
                done = opened.pop()
                ancestors.discard(id(done.container))
                pieces.append(done.close)
                if opened:
                    self._steps.pop()
        return "".join(pieces)

    def sorted_members(self, members: dict[str, Any]) -> Members:
        """Members as canonical text has them, after all keys are known to be well formed."""
        for key in members:
            self._check_key(key, f"lone surrogate in string at {self._location()} (object key)")
        for index, key in enumerate(sorted(members, key=utf16_key)):
            yield f"{',' if index else ''}{json_string(key)}:", key, members[key]

    def listed_members(self, members: dict[str, Any]) -> Members:
        """Members as the object lists them, each key checked just before its value."""
        for key in js_key_order(members):
            self._check_key(key, f"lone surrogate in object key at {self._location()}")
            yield "", key, members[key]

    def _check_key(self, key: object, surrogate_detail: str) -> None:
        if type(key) is not str:
            self._refuse(f"non-plain object at {self._location()}")
        if not is_well_formed(key):
            self._refuse(surrogate_detail)

    def _scalar(self, node: object) -> str:
        if node is None:
            return "null"
        if node is True or node is False:
            return "true" if node else "false"
        if type(node) is str:
            if not is_well_formed(node):
                self._refuse(f"lone surrogate in string at {self._location()}")
            return json_string(node)
        if type(node) is int or type(node) is float:
            return self._number(binary64(node))
        if isinstance(node, dict):
            self._refuse(f"non-plain object at {self._location()}")
        if isinstance(node, list | tuple):
            self._refuse(f"non-plain array at {self._location()}")
        self._refuse(f"{type(node).__name__} is not a hashed-artifact value at {self._location()}")

    def _number(self, double: float) -> str:
        if double - double != 0:  # an infinity or not a number
            self._refuse(f"non-finite number at {self._location()}")
        if double.is_integer() and abs(double) > MAX_SAFE_INTEGER:
            self._refuse(f"integer outside the safe range at {self._location()}: {number_text(double)}")
        return number_text(double)

    def _location(self) -> str:
        return "$" + "".join(f".{step}" if isinstance(step, str) else f"[{step}]" for step in self._steps)

    def _refuse(self, detail: str) -> NoReturn:
        raise RuntimeFault("non-canonicalizable-value", self._artifact_path, detail)


def _elements(array: list[Any]) -> Members:
    for index, element in enumerate(array):
        yield "," if index else "", index, element
