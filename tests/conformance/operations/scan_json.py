"""The lexical scanner and the digest of JSON text."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from eval_quality.canonical import digest_json, scan_json


def _source(case: dict[str, Any]) -> str | bytes:
    return b64decode(case["base64"]) if "base64" in case else str(case["text"])


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "scanJson": lambda case: scan_json(_source(case), case["path"]),
    "scanJsonBytes": lambda case: scan_json(_source(case), case["path"]),
    "digestJson": lambda case: digest_json(_source(case), case["path"]),
}
