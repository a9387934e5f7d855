"""Witnesses: exchanges that show an operation reacts, or that a defect manifests (spec 01, section 8)."""

from typing import Annotated, Literal, TypedDict

from .bodies import ProbeRequestBody, ProbeRequestStdin
from .constraints import Definition, Length
from .expressions import Expression
from .primitives import Identifier, JsonObjectValue, KeyName

WitnessChannel = Literal["path", "query", "body", "argument", "option", "environment", "stdin", "arguments"]


class ApiWitnessInputs(TypedDict):
    """Inputs of one HTTP exchange."""

    path: JsonObjectValue
    """Values for the path template."""
    query: JsonObjectValue
    """Query parameters."""
    header: dict[KeyName, str]
    """Request headers."""
    body: ProbeRequestBody
    """The request body."""


class CommandWitnessInputs(TypedDict):
    """Inputs of one command run."""

    argument: JsonObjectValue
    """Positional arguments, by declared name."""
    option: JsonObjectValue
    """Options, by name."""
    environment: dict[KeyName, str]
    """Environment variables."""
    stdin: ProbeRequestStdin
    """What is fed to standard input."""


class McpWitnessInputs(TypedDict):
    """Inputs of one tool call."""

    arguments: JsonObjectValue
    """Arguments of the tool."""


WitnessInputs = Annotated[ApiWitnessInputs, Definition("WitnessInputs")] | CommandWitnessInputs | McpWitnessInputs


class SensitivityWitnessLeg(TypedDict):
    """One of the two exchanges of a sensitivity witness."""

    legId: Identifier
    """Root of the leg's evidence pointers."""
    inputs: WitnessInputs
    """What is sent."""


class SensitivityWitness(TypedDict):
    """Two exchanges that differ in one channel, and the relation that shows the operation noticed."""

    witnessId: Identifier
    """Identifier of the witness."""
    channel: WitnessChannel
    """The input channel the two legs differ in."""
    legs: Annotated[list[SensitivityWitnessLeg], Length(exactly=2)]
    """The two exchanges."""
    relation: Expression
    """What holds over their answers when the input matters."""


class ManifestationWitness(TypedDict):
    """One exchange, and the relation over its answer that holds when the planted defect shows."""

    legId: Identifier
    """Root of the leg's evidence pointers."""
    interfaceId: Identifier
    """The interface addressed."""
    operationId: Identifier
    """The operation addressed."""
    inputs: WitnessInputs
    """What is sent."""
    relation: Expression
    """What holds when the defect shows, and not on the clean system."""


class FixtureReset(TypedDict):
    """The exchange that returns the system to its starting state."""

    legId: Identifier
    """Root of the leg's evidence pointers."""
    interfaceId: Identifier
    """The interface addressed."""
    operationId: Identifier
    """The operation addressed."""
    inputs: WitnessInputs
    """What is sent."""
