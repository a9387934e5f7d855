"""Pre-flight as a caller runs it: what is checked first, what is told on the way, one leg after the other."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from eval_quality import stages
from eval_quality.errors import RuntimeFault, StructuralFailure
from eval_quality.ports import AbortSignal
from tests.contracts import Json, minimal_contract

from .environments import answer, answers, defect, lost_order, planned, probe, verdict

LOST = probe(defect("D-001", lost_order()))
LEGS = [leg.leg_id for leg in planned(None, LOST).legs]


class Shop:
    """An environment probe port; ``failing`` legs raise what they are given."""

    def __init__(self, **failing: Exception) -> None:
        self.asked: list[str] = []
        self._busy = False
        self._failing = failing

    async def probe(self, request: Any, signal: AbortSignal) -> Any:
        assert not self._busy
        self._busy = True
        self.asked.append(request["probeId"])
        await asyncio.sleep(0)
        self._busy = False
        if request["probeId"] in self._failing:
            raise self._failing[request["probeId"]]
        return answer(request)


def run(port: Shop, told: list[str] | None = None, **changes: Any) -> Json:
    given = {"contract": minimal_contract(), "probes": [LOST], "run_id": "run"} | changes
    sink = None if told is None else lambda each: told.append(f"{each.stage}: {each.run_id}: {each.message}")
    return dict(asyncio.run(stages.run_preflight(**given, port=port, signal=AbortSignal(), sink=sink)))


def test_probing_and_recorded_observations_come_to_the_same() -> None:
    port, told = Shop(), list[str]()
    assert run(port, told) == verdict(answers(None, LOST), None, LOST)
    assert port.asked == LEGS
    lines = [f'preflight: run: leg "{leg}": {what}' for leg in LEGS for what in ("planned", "observed")]
    assert told == [*lines, f"preflight: run: reduced {len(LEGS)} leg(s): passed"]


def test_a_fault_stops_the_run() -> None:
    own = RuntimeFault("forbidden-target", "ProbeRequest", "no", reason="host-not-authorized")
    port, told = Shop(**{"list-1": own}), list[str]()
    with pytest.raises(RuntimeFault) as caught:
        run(port, told)
    assert caught.value is own
    assert port.asked == LEGS[: LEGS.index("list-1") + 1]
    assert told[-1] == 'preflight: run: leg "list-1": planned'


def test_an_error_stops_the_run() -> None:
    with pytest.raises(RuntimeFault) as caught:
        run(Shop(reset=OSError("gone")))
    assert str(caught.value) == "port-failure in ProbeObservation: the port implementation threw or rejected"


def test_what_is_told_of_unanswered_legs() -> None:
    told: list[str] = []
    observations = answers(edit=lambda leg, each: each if leg == "list-1" else None)
    reduced = stages.preflight(
        contract=minimal_contract(),
        probes=[],
        observations=observations,
        run_id="run",
        sink=lambda each: told.append(each.message),
    )
    assert not reduced["passed"]
    assert told[told.index('leg "list-1": planned') + 1] == 'leg "list-1": observed'
    assert told[told.index('leg "list-5": planned') + 1] == 'leg "list-5": no observation'
    assert told[-1] == "reduced 10 leg(s): failed"


def test_an_error_of_the_sink_is_passed_on() -> None:
    def sink(_: stages.Diagnostic) -> None:
        raise BufferError

    with pytest.raises(BufferError):
        stages.preflight(contract=minimal_contract(), probes=[], observations=[], run_id="run", sink=sink)


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        (
            {"contract": {"schemaVersion": 6}, "probes": [{"schemaVersion": 5}]},
            "schema-version-mismatch",
            "EvalContract.schemaVersion",
        ),
        ({"contract": {"schemaVersion": 7}, "probes": [{"schemaVersion": 5}]}, "schema-parse-failure", "EvalContract"),
        ({"probes": [{}, {"schemaVersion": 5}], "observations": 1}, "schema-version-mismatch", "Probe.schemaVersion"),
        (
            {"probes": [{}, {"schemaVersion": -0.5, "probeId": "x"}], "observations": 1},
            "schema-version-mismatch",
            "Probe[probeId=x].schemaVersion",
        ),
        ({"probes": [{"schemaVersion": True}], "observations": 1}, "schema-parse-failure", "Probe"),
        ({"probes": None, "observations": 1}, "schema-parse-failure", "Probe"),
        ({"observations": [{}]}, "schema-parse-failure", "ProbeObservation"),
        ({"run_id": ""}, "schema-parse-failure", "PreflightVerdict"),
    ],
)
def test_inputs_are_checked_in_order(changes: Json, code: str, path: str) -> None:
    given: Json = {"contract": minimal_contract(), "probes": [], "observations": answers(), "run_id": "run"} | changes
    with pytest.raises(RuntimeFault) as caught:
        stages.preflight(**given)
    assert (caught.value.code, caught.value.artifact_path) == (code, path)


def test_the_refusal_of_an_unusable_run_name() -> None:
    with pytest.raises(RuntimeFault, match="the reduced verdict does not conform to the PreflightVerdict schema"):
        run(Shop(), run_id="")


def test_observations_are_parsed_before_anything_is_planned() -> None:
    unplannable = minimal_contract()
    unplannable["permittedInterfaces"] *= 2
    with pytest.raises(RuntimeFault):
        stages.preflight(contract=unplannable, probes=[], observations=[{}], run_id="run")
    with pytest.raises(StructuralFailure):
        stages.preflight(contract=unplannable, probes=[], observations=[], run_id="run")


def test_what_a_port_does_to_its_messages_does_not_show() -> None:
    """Spec 08, sections 2 and 8: what passes the boundary is a copy, in either direction."""
    contract = minimal_contract()
    before = copy.deepcopy(contract)
    told: Json = {}

    class Careless(Shop):
        async def probe(self, request: Any, signal: AbortSignal) -> Any:
            observation = copy.deepcopy(await super().probe(request, signal))
            request["channels"].clear()
            told.clear()
            told.update(observation)
            return told

    assert run(Careless(), contract=contract) == verdict(answers(None, LOST), None, LOST)
    assert contract == before


def test_inputs_are_left_alone() -> None:
    contract = minimal_contract()
    given = (contract, [LOST], answers(None, LOST))
    before = copy.deepcopy(given)
    stages.preflight(contract=contract, probes=given[1], observations=given[2], run_id="run")
    assert given == before
