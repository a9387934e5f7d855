"""JSON text as JavaScript's ``JSON.stringify`` writes it: compact, keys in their own order, numbers in its notation."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.shapes import own_keys
from eval_quality.canonical import json_string, number_text


def json_text(value: Any) -> str:
    """The compact text of a JSON value in normal form."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return json_string(value)
        case int() | float():
            return number_text(value)
        case list():
            return f"[{','.join(map(json_text, value))}]"
        case _:
            return f"{{{','.join(f'{json_string(key)}:{json_text(value[key])}' for key in own_keys(value))}}}"


def plain_text(value: Any) -> str:
    """A value as one word of a command line: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def utf8(text: str) -> bytes:
    """UTF-8, with U+FFFD for each lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
