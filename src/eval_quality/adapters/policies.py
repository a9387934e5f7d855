"""Target policies read from untrusted mappings (spec 12, section 3.4).

The refusal lists every issue in one line: own ``__proto__`` keys first (policy, then each authorization and its map),
then the schema's issues in its order. An accepted policy is a copy with its keys in the schema's order. Whatever the
input does while it is read, nothing but a refusal comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from eval_quality.artifacts.schema import pointer, shape_of
from eval_quality.artifacts.shapes import Finding
from eval_quality.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from eval_quality.errors import Issue, RuntimeFault


def parse_command_target_policy(value: object) -> CommandTargetPolicy:
    """A policy for the command-line adapter; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(CommandTargetPolicy, _parse(CommandTargetPolicy, "artifacts", value))


def parse_mcp_target_policy(value: object) -> McpTargetPolicy:
    """A policy for the MCP adapter; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(McpTargetPolicy, _parse(McpTargetPolicy, "serverEnvironment", value))


def parse_probe_target_policy(value: object) -> ProbeTargetPolicy:
    """An HTTP policy for ``evaluate_target``; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(ProbeTargetPolicy, _parse(ProbeTargetPolicy, None, value))


def _parse(annotation: Any, map_key: str | None, value: object) -> Any:
    name = annotation.__name__
    findings: list[Finding] = []
    try:
        issues = [*_prototype_issues(value, map_key)]
        # Always the report, which builds every object anew, and never the short cut that returns a good value itself.
        policy = shape_of(annotation).report(value, (), findings)
    except Exception as error:
        detail = "input could not be read: reading one of its properties threw"
        raise RuntimeFault("schema-parse-failure", name, detail) from error
    issues += [Issue(pointer(finding.steps), finding.message) for finding in findings]
    if issues:
        told = "; ".join(f"{issue.pointer or '(root)'}: {issue.message}" for issue in issues)
        detail = f"input does not conform to the {name} schema: {told}"
        raise RuntimeFault("schema-parse-failure", name, detail, issues=issues)
    return policy


def _prototype_issues(value: object, map_key: str | None) -> Iterator[Issue]:
    for path, each in _closed_objects(value, map_key):
        if isinstance(each, dict) and "__proto__" in each:
            yield Issue(pointer(path), 'Unrecognized key: "__proto__"')


def _closed_objects(value: object, map_key: str | None) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield (), value
    authorizations = value.get("authorizations") if isinstance(value, dict) else None
    if isinstance(authorizations, list):
        for position, authorization in enumerate(authorizations):
            place = ("authorizations", position)
            yield place, authorization
            if map_key is not None and isinstance(authorization, dict):
                yield (*place, map_key), authorization.get(map_key)
