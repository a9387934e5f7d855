"""The two examples brought to life: their programs, the policies that let them be probed, and runs against them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_quality.abort import AbortSignal
from eval_quality.adapters import (
    create_command_line_adapter,
    create_mcp_adapter,
    parse_command_target_policy,
    parse_mcp_target_policy,
)
from eval_quality.artifacts.port_messages import ProbeObservation, ProbeRequest
from eval_quality.ports import EnvironmentProbePort

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = Path(__file__).parent / "programs"
ABSENT = {"kind": "absent"}


def read(example: str, name: str) -> Any:
    """A file of an example."""
    return json.loads((EXAMPLES / example / name).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class ByLeg:
    """A probe port that sends the legs of planted defects to the builds that have them."""

    shipped: EnvironmentProbePort
    mutated: Mapping[str, EnvironmentProbePort]

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        return await self.mutated.get(request["probeId"], self.shipped).probe(request, signal)


def review_bot(folder: Path, variant: str = "shipped") -> EnvironmentProbePort:
    """The review bot, run in a folder of its own."""
    home = folder / variant
    home.mkdir(parents=True, exist_ok=True)
    bot = home / "review-bot"
    source = (PROGRAMS / "review_bot.py").read_text(encoding="utf-8")
    bot.write_text(f"#!{sys.executable} -IS\n" + source.replace('os.environ.get("VARIANT", "shipped")', repr(variant)))
    bot.chmod(0o755)
    review = {
        "interfaceId": "review-bot",
        "executable": "review-bot",
        "target": str(bot),
        "permittedSubcommandPaths": [["review"]],
        "permittedEnvironmentKeys": [],
        "cwd": str(home),
        "artifacts": {"report": "report.json"},
        "maxElapsedMs": 20_000,
        "maxOutputBytes": 100_000,
    }
    version = review | {"permittedSubcommandPaths": [["version"]], "artifacts": {}}
    return create_command_line_adapter(parse_command_target_policy({"authorizations": [review, version]}))


def notes_server(variant: str = "released", store: Path | None = None) -> EnvironmentProbePort:
    """The notes server; what is added stays only if there is a place for it."""
    server = {
        "interfaceId": "notes",
        "target": sys.executable,
        "targetArgs": ["-I", "-S", str(PROGRAMS / "notes_server.py"), variant],
        "tools": ["add_note", "list_notes"],
        "cwd": "/",
        "serverEnvironment": {} if store is None else {"NOTES": str(store)},
        "maxElapsedMs": 20_000,
        "maxOutputBytes": 100_000,
    }
    return create_mcp_adapter(parse_mcp_target_policy({"authorizations": [server]}))


def request_of(contract: Json, observation: Json) -> Any:
    """The request that an observation of a record answers."""
    (interface,) = (each for each in contract["permittedInterfaces"] if each["logicalId"] == observation["interfaceId"])
    (operation,) = (each for each in interface["operations"] if each["operationId"] == observation["operationId"])
    inputs = observation["callInputs"]
    request = {
        "kind": interface["kind"],
        "probeId": observation["observationId"],
        "interfaceId": observation["interfaceId"],
        "operationId": observation["operationId"],
    }
    if interface["kind"] == "mcp":
        return request | {"toolName": operation["toolName"], "channels": {"arguments": inputs["arguments"]}}
    named = {channel: inputs[channel] or {} for channel in ("argument", "option", "environment")}
    return request | operation["invocation"] | {"channels": named | {"stdin": ABSENT}}


def recorded(observation: Json, answer: Any) -> Json:
    """An observation of a record, with what came back in the place of what it said."""
    if answer["kind"] == "mcp":
        result = answer["result"]
        return observation | {
            "responseStatus": 1 if answer["isError"] else 0,
            "responseBody": result.get("value"),
            "exitCode": answer.get("exitCode"),
        }
    artifacts = {name: body for name, body in answer["artifacts"].items() if body != ABSENT}
    return observation | {
        "exitCode": answer["exitCode"],
        "stdout": answer["stdout"],
        "stderr": answer["stderr"],
        "artifacts": artifacts,
    }


async def run_again(contract: Json, record: Json, port: EnvironmentProbePort) -> Json:
    """A record of the same calls and the same judgement, over what a live system answers now."""
    observations = []
    for observation in record["observations"]:
        answer = await port.probe(request_of(contract, observation), AbortSignal())
        observations.append(recorded(observation, answer))
    return record | {"observations": observations}


async def trials(contract: Json, records: list[Json], ports: list[EnvironmentProbePort]) -> list[Json]:
    """Every trial against a system of its own, all at once."""
    runs = (run_again(contract, record, port) for record, port in zip(records, ports, strict=True))
    return list(await asyncio.gather(*runs))
