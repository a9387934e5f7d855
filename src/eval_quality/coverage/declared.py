"""A contract as the discipline rules see it: operations, steps, and what each oracle addresses (spec 04, section 6)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.interfaces import AnyOperation, InterfaceKind, ResponseDescriptor
from eval_quality.artifacts.oracles import Oracle
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.declared_inputs import descriptor_artifact_of, descriptor_channel_of
from eval_quality.expression_walk import CONNECTIVES, QUANTIFIERS, Node, bound_root, substitute, walk
from eval_quality.plan_index import OperationKey, key_of


def escape_token(token: str) -> str:
    """A key as a reference token."""
    return token.replace("~", "~0").replace("/", "~1")


def step_root(step: InteractionStep) -> str:
    """Root of a step's evidence pointers."""
    return f"/interactions/{step['stepId']}"


class Pointers:
    """A set of pointers that answers which of them lie at or below a root."""

    def __init__(self, pointers: Iterable[str]) -> None:
        self._sorted = sorted(set(pointers))

    def address(self, root: str) -> bool:
        """Whether one of them is the root, or lies below it."""
        below = f"{root}/"
        return self._next(root) == root or (self._next(below) or "").startswith(below)

    def _next(self, text: str) -> str | None:
        place = bisect_left(self._sorted, text)
        return self._sorted[place] if place < len(self._sorted) else None


class Place(NamedTuple):
    """What a pointer says of its whereabouts: its first reference tokens after ``/interactions``, as far as it goes."""

    step_id: str | None
    channel: str | None = None
    input_channel: str | None = None
    key: str | None = None


def place_of(pointer: str) -> Place:
    """Where a pointer lies; nowhere, for one that is not rooted in a step."""
    root, *tokens = pointer.removeprefix("/").split("/", 5)
    return Place(*tokens[:4]) if root == "interactions" and tokens else Place(None)


def node_pointers(node: Node) -> Iterator[str]:
    """The pointers a node reads itself, with what ``@`` stands for put in."""
    if node.op in CONNECTIVES:
        return
    operands = [node.expression["collection"]] if node.op in QUANTIFIERS else node.expression["operands"]
    for operand in operands:
        if "pointer" in operand:
            yield substitute(operand["pointer"], node.root)


@dataclass(frozen=True, eq=False)
class OracleView:
    """What one oracle's direction and check address."""

    oracle: Oracle
    linked: bool
    """Whether a behavior lists the oracle."""

    @cached_property
    def nodes(self) -> Sequence[Node]:
        check = self.oracle["check"]
        return () if check is None else tuple(walk(check))

    @cached_property
    def direction_targets(self) -> frozenset[str]:
        direction = self.oracle["direction"]
        return frozenset(() if direction is None else direction["evidenceTargets"])

    @cached_property
    def check_pointers(self) -> frozenset[str]:
        return frozenset(pointer for node in self.nodes for pointer in node_pointers(node))

    @cached_property
    def _channels(self) -> tuple[Pointers, Pointers]:
        return Pointers(self.direction_targets), Pointers(self.check_pointers)

    def addresses(self, root: str) -> bool:
        """Whether both channels, the direction and the check, address a root."""
        return all(pointers.address(root) for pointers in self._channels)

    @cached_property
    def _places(self) -> tuple[frozenset[Place], frozenset[Place]]:
        return frozenset(map(place_of, self.direction_targets)), frozenset(map(place_of, self.check_pointers))

    @cached_property
    def steps(self) -> frozenset[str | None]:
        """Steps that both channels address."""
        directed, checked = self._places
        return frozenset(place.step_id for place in directed) & frozenset(place.step_id for place in checked)

    @cached_property
    def inputs(self) -> frozenset[Place]:
        """Call inputs that both channels address."""
        directed, checked = self._places
        return frozenset(
            place for place in directed & checked if place.channel == "call-inputs" and place.key is not None
        )


@dataclass(frozen=True)
class DeclaredOperation:
    """An operation with the interface that offers it."""

    operation: AnyOperation
    kind: InterfaceKind
    interface_id: str

    @property
    def id(self) -> str:
        return self.operation["operationId"]

    @property
    def key(self) -> OperationKey:
        return self.interface_id, self.id

    @property
    def descriptor(self) -> ResponseDescriptor:
        return self.operation["responseDescriptor"]

    @cached_property
    def descriptor_root(self) -> str:
        """Where below a step the described output lies."""
        if self.kind != "cli":
            return "/response-body"
        artifact = descriptor_artifact_of(self.operation)
        return (
            f"/{descriptor_channel_of(self.operation)}" if artifact is None else f"/artifact/{escape_token(artifact)}"
        )

    def body_pointer(self, step: InteractionStep, pointer: str) -> str:
        """A descriptor pointer at one step."""
        return f"{step_root(step)}{self.descriptor_root}{pointer}"


