"""What a stage has put together, against the schema of what it should be.

A product that does not conform is a defect of this package or of a caller who left out a check, never of an artifact,
so it is a precondition error and carries no code.
"""

from __future__ import annotations

import re
from typing import Any

from eval_quality.artifacts.schema import pointer, shape_of
from eval_quality.canonical import json_string
from eval_quality.errors import Issue, PreconditionError


def conforming(annotation: Any, product: object, complaint: str) -> Any:
    """The product in normal form, or ``PreconditionError`` ``<complaint>: <n> issues, first at "<path>"``."""
    normalized, findings = shape_of(annotation).judge(product)
    if findings:
        noun = "issue" if len(findings) == 1 else "issues"
        raise PreconditionError(
            f'{complaint}: {len(findings)} {noun}, first at "{path_text(findings[0].steps)}"',
            [Issue(pointer(finding.steps), finding.message) for finding in findings],
        )
    return normalized


def path_text(path: tuple[str | int, ...]) -> str:
    """A path into a product: ``directions[0].text``, ``vector["zero-action"]``; ``(root)`` for the whole."""
    text = ""
    for segment in path:
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif re.fullmatch(r"[A-Za-z0-9_$]*", segment):
            text += f".{segment}" if text else segment
        else:
            text += f"[{json_string(segment)}]"
    return text or "(root)"
