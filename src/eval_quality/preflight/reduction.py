"""From answers to a verdict (spec 07, section 5).

Answers are bound to legs by the label they echo; every planned check is reduced to one line of the verdict; the fixture
digest covers whatever was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.expressions import Expression
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.port_messages import ProbeObservation
from eval_quality.artifacts.preflight_verdict import (
    PREFLIGHT_VERDICT_SCHEMA_VERSION,
    PreflightCheck,
    PreflightCheckKind,
    PreflightOutcome,
    PreflightVerdict,
)
from eval_quality.artifacts.sealed_run_record import Observation
from eval_quality.canonical import digest_artifact
from eval_quality.declared_inputs import declares_no_request_keys
from eval_quality.errors import RuntimeFault
from eval_quality.evaluate import CheckResolver, make_witness_pointer_denotes_collection

from .evidence import REGEX_STEP_BUDGET, evidence_of, resolve_witness_relation
from .plan import (
    CleanControl,
    InputSensitivity,
    InterfacePresent,
    PlannedCheck,
    PlannedLeg,
    PreflightPlan,
    SeededFaultFired,
    SeededFaultsScoped,
    StateReset,
)
from .projection import ARTIFACT_PATH, Projection, fixture_digest, project


class Reduced(NamedTuple):
    """How a check ended, and what there is to say."""

    outcome: PreflightOutcome
    note: str | None = None


@dataclass(frozen=True)
class _Answered:
    """A leg with its answer."""

    leg: PlannedLeg
    observation: ProbeObservation
    projection: Projection
    evidence: Observation

    @cached_property
    def request_digest(self) -> str | None:
        return _digest_or_none({**self.leg.request, "probeId": ""})

    @cached_property
    def evidence_digest(self) -> str | None:
        return _digest_or_none({**self.evidence, "observationId": ""})

    def answered_alike(self, other: _Answered) -> bool:
        """Whether two legs asked for and got the same; what has no digest is like nothing."""
        mine, theirs = (self.request_digest, self.evidence_digest), (other.request_digest, other.evidence_digest)
        return None not in mine and mine == theirs


def _digest_or_none(value: object) -> str | None:
    try:
        return digest_artifact(value, ARTIFACT_PATH)
    except RuntimeFault:
        return None


def reduce_preflight(plan: PreflightPlan, observations: Sequence[ProbeObservation]) -> PreflightVerdict:
    """Reduce the answers to a plan.

    Raises ``RuntimeFault`` ``port-contract-violation`` for answers nobody asked for in that way, or for none at all,
    and ``non-canonicalizable-value`` for an answer that has no digest.
    """
    reducer = _Reducer(plan, _bind(plan, observations))
    checks = [reducer.check(planned) for planned in plan.checks]
    projections = [answered.projection for answered in reducer.answered.values()]
    return {
        "schemaVersion": PREFLIGHT_VERDICT_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": plan.run_id,
        "fixtureDigest": fixture_digest(projections, ARTIFACT_PATH),
        "passed": all(check["outcome"] != "failed" for check in checks),
        "checks": checks,
    }


def _violation(detail: str) -> RuntimeFault:
    return RuntimeFault("port-contract-violation", ARTIFACT_PATH, detail)


def _bind(plan: PreflightPlan, observations: Sequence[ProbeObservation]) -> dict[str, _Answered]:
    by_label: dict[str, ProbeObservation] = {}
    for observation in observations:
        label = observation["probeId"]
        if label in by_label:
            raise _violation(f'two observations echoed the probe id "{label}", so one leg was answered twice')
        by_label[label] = observation
    answered: dict[str, _Answered] = {}
    for leg in plan.legs:
        answer = by_label.get(leg.leg_id)
        if answer is None:
            continue
        asked = leg.request["kind"]
        if answer["kind"] != asked:
            raise _violation(
                f'leg "{leg.leg_id}" asked for a "{asked}" probe and was answered with a "{answer["kind"]}" '
                "observation, so the port answered a question nobody asked"
            )
        projection = project(answer, leg.operation)
        evidence = evidence_of(projection, answer, leg.inputs, leg.operation)
        answered[leg.leg_id] = _Answered(leg, answer, projection, evidence)
    if not answered:
        raise _violation(
            f"no observation echoed any of the {len(plan.legs)} planned probe ids, so no fixture was observed"
        )
    return answered


class _Reducer:
    """Reduces planned checks over the answers."""

    def __init__(self, plan: PreflightPlan, answered: Mapping[str, _Answered]) -> None:
        self._plan = plan
        self.answered = answered
        self._relations: dict[int, CheckResolver] = {}
        """By operation, which the plan keeps; they share the reference sets they have read."""
        self._sets = CheckResolver(lambda pointer: False, plan.reference_set_keys, REGEX_STEP_BUDGET)

    def check(self, planned: PlannedCheck) -> PreflightCheck:
        kind, reduce = _REDUCTIONS[type(planned)]
        reduced = reduce(self, planned)
        interface_id, operation_id = _names(planned)
        return {
            "kind": kind,
            "interfaceId": interface_id,
            "operationId": operation_id,
            "outcome": reduced.outcome,
            "note": reduced.note,
        }

    def _relation(self, relation: Expression, evidence: Mapping[str, Observation], operation: AnyOperation) -> str:
        relations = self._relations.get(id(operation))
        if relations is None:
            denotes_collection = make_witness_pointer_denotes_collection(operation)
            relations = self._relations[id(operation)] = self._sets.with_collections(denotes_collection)
        sets = self._plan.reference_sets
        return resolve_witness_relation(relation, evidence, relations, sets, ARTIFACT_PATH)["resolution"]

    def interface_present(self, planned: InterfacePresent) -> Reduced:
        for leg_id in planned.leg_ids:
            answered = self.answered.get(leg_id)
            if answered is None:
                return Reduced("failed", f'leg "{leg_id}" produced no observation')
            asked, told = answered.leg.request, answered.observation
            if (asked["interfaceId"], asked["operationId"]) != (told["interfaceId"], told["operationId"]):
                return Reduced("failed", f'leg "{leg_id}" echoed an identifier the request did not carry')
        return Reduced("satisfied")

    def input_sensitivity(self, planned: InputSensitivity) -> Reduced:
        witness = planned.witness
        if witness is None:
            if declares_no_request_keys(planned.operation):
                return Reduced("exempt", "The operation declares no inputs in any channel.")
            return Reduced("failed", "The operation declares request keys and no sensitivity witness.")
        evidence: dict[str, Observation] = {}
        for leg in witness["legs"]:
            answered = self.answered.get(leg["legId"])
            if answered is None:
                return Reduced("failed", f'witness leg "{leg["legId"]}" produced no observation')
            evidence[leg["legId"]] = answered.evidence
        resolution = self._relation(witness["relation"], evidence, planned.operation)
        if resolution == "true":
            return Reduced("satisfied")
        return Reduced("failed", f"The witness relation resolved {resolution}.")

    def state_reset(self, planned: StateReset) -> Reduced:
        first, last = planned.leg_ids
        if first not in self.answered or last not in self.answered:
            return Reduced("failed", "a control-observe leg produced no observation")
        digests = {
            digest_artifact(
                {key: value for key, value in self.answered[leg_id].projection.items() if key != "legId"}, ARTIFACT_PATH
            )
            for leg_id in planned.leg_ids
        }
        if len(digests) == 1:
            return Reduced("satisfied")
        return Reduced("failed", f'the projections of "{first}" and "{last}" differ')

    def clean_control(self, planned: CleanControl) -> Reduced:
        for leg_id in planned.leg_ids:
            answered = self.answered.get(leg_id)
            if answered is None:
                return Reduced("failed", f'control leg "{leg_id}" produced no observation')
            anomaly = _anomaly(answered.observation)
            if anomaly is not None:
                return Reduced("failed", f'control leg "{leg_id}" observed {anomaly}')
        return Reduced("satisfied")

    def seeded_faults_scoped(self, planned: SeededFaultsScoped) -> Reduced:
        fault = self.answered.get(planned.witness["legId"])
        dropped: list[str] = []
        examined: list[str] = []
        for leg_id in planned.clean_leg_ids:
            clean = self.answered.get(leg_id)
            alike = fault is not None and clean is not None and clean.answered_alike(fault)
            (dropped if alike else examined).append(leg_id)
        nothing = "so nothing here establishes that the defect is scoped to it"
        if not examined and not dropped:
            return Reduced("failed", f"{planned.defect_id}: the operation has no leg besides the fault leg, {nothing}")
        if not examined:
            told = ", ".join(f'"{leg_id}"' for leg_id in dropped)
            return Reduced(
                "failed",
                f"{planned.defect_id}: every other leg of the operation issued the fault leg's own request and "
                f"received its answer ({told}), {nothing}",
            )
        for leg_id, clean in self._those_answered(examined):
            evidence = {planned.witness["legId"]: clean.evidence}
            if self._relation(planned.witness["relation"], evidence, clean.leg.operation) == "true":
                return Reduced(
                    "failed", f'{planned.defect_id}: the manifestation witness fires on clean leg "{leg_id}"'
                )
        return Reduced("satisfied", planned.defect_id)

    def _those_answered(self, leg_ids: Sequence[str]) -> Iterator[tuple[str, _Answered]]:
        return ((leg_id, self.answered[leg_id]) for leg_id in leg_ids if leg_id in self.answered)

    def seeded_fault_fired(self, planned: SeededFaultFired) -> Reduced:
        witness = planned.witness
        if witness is None:
            return Reduced(
                "failed",
                f"{planned.defect_id}: the defect declares no manifestation witness, so it cannot be observed to fire",
            )
        fault = self.answered.get(witness["legId"])
        evidence = {} if fault is None else {witness["legId"]: fault.evidence}
        resolution = self._relation(witness["relation"], evidence, cast(AnyOperation, planned.operation))
        if resolution == "true":
            return Reduced("satisfied", planned.defect_id)
        if fault is None:
            return Reduced("failed", f"{planned.defect_id}: the fault leg produced no observation")
        told = f"the manifestation witness resolved {resolution} on its own fault leg"
        return Reduced("failed", f"{planned.defect_id}: {told}")


_REDUCTIONS: Final[dict[type, tuple[PreflightCheckKind, Callable[[_Reducer, Any], Reduced]]]] = {
    InterfacePresent: ("interface-present", _Reducer.interface_present),
    InputSensitivity: ("input-sensitivity", _Reducer.input_sensitivity),
    StateReset: ("state-reset", _Reducer.state_reset),
    CleanControl: ("clean-control", _Reducer.clean_control),
    SeededFaultsScoped: ("seeded-faults-scoped", _Reducer.seeded_faults_scoped),
    SeededFaultFired: ("seeded-fault-fired", _Reducer.seeded_fault_fired),
}


def _names(planned: PlannedCheck) -> tuple[str, str] | tuple[None, None]:
    match planned:
        case InterfacePresent() | InputSensitivity():
            return planned.interface_id, planned.operation_id
        case SeededFaultsScoped(witness=witness) | SeededFaultFired(witness=witness) if witness is not None:
            return witness["interfaceId"], witness["operationId"]
    return None, None


def _anomaly(observation: ProbeObservation) -> str | None:
    """What about an answer no clean system gives."""
    if observation["kind"] == "api":
        return f"status {observation['status']}" if observation["status"] >= 400 else None
    if observation["kind"] == "cli":
        return f"exit code {observation['exitCode']}" if observation["exitCode"] != 0 else None
    if not observation["isError"]:
        return None
    if "exitCode" in observation:
        return f"a tool error: the server exited with code {observation['exitCode']} before answering"
    return "a tool error"
