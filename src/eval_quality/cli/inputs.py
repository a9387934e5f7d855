"""Inputs of a command, as JSON values (spec 11, section 5)."""

from __future__ import annotations

from typing import Any, Final

from eval_quality.canonical import JsonSyntaxError, json_string, read_json, scan_and_digest, scan_json, well_formed
from eval_quality.errors import RuntimeFault

from .files import read_input
from .grammar import InputFlag

SCANNED_KEYS: Final = frozenset({"evidence", "floors", "policy"})
"""Inputs whose duplicate keys and rounded integers must not pass silently."""


def parse_input(flag: InputFlag, value: str, content: bytes) -> Any:
    """The JSON value of an input; raises ``RuntimeFault`` for what is no JSON or not canonicalizable."""
    text = _text(content)
    if flag.key not in SCANNED_KEYS:
        return _parsed(flag, value, text)
    try:
        return scan_json(text, flag.artifact_path)
    except RuntimeFault:
        _parsed(flag, value, text)  # a text that is no JSON is told in the words of an ordinary reader
        raise


def _text(content: bytes) -> str:
    """Ill-formed UTF-8 becomes U+FFFD."""
    return content.decode("utf-8", "replace")


def _parsed(flag: InputFlag, value: str, text: str) -> Any:
    try:
        return read_json(text)
    except JsonSyntaxError as error:
        source = f" {json_string(well_formed(value))}" if flag.repeatable else ""
        detail = f"{flag.flag}{source} is not JSON: {error}"
        raise RuntimeFault("schema-parse-failure", flag.artifact_path, detail) from error


def read_value(flag: InputFlag, value: str) -> Any:
    """Read an input and parse it."""
    return parse_input(flag, value, read_input(value))


def read_digested(flag: InputFlag, value: str) -> tuple[Any, str]:
    """The JSON value of a scanned input with its canonical digest."""
    text = _text(read_input(value))
    try:
        return scan_and_digest(text, flag.artifact_path)
    except RuntimeFault:
        _parsed(flag, value, text)
        raise
