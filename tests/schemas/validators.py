"""JSON Schema validators that read documents as their specification does and as fast as whole vector sets need.

The ``jsonschema`` package searches patterns with Python's ``re``, whose ``$`` also matches before a final line break and
whose ``\\d`` matches every script's digits; ECMA-262, which JSON Schema names, does neither. Its ``oneOf`` collects every
error of every arm, which grows exponentially with nested expressions; whether an arm fits is all that is asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators  # type: ignore[import-untyped]

from eval_quality import schemas

Errors = Iterator[ValidationError]


@cache
def _expression(source: str) -> re.Pattern[str]:
    return re.compile(source.removesuffix("$") + r"\Z", re.ASCII)


def _pattern(validator: Any, source: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and not _expression(source).search(instance):
        yield ValidationError(f"{instance!r} does not match {source!r}")


def _fitting(validator: Any, arms: list[Any], instance: Any) -> int:
    return sum(validator.evolve(schema=arm).is_valid(instance) for arm in arms)


def _one_of(validator: Any, arms: list[Any], instance: Any, schema: Any) -> Errors:
    if _fitting(validator, arms, instance) != 1:
        yield ValidationError("not exactly one arm fits")


def _any_of(validator: Any, arms: list[Any], instance: Any, schema: Any) -> Errors:
    if not any(validator.evolve(schema=arm).is_valid(instance) for arm in arms):
        yield ValidationError("no arm fits")


@cache
def validator_of(key: str) -> Any:
    """A validator of one published document."""
    document = schemas.load(key)

    def reference(validator: Any, target: str, instance: Any, schema: Any) -> Errors:
        yield from validator.descend(instance, document["$defs"][target.removeprefix("#/$defs/")])

    keywords = {"pattern": _pattern, "oneOf": _one_of, "anyOf": _any_of, "$ref": reference}
    return validators.extend(Draft202012Validator, keywords)(document)
