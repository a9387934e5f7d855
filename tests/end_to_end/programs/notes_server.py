"""The notes server of ``examples/notes-mcp``: released, or with a planted defect (first argument).

Notes are kept in the file that ``NOTES`` names; without one, nothing outlives the process.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

VARIANT = sys.argv[1]
STORE = os.environ.get("NOTES")
SEEDED = ["groceries", "standup", "travel"]


def added() -> list[str]:
    """The notes that were added."""
    if STORE is None or not os.path.exists(STORE):
        return []
    with open(STORE, encoding="utf-8") as file:
        titles: list[str] = json.load(file)
    return titles


def add_note(title: object, text: object) -> dict[str, Any]:
    """Keep a note."""
    if not isinstance(title, str) or not isinstance(text, str):
        return {"isError": True, "structuredContent": {"ok": False, "id": ""}}
    if VARIANT == "crashes":
        os._exit(139)
    if not title:
        return {"structuredContent": {"ok": False, "id": ""}}
    titles = [*added(), title]
    if STORE is not None:
        with open(STORE, "w", encoding="utf-8") as file:
            json.dump(titles, file)
    return {"structuredContent": {"ok": True, "id": f"n-{len(SEEDED) + len(titles)}"}}


def list_notes(tag: object = "seed") -> dict[str, Any]:
    """The notes with a tag."""
    if not isinstance(tag, str):
        return {"isError": True, "structuredContent": {"notes": [], "count": 0}}
    titles = {"seed": SEEDED[:-1] if VARIANT == "omits" else SEEDED, "new": added()}.get(tag, [])
    listed = {"notes": [{"title": title} for title in titles], "count": len(titles)}
    return {"structuredContent": listed | ({"latest": titles[-1]} if titles else {})}


TOOLS: dict[str, Callable[..., dict[str, Any]]] = {"add_note": add_note, "list_notes": list_notes}

for line in sys.stdin:
    message = json.loads(line)
    match message["method"]:
        case "initialize":
            result: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        case "tools/call":
            result = TOOLS[message["params"]["name"]](**message["params"]["arguments"])
        case _:
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
