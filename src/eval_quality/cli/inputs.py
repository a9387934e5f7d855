"""Inputs of a command, as JSON values (spec 11, section 5)."""

from __future__ import annotations

from typing import Any, Final

from eval_quality.canonical import JsonSyntaxError, json_string, read_json, scan_and_digest, scan_json
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
    if flag.key not in SCANNED_KEYS:
        return _parsed(flag, value, text)
    try:
        return scan_json(text, flag.artifact_path)
    except RuntimeFault:
        _parsed(flag, value, text)  # a text that is no JSON is told in the words of an ordinary reader
        raise


def _parsed(flag: InputFlag, value: str, text: str) -> Any:
    try:
        return read_json(text)
    except JsonSyntaxError as error:
        source = f" {json_string(value)}" if flag.repeatable else ""
        detail = f"{flag.flag}{source} is not JSON: {error}"
        raise RuntimeFault("schema-parse-failure", flag.artifact_path, detail) from error


def read_value(flag: InputFlag, value: str) -> Any:
    """The JSON value of an input."""
    return parse_text(flag, value, read_text(value))


def read_digested(flag: InputFlag, value: str) -> tuple[Any, str]:
    """The JSON value of a scanned input with its canonical digest."""
    text = read_text(value)
    try:
        return scan_and_digest(text, flag.artifact_path)
    except RuntimeFault:
        _parsed(flag, value, text)
        raise
