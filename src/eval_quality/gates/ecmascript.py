"""The few places where the published texts count or trim as JavaScript does (spec 14, section 15)."""

from __future__ import annotations

from eval_quality.canonical import JS_WHITESPACE, utf16_key


def trim(text: str) -> str:
    """``text`` without white space at its ends."""
    return text.strip(JS_WHITESPACE)


def utf16_prefix(text: str, length: int) -> str:
    """The first ``length`` code units of ``text``; half of a pair becomes U+FFFD."""
    return utf16_key(text)[: 2 * length].decode("utf-16-be", "replace")
