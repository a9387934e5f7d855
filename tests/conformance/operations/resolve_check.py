"""Expression evaluation."""

from __future__ import annotations

from typing import Any

from eval_quality.evaluate import (
    ABSENT,
    make_pointer_denotes_collection,
    make_resolve_operand,
    resolve_check,
)
from eval_quality.evaluate.regex import regex_match


def _resolve(value: dict[str, Any]) -> Any:
    declared = value["referenceSets"]
    collections = set(value["collections"])
    return resolve_check(
        value["expression"],
        make_resolve_operand(value["observations"], {name: each["members"] for name, each in declared.items()}),
        lambda pointer: pointer in collections,
        {name: each["keys"] for name, each in declared.items()},
        value["budget"],
        value["path"],
    )


def _match(value: dict[str, Any]) -> bool:
    subject = ABSENT if value.get("absent") else value["value"]
    return regex_match(subject, value["pattern"], value["budget"], value["path"])


def _denotes(value: dict[str, Any]) -> list[bool]:
    denotes = make_pointer_denotes_collection(value["contract"])
    return [denotes(pointer) for pointer in value["pointers"]]


OPERATIONS = {"resolveCheck": _resolve, "regexMatch": _match, "pointerDenotesCollection": _denotes}
