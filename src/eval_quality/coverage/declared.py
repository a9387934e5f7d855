"""A contract as the discipline rules see it: operations, steps, and what each oracle addresses (spec 04, section 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

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
    """A set of pointers that answers which of them lie at or below a root, in time that does not grow with the set."""

    def __init__(self, pointers: Iterator[str]) -> None:
        self._prefixes = {
            pointer[:end]
            for pointer in pointers
            for end in (*(place for place, char in enumerate(pointer) if char == "/"), len(pointer))
        }

    def address(self, root: str) -> bool:
        """Whether one of them is the root, or lies below it."""
        return root in self._prefixes


def node_pointers(node: Node) -> Iterator[str]:
    """The pointers a node reads itself, with what ``@`` stands for put in."""
    if node.op in CONNECTIVES:
        return
    operands = [node.expression["collection"]] if node.op in QUANTIFIERS else node.expression["operands"]
    for operand in operands:
        if "pointer" in operand:
            yield substitute(operand["pointer"], node.root)


@dataclass(frozen=True)
class OracleView:
    """What one oracle's direction and check address."""

    oracle: Oracle

    @cached_property
    def nodes(self) -> Sequence[Node]:
        check = self.oracle["check"]
        return () if check is None else tuple(walk(check))

    @cached_property
    def direction_targets(self) -> frozenset[str]:
        direction = self.oracle["direction"]
        return frozenset(() if direction is None else direction["evidenceTargets"])

    @cached_property
    def _direction(self) -> Pointers:
        return Pointers(iter(self.direction_targets))

    @cached_property
    def _check(self) -> Pointers:
        return Pointers(pointer for node in self.nodes for pointer in node_pointers(node))

    def check_addresses(self, root: str) -> bool:
        return self._check.address(root)

    def addresses(self, root: str) -> bool:
        """Whether both the direction and the check address a root."""
        return self._direction.address(root) and self._check.address(root)

    @cached_property
    def quantified(self) -> frozenset[str]:
        """Pointers of the collections its quantifiers range over."""
        return frozenset(
            root for node in self.nodes if node.op in QUANTIFIERS and (root := bound_root(node)) is not None
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
        return tuple(OracleView(oracle) for oracle in self.contract["oracles"])

    @cached_property
    def linked_oracles(self) -> Sequence[OracleView]:
        """Oracles that a behavior lists."""
        listed = {identifier for behavior in self.contract["behaviors"] for identifier in behavior["oracles"]}
        return tuple(view for view in self.oracles if view.oracle["id"] in listed)

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
    def _oracles_by_step(self) -> dict[str, list[OracleView]]:
        by_step: dict[str, list[OracleView]] = defaultdict(list)
        for view in self.oracles:
            pointers = {pointer for node in view.nodes for pointer in node_pointers(node)} | view.quantified
            for step_id in dict.fromkeys(_step_id(pointer) for pointer in pointers):
                by_step[step_id].append(view)
        return by_step

    def oracles_at(self, step: InteractionStep) -> Sequence[OracleView]:
        """Oracles whose check reads something of a step."""
        return self._oracles_by_step.get(step["stepId"], ())

    @cached_property
    def linked_ids(self) -> frozenset[int]:
        return frozenset(id(view) for view in self.linked_oracles)

    def linked_at(self, step: InteractionStep) -> Iterator[OracleView]:
        """Oracles among them that a behavior lists."""
        return (view for view in self.oracles_at(step) if id(view) in self.linked_ids)


def _step_id(pointer: str) -> str:
    return pointer.removeprefix("/interactions/").partition("/")[0]
