"""A tool server written with the official SDK; run as a script, it serves over its standard streams."""

from __future__ import annotations

import sys
import time
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent

server = MCPServer("tests")


@server.tool()
def echo(value: str) -> dict[str, Any]:
    """The value, as it arrived."""
    return {"value": value, "length": len(value)}


@server.tool()
def add(first: int, second: int) -> int:
    """A sum; the SDK wraps it as ``{"result": ...}``."""
    return first + second


@server.tool(structured_output=False)
def say(text: str) -> str:
    """Text alone, with no structured content."""
    return text


@server.tool()
def refuse(reason: str) -> CallToolResult:
    """An error the tool tells in a structured way."""
    return CallToolResult(
        content=[TextContent(type="text", text=reason)], structured_content={"reason": reason}, is_error=True
    )


@server.tool()
def crash() -> str:
    """An error the tool did not mean."""
    raise ValueError("broken")


@server.tool()
def sleep(seconds: float) -> str:
    """Nothing, for a while."""
    time.sleep(seconds)
    return "slept"


@server.tool()
def flood(size: int) -> dict[str, Any]:
    """A result of some size."""
    print("flooding", file=sys.stderr)
    return {"value": "x" * size}


@server.tool()
def leave(code: int) -> str:
    """End the server in the middle of the call."""
    import os

    os._exit(code)


if __name__ == "__main__":
    server.run()
