"""The few places where the published texts count or trim as JavaScript does (spec 14, section 15)."""

from __future__ import annotations

from typing import Final

WHITE_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000\ufeff"
)
"""White space and line terminators of the language: U+FEFF is in, U+001C to U+001F and U+0085 are not."""


def trim(text: str) -> str:
    """``text`` without white space at its ends."""
    return text.strip(WHITE_SPACE)


def utf16_length(text: str) -> int:
    """How many UTF-16 code units ``text`` has."""
    return len(text) + sum(character > "\uffff" for character in text) if not text.isascii() else len(text)


def utf16_key(text: str) -> bytes:
    """A sort key that orders as UTF-16 code units do."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_prefix(text: str, length: int) -> str:
    """The first ``length`` code units of ``text``; half of a pair becomes U+FFFD."""
    return utf16_key(text)[: 2 * length].decode("utf-16-be", "replace")


def well_formed(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate: names of files and members may be no UTF-8."""
    return text if text.isascii() else utf16_key(text).decode("utf-16-be", "replace")
