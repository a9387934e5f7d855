"""Which discipline rules a contract is subject to (spec 04, section 7).

A rule with no declaration to read is relevant: what is absent cannot excuse. ``Relevance`` is the answer and its reason;
reasons are for people and enter no artifact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from eval_quality.canonical import js_key_order
from eval_quality.declared_inputs import request_channels_of

from .declared import DeclaredContract, DeclaredOperation


class Relevance(NamedTuple):
    """Whether a rule applies, and why."""

    relevant: bool
    reason: str


_NO_OPERATION = Relevance(True, "the contract declares no operation, so the declaration this rule reads is absent")
RelevancePredicate = Callable[[DeclaredContract], Relevance]


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def per_operation(reasons: Callable[[DeclaredOperation], Iterable[str]], otherwise: str) -> RelevancePredicate:
    """A predicate that is true as soon as one operation gives a reason."""

    def predicate(declared: DeclaredContract) -> Relevance:
        if not declared.operations:
            return _NO_OPERATION
        found = (reason for operation in declared.operations for reason in reasons(operation))
        first = next(iter(found), None)
        return Relevance(False, otherwise) if first is None else Relevance(True, first)

    return predicate


def _success_indicator(operation: DeclaredOperation) -> Iterator[str]:
    indicator, roles = operation.descriptor["successIndicator"], operation.descriptor["channelRoles"]
    if indicator is None:
        yield f"operation {operation.id} nominates no success indicator"
    elif roles is None:
        yield f"operation {operation.id} declares no channel roles"
    else:
        for pointer in js_key_order(roles):
            if pointer != indicator:
                yield f"operation {operation.id} gives pointer {pointer} a channel role beside its success indicator"


def _whole_body(operation: DeclaredOperation) -> Iterator[str]:
    distinct = len(set(operation.descriptor["requiredKeys"]))
    if distinct > 1:
        yield f"operation {operation.id} declares {distinct} distinct required response keys"


def _malformed_input(operation: DeclaredOperation) -> Iterator[str]:
    for channel, shape in request_channels_of(operation.operation):
        for key in (*shape["requiredKeys"][:1], *shape["permittedKeys"][:1], *js_key_order(shape["types"])[:1]):
            yield f"operation {operation.id} declares {channel} key {key}"


def _per_record(operation: DeclaredOperation) -> Iterator[str]:
    locations = operation.descriptor["collectionLocations"]
    if locations is None:
        yield (
            f"operation {operation.id} declares no collection-location list, so no collection is declared to range over"
        )
    elif locations:
        yield f"operation {operation.id} declares {plural(len(locations), 'collection location')}"


def _omission(operation: DeclaredOperation) -> Iterator[str]:
    locations = operation.descriptor["collectionLocations"]
    if locations is None:
        yield f"operation {operation.id} declares no collection-location list, so no location can name a reference set"
    for location in locations or ():
        if location["referenceSet"] is not None:
            named, pointer = location["referenceSet"], location["pointer"]
            yield f"operation {operation.id} names reference set {named} for collection {pointer}"


def _state_change(operation: DeclaredOperation) -> Iterator[str]:
    if operation.operation["stateChangeMarker"]:
        yield f"operation {operation.id} declares stateChangeMarker: true"


def sibling_cross_check(declared: DeclaredContract) -> Relevance:
    groups = declared.contract["siblingGroups"]
    if groups is None:
        return Relevance(True, "the contract declares no sibling groups")
    if groups["operations"]:
        told = plural(len(groups["operations"]), "operation sibling group")
        return Relevance(True, f"the contract declares {told}")
    if groups["parameters"]:
        told = plural(len(groups["parameters"]), "parameter sibling group")
        return Relevance(True, f"the contract declares {told}")
    return Relevance(False, "the contract declares explicitly empty operation and parameter sibling groups")


success_indicator_separation = per_operation(
    _success_indicator, "every operation nominates a success indicator and gives no other pointer a channel role"
)
whole_body = per_operation(_whole_body, "no operation declares more than one distinct required response key")
malformed_input = per_operation(_malformed_input, "no operation declares a request key on any transport channel")
per_record = per_operation(_per_record, "every operation declares an explicitly empty collection-location list")
omission_and_completeness = per_operation(_omission, "no declared collection location names a reference set")
state_change_read_back = per_operation(_state_change, "no operation declares stateChangeMarker: true")
