"""Evidence channels and the pointer spellings built on them (spec 01, section 4)."""

from typing import Annotated, Final, Literal, get_args

from .constraints import Definition, Pattern

EvidenceChannelName = Literal[
    "response-body", "response-headers", "response-status", "call-inputs", "stdout", "stderr", "exit-code", "artifact"
]
EvidenceChannel = Annotated[EvidenceChannelName, Definition("EvidenceChannel")]
TransportChannel = Literal["path", "query", "header", "body"]
CommandChannel = Literal["argument", "option", "environment", "stdin"]
McpChannel = Literal["arguments"]
InputChannel = Literal[TransportChannel, CommandChannel, McpChannel]

EVIDENCE_CHANNELS: Final[tuple[EvidenceChannelName, ...]] = get_args(EvidenceChannelName)
TRANSPORT_CHANNELS: Final[tuple[TransportChannel, ...]] = get_args(TransportChannel)
COMMAND_CHANNELS: Final[tuple[CommandChannel, ...]] = get_args(CommandChannel)
MCP_CHANNELS: Final[tuple[McpChannel, ...]] = get_args(McpChannel)
INPUT_CHANNELS: Final[tuple[InputChannel, ...]] = get_args(InputChannel)
TAIL_BEARING_CHANNELS: Final = ("response-body", "response-headers", "stdout", "stderr")
SCALAR_CHANNELS: Final = ("response-status", "exit-code")
API_RESPONSE_CHANNELS: Final = ("response-body", "response-headers", "response-status")
COMMAND_RESPONSE_CHANNELS: Final = ("stdout", "stderr", "exit-code", "artifact")
RESPONSE_SIDE_CHANNELS: Final = API_RESPONSE_CHANNELS + COMMAND_RESPONSE_CHANNELS

_TOKENS = r"(?:\/(?:[^/~]|~[01])*)"
_TAIL = f"{_TOKENS}*"
_ID = r"[a-z0-9]+(?:-[a-z0-9]+)*"
InteractionPointer = Annotated[
    str,
    Pattern(
        rf"^\/interactions\/{_ID}\/(?:(?:{'|'.join(TAIL_BEARING_CHANNELS)}){_TAIL}|(?:{'|'.join(SCALAR_CHANNELS)})|"
        rf"call-inputs\/(?:{'|'.join(INPUT_CHANNELS)}){_TAIL}|artifact\/{_ID}{_TAIL})$"
    ),
]
BoundElementPointer = Annotated[str, Pattern(rf"^@{_TOKENS}+$")]
DescriptorPointer = Annotated[str, Pattern(rf"^{_TAIL}$")]
EvidencePointer = InteractionPointer | BoundElementPointer