class DeclaredContract:
    """A contract, indexed once for all rules."""

    def __init__(self, contract: EvalContract) -> None:
        self.contract = contract

    @cached_property
    def operations(self) -> Sequence[DeclaredOperation]:
        return tuple(
            DeclaredOperation(operation, interface["kind"], interface["logicalId"])
            for interface in self.contract["permittedInterfaces"]
            for operation in interface["operations"]
        )

    @cached_property
    def oracles(self) -> Sequence[OracleView]:
        listed = {identifier for behavior in self.contract["behaviors"] for identifier in behavior["oracles"]}
        return tuple(OracleView(oracle, oracle["id"] in listed) for oracle in self.contract["oracles"])

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """Every node of every check."""
        return tuple(node for view in self.oracles for node in view.nodes)

    @cached_property
    def _steps(self) -> dict[OperationKey, list[InteractionStep]]:
        steps: dict[OperationKey, list[InteractionStep]] = defaultdict(list)
        for step in self.contract["interactionPlan"]:
            steps[key_of(step)].append(step)
        return steps

    def steps_of(self, key: OperationKey) -> Sequence[InteractionStep]:
        """Steps of an operation, in plan order."""
        return self._steps.get(key, ())

    @cached_property
    def _operations_by_key(self) -> dict[OperationKey, list[DeclaredOperation]]:
        operations: dict[OperationKey, list[DeclaredOperation]] = defaultdict(list)
        for operation in self.operations:
            operations[operation.key].append(operation)
        return operations

    @cached_property
    def _followers(self) -> dict[str, list[InteractionStep]]:
        followers: dict[str, list[InteractionStep]] = defaultdict(list)
        for step in self.contract["interactionPlan"]:
            if step["after"] is not None:
                followers[step["after"]].append(step)
        return followers

    def read_backs_of(self, write: InteractionStep) -> Iterator[tuple[InteractionStep, DeclaredOperation]]:
        """Steps that directly follow a write and change no state, each with its one declared operation."""
        for step in self._followers.get(write["stepId"], ()):
            match self._operations_by_key.get(key_of(step), []):
                case [reader] if step["stepId"] != write["stepId"] and not reader.operation["stateChangeMarker"]:
                    yield step, reader

    @cached_property
    def _oracles_by_step(self) -> dict[str | None, list[OracleView]]:
        by_step: dict[str | None, list[OracleView]] = defaultdict(list)
        for view in self.oracles:
            for step_id in {place_of(pointer).step_id for pointer in view.check_pointers}:
                by_step[step_id].append(view)
        return by_step

    def oracles_at(self, step: InteractionStep) -> Sequence[OracleView]:
        """Oracles whose check addresses a step."""
        return self._oracles_by_step.get(step["stepId"], ())

    @cached_property
    def _operations_by_step(self) -> dict[str | None, set[OperationKey]]:
        keys: dict[str | None, set[OperationKey]] = defaultdict(set)
        for step in self.contract["interactionPlan"]:
            keys[step["stepId"]].add(key_of(step))
        return keys

    @cached_property
    def operation_readers(self) -> Mapping[OperationKey, Sequence[OracleView]]:
        """For each operation, the oracles that address a step of it in both channels."""
        readers: dict[OperationKey, list[OracleView]] = defaultdict(list)
        for view in self.oracles:
            for key in {key for step_id in view.steps for key in self._operations_by_step.get(step_id, ())}:
                readers[key].append(view)
        return readers

    @cached_property
    def parameter_readers(self) -> Mapping[str | None, Sequence[OracleView]]:
        """For each parameter, as a reference token, the oracles that address it at some step in both channels."""
        readers: dict[str | None, list[OracleView]] = defaultdict(list)
        for view in self.oracles:
            for key in {place.key for place in view.inputs if place.step_id in self._operations_by_step}:
                readers[key].append(view)
        return readers

    @cached_property
    def quantified(self) -> frozenset[str | None]:
        """Collections that some quantifier ranges over."""
        return frozenset(bound_root(node) for node in self.nodes if node.op in QUANTIFIERS)

    @cached_property
    def covered(self) -> frozenset[tuple[str, str]]:
        """Reference sets and the collections that some check holds equal to them, by key."""
        return frozenset(
            (named, substitute(pointer, node.root))
            for node in self.nodes
            for expected, actual in ([node.expression["operands"]] if node.op == "covers-by-key" else ())
            if (named := expected.get("referenceSet")) is not None and (pointer := actual.get("pointer")) is not None
        )

    @cached_property
    def bounded(self) -> frozenset[tuple[str, str | None]]:
        """Reference sets and the collections that some check holds, member by member, to lie within them."""
        return frozenset(
            (members["referenceSet"], bound_root(node))
            for node in self.nodes
            if node.op == "for-all" and node.expression["predicate"]["op"] == "set-membership"
            for members in node.expression["predicate"]["operands"][1:]
            if "referenceSet" in members
        )

    @cached_property
    def _read_beside_inputs(self) -> dict[str | None, Pointers]:
        beside: dict[str | None, set[str]] = defaultdict(set)
        for node in self.nodes:
            if node.op in QUANTIFIERS:
                continue
            pointers = set(node_pointers(node))
            for place in map(place_of, pointers):
                if place.channel == "call-inputs":
                    beside[place.step_id] |= pointers
        return {step_id: Pointers(pointers) for step_id, pointers in beside.items()}

    def read_beside_inputs_of(self, step: InteractionStep) -> Pointers:
        """What single operators read beside what was sent to a step."""
        return self._read_beside_inputs.get(step["stepId"], Pointers(()))
