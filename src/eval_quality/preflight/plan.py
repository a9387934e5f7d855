"""Which requests pre-flight makes, and what it checks about the answers (spec 07, section 2).

1. Probe stamps, interface identifiers and interface kinds are checked; 2. each witness leg becomes a sensitivity leg;
3. one operation that changes no state is observed, the fixture is disturbed and reset, and it is observed again;
4. each seeded defect's witness becomes a leg of its own; 5. leg identifiers are unique and there is at least one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.interfaces import AnyOperation, PermittedInterface
from eval_quality.artifacts.port_messages import ProbeRequest
from eval_quality.artifacts.probe import Defect, Probe
from eval_quality.artifacts.witnesses import ManifestationWitness, SensitivityWitness, WitnessInputs
from eval_quality.compile import raise_first
from eval_quality.compile.inventory import repeated_interface_identifiers, unsupported_kinds
from eval_quality.compile.witnesses import OperationKind, kind_of_inputs, kind_of_operation, undeclared_inputs
from eval_quality.declared_inputs import declares_no_required_keys
from eval_quality.errors import StructuralFailure
from eval_quality.evaluate import reference_set_keys_of
from eval_quality.plan_index import OperationKey
from eval_quality.stamps import check_probe_stamp

LegPurpose = Literal["sensitivity", "control-observe", "control-mutate", "control-reset", "seeded-fault"]


@dataclass(frozen=True)
class PlannedLeg:
    """One request, and the operation and inputs it was made from."""

    leg_id: str
    purpose: LegPurpose
    request: ProbeRequest
    operation: AnyOperation
    inputs: WitnessInputs


@dataclass(frozen=True)
class InterfacePresent:
    """Every leg of an operation is answered by that operation."""

    interface_id: str
    operation_id: str
    leg_ids: tuple[str, ...]


@dataclass(frozen=True)
class InputSensitivity:
    """An operation reacts to its inputs."""

    interface_id: str
    operation_id: str
    witness: SensitivityWitness | None
    operation: AnyOperation


@dataclass(frozen=True)
class StateReset:
    """The first and the last observation are alike."""

    leg_ids: tuple[str, str]


@dataclass(frozen=True)
class CleanControl:
    """No control leg meets an anomaly."""

    leg_ids: tuple[str, ...]


@dataclass(frozen=True)
class SeededFaultsScoped:
    """A defect shows on its own leg only."""

    defect_id: str
    witness: ManifestationWitness
    operation: AnyOperation
    clean_leg_ids: tuple[str, ...]


@dataclass(frozen=True)
class SeededFaultFired:
    """A defect shows on its own leg."""

    defect_id: str
    witness: ManifestationWitness | None = None
    operation: AnyOperation | None = None


PlannedCheck: TypeAlias = (
    InterfacePresent | InputSensitivity | StateReset | CleanControl | SeededFaultsScoped | SeededFaultFired
)


@dataclass(frozen=True)
class PreflightPlan:
    """Legs in the order they are to be issued, checks in the order they are reported, and what relations refer to."""

    run_id: str
    legs: tuple[PlannedLeg, ...]
    checks: tuple[PlannedCheck, ...]
    reference_sets: Mapping[str, Sequence[Any]]
    reference_set_keys: Mapping[str, Sequence[str]]


class _Target(NamedTuple):
    """An operation of an interface, and where the contract declares it."""

    interface_id: str
    operation: AnyOperation
    path: str

    @property
    def key(self) -> OperationKey:
        return self.interface_id, self.operation["operationId"]


_EMPTY_INPUTS: Final[dict[OperationKind, dict[str, Any]]] = {
    "command": {"argument": {}, "option": {}, "environment": {}, "stdin": {"kind": "absent"}},
    "tool-call": {"arguments": {}},
    "transport": {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}},
}
_WRONG_CHANNELS: Final[dict[tuple[OperationKind, OperationKind], str]] = {
    ("tool-call", "command"): "supplies channels a tool call does not carry",
    ("tool-call", "transport"): "supplies channels a tool call does not carry",
    ("command", "tool-call"): "supplies a tool call's arguments to an operation that is not a tool call",
    ("transport", "tool-call"): "supplies a tool call's arguments to an operation that is not a tool call",
    ("command", "transport"): "supplies transport channels to an operation that runs behind a command",
    ("transport", "command"): "supplies command channels to an operation that speaks HTTP",
}
"""What is wrong with inputs (second) supplied to an operation (first) of another kind."""


def plan_preflight(contract: EvalContract, probes: Sequence[Probe], run_id: str) -> PreflightPlan:
    """Plan the pre-flight of parsed values.

    Raises ``RuntimeFault`` ``schema-version-mismatch`` for a stale probe and ``StructuralFailure`` for a contract or a
    witness that no request can be made from.
    """
    for probe in probes:
        check_probe_stamp(probe)
    interfaces = contract["permittedInterfaces"]
    raise_first(repeated_interface_identifiers(interfaces))
    raise_first(unsupported_kinds(interfaces))
    planner = _Planner(contract, list(_targets(interfaces)))
    planner.plan_sensitivity()
    planner.plan_controls(probes)
    planner.plan_seeded_faults(probes)
    planner.refuse_ambiguity()
    return PreflightPlan(
        run_id,
        tuple(planner.legs),
        (*planner.presence_checks(), *planner.checks),
        {name: declared["members"] for name, declared in (contract["referenceSets"] or {}).items()},
        reference_set_keys_of(contract),
    )


@dataclass
class _Planner:
    """Collects legs and checks; knows where each leg comes from and which legs an operation has so far.

    Interface identifiers are known to be unique here; of two operations of one name the first is meant.
    """

    contract: EvalContract
    targets: Sequence[_Target]
    legs: list[PlannedLeg] = field(default_factory=list)
    checks: list[PlannedCheck] = field(default_factory=list)
    _origins: list[str] = field(default_factory=list)
    _legs_of: dict[OperationKey, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._declared = {target.key: target for target in reversed(self.targets)}

    def _add(self, target: _Target, purpose: LegPurpose, leg_id: str, inputs: WitnessInputs, origin: str) -> None:
        request = _request(target, leg_id, inputs)
        self.legs.append(PlannedLeg(leg_id, purpose, request, target.operation, inputs))
        self._origins.append(origin)
        self._legs_of.setdefault(target.key, []).append(leg_id)

    def plan_sensitivity(self) -> None:
        for target in self.targets:
            witness = target.operation["sensitivityWitness"]
            for position, leg in enumerate(() if witness is None else witness["legs"]):
                origin = f"{target.path}.sensitivityWitness.legs[{position}].legId"
                self._add(target, "sensitivity", leg["legId"], leg["inputs"], origin)
            self.checks.append(InputSensitivity(*target.key, witness, target.operation))

    def plan_controls(self, probes: Sequence[Probe]) -> None:
        observed = _first_callable(self.targets, state_change=False)
        if observed is None:
            return
        mint = _Mint(self._claimed_identifiers(probes))
        first_leg = len(self.legs)
        opening = self._observe(*observed, mint)
        self._disturb(mint)
        closing = self._observe(*observed, mint)
        self.checks.append(StateReset((opening, closing)))
        self.checks.append(CleanControl(tuple(leg.leg_id for leg in self.legs[first_leg:])))

    def _observe(self, target: _Target, inputs: WitnessInputs, mint: _Mint) -> str:
        leg_id = mint("preflight-control-observe")
        origin = f'the minted control-observe leg against "{target.operation["operationId"]}"'
        self._add(target, "control-observe", leg_id, inputs, origin)
        return leg_id

    def _disturb(self, mint: _Mint) -> None:
        """Change state and reset it, where the contract says how."""
        reset = self.contract["fixtureReset"]
        if reset is None:
            return
        offered = (target for target in self.targets if target.interface_id == reset["interfaceId"])
        mutating = _first_callable(offered, state_change=True)
        if mutating is None:
            return
        target, inputs = mutating
        origin = f'the minted control-mutate leg against "{target.operation["operationId"]}"'
        self._add(target, "control-mutate", mint("preflight-control-mutate"), inputs, origin)
        resetting = self._declared.get((reset["interfaceId"], reset["operationId"]))
        if resetting is None:
            raise StructuralFailure(
                "unreachable-check-evidence",
                "EvalContract.fixtureReset",
                f'the fixture reset names operation "{reset["operationId"]}" on interface "{reset["interfaceId"]}", '
                "which the contract does not declare (AD-10)",
            )
        self._add(resetting, "control-reset", reset["legId"], reset["inputs"], "EvalContract.fixtureReset.legId")

    def _claimed_identifiers(self, probes: Sequence[Probe]) -> Iterator[str]:
        yield from (step["stepId"] for step in self.contract["interactionPlan"])
        yield from (witness["legId"] for _, _, witness in _seeded(probes) if witness is not None)
        yield from (leg.leg_id for leg in self.legs)
        if self.contract["fixtureReset"] is not None:
            yield self.contract["fixtureReset"]["legId"]

    def plan_seeded_faults(self, probes: Sequence[Probe]) -> None:
        for path, defect, witness in _seeded(probes):
            defect_id = defect["defectId"]
            if witness is None:
                self.checks.append(SeededFaultFired(defect_id))
                continue
            target = self._declared.get((witness["interfaceId"], witness["operationId"]))
            if target is None:
                raise StructuralFailure(
                    "unreachable-check-evidence",
                    path,
                    f'the manifestation witness names operation "{witness["operationId"]}" on interface '
                    f'"{witness["interfaceId"]}", which the contract does not declare (AD-10)',
                )
            owner = f"the manifestation witness of {defect_id}"
            raise_first(undeclared_inputs(witness["inputs"], target.operation, owner, f"{path}.inputs"))
            clean = tuple(self._legs_of.get(target.key, ()))
            self._add(target, "seeded-fault", witness["legId"], witness["inputs"], f"{path}.legId")
            self.checks.append(SeededFaultsScoped(defect_id, witness, target.operation, clean))
            self.checks.append(SeededFaultFired(defect_id, witness, target.operation))

    def refuse_ambiguity(self) -> None:
        """Leg identifiers differ, and there is at least one leg."""
        seen: set[str] = set()
        for leg, origin in zip(self.legs, self._origins, strict=True):
            if leg.leg_id in seen:
                raise StructuralFailure(
                    "malformed-operator-expression",
                    origin,
                    f'leg id "{leg.leg_id}" is already claimed by another planned leg; two legs sharing a probeId '
                    "cannot be told apart (AD-10, NFR9)",
                )
            seen.add(leg.leg_id)
        if not self.legs:
            raise StructuralFailure(
                "unreachable-check-evidence",
                "EvalContract.permittedInterfaces",
                "the contract declares no operation pre-flight can probe, so there is no fixture to verify or digest "
                "(AD-10, AD-11)",
            )

    def presence_checks(self) -> Iterator[InterfacePresent]:
        """One check an operation with legs, in the order of their first legs."""
        for (interface_id, operation_id), leg_ids in self._legs_of.items():
            yield InterfacePresent(interface_id, operation_id, tuple(leg_ids))


def _targets(interfaces: Sequence[PermittedInterface]) -> Iterator[_Target]:
    for position, interface in enumerate(interfaces):
        operations: Sequence[AnyOperation] = interface["operations"]
        for place, operation in enumerate(operations):
            path = f"EvalContract.permittedInterfaces[{position}].operations[{place}]"
            yield _Target(interface["logicalId"], operation, path)


def _first_callable(targets: Iterable[_Target], *, state_change: bool) -> tuple[_Target, WitnessInputs] | None:
    """The first operation that does or does not change state and for which inputs can be supplied, with those."""
    for target in targets:
        if target.operation["stateChangeMarker"] == state_change:
            inputs = _suppliable_inputs(target.operation)
            if inputs is not None:
                return target, inputs
    return None


class _Mint:
    """Makes leg identifiers nobody else has claimed."""

    def __init__(self, claimed: Iterable[str]) -> None:
        self._taken = set(claimed)

    def __call__(self, base: str) -> str:
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}-{number}", number + 1
        self._taken.add(name)
        return name


def _seeded(probes: Sequence[Probe]) -> Iterator[tuple[str, Defect, ManifestationWitness | None]]:
    """The defects of the probes that have any, with the path of their witness."""
    for probe in probes:
        if probe["expectedClean"] is False:
            for defect in probe["defects"]:
                path = f"Probe[probeId={probe['probeId']}].defects[defectId={defect['defectId']}].manifestationWitness"
                yield path, defect, defect["manifestationWitness"]


def _suppliable_inputs(operation: AnyOperation) -> WitnessInputs | None:
    """Inputs an operation can be called with: those of its first witness leg, or none where it requires none."""
    witness = operation["sensitivityWitness"]
    if witness is not None:
        return witness["legs"][0]["inputs"]
    if declares_no_required_keys(operation):
        return cast(WitnessInputs, _EMPTY_INPUTS[kind_of_operation(operation)])
    return None


def _request(target: _Target, leg_id: str, inputs: WitnessInputs) -> ProbeRequest:
    interface_id, operation_id = target.key
    operation: Any = target.operation
    kind, supplied = kind_of_operation(operation), kind_of_inputs(inputs)
    if kind != supplied:
        raise StructuralFailure(
            "undeclared-mandatory-input",
            f"EvalContract.permittedInterfaces[logicalId={interface_id}].operations[operationId={operation_id}]",
            f'leg "{leg_id}" {_WRONG_CHANNELS[kind, supplied]} (AD-10, AD-19)',
        )
    match kind:
        case "transport":
            called = {"kind": "api", "method": operation["method"], "pathTemplate": operation["pathTemplate"]}
        case "command":
            called = {"kind": "cli", **operation["invocation"]}
        case "tool-call":
            called = {"kind": "mcp", "toolName": operation["toolName"]}
    correlation = {"probeId": leg_id, "interfaceId": interface_id, "operationId": operation_id}
    return cast(ProbeRequest, {**correlation, **called, "channels": inputs})
