"""The lexical scanner: a JSON text becomes a value only if nothing in it would be lost (spec 03, section 3).

RFC 8259 syntax, and the value domain enforced on the text: no duplicate key, no lone surrogate, no number that binary64
cannot hold, no integer that is not safe, no nesting beyond ``MAX_NESTING_DEPTH``.

The C parser of ``json`` reads what it can vouch for with three hooks, and the canonical writer then vouches for strings
and nesting. Whatever one of them doubts is read again by ``scanner``, which knows every fault and where it stands.
"""

from __future__ import annotations

from functools import cache
from json import JSONDecoder
from typing import Any, NamedTuple

from eval_quality.errors import RuntimeFault

from .domain import MAX_SAFE_INTEGER, joined, normal_number
from .text import canonicalize


class CanonicalValue(NamedTuple):
    """A value and its canonical text in UTF-8."""

    value: Any
    text: bytes


def scan_json(source: str | bytes, artifact_path: str) -> Any:
    """The value of a JSON text (or its UTF-8 bytes), numbers in normal form.

    Raises ``RuntimeFault`` at ``artifact_path``: ``schema-parse-failure`` for text that is no JSON,
    ``non-canonicalizable-value`` for JSON that spells a value outside the domain or one key twice. Their details end in
    the offset, in UTF-16 code units, at which the scanner stood.
    """
    return scan_canonical(source, artifact_path).value


def scan_canonical(source: str | bytes, artifact_path: str) -> CanonicalValue:
    """The value of a JSON text as ``scan_json`` gives it, and the canonical text that came of vouching for it."""
    text = _decoded(source, artifact_path)
    return _vouched(text, artifact_path) or _scanned(text, artifact_path)


def _vouched(text: str, artifact_path: str) -> CanonicalValue | None:
    try:
        value = _decoder().decode(text)
        return CanonicalValue(value, canonicalize(value, artifact_path))
    except (ValueError, RecursionError, RuntimeFault):
        return None


def _scanned(text: str, artifact_path: str) -> CanonicalValue:
    from .scanner import Scanner

    value = Scanner(joined(text), artifact_path).read()
    return CanonicalValue(value, canonicalize(value, artifact_path))


def _decoded(source: str | bytes, artifact_path: str) -> str:
    if isinstance(source, str):
        return source
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        raise RuntimeFault("schema-parse-failure", artifact_path, "input is not valid UTF-8") from error


@cache
def _decoder() -> JSONDecoder:
    """The C parser with hooks that raise ``ValueError`` where the scanner has to look."""
    return JSONDecoder(
        object_pairs_hook=_unique, parse_int=_safe_integer, parse_float=_safe_number, parse_constant=_no_constant
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("duplicate key")
    return members


def _safe_integer(literal: str) -> int:
    if len(literal) < 16:
        return int(literal)
    number = int(literal) if len(literal) <= 17 else MAX_SAFE_INTEGER + 1
    if abs(number) > MAX_SAFE_INTEGER:
        raise ValueError("unsafe integer")
    return number


def _safe_number(literal: str) -> int | float:
    double = float(literal)
    if abs(double) > MAX_SAFE_INTEGER:  # infinite, or an integer as all doubles of that size
        raise ValueError("unsafe number")
    return normal_number(double)


def _no_constant(name: str) -> None:
    raise ValueError(name)
