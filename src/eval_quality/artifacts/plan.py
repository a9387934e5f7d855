"""The interaction plan: steps and what they bind (spec 01, section 7)."""

from typing import Annotated, Literal, TypedDict

from .bodies import RawRequestBody
from .constraints import Definition, Rule
from .pointers import InteractionPointer
from .primitives import Identifier, JsonValue, KeyName


class LiteralBinding(TypedDict):
    """The parameter is sent this value."""

    literal: JsonValue
    """The value."""


class MatcherBinding(TypedDict):
    """The evaluator chooses the value."""

    matcher: Literal["any", "type-violating"]
    """Any value, or one that breaks the declared type."""


class CapturedBinding(TypedDict):
    """The parameter is sent what an earlier step returned."""

    captured: InteractionPointer
    """A scalar output of that step."""


class PrincipalBinding(TypedDict):
    """The parameter carries an identity."""

    principal: Identifier
    """A principal the contract's test data declares."""


BindingValue = LiteralBinding | MatcherBinding | CapturedBinding | PrincipalBinding
BindingChannel = Annotated[
    dict[KeyName, BindingValue] | None,
    Rule(
        lambda channel: channel is None or len(channel) > 0,
        "an input-binding channel names at least one parameter; an unbound channel is null",
    ),
    Definition("InputBindingChannel"),
]


class ApiInputBinding(TypedDict):
    """What a step sends to an HTTP operation; null leaves a channel unbound."""

    path: BindingChannel
    """Parameters of the path template."""
    query: BindingChannel
    """Query parameters."""
    header: BindingChannel
    """Request headers."""
    body: BindingChannel | RawRequestBody
    """Keys of a JSON body, or the exact bytes of a raw one."""


class CommandInputBinding(TypedDict):
    """What a step hands to a command; null leaves a channel unbound."""

    argument: BindingChannel
    """Positional arguments, by declared name."""
    option: BindingChannel
    """Options, by name."""
    environment: BindingChannel
    """Environment variables."""
    stdin: BindingChannel
    """Keys of what is fed to standard input."""


class McpInputBinding(TypedDict):
    """What a step passes to a tool; null leaves the channel unbound."""

    arguments: BindingChannel
    """Arguments of the tool."""


InputBinding = ApiInputBinding | CommandInputBinding | McpInputBinding
Cardinality = Literal["exactly-one", "at-most-one", "any"]


class InteractionStep(TypedDict):
    """One planned interaction, and which observations count as it."""

    stepId: Identifier
    """Root of the step's evidence pointers."""
    interfaceId: Identifier
    """Logical identifier of the interface that declares the operation."""
    operationId: Identifier
    """The operation; unique only within its interface."""
    inputBinding: InputBinding
    """What the step sends, channel by channel."""
    after: Identifier | None
    """An earlier step this one follows in time."""
    cardinality: Cardinality
    """How many observations the selector may match."""
