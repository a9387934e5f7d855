"""Permitted interfaces and their operations (spec 01, section 9)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .constraints import Definition, Range, Tag
from .pointers import DescriptorPointer
from .primitives import HttpMethod, Identifier, KeyedShapeDescriptor, KeyName, KeyTypeMap, PathTemplate, ToolName
from .witnesses import SensitivityWitness

InterfaceKind = Literal["api", "web", "cli", "mcp"]
INTERFACE_KINDS: Final[tuple[InterfaceKind, ...]] = get_args(InterfaceKind)
ChannelRole = Literal["success-indicator", "diagnostic", "payload", "collection"]


class ExactCardinality(TypedDict):
    """Exactly so many elements."""

    mode: Literal["exact"]
    """Says that the number is exact."""
    count: Annotated[int, Range(minimum=0)]
    """The number of elements."""


class AtMostCardinality(TypedDict):
    """At most so many elements."""

    mode: Literal["at-most"]
    """Says that the number is an upper bound."""
    max: Annotated[int, Range(minimum=0)]
    """The most elements there may be."""


class PageBoundedCardinality(TypedDict):
    """At most so many elements a page."""

    mode: Literal["page-bounded"]
    """Says that the bound holds for one page of a longer list."""
    max: Annotated[int, Range(minimum=0)]
    """The most elements a page may hold."""


ExpectedCardinality = Annotated[ExactCardinality | AtMostCardinality | PageBoundedCardinality, Tag("mode")]


class CollectionLocation(TypedDict):
    """Where a response carries a collection."""

    pointer: DescriptorPointer
    """Where in the described payload."""
    expectedCardinality: ExpectedCardinality
    """How many elements it holds."""
    referenceSet: Identifier | None
    """The reference set its elements come from."""


class ResponseDescriptor(TypedDict):
    """What an operation's described output looks like. For the last three fields null (undeclared) differs from empty."""

    requiredKeys: list[KeyName]
    """Keys of the payload that must be present."""
    permittedKeys: list[KeyName]
    """Keys that may be present."""
    types: KeyTypeMap
    """JSON type by key."""
    successIndicator: DescriptorPointer | None
    """Where the payload says that the operation succeeded; the empty text is the whole payload."""
    channelRoles: dict[DescriptorPointer, ChannelRole] | None
    """What parts of the payload are for."""
    collectionLocations: list[CollectionLocation] | None
    """Where the payload carries collections."""


class TransportRequestShape(TypedDict):
    """What an HTTP operation takes, channel by channel."""

    path: KeyedShapeDescriptor
    """Parameters of the path template."""
    query: KeyedShapeDescriptor
    """Query parameters."""
    header: KeyedShapeDescriptor
    """Request headers."""
    body: KeyedShapeDescriptor
    """Keys of the JSON body."""


class CommandRequestShape(TypedDict):
    """What a command takes, channel by channel."""

    argument: KeyedShapeDescriptor
    """Positional arguments, by declared name."""
    option: KeyedShapeDescriptor
    """Options, by name."""
    environment: KeyedShapeDescriptor
    """Environment variables."""
    stdin: KeyedShapeDescriptor
    """Keys of what is fed to standard input."""


class McpRequestShape(TypedDict):
    """What a tool takes."""

    arguments: KeyedShapeDescriptor
    """Arguments of the tool."""


class ApiOperation(TypedDict):
    """An HTTP operation."""

    operationId: Identifier
    """Unique within its interface."""
    method: HttpMethod
    """HTTP method."""
    pathTemplate: PathTemplate
    """Path with ``{name}`` parameters."""
    stateChangeMarker: bool
    """Whether the operation changes state."""
    requestShape: TransportRequestShape
    """What it takes."""
    responseDescriptor: ResponseDescriptor
    """What it returns."""
    volatilePointers: list[DescriptorPointer]
    """Parts of the response that differ from call to call by design."""
    sensitivityWitness: SensitivityWitness | None
    """Exchanges that show the operation reacts to its inputs."""


