"""Defect signatures: which exchange shows a planted defect, and how (spec 02, section 5.3)."""

from typing import Annotated, Final, Literal, TypedDict

from .bodies import RawRequestBody
from .constraints import Definition, Rule
from .expressions import Expression
from .interfaces import Invocation
from .plan import LiteralBinding, MatcherBinding
from .pointers import EvidenceChannel
from .primitives import HttpMethod, KeyName, PathTemplate, ToolName

OBSERVED_STEP_ID: Final = "observed"
"""The step name that pointers of a signature's predicate are rooted at."""

SignatureChannel = Annotated[
    dict[KeyName, LiteralBinding | MatcherBinding] | None,
    Rule(
        lambda channel: channel is None or len(channel) > 0,
        "a signature selector channel names at least one parameter; an unbound channel is null",
    ),
    Definition("ProbeInputBindingChannel"),
]


class SignatureInputBinding(TypedDict):
    """Which inputs select the exchange, channel by channel; null selects on nothing there."""

    path: SignatureChannel
    """Parameters of the path template."""
    query: SignatureChannel
    """Query parameters."""
    header: SignatureChannel
    """Request headers."""
    body: SignatureChannel | RawRequestBody
    """Keys of a JSON body, or the exact bytes of a raw one."""
    argument: SignatureChannel
    """Positional arguments, by declared name."""
    option: SignatureChannel
    """Options, by name."""
    environment: SignatureChannel
    """Environment variables."""
    stdin: SignatureChannel
    """Keys of what is fed to standard input."""
    arguments: SignatureChannel
    """Arguments of the tool."""


class SignatureSelector(TypedDict):
    """Which exchanges the signature speaks of."""

    inputBinding: SignatureInputBinding
    """Inputs that select them."""


class SignatureCondition(TypedDict):
    """When an exchange shows the defect."""

    selector: SignatureSelector
    """Which exchanges are meant."""
    predicate: Expression
    """What holds over a selected exchange when the defect shows; pointers are rooted at ``observed``."""


class ApiDefectSignature(TypedDict):
    """A defect that shows over HTTP."""

    interfaceKind: Literal["api", "web"]
    """Kind of interface the defect shows on."""
    method: HttpMethod
    """Method of the exchange."""
    pathTemplate: PathTemplate
    """Path of the exchange."""
    observableChannel: EvidenceChannel
    """Channel the defect shows on."""
    condition: SignatureCondition
    """When it shows."""


class CommandDefectSignature(TypedDict):
    """A defect that shows on a command."""

    interfaceKind: Literal["cli"]
    """Kind of interface the defect shows on."""
    invocation: Invocation
    """The command."""
    observableChannel: EvidenceChannel
    """Channel the defect shows on."""
    condition: SignatureCondition
    """When it shows."""


class McpDefectSignature(TypedDict):
    """A defect that shows on a tool call."""

    interfaceKind: Literal["mcp"]
    """Kind of interface the defect shows on."""
    toolName: ToolName
    """The tool."""
    observableChannel: EvidenceChannel
    """Channel the defect shows on."""
    condition: SignatureCondition
    """When it shows."""


DefectSignature = ApiDefectSignature | CommandDefectSignature | McpDefectSignature
