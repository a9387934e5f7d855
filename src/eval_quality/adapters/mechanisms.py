"""What the process adapters hand to the mechanism below them, and what it hands back.

A caller who scripts a mechanism writes one of these protocols; everything above it stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from eval_quality.abort import AbortSignal


@dataclass(frozen=True)
class CommandRunRequest:
    """One run: the target, everything on its command line, its environment, its input, and the caps it is held to."""

    target: str
    subcommand_path: tuple[str, ...]
    argv: tuple[str, ...]
    env: dict[str, str]
    stdin: bytes
    cwd: str
    max_elapsed_ms: int
    max_output_bytes: int


@dataclass(frozen=True)
class CommandRunResult:
    """What a run put out; a negative exit code is minus the number of the signal that ended it."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class ArtifactText:
    """A file the run wrote, or did not write, or wrote past the cap."""

    present: bool
    text: str = ""
    truncated: bool = False


class CommandMechanism(Protocol):
    """What the adapter does underneath."""

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        """Run a command to its end."""
        ...

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        """Read at most ``max_bytes`` of a file."""
        ...


@dataclass(frozen=True)
class McpCallToolRequest:
    """One call: the server, the tool and its arguments, and the caps the session is held to."""

    target: str
    target_args: tuple[str, ...]
    tool_name: str
    arguments: dict[str, Any]
    env: dict[str, str]
    cwd: str
    max_elapsed_ms: int
    max_output_bytes: int


@dataclass(frozen=True)
class McpAnsweredCall:
    """The server answered; ``structured`` says whether ``structured_result`` (which may be null) was there."""

    is_error: bool
    structured: bool = False
    structured_result: Any = None


@dataclass(frozen=True)
class McpEndedSession:
    """The server ended after the handshake and before its answer, with this signed exit code."""

    exit_code: int


McpCallToolResult = McpAnsweredCall | McpEndedSession


class McpMechanism(Protocol):
    """What the adapter does underneath."""

    async def call_tool(self, request: McpCallToolRequest, signal: AbortSignal) -> McpCallToolResult:
        """Open a session, call one tool, tear the session down."""
        ...
