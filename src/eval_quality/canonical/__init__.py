"""JSON text in, canonical text and digests out.

``scan_json`` refuses whatever a value would lose of its text, ``read_json`` reads as an ordinary parser does;
``serialize`` writes RFC 8785 text and ``digest_artifact`` hashes it. Values are plain JSON values in normal form: an
integral number within +-(2**53 - 1) is an ``int``, every other a ``float``.
"""

from .digests import (
    COMPOSITE_PROTOCOL_TAG,
    DIRECTORY_PROTOCOL_TAG,
    digest_artifact,
    digest_bytes,
    digest_composite,
    digest_directory,
    digest_json,
    scan_and_digest,
)
from .domain import (
    JS_WHITESPACE,
    MAX_NESTING_DEPTH,
    MAX_SAFE_INTEGER,
    copied,
    js_key_order,
    json_string,
    number_text,
    utf16_key,
    utf16_length,
    utf16_units,
    well_formed,
)
from .read import JsonSyntaxError, read_json
from .scan import scan_json
from .text import artifact_pieces, assert_hashed_artifact_value, canonicalize, serialize, serialize_artifact

__all__ = [
    "COMPOSITE_PROTOCOL_TAG",
    "DIRECTORY_PROTOCOL_TAG",
    "JS_WHITESPACE",
    "MAX_NESTING_DEPTH",
    "MAX_SAFE_INTEGER",
    "JsonSyntaxError",
    "artifact_pieces",
    "assert_hashed_artifact_value",
    "canonicalize",
    "copied",
    "digest_artifact",
    "digest_bytes",
    "digest_composite",
    "digest_directory",
    "digest_json",
    "js_key_order",
    "json_string",
    "number_text",
    "read_json",
    "scan_and_digest",
    "scan_json",
    "serialize",
    "serialize_artifact",
    "utf16_key",
    "utf16_length",
    "utf16_units",
    "well_formed",
]
