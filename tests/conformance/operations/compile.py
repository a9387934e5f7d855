"""Operations of the ``compile`` vectors."""

from __future__ import annotations

from typing import Any

from eval_quality.canonical import digest_artifact, read_json, serialize_artifact
from eval_quality.compile.rubrics import find_reasoning_prose_term
from eval_quality.excluded_content import scan_excluded_content
from tests.conformance.runner import Operation, Text


def compiled(value: dict[str, Any]) -> Any:
    from eval_quality import stages

    contract = read_json(value["text"]) if "text" in value else value["contract"]
    return stages.compile(contract, strict=value.get("strict", True))


def hits(value: dict[str, Any]) -> list[dict[str, str]]:
    return [hit._asdict() for hit in scan_excluded_content(value["value"], value["path"])]


OPERATIONS: dict[str, Operation] = {
    "compile": lambda value: Text(serialize_artifact(compiled(value), "EvalContract")),
    "compileDigest": lambda value: digest_artifact(compiled(value), "EvalContract"),
    "findReasoningProseTerm": lambda value: find_reasoning_prose_term(value["text"]),
    "scanExcludedContent": hits,
}
