"""Target policies: what probes may touch; nothing else may be (spec 02, section 16)."""

from typing import Annotated, Any, Literal, TypedDict

from eval_quality.addresses import parse_address

from .constraints import NON_EMPTY, Length, Range, Rule
from .primitives import EnvironmentKeyName, HttpMethod, Identifier, KeyName, NonEmptyText, ToolName

Milliseconds = Annotated[int, Range(minimum=1, maximum=2**31 - 1)]

AddressLiteral = Annotated[
    Annotated[str, Length(minimum=1, hard=True)],
    Rule(
        lambda text: parse_address(text).ok,
        "is not an IPv4 or IPv6 address literal, so it could never match a resolved address; a hostname belongs in "
        "host",
    ),
]


class ProbeTargetAuthorization(TypedDict):
    """One HTTP target that may be reached."""

    interfaceId: Identifier
    scheme: Literal["http", "https"]
    host: NonEmptyText
    port: Annotated[int, Range(minimum=1, maximum=65535)]
    addresses: Annotated[list[AddressLiteral], NON_EMPTY]
    methods: Annotated[list[HttpMethod], NON_EMPTY]
    safeMethods: list[HttpMethod]
    maxRedirects: Annotated[int, Range(minimum=0)]
    maxElapsedMs: Annotated[int, Range(minimum=1)]
    maxRequestBytes: Annotated[int, Range(minimum=1)]
    maxResponseBytes: Annotated[int, Range(minimum=1)]


class ProbeTargetPolicy(TypedDict):
    """HTTP targets that may be reached."""

    authorizations: list[ProbeTargetAuthorization]


class CommandTargetAuthorization(TypedDict):
    """One command that may be run."""

    interfaceId: Identifier
    executable: Identifier
    target: NonEmptyText
    permittedSubcommandPaths: Annotated[list[list[Identifier]], NON_EMPTY]
    permittedEnvironmentKeys: Annotated[
        list[EnvironmentKeyName],
        Rule(
            lambda keys: all(key.upper() != "PATH" for key in keys),
            "PATH cannot be permitted: target may name a bare command, and a declared PATH would then choose which "
            "binary runs",
        ),
    ]
    cwd: NonEmptyText
    artifacts: dict[Identifier, NonEmptyText]
    maxElapsedMs: Milliseconds
    maxOutputBytes: Annotated[int, Range(minimum=1)]


class CommandTargetPolicy(TypedDict):
    """Commands that may be run."""

    authorizations: list[CommandTargetAuthorization]


class McpTargetAuthorization(TypedDict):
    """One tool server that may be started."""

    interfaceId: Identifier
    target: NonEmptyText
    targetArgs: list[str]
    tools: Annotated[list[ToolName], NON_EMPTY]
    cwd: NonEmptyText
    serverEnvironment: dict[KeyName, str]
    maxElapsedMs: Milliseconds
    maxOutputBytes: Annotated[int, Range(minimum=1)]


def _interfaces_differ(authorizations: list[dict[str, Any]]) -> bool:
    return len({authorization["interfaceId"] for authorization in authorizations}) == len(authorizations)


class McpTargetPolicy(TypedDict):
    """Tool servers that may be started."""

    authorizations: Annotated[
        list[McpTargetAuthorization],
        Rule(
            _interfaces_differ,
            "two authorizations name one interfaceId, so which server the interface resolves to would depend on which "
            "tool was asked for",
        ),
    ]
