"""JSON text as JavaScript's ``JSON.stringify`` writes it: compact, keys in their own order, numbers in its notation."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from eval_quality.canonical import js_key_order, json_string, number_text, utf16_key, well_formed


def json_text(value: Any, *, sort_keys: bool = False) -> str:
    """The compact text of a JSON value in normal form, walked without recursion.

    ``sort_keys`` is the text of a copy whose keys were put in UTF-16 order: JavaScript still lists array indices first,
    and a ``__proto__`` is lost in copying.
    """
    if not isinstance(value, dict | list):
        return _scalar(value)
    pieces: list[str] = []
    opened = [_members(value, sort_keys)]
    while opened:
        for lead, member in opened[-1]:
            pieces.append(lead)
            if isinstance(member, dict | list):
                opened.append(_members(member, sort_keys))
                break
            if member is not _END:
                pieces.append(_scalar(member))
        else:
            opened.pop()
    return "".join(pieces)


_END = object()


def _members(container: dict[str, Any] | list[Any], sort_keys: bool) -> Iterator[tuple[str, Any]]:
    """What a container holds, each member after the text that leads to it, and the closing bracket."""
    opening, closing = "{}" if isinstance(container, dict) else "[]"
    lead = opening
    if isinstance(container, dict):
        keys = sorted(container.keys() - {"__proto__"}, key=utf16_key) if sort_keys else container
        for key in js_key_order(keys):
            yield f"{lead}{json_string(key)}:", container[key]
            lead = ","
    else:
        for member in container:
            yield lead, member
            lead = ","
    yield closing if lead == "," else opening + closing, _END


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return json_string(value)
        case float() if not isfinite(value):
            return "null"
        case _:
            return number_text(value)


def plain_text(value: Any) -> str:
    """A value as one word of a command line: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def utf8(text: str) -> bytes:
    """UTF-8, with U+FFFD for each lone surrogate."""
    return well_formed(text).encode()
