"""Pre-flight and scored runs against living programs, through the command and the MCP adapter.

What the examples say was observed is observed here, and comes to the verdicts that the examples expect.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_quality import stages
from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_local_corpus_adapter, create_mcp_adapter
from eval_quality.adapters.process_group import in_flight_count
from eval_quality.errors import RuntimeFault
from eval_quality.ports import EnvironmentProbePort
from eval_quality.scoring import ScoreResult
from tests.adapters.messages import mcp_policy
from tests.adapters.processes import linux_only, naming, nothing_left
from tests.end_to_end.environments import EXAMPLES, ByLeg, Json, notes_server, read, review_bot, trials

pytestmark = linux_only

BOT, NOTES = "review-bot-cli", "notes-mcp"
Systems = Callable[[str], list[EnvironmentProbePort]]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with nothing_left():
        yield


@pytest.fixture
def systems(tmp_path: Path) -> dict[str, Systems]:
    """For an example and a build of its program, a system for each of three trials."""
    return {
        BOT: lambda build: [review_bot(tmp_path / f"trial-{trial}", build) for trial in range(3)],
        NOTES: lambda build: [notes_server(build, tmp_path / f"notes-{build}-{trial}") for trial in range(3)],
    }


def environment(example: str, folder: Path) -> ByLeg:
    """The shipped program, and behind the legs of planted defects the builds that have them."""
    if example == BOT:
        mutated = {"fault-flags-all": review_bot(folder, "flags-all"), "fault-blind": review_bot(folder, "blind")}
        return ByLeg(review_bot(folder), mutated)
    return ByLeg(notes_server(), {"fault-crash": notes_server("crashes"), "fault-omits": notes_server("omits")})


def run_id(example: str) -> str:
    name: str = read(example, "preflight-verdict.json")["runId"]
    return name


async def preflight(example: str, port: EnvironmentProbePort, signal: AbortSignal | None = None) -> Any:
    return await stages.run_preflight(
        contract=read(example, "contract.json"),
        probes=read(example, "probes.json"),
        run_id=run_id(example),
        port=port,
        signal=signal or AbortSignal(),
    )


@pytest.mark.parametrize("example", [BOT, NOTES])
def test_preflight_of_a_living_environment(example: str, tmp_path: Path) -> None:
    verdict = asyncio.run(preflight(example, environment(example, tmp_path)))
    assert verdict == read(example, "preflight-verdict.json")
    assert verdict["passed"] is True


@pytest.mark.parametrize("example", [BOT, NOTES])
def test_preflight_of_an_environment_without_its_defects(example: str, tmp_path: Path) -> None:
    """Every leg reaches the shipped program: the planted faults do not fire."""
    verdict = asyncio.run(preflight(example, environment(example, tmp_path).shipped))
    assert verdict["passed"] is False
    living = read(example, "preflight-verdict.json")["checks"]
    assert {one["kind"] for one, other in zip(verdict["checks"], living, strict=True) if one != other} == {
        "seeded-fault-fired"
    }


async def scored(example: str, records: str, ports: list[EnvironmentProbePort], probe: str) -> ScoreResult:
    contract = read(example, "contract.json")
    given = [read(example, f"record-{records}-{trial}.json") for trial in (1, 2, 3)]
    live = await trials(contract, given, ports)
    (digest,) = {
        command["argv"][command["argv"].index("--corpus-digest") + 1]
        for command in read(example, "expected/commands.json")
        if command["argv"][0] == "score"
    }
    private = records == "P-002" and example == NOTES
    return await stages.run_score(
        record=live,
        manifest=read(example, "isolation-manifest.json"),
        configuration=read(example, "evaluator-configuration.json"),
        contract=contract,
        probe=read(example, f"probe-{probe}.json"),
        preflight_verdict=read(example, "preflight-verdict.json"),
        policy=read(example, "scoring-policy.json"),
        private_manifest=read(example, "private-manifest.json") if private else None,
        corpus_digest=digest,
        port=create_local_corpus_adapter(EXAMPLES / example / "corpus") if private else None,
    )


def caught(artifact: Any) -> bool:
    (reduced,) = artifact["reducedProbeOutcomes"]
    return bool(reduced["caught"])


def production_verdict(result: ScoreResult) -> Any:
    artifact: Any = result.artifact
    return artifact["productionVerdict"]


@pytest.mark.parametrize(
    ("example", "records", "build"),
    [
        (BOT, "P-001", "flags-all"),
        (BOT, "P-002", "blind"),
        (NOTES, "P-001", "crashes"),
        (NOTES, "P-003", "omits"),
    ],
)
def test_a_planted_defect_is_caught(example: str, records: str, build: str, systems: dict[str, Systems]) -> None:
    result = asyncio.run(scored(example, records, systems[example](build), records))
    assert result.artifact == read(example, f"expected/evidence-artifact-{records}.json")
    assert caught(result.artifact)


@pytest.mark.parametrize(("example", "records", "build"), [(BOT, "P-003", "shipped"), (NOTES, "P-002", "released")])
def test_a_clean_control_passes(example: str, records: str, build: str, systems: dict[str, Systems]) -> None:
    result = asyncio.run(scored(example, records, systems[example](build), records))
    assert result.artifact == read(example, f"expected/evidence-artifact-{records}.json")
    assert production_verdict(result) == "PASS"


def test_a_defect_nobody_noticed_is_a_failed_evaluation(systems: dict[str, Systems]) -> None:
    result = asyncio.run(scored(BOT, "P-002-unnoticed", systems[BOT]("blind"), "P-002"))
    assert not caught(result.artifact)
    assert production_verdict(result) == "FAIL"


@pytest.mark.parametrize(("example", "records", "build"), [(BOT, "P-002", "shipped"), (NOTES, "P-003", "released")])
def test_a_defect_that_is_not_there_cannot_be_caught(
    example: str, records: str, build: str, systems: dict[str, Systems]
) -> None:
    """The claim is the same, but what the shipped program answers does not bear it out."""
    result = asyncio.run(scored(example, records, systems[example](build), records))
    assert result.artifact is None or not caught(result.artifact)


def slow_notes(token: str) -> EnvironmentProbePort:
    """A server that says nothing, with a child that says nothing either."""
    script = f"sh -c 'sleep 60; : {token}' & sleep 60; : {token}"
    policy: Json = mcp_policy("/bin/sh", "-c", script, tools=["add_note", "list_notes"])
    policy["authorizations"][0]["interfaceId"] = "notes"
    return create_mcp_adapter(policy)


@pytest.mark.parametrize("leg", [0, 1])
def test_a_cancelled_preflight_is_over_within_a_second(leg: int) -> None:
    token = f"token-{uuid.uuid4().hex}"
    first = "add-short"

    async def main() -> float:
        port = slow_notes(token) if leg == 0 else ByLeg(slow_notes(token), {first: notes_server()})
        task = asyncio.ensure_future(preflight(NOTES, port))
        while len(naming(token)) < 2:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ended = time.monotonic() - began
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert in_flight_count() == 0
        assert naming(token) == []
        return ended

    with nothing_left():
        assert asyncio.run(main()) < 1


def test_an_aborted_preflight_is_over_within_a_second() -> None:
    token = f"token-{uuid.uuid4().hex}"

    async def main() -> float:
        signal = AbortSignal()
        task = asyncio.ensure_future(preflight(NOTES, slow_notes(token), signal))
        while len(naming(token)) < 2:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        signal.abort()
        with pytest.raises(RuntimeFault, match="aborted in ProbeObservation"):
            await task
        assert naming(token) == []
        return time.monotonic() - began

    assert asyncio.run(main()) < 1
