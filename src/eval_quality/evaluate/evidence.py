"""What an operand reads (spec 04, section 2).

``ABSENT`` means that a pointer did not resolve. It is not null: a channel that recorded nothing is present as null, a
stream or a file that was not observed is absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.expressions import Operand
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.declared_inputs import targets_described_channel
from eval_quality.plan_index import (
    EvidenceTarget,
    OperationKey,
    PlanIndex,
    build_plan_index,
    decode_tail,
    key_of,
    parse_evidence_target,
)

if TYPE_CHECKING:
    from eval_quality.artifacts.sealed_run_record import Observation


class Absent:
    """The type of ``ABSENT``; it has one instance, copies and pickles included."""

    _instance: Absent | None = None

    def __new__(cls) -> Absent:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> tuple[type[Absent], tuple[()]]:
        return Absent, ()


ABSENT: Final = Absent()

ResolvedValue: TypeAlias = Any
"""A JSON value, or ``ABSENT``."""
ResolveOperand: TypeAlias = Callable[[Operand, ResolvedValue, str], ResolvedValue]
"""Operand, bound element (or ``ABSENT``) and artifact path to what the operand reads."""
PointerDenotesCollection: TypeAlias = Callable[[str], bool]
"""Whether a contract declares a pointer a collection."""
ReferenceSetKeys: TypeAlias = Mapping[str, Sequence[str]]
"""The keys each reference set declares."""

_CHANNEL_FIELDS: Final = {
    "response-body": "responseBody",
    "response-headers": "responseHeaders",
    "response-status": "responseStatus",
    "exit-code": "exitCode",
}
_STREAMS: Final = ("stdout", "stderr")
_INDEX: Final = re.compile("0|[1-9][0-9]*")
_LONGEST_INDEX: Final = 20
"""Digits of the longest index worth converting; no list is that long."""


def make_resolve_operand(
    step_observations: Mapping[str, Observation], reference_sets: Mapping[str, Sequence[Any]]
) -> ResolveOperand:
    """A resolver over the observation selected for each step and the members of each reference set.

    A step that is not in the mapping has no selected observation. The resolver reads each pointer once, and raises
    ``PreconditionError`` for one outside the grammar.
    """
    rooted: dict[str, ResolvedValue] = {}
    tails: dict[str, Sequence[str]] = {}

    def resolve(operand: Operand, bound_element: ResolvedValue, artifact_path: str) -> ResolvedValue:
        read: Mapping[str, Any] = operand
        if "literal" in read:
            return read["literal"]
        if "referenceSet" in read:
            return reference_sets.get(read["referenceSet"], ABSENT)
        pointer: str = read["pointer"]
        if pointer.startswith("@"):
            if bound_element is ABSENT:
                return ABSENT
            if pointer not in tails:
                tails[pointer] = () if pointer == "@/" else decode_tail(pointer[1:])
            return walk_tail(bound_element, tails[pointer])
        if pointer not in rooted:
            rooted[pointer] = _read(parse_evidence_target(pointer), step_observations)
        return rooted[pointer]

    return resolve


def _read(target: EvidenceTarget, step_observations: Mapping[str, Observation]) -> ResolvedValue:
    observation = step_observations.get(target.step_id)
    return ABSENT if observation is None else walk_tail(channel_root(observation, target), target.tail)


def channel_root(observation: Observation, target: EvidenceTarget) -> ResolvedValue:
    """What an observation recorded on a target's channel."""
    recorded: Mapping[str, Any] = observation
    if target.channel in _CHANNEL_FIELDS:
        return recorded[_CHANNEL_FIELDS[target.channel]]
    if target.channel == "call-inputs":
        return recorded["callInputs"][target.input_channel]
    body = recorded[target.channel] if target.channel in _STREAMS else recorded["artifacts"].get(target.artifact_id)
    return ABSENT if body is None or body["kind"] == "absent" else body["value"]


def walk_tail(root: ResolvedValue, tail: Sequence[str]) -> ResolvedValue:
    """Follow reference tokens down from a value."""
    value = root
    for token in tail:
        if isinstance(value, dict):
            value = value.get(token, ABSENT)
        elif isinstance(value, list):
            value = _element(value, token)
        else:
            return ABSENT
    return value


def _element(elements: list[Any], token: str) -> ResolvedValue:
    if len(token) < _LONGEST_INDEX and _INDEX.fullmatch(token) and int(token) < len(elements):
        return elements[int(token)]
    return ABSENT


def make_pointer_denotes_collection(
    contract: EvalContract, plan_index: PlanIndex | None = None
) -> PointerDenotesCollection:
    """Whether a contract declares a pointer a collection, as a function of the pointer.

    Without an index one is built when first needed, which raises ``PreconditionError`` for a repeated identifier.
    """
    index = plan_index
    known: dict[str, bool] = {}
    collections: dict[OperationKey, frozenset[tuple[str, ...]]] = {}

    def is_collection(target: EvidenceTarget, index: PlanIndex) -> bool:
        step = index.step_of(target.step_id)
        operation = None if step is None else index.any_operation_of(key_of(step))
        if step is None or operation is None:
            return False
        if not targets_described_channel(operation, target.channel, target.artifact_id):
            return False
        if key_of(step) not in collections:
            collections[key_of(step)] = _collection_tails(operation)
        return target.tail in collections[key_of(step)]

    def denotes(pointer: str) -> bool:
        nonlocal index
        if pointer.startswith("@"):
            return False
        if pointer not in known:
            if index is None:
                index = build_plan_index(contract["interactionPlan"], contract["permittedInterfaces"])
            known[pointer] = is_collection(parse_evidence_target(pointer), index)
        return known[pointer]

    return denotes


def make_witness_pointer_denotes_collection(operation: AnyOperation | None) -> PointerDenotesCollection:
    """Whether one operation declares a pointer a collection, whatever step it is rooted at.

    This is how the relation of a witness and the predicate of a defect signature are read: over response bodies only.
    """
    tails = frozenset[tuple[str, ...]]() if operation is None else _collection_tails(operation)

    def denotes(pointer: str) -> bool:
        if pointer.startswith("@"):
            return False
        target = parse_evidence_target(pointer)
        return target.channel == "response-body" and target.tail in tails

    return denotes


def _collection_tails(operation: AnyOperation) -> frozenset[tuple[str, ...]]:
    """Where in what its response descriptor describes an operation declares collections."""
    locations = operation["responseDescriptor"]["collectionLocations"] or ()
    return frozenset(decode_tail(location["pointer"]) for location in locations)


def reference_set_keys_of(contract: EvalContract) -> dict[str, list[str]]:
    """The keys each reference set of a contract declares; nothing for a contract without any."""
    return {identifier: declared["keys"] for identifier, declared in (contract["referenceSets"] or {}).items()}
