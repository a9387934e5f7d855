"""Inputs of a command, as JSON values (spec 11, section 5)."""

from __future__ import annotations

from typing import Any, Final

from eval_quality.canonical import JsonSyntaxError, json_string, read_json, scan_json
from eval_quality.errors import RuntimeFault

from .files import read_input
from .grammar import InputFlag

SCANNED_KEYS: Final = frozenset({"evidence", "floors", "policy"})
"""Inputs whose duplicate keys and rounded integers must not pass silently."""


def read_text(value: str) -> str:
    """The text of an input; ill-formed UTF-8 becomes U+FFFD."""
    return read_input(value).decode("utf-8", "replace")


def parse_text(flag: InputFlag, value: str, text: str) -> Any:
    """The JSON value of an input's text; raises ``RuntimeFault`` for what is no JSON or not canonicalizable."""
    try:
        parsed = read_json(text)
    except JsonSyntaxError as error:
        source = f" {json_string(value)}" if flag.repeatable else ""
        detail = f"{flag.flag}{source} is not JSON: {error}"
        raise RuntimeFault("schema-parse-failure", flag.artifact_path, detail) from error
    return scan_json(text, flag.artifact_path) if flag.key in SCANNED_KEYS else parsed


def read_value(flag: InputFlag, value: str) -> Any:
    return parse_text(flag, value, read_text(value))
