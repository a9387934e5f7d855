"""JSON in the details of outcomes, and type-strict comparison of JSON values."""

from __future__ import annotations

from eval_quality.json_text import json_text as compact_json

__all__ = ["compact_json", "same_json"]


def same_json(one: object, other: object) -> bool:
    """Equality that keeps ``True``, ``1`` and ``"1"`` apart."""
    return compact_json(one) == compact_json(other)
