"""The MCP server that conformance is tried on; needs the standard library only."""

import json
import sys
import time
from typing import Any


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool."""
    match name:
        case "refuse":
            return {"isError": True, "structuredContent": {"reason": "closed"}}
        case "describe":
            return {"structuredContent": {"name": "n", "size": 1}}
        case "sleep":
            time.sleep(60)
            return {}
        case "flood":
            return {"structuredContent": "x" * 100_000}
        case _:
            return {"structuredContent": arguments}


for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
    elif message["method"] == "tools/call":
        result = call(message["params"]["name"], message["params"]["arguments"])
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
