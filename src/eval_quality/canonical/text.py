"""Canonical JSON text, the RFC 8785 profile that artifacts are hashed and written in (spec 03, section 2).

No whitespace; object members in the order of their keys' UTF-16 code units; numbers as ECMAScript writes them; strings
with the fewest escapes. A value outside the domain raises ``RuntimeFault`` ``non-canonicalizable-value``, which names
the first offence of a depth-first walk. Of one node, in order: number finite and safe, string well formed, type known,
depth, cycle; then every key of an object before any of its values, and the values in sorted key order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import isfinite
from typing import Any, Final, NamedTuple, NoReturn

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

_ELEMENTS_AT_ONCE: Final = 1024


def serialize(value: object, artifact_path: str) -> str:
    """The canonical text of a value, which its digest covers; no trailing newline.

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` at ``artifact_path`` for a value outside the domain.
    """
    return canonicalize(value, artifact_path).decode()


def serialize_artifact(value: object, artifact_path: str) -> str:
    """The text of an artifact's file: its canonical text and one newline; raises what ``serialize`` raises."""
    return serialize(value, artifact_path) + "\n"


def artifact_pieces(artifact: dict[str, Any], artifact_path: str) -> list[bytes]:
    """The bytes of an artifact's file, in pieces, so that the text of a long one is made a part at a time.

    Raises what ``serialize`` raises.
    """
    try:
        return [*_pieces(artifact), b"\n"]
    except _Doubt:
        return [canonicalize(artifact, artifact_path), b"\n"]


class _Doubt(Exception):
    """There is a part of an artifact that only the walk over the whole can tell about."""


def _pieces(artifact: dict[str, Any]) -> Iterator[bytes]:
    """One member after the other, a long list by so many elements; each is cut out of the text of a container of its own.

    Raises ``_Doubt``.
    """
    lead = b"{"
    for key in sorted(artifact, key=utf16_key):
        yield lead
        member = artifact[key]
        if type(member) is list and len(member) > _ELEMENTS_AT_ONCE:
            yield _vouched({key: []})[1:-2]  # up to the opening bracket
            for start in range(0, len(member), _ELEMENTS_AT_ONCE):
                if start:
                    yield b","
                yield _vouched(member[start : start + _ELEMENTS_AT_ONCE])[1:-1]
            yield b"]"
        else:
            yield _vouched({key: member})[1:-1]
        lead = b","
    yield b"}" if artifact else b"{}"


def _vouched(value: object) -> bytes:
    text = _fast_bytes()(value)
    if text is None:
        raise _Doubt
    return text


def canonicalize(value: object, artifact_path: str) -> bytes:
    """The canonical text of a value in UTF-8; raises what ``serialize`` raises."""
    text = _fast_bytes()(value)
    return text if text is not None else exact_text(value, artifact_path).encode()


@cache
def _fast_bytes() -> Callable[[object], bytes | None]:
    """The compiled encoders, loaded when first needed; not every interpreter has them."""
    try:
        from .fast_text import fast_bytes
    except ImportError:
        return lambda value: None
    return fast_bytes


def exact_text(value: object, artifact_path: str) -> str:
    """The canonical text of a value by the walk that decides what the domain is."""
    return _Walk(artifact_path).text(value, _Walk.sorted_members)


def assert_hashed_artifact_value(value: object, artifact_path: str) -> None:
    """Refuse a value outside the domain, visiting members in the order the object lists them (spec 03, section 2.4)."""
    _Walk(artifact_path).text(value, _Walk.listed_members)


Members = Iterator[tuple[str, str | int, Any]]
"""What a container holds: the text that leads to a member, the step to it (a key or an index), the member."""


class _Open(NamedTuple):
    identity: int
    members: Members
    close: str


class _Walk:
    """One depth-first walk without recursion; the steps lead from the root to the node under it."""

    def __init__(self, artifact_path: str) -> None:
        self._artifact_path = artifact_path
        self._steps: list[str | int] = []

    def text(self, root: object, members_of: Callable[[_Walk, dict[str, Any]], Members]) -> str:
        """The text of the root, an object's members being those ``members_of`` gives."""
        pieces: list[str] = []
        opened: list[_Open] = []
        ancestors: set[int] = set()

        def enter(node: Any) -> None:
            if len(opened) >= MAX_NESTING_DEPTH:
                self._refuse(f"nesting depth exceeds {MAX_NESTING_DEPTH} at {self._location()}")
            if id(node) in ancestors:
                self._refuse(f"cyclic reference at {self._location()}")
            ancestors.add(id(node))
            if type(node) is dict:
                pieces.append("{")
                opened.append(_Open(id(node), members_of(self, node), "}"))
            else:
                pieces.append("[")
                opened.append(_Open(id(node), _elements(node), "]"))

        if not _is_container(root):
            return self._scalar(root)
        enter(root)
        while opened:
            for lead, step, member in opened[-1].members:
                pieces.append(lead)
                self._steps.append(step)
                if _is_container(member):
                    enter(member)
                    break
                pieces.append(self._scalar(member))
                self._steps.pop()
            else:
                done = opened.pop()
                pieces.append(done.close)
                ancestors.discard(done.identity)
                if opened:
                    self._steps.pop()
        return "".join(pieces)

    def sorted_members(self, members: dict[str, Any]) -> Members:
        """Members as canonical text has them, after all keys are known to be well formed."""
        for key in members:
            if not self._is_well_formed_key(key):
                self._refuse(f"lone surrogate in string at {self._location()} (object key)")
        lead = ""
        for key in sorted(members, key=utf16_key):
            yield f"{lead}{json_string(key)}:", key, members[key]
            lead = ","

    def listed_members(self, members: dict[str, Any]) -> Members:
        """Members as the object lists them, each key checked just before its value."""
        for key in js_key_order(members):
            if not self._is_well_formed_key(key):
                self._refuse(f"lone surrogate in object key at {self._location()}")
            yield "", key, members[key]

    def _is_well_formed_key(self, key: object) -> bool:
        if type(key) is not str:
            self._refuse(f"non-plain object at {self._location()}")
        return is_well_formed(key)

    def _scalar(self, node: Any) -> str:
        kind = type(node)
        if kind is str:
            if not is_well_formed(node):
                self._refuse(f"lone surrogate in string at {self._location()}")
            return json_string(node)
        if kind is int or kind is float:
            return self._number(node)
        if node is None:
            return "null"
        if kind is bool:
            return "true" if node else "false"
        return self._refuse_foreign(node)

    def _refuse_foreign(self, node: object) -> NoReturn:
        match node:
            case dict():
                found = "non-plain object"
            case list() | tuple():
                found = "non-plain array"
            case _:
                found = f"{type(node).__name__} is not a hashed-artifact value"
        self._refuse(f"{found} at {self._location()}")

    def _number(self, number: int | float) -> str:
        double = binary64(number)
        if not isfinite(double):
            self._refuse(f"non-finite number at {self._location()}")
        if abs(double) > MAX_SAFE_INTEGER:  # no double that large has a fraction
            self._refuse(f"integer outside the safe range at {self._location()}: {number_text(double)}")
        return number_text(double)

    def _location(self) -> str:
        return "$" + "".join(f".{step}" if isinstance(step, str) else f"[{step}]" for step in self._steps)

    def _refuse(self, detail: str) -> NoReturn:
        raise RuntimeFault("non-canonicalizable-value", self._artifact_path, detail)


def _is_container(node: object) -> bool:
    return type(node) is dict or type(node) is list


def _elements(array: list[Any]) -> Members:
    lead = ""
    for index, element in enumerate(array):
        yield lead, index, element
        lead = ","
