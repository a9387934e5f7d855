"""Target policies read from untrusted mappings (spec 12, section 3.4).

The refusal lists every issue in one line: own ``__proto__`` keys first (policy, then each authorization and its map),
then the schema's issues in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from eval_quality.artifacts.schema import issues_of, pointer
from eval_quality.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from eval_quality.errors import Issue, RuntimeFault


def parse_command_target_policy(value: object) -> CommandTargetPolicy:
    """A policy for the command-line adapter; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(CommandTargetPolicy, _parse(CommandTargetPolicy, "CommandTargetPolicy", "artifacts", value))


def parse_mcp_target_policy(value: object) -> McpTargetPolicy:
    """A policy for the MCP adapter; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(McpTargetPolicy, _parse(McpTargetPolicy, "McpTargetPolicy", "serverEnvironment", value))


def parse_probe_target_policy(value: object) -> ProbeTargetPolicy:
    """An HTTP policy for ``evaluate_target``; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
    return cast(ProbeTargetPolicy, _parse(ProbeTargetPolicy, "ProbeTargetPolicy", None, value))


def _parse(annotation: Any, name: str, map_key: str | None, value: object) -> Any:
    parsed, found = issues_of(annotation, value)
    issues = [*_prototype_issues(value, map_key), *found]
    if not issues:
        from copy import deepcopy

        return deepcopy(parsed)
    told = "; ".join(f"{issue.pointer or '(root)'}: {issue.message}" for issue in issues)
    detail = f"input does not conform to the {name} schema: {told}"
    raise RuntimeFault("schema-parse-failure", name, detail, issues=issues)


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