class Invocation(TypedDict):
    """How a command is called."""

    executable: Identifier
    """Logical name of the executable."""
    subcommandPath: list[Identifier]
    """Subcommands, outermost first."""


class StreamDescriptorChannel(TypedDict):
    """The response descriptor describes a standard stream."""

    kind: Literal["stream"]
    """Says that a stream is described."""
    channel: Literal["stdout", "stderr"]
    """Which stream."""


class ArtifactDescriptorChannel(TypedDict):
    """The response descriptor describes a written file."""

    kind: Literal["artifact"]
    """Says that a written file is described."""
    artifactId: Identifier
    """Which file, by logical name."""


class StructuredResultDescriptorChannel(TypedDict):
    """The response descriptor describes a tool's structured result."""

    kind: Literal["structured-result"]
    """Says that the structured result is described."""


CommandDescriptorChannel = Annotated[StreamDescriptorChannel | ArtifactDescriptorChannel, Tag("kind")]
McpDescriptorChannel = Annotated[StructuredResultDescriptorChannel, Tag("kind")]


class CommandOperation(TypedDict):
    """A command."""

    operationId: Identifier
    """Unique within its interface."""
    invocation: Invocation
    """How it is called."""
    stateChangeMarker: bool
    """Whether the operation changes state."""
    requestShape: CommandRequestShape
    """What it takes."""
    artifacts: list[Identifier]
    """Files it may write, by logical name."""
    descriptorChannel: CommandDescriptorChannel
    """Which output the response descriptor describes."""
    responseDescriptor: ResponseDescriptor
    """What it puts out."""
    volatilePointers: list[DescriptorPointer]
    """Parts of the output that differ from run to run by design."""
    sensitivityWitness: SensitivityWitness | None
    """Exchanges that show the operation reacts to its inputs."""


class McpOperation(TypedDict):
    """A tool of an MCP server."""

    operationId: Identifier
    """Unique within its interface."""
    toolName: ToolName
    """Published name of the tool."""
    stateChangeMarker: bool
    """Whether the operation changes state."""
    requestShape: McpRequestShape
    """What it takes."""
    descriptorChannel: McpDescriptorChannel
    """Which output the response descriptor describes."""
    responseDescriptor: ResponseDescriptor
    """What it returns."""
    volatilePointers: list[DescriptorPointer]
    """Parts of the result that differ from call to call by design."""
    sensitivityWitness: SensitivityWitness | None
    """Exchanges that show the operation reacts to its inputs."""


TransportOperation = Annotated[ApiOperation, Definition("Operation")]
AnyOperation = ApiOperation | CommandOperation | McpOperation


class ApiInterface(TypedDict):
    """An HTTP interface."""

    logicalId: Identifier
    """Name other parts of the contract use for it."""
    kind: Literal["api"]
    """Says that operations are HTTP exchanges."""
    operations: list[TransportOperation]
    """Operations it offers."""


class WebInterface(TypedDict):
    """A browser interface; it parses, and compilation refuses it."""

    logicalId: Identifier
    """Name other parts of the contract use for it."""
    kind: Literal["web"]
    """Says that operations are made in a browser."""
    operations: list[TransportOperation]
    """Operations it offers."""


class McpInterface(TypedDict):
    """An MCP server."""

    logicalId: Identifier
    """Name other parts of the contract use for it."""
    kind: Literal["mcp"]
    """Says that operations are tool calls."""
    operations: list[McpOperation]
    """Tools it offers."""


class CommandInterface(TypedDict):
    """A command line."""

    logicalId: Identifier
    """Name other parts of the contract use for it."""
    kind: Literal["cli"]
    """Says that operations are command runs."""
    operations: list[CommandOperation]
    """Commands it offers."""


PermittedInterface = Annotated[ApiInterface | WebInterface | McpInterface | CommandInterface, Tag("kind")]
