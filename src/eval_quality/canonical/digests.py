"""Digests of bytes, of artifacts, of several values at once and of a directory (spec 03, section 4).

A digest is ``sha256:`` and 64 lower-case hex digits. An artifact's digest covers its canonical text without a trailing
newline; an artifact never holds its own digest, so nothing is left out before hashing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from eval_quality.errors import PreconditionError

from .domain import js_key_order, json_string
from .scan import scan_canonical
from .text import canonicalize

COMPOSITE_PROTOCOL_TAG: Final = "eval-quality/composite/v1"
DIRECTORY_PROTOCOL_TAG: Final = "eval-quality/directory/v1"


def digest_bytes(content: bytes) -> str:
    """The digest of bytes as they are."""
    from hashlib import sha256  # loads OpenSSL, which commands without a digest do not need

    return f"sha256:{sha256(content).hexdigest()}"


def digest_artifact(value: object, artifact_path: str) -> str:
    """The digest of a value's canonical text.

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` at ``artifact_path`` for a value outside the domain.
    """
    return digest_bytes(canonicalize(value, artifact_path))


def digest_json(source: str | bytes, artifact_path: str) -> str:
    """The digest of the value a JSON text spells; raises what ``scan_json`` raises."""
    return scan_and_digest(source, artifact_path).digest


class Scanned(NamedTuple):
    """A value read from text, and the digest of the value."""

    value: Any
    digest: str


def scan_and_digest(source: str | bytes, artifact_path: str) -> Scanned:
    """The value of a JSON text and its digest, for one reading and one writing; raises what ``scan_json`` raises."""
    value, text = scan_canonical(source, artifact_path)
    return Scanned(value, digest_bytes(text))


def digest_composite(fields: Mapping[str, Any], artifact_path: str) -> str:
    """One digest over named values, under a protocol member that keeps it apart from any artifact's digest.

    Raises ``PreconditionError`` for no field or a field named ``protocol``, and what ``digest_artifact`` raises.
    """
    if not fields:
        raise PreconditionError("composite requires at least one field")
    if "protocol" in fields:
        raise PreconditionError('composite fields must not carry a "protocol" member')
    return digest_artifact({"protocol": COMPOSITE_PROTOCOL_TAG, **fields}, artifact_path)


def digest_directory(members: Mapping[str, str], artifact_path: str) -> str:
    """One digest over a directory: the digests of its files by their relative path.

    Raises ``PreconditionError`` for no member, or for the first member whose path is not canonical (not empty, forward
    slashes, relative, no empty, ``.`` or ``..`` segment) or whose value is not a digest.
    """
    if not members:
        raise PreconditionError("directory requires at least one member")
    for path in js_key_order(members):
        _check_member_path(path)
        if not _is_digest(members[path]):
            raise PreconditionError(f"directory member {json_string(path)} is not a sha256: digest")
    return digest_artifact({"members": dict(members), "protocol": DIRECTORY_PROTOCOL_TAG}, artifact_path)


def _check_member_path(path: str) -> None:
    if not path:
        raise PreconditionError("directory member path must not be empty")
    if "\\" in path:
        raise PreconditionError(f"directory member path must use forward slashes: {json_string(path)}")
    if path.startswith("/"):
        raise PreconditionError(f"directory member path must be relative: {json_string(path)}")
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise PreconditionError(f"directory member path not in canonical form: {json_string(path)}")


@cache
def _digest_form() -> re.Pattern[str]:
    return re.compile(r"sha256:[0-9a-f]{64}")


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _digest_form().fullmatch(value) is not None
