"""Target policies read from untrusted mappings (spec 12, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_quality.adapters import parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy
from eval_quality.errors import RuntimeFault
from tests.adapters.messages import Json, command_policy, mcp_policy

Parser = Callable[[object], Any]
PATH_REFUSED = (
    "PATH cannot be permitted: target may name a bare command, and a declared PATH would then choose which binary runs"
)
INTERFACE_TWICE = (
    "two authorizations name one interfaceId, so which server the interface resolves to would depend on which tool was "
    "asked for"
)
NO_ADDRESS = (
    "is not an IPv4 or IPv6 address literal, so it could never match a resolved address; a hostname belongs in host"
)


def http_policy(**changes: Any) -> Json:
    authorization = {
        "interfaceId": "api",
        "scheme": "http",
        "host": "localhost",
        "port": 80,
        "addresses": ["127.0.0.1"],
        "methods": ["GET"],
        "safeMethods": [],
        "maxRedirects": 0,
        "maxElapsedMs": 1,
        "maxRequestBytes": 1,
        "maxResponseBytes": 1,
    }
    return {"authorizations": [authorization | changes]}


def refusal(parse: Parser, value: object) -> tuple[str, str]:
    """Where a policy is refused, and the issues its detail lists."""
    with pytest.raises(RuntimeFault) as caught:
        parse(value)
    assert caught.value.code == "schema-parse-failure"
    path = caught.value.artifact_path
    introduction = f"input does not conform to the {path} schema: "
    assert caught.value.detail.startswith(introduction)
    assert caught.value.issues
    return path, caught.value.detail.removeprefix(introduction)


@pytest.mark.parametrize(
    ("parse", "policy"),
    [
        (parse_command_target_policy, command_policy()),
        (parse_mcp_target_policy, mcp_policy("server", serverEnvironment={"PATH": "/bin", "any key": ""})),
        (parse_probe_target_policy, http_policy()),
        (parse_command_target_policy, {"authorizations": []}),
        (parse_mcp_target_policy, {"authorizations": []}),
        (parse_probe_target_policy, {"authorizations": []}),
    ],
)
def test_a_policy_is_copied_whole(parse: Parser, policy: Any) -> None:
    parsed = parse(policy)
    assert parsed == policy
    assert parsed is not policy
    assert parsed["authorizations"] is not policy["authorizations"]
    if policy["authorizations"]:
        assert parsed["authorizations"][0] is not policy["authorizations"][0]


def test_the_copy_shares_no_object_with_its_input() -> None:
    policy = command_policy(permittedSubcommandPaths=[["a"]], artifacts={"log": "log.txt"})
    parsed = parse_command_target_policy(policy)
    given = policy["authorizations"][0]
    taken = parsed["authorizations"][0]
    for key in ("permittedSubcommandPaths", "permittedEnvironmentKeys", "artifacts"):
        assert taken[key] is not given[key]
    assert taken["permittedSubcommandPaths"][0] is not given["permittedSubcommandPaths"][0]


@pytest.mark.parametrize(
    ("parse", "policy"),
    [
        (parse_command_target_policy, command_policy()),
        (parse_mcp_target_policy, mcp_policy("server")),
        (parse_probe_target_policy, http_policy()),
    ],
)
def test_the_copy_has_its_keys_in_the_order_of_the_schema(parse: Parser, policy: Any) -> None:
    """Section 3.4, "keys in schema order"; the helpers write theirs in the order of the tables of 3.1 to 3.3."""
    (given,) = policy["authorizations"]
    (taken,) = parse({"authorizations": [dict(reversed(given.items()))]})["authorizations"]
    assert list(taken) == list(given)


def test_the_copy_lists_a_map_as_javascript_would() -> None:
    policy = command_policy(artifacts={"log": "a", "10": "b", "2": "c"})
    assert list(parse_command_target_policy(policy)["authorizations"][0]["artifacts"]) == ["2", "10", "log"]


@pytest.mark.parametrize(
    ("value", "issues"),
    [
        (None, "(root): Invalid input: expected object, received null"),
        ([], "(root): Invalid input: expected object, received array"),
        ({}, "/authorizations: Invalid input: expected array, received undefined"),
        ({"authorizations": [], "x": 1, "y/~": 2}, '(root): Unrecognized keys: "x", "y/~"'),
        (command_policy(artifacts={"a/b": ""}), "/authorizations/0/artifacts/a~1b: Invalid key in record"),
        (
            command_policy(maxElapsedMs=2147483648),
            "/authorizations/0/maxElapsedMs: Too big: expected number to be <=2147483647",
        ),
        (
            command_policy(maxElapsedMs=9007199254740993),
            "/authorizations/0/maxElapsedMs: Too big: expected int to be <=9007199254740991; "
            "/authorizations/0/maxElapsedMs: Too big: expected number to be <=2147483647",
        ),
        (
            command_policy(maxElapsedMs=0.5),
            "/authorizations/0/maxElapsedMs: Invalid input: expected int, received number",
        ),
        (
            command_policy(maxElapsedMs=-(10**400)),
            "/authorizations/0/maxElapsedMs: Invalid input: expected number, received -Infinity",
        ),
        (
            command_policy(maxElapsedMs=True),
            "/authorizations/0/maxElapsedMs: Invalid input: expected number, received boolean",
        ),
        (command_policy(target=""), "/authorizations/0/target: Too small: expected string to have >=1 characters"),
        (
            command_policy(permittedSubcommandPaths=[]),
            "/authorizations/0/permittedSubcommandPaths: Too small: expected array to have >=1 items",
        ),
        (
            command_policy([]),
            "/authorizations/0/target: Invalid input: expected string, received array; "
            "/authorizations/0/target: Too small: expected array to have >=1 items",
        ),
        (
            command_policy(permittedEnvironmentKeys=["PATH", "A=B"]),
            "/authorizations/0/permittedEnvironmentKeys/1: Invalid string: must match pattern "
            f"/^[A-Za-z_][A-Za-z0-9_]*$/; /authorizations/0/permittedEnvironmentKeys: {PATH_REFUSED}",
        ),
        (
            command_policy(permittedEnvironmentKeys=["Path"]),
            f"/authorizations/0/permittedEnvironmentKeys: {PATH_REFUSED}",
        ),
        (
            command_policy(permittedEnvironmentKeys=[5, "PATH"]),
            "/authorizations/0/permittedEnvironmentKeys/0: Invalid input: expected string, received number",
        ),
    ],
)
def test_what_keeps_a_command_policy_from_conforming(value: object, issues: str) -> None:
    assert refusal(parse_command_target_policy, value) == ("CommandTargetPolicy", issues)


@pytest.mark.parametrize(
    ("value", "issues"),
    [
        (
            mcp_policy("server", tools=()),
            "/authorizations/0/tools: Too small: expected array to have >=1 items",
        ),
        (
            {"authorizations": mcp_policy("a")["authorizations"] + mcp_policy("b")["authorizations"]},
            f"/authorizations: {INTERFACE_TWICE}",
        ),
    ],
)
def test_what_keeps_an_mcp_policy_from_conforming(value: object, issues: str) -> None:
    assert refusal(parse_mcp_target_policy, value) == ("McpTargetPolicy", issues)


@pytest.mark.parametrize(
    ("changes", "issues"),
    [
        ({"addresses": ["localhost"]}, f"/authorizations/0/addresses/0: {NO_ADDRESS}"),
        ({"addresses": [""]}, "/authorizations/0/addresses/0: Too small: expected string to have >=1 characters"),
        ({"scheme": "ftp"}, '/authorizations/0/scheme: Invalid option: expected one of "http"|"https"'),
        ({"port": 65536}, "/authorizations/0/port: Too big: expected number to be <=65535"),
    ],
)
def test_what_keeps_an_http_policy_from_conforming(changes: Json, issues: str) -> None:
    assert refusal(parse_probe_target_policy, http_policy(**changes)) == ("ProbeTargetPolicy", issues)


@pytest.mark.parametrize("parse", [parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy])
def test_a_key_named_like_the_prototype_is_never_accepted(parse: Parser) -> None:
    _, issues = refusal(parse, {"authorizations": [], "__proto__": {}})
    assert 'Unrecognized key: "__proto__"' in issues


def test_a_policy_that_contains_itself_is_an_ordinary_refusal() -> None:
    policy: Json = {"authorizations": []}
    policy["authorizations"].append(policy)
    refusal(parse_command_target_policy, policy)
    policy["self"] = policy
    refusal(parse_mcp_target_policy, policy)


class Unreadable(dict[str, Any]):
    """A mapping none of whose members can be read."""

    def __getitem__(self, key: str) -> Any:
        raise LookupError(key)

    def get(self, key: str, default: Any = None) -> Any:
        raise LookupError(key)


@pytest.mark.parametrize("parse", [parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy])
def test_an_input_that_cannot_be_read_is_refused_as_such(parse: Parser) -> None:
    """Section 3.4, step 5."""
    for value in (Unreadable(), {"authorizations": [Unreadable()]}):
        with pytest.raises(RuntimeFault) as caught:
            parse(value)
        assert caught.value.code == "schema-parse-failure"
        assert caught.value.detail == "input could not be read: reading one of its properties threw"
        assert caught.value.__cause__ is not None


@pytest.mark.parametrize("parse", [parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy])
def test_a_key_that_is_no_text_is_none_of_the_declared_ones(parse: Parser) -> None:
    _, issues = refusal(parse, {1: "one", "authorizations": []})
    assert 'Unrecognized key: "1"' in issues
