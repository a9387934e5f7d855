"""Messages across the ports (spec 02, section 15)."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .bodies import ProbeObservedBody, ProbeRequestBody, ProbeRequestStdin
from .constraints import Range, Rule, Tag
from .primitives import (
    EnvironmentKeyName,
    HttpMethod,
    Identifier,
    JsonValue,
    KeyName,
    NonEmptyText,
    PathTemplate,
    Rfc3339Utc,
    ToolName,
)


class CorpusResolveRequest(TypedDict):
    """Ask for the bytes behind a private reference."""

    privateRef: NonEmptyText


class CorpusResolveResponse(TypedDict):
    """The bytes behind a private reference."""

    privateRef: NonEmptyText
    bytes: bytes


class ClockReadRequest(TypedDict):
    """Ask for the time."""


class ClockReadResponse(TypedDict):
    """The time, in UTC."""

    now: Rfc3339Utc


class FileReadRequest(TypedDict):
    """Ask for a file."""

    path: NonEmptyText


class FileReadResponse(TypedDict):
    """A file's bytes."""

    path: NonEmptyText
    bytes: bytes


class FileWriteRequest(TypedDict):
    """Have a file written whole."""

    path: NonEmptyText
    bytes: bytes


class FileWriteResponse(TypedDict):
    """A file was written."""

    path: NonEmptyText
    byteLength: Annotated[int, Range(minimum=0)]


class Correlation(TypedDict):
    """Which planned leg a message belongs to."""

    probeId: Identifier
    """Label of the planned leg."""
    interfaceId: Identifier
    """Interface addressed."""
    operationId: Identifier
    """Operation addressed."""


class ApiProbeChannels(TypedDict):
    """Inputs of an HTTP request."""

    path: dict[KeyName, JsonValue]
    query: dict[KeyName, JsonValue]
    header: dict[KeyName, str]
    body: ProbeRequestBody


class CommandProbeChannels(TypedDict):
    """Inputs of a command."""

    argument: dict[KeyName, JsonValue]
    option: dict[KeyName, JsonValue]
    environment: dict[EnvironmentKeyName, str]
    stdin: ProbeRequestStdin


class McpProbeChannels(TypedDict):
    """Inputs of a tool call."""

    arguments: dict[KeyName, JsonValue]


class ApiProbeRequest(Correlation):
    """Have an HTTP request made."""

    kind: Literal["api"]
    method: HttpMethod
    pathTemplate: PathTemplate
    channels: ApiProbeChannels


class CommandProbeRequest(Correlation):
    """Have a command run."""

    kind: Literal["cli"]
    executable: Identifier
    subcommandPath: list[Identifier]
    channels: CommandProbeChannels


class McpProbeRequest(Correlation):
    """Have a tool called."""

    kind: Literal["mcp"]
    toolName: ToolName
    channels: McpProbeChannels


def _content_type_is_stated_once(request: dict[str, Any]) -> bool:
    if request["kind"] != "api" or request["channels"]["body"]["kind"] != "raw":
        return True
    return all(name.lower() != "content-type" for name in request["channels"]["header"])


ProbeRequest = Annotated[
    Annotated[ApiProbeRequest | CommandProbeRequest | McpProbeRequest, Tag("kind")],
    Rule(
        _content_type_is_stated_once,
        "a Content-Type header is sent alongside raw body bytes; the raw body declares its own content type (AD-4)",
        at=("channels", "header"),
    ),
]


class ApiProbeObservation(Correlation):
    """What an HTTP request was answered."""

    kind: Literal["api"]
    status: Annotated[int, Range(minimum=100, maximum=599)]
    headers: dict[KeyName, str]
    body: ProbeObservedBody


class CommandProbeObservation(Correlation):
    """What a command put out."""

    kind: Literal["cli"]
    exitCode: int
    stdout: ProbeObservedBody
    stderr: ProbeObservedBody
    artifacts: dict[Identifier, ProbeObservedBody]


class McpProbeObservation(Correlation):
    """What a tool call returned."""

    kind: Literal["mcp"]
    isError: bool
    result: ProbeObservedBody
    exitCode: NotRequired[int]
    """Exit code of a server that ended in the middle of the call."""


def _exit_code_is_of_an_ended_server(observation: dict[str, Any]) -> bool:
    if observation["kind"] != "mcp" or "exitCode" not in observation:
        return True
    ended: bool = observation["isError"] and observation["result"]["kind"] == "absent"
    return ended


ProbeObservation = Annotated[
    Annotated[ApiProbeObservation | CommandProbeObservation | McpProbeObservation, Tag("kind")],
    Rule(
        _exit_code_is_of_an_ended_server,
        "exitCode is recorded only when the server ended before it answered: isError true and an absent result",
        at=("exitCode",),
    ),
]
