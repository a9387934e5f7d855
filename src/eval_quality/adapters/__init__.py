"""Adapters: the effects the pure library leaves to its callers, done safely (spec 12). A public door of the package.

Five adapters implement the ports: a command line, an MCP server over stdio, a local corpus, a file system, a clock.
Three parsers read target policies from untrusted mappings. Each adapter is default deny: nothing is started before its
policy allowed it. The mechanism classes let a caller script what an adapter does underneath.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clock import ClockMechanism, create_system_clock_adapter
    from .command_line import create_command_line_adapter, subprocess_mechanism
    from .corpus import CorpusMechanism, create_local_corpus_adapter
    from .file_system import FileSystemMechanism, create_file_system_adapter
    from .mcp import create_mcp_adapter, stdio_mechanism
    from .mechanisms import (
        ArtifactText,
        CommandMechanism,
        CommandRunRequest,
        CommandRunResult,
        McpAnsweredCall,
        McpCallToolRequest,
        McpCallToolResult,
        McpEndedSession,
        McpMechanism,
    )
    from .policies import parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy

_HOMES = {
    "clock": ("ClockMechanism", "create_system_clock_adapter"),
    "command_line": ("create_command_line_adapter", "subprocess_mechanism"),
    "corpus": ("CorpusMechanism", "create_local_corpus_adapter"),
    "file_system": ("FileSystemMechanism", "create_file_system_adapter"),
    "mcp": ("create_mcp_adapter", "stdio_mechanism"),
    "mechanisms": (
        "ArtifactText",
        "CommandMechanism",
        "CommandRunRequest",
        "CommandRunResult",
        "McpAnsweredCall",
        "McpCallToolRequest",
        "McpCallToolResult",
        "McpEndedSession",
        "McpMechanism",
    ),
    "policies": ("parse_command_target_policy", "parse_mcp_target_policy", "parse_probe_target_policy"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ArtifactText",
    "ClockMechanism",
    "CommandMechanism",
    "CommandRunRequest",
    "CommandRunResult",
    "CorpusMechanism",
    "FileSystemMechanism",
    "McpAnsweredCall",
    "McpCallToolRequest",
    "McpCallToolResult",
    "McpEndedSession",
    "McpMechanism",
    "create_command_line_adapter",
    "create_file_system_adapter",
    "create_local_corpus_adapter",
    "create_mcp_adapter",
    "create_system_clock_adapter",
    "parse_command_target_policy",
    "parse_mcp_target_policy",
    "parse_probe_target_policy",
    "stdio_mechanism",
    "subprocess_mechanism",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
