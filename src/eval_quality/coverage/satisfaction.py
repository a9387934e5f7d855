"""Which discipline rules a contract satisfies (spec 04, section 8).

A rule fires on sites (operations, collections, sibling groups); it is satisfied when each of its sites is witnessed by
an oracle. The first site that is not decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from eval_quality.artifacts.interfaces import CollectionLocation
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.artifacts.pointers import INPUT_CHANNELS
from eval_quality.declared_inputs import bound_channels_of, request_channels_of
from eval_quality.expression_walk import CONNECTIVES, QUANTIFIERS, bound_root, substitute
from eval_quality.plan_index import key_of

from .declared import DeclaredContract, DeclaredOperation, OracleView, escape_token, node_pointers, step_root


class Satisfaction(NamedTuple):
    """Whether a rule is satisfied, and why."""

    satisfied: bool
    reason: str


class Site(NamedTuple):
    """Somewhere a rule fires: what is missing there, or nothing when it is witnessed."""

    missing: str | None


_NO_OPERATION = Satisfaction(
    False, "the contract declares no operation, so the site this rule fires on has no declaration to witness"
)
_VACUOUS = Satisfaction(True, "the rule is relevant for no site, so satisfaction holds vacuously")
_WITNESSED = Site(None)
SatisfactionPredicate = Callable[[DeclaredContract], Satisfaction]


def _decide(sites: Iterator[Site], closing: str) -> Satisfaction:
    met = False
    for site in sites:
        if site.missing is not None:
            return Satisfaction(False, site.missing)
        met = True
    return Satisfaction(True, closing) if met else _VACUOUS


def per_operation(
    sites: Callable[[DeclaredContract, DeclaredOperation], Iterator[Site]], closing: str
) -> SatisfactionPredicate:
    """A predicate over the sites of every operation, in declaration order."""

    def predicate(declared: DeclaredContract) -> Satisfaction:
        if not declared.operations:
            return _NO_OPERATION
        return _decide((site for each in declared.operations for site in sites(declared, each)), closing)

    return predicate


def _success_indicator(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    indicator, roles = operation.descriptor["successIndicator"], operation.descriptor["channelRoles"]
    if indicator is None:
        if _has_scalar_command_witness(declared, operation):
            yield _WITNESSED
        else:
            yield Site(
                f"operation {operation.id} nominates no success indicator, so no oracle can separate one from the body"
            )
        return
    if roles is None:
        yield Site(
            f"operation {operation.id} declares no channel roles, so no pointer is declared to separate the indicator "
            "from"
        )
        return
    if all(pointer == indicator for pointer in roles):
        return
    others = [pointer for pointer, role in roles.items() if pointer != indicator and role != "success-indicator"]
    witnessed = any(
        view.addresses(operation.body_pointer(step, indicator))
        and any(view.addresses(operation.body_pointer(step, other)) for other in others)
        for step in declared.steps_of(operation.key)
        for view in declared.linked_at(step)
    )
    yield (
        _WITNESSED
        if witnessed
        else Site(
            f"no behavior-linked oracle addresses operation {operation.id}'s success indicator beside another roled "
            "pointer at one step, in both channels"
        )
    )


def _has_scalar_command_witness(declared: DeclaredContract, operation: DeclaredOperation) -> bool:
    """Whether one linked oracle pins both the exit code and the whole standard output of a scalar command."""
    descriptor = operation.descriptor
    roles = descriptor["channelRoles"] or {}
    scalar = (
        operation.kind == "cli"
        and operation.descriptor_root == "/stdout"
        and not (descriptor["requiredKeys"] or descriptor["permittedKeys"] or descriptor["types"])
        and all(pointer == "" and role == "payload" for pointer, role in roles.items())
    )
    return scalar and any(
        _pins_exit_and_output(view, step_root(step))
        for step in declared.steps_of(operation.key)
        for view in declared.linked_at(step)
    )


def _pins_exit_and_output(view: OracleView, root: str) -> bool:
    exit_code, stdout = f"{root}/exit-code", f"{root}/stdout"
    if view.oracle["polarity"] != "expects-hold" or not {exit_code, stdout} <= view.direction_targets:
        return False
    pinned = dict(_pinned_literals(view.oracle["check"]))
    code = pinned.get(exit_code)
    return (
        isinstance(code, int | float)
        and not isinstance(code, bool)
        and code == 0
        and stdout in pinned
        and isinstance(pinned[stdout], str)
    )


def _pinned_literals(check: Any) -> Iterator[tuple[str, Any]]:
    """The pointers that a conjunction holds equal to a literal."""
    pending = [check]
    while pending:
        expression = pending.pop()
        if expression is None:
            continue
        if expression["op"] == "all":
            pending += expression["operands"]
        elif expression["op"] in ("equality", "deep-equality"):
            match expression["operands"]:
                case [{"pointer": pointer}, {"literal": literal}] | [{"literal": literal}, {"pointer": pointer}]:
                    yield pointer, literal


def _whole_body(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    required = dict.fromkeys(operation.descriptor["requiredKeys"])
    if len(required) < 2:
        return
    pointers = [f"/{escape_token(key)}" for key in required]
    witnessed = any(
        all(view.addresses(operation.body_pointer(step, pointer)) for pointer in pointers)
        for step in declared.steps_of(operation.key)
        for view in declared.oracles_at(step)
    )
    yield (
        _WITNESSED
        if witnessed
        else Site(
            f"no oracle covers every required response key of operation {operation.id} at one addressed step, in both "
            "channels"
        )
    )


def _malformed_input(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    shapes = (shape for _, shape in request_channels_of(operation.operation))
    if not any(shape["requiredKeys"] or shape["permittedKeys"] or shape["types"] for shape in shapes):
        return
    witnessed = any(
        _binds_type_violating(step) and any(view.check_addresses(step_root(step)) for view in declared.oracles_at(step))
        for step in declared.steps_of(operation.key)
    )
    yield (
        _WITNESSED
        if witnessed
        else Site(
            f"no step invoking operation {operation.id} binds a type-violating matcher under a check that addresses it"
        )
    )


def _binds_type_violating(step: InteractionStep) -> bool:
    return any(
        value.get("matcher") == "type-violating"
        for _, bound in bound_channels_of(step["inputBinding"])
        for value in (bound or {}).values()
    )


def _per_record(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    locations = operation.descriptor["collectionLocations"]
    if locations is None:
        yield Site(
            f"operation {operation.id} declares no collection-location list, so no quantifier can range over a "
            "declared collection"
        )
    for location in locations or ():
        pointer = location["pointer"]
        witnessed = any(
            operation.body_pointer(step, pointer) in view.quantified
            for step in declared.steps_of(operation.key)
            for view in declared.oracles_at(step)
        )
        yield (
            _WITNESSED
            if witnessed
            else Site(f"no check quantifies over collection {pointer} of operation {operation.id}")
        )


def _omission(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    locations = operation.descriptor["collectionLocations"]
    if locations is None:
        yield Site(
            f"operation {operation.id} declares no collection-location list, so no location can be reconciled against "
            "a reference set"
        )
    for location in locations or ():
        named = location["referenceSet"]
        if named is None:
            continue
        witnessed = any(
            _reconciles(view, operation.body_pointer(step, location["pointer"]), location)
            for step in declared.steps_of(operation.key)
            for view in declared.oracles_at(step)
        )
        mode = location["expectedCardinality"]["mode"]
        yield (
            _WITNESSED
            if witnessed
            else Site(
                f"no check reconciles collection {location['pointer']} of operation {operation.id} against reference set "
                f"{named} in the form its {mode} cardinality requires"
            )
        )


def _reconciles(view: OracleView, collection: str, location: CollectionLocation) -> bool:
    """Whether a check holds a collection against its reference set: wholly when exact, member by member when bounded."""
    named = {"referenceSet": location["referenceSet"]}
    exact = location["expectedCardinality"]["mode"] == "exact"
    for node in view.nodes:
        expression = node.expression
        match expression:
            case {"op": "covers-by-key", "operands": [expected, {"pointer": pointer}]} if exact:
                if expected == named and substitute(pointer, node.root) == collection:
                    return True
            case {"op": "for-all", "predicate": {"op": "set-membership", "operands": [_, members]}} if not exact:
                if members == named and bound_root(node) == collection:
                    return True
    return False


def _state_change(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    if not operation.operation["stateChangeMarker"]:
        return
    witnessed = any(
        _relates(view, f"{step_root(write)}/call-inputs", f"{step_root(read)}{reader.descriptor_root}")
        for write in declared.steps_of(operation.key)
        for read, reader in declared.read_backs_of(write)
        for view in declared.oracles_at(read)
    )
    yield (
        _WITNESSED
        if witnessed
        else Site(
            f"no check relates operation {operation.id}'s call inputs to the response body of a later step that changes no "
            "state"
        )
    )


def _relates(view: OracleView, sent: str, returned: str) -> bool:
    """Whether one leaf of a check reads both what was sent and what was returned."""
    for node in view.nodes:
        if node.op in CONNECTIVES or node.op in QUANTIFIERS:
            continue
        pointers = list(node_pointers(node))
        if all(any(_lies_at(pointer, root) for pointer in pointers) for root in (sent, returned)):
            return True
    return False


def _lies_at(pointer: str, root: str) -> bool:
    return pointer == root or pointer.startswith(f"{root}/")


def sibling_cross_check(declared: DeclaredContract) -> Satisfaction:
    """Every declared sibling group has an oracle that reads two of its members."""
    if declared.contract["siblingGroups"] is None:
        return Satisfaction(False, "the contract declares no sibling groups, so no group is declared to cross-check")
    return _decide(_sibling_sites(declared), "every declared sibling group has an oracle reading two of its members")


def _sibling_sites(declared: DeclaredContract) -> Iterator[Site]:
    groups = declared.contract["siblingGroups"]
    assert groups is not None
    for operations in groups["operations"]:
        members = {key_of(member): member["operationId"] for member in operations}
        roots = [[step_root(step) for step in declared.steps_of(key)] for key in members]
        yield _sibling_site(declared, "operation", list(members.values()), roots)
    plan = declared.contract["interactionPlan"]
    for parameters in groups["parameters"]:
        names = list(dict.fromkeys(parameters))
        inputs = [f"{step_root(step)}/call-inputs/{channel}" for step in plan for channel in INPUT_CHANNELS]
        roots = [[f"{place}/{escape_token(name)}" for place in inputs] for name in names]
        yield _sibling_site(declared, "parameter", names, roots)


def _sibling_site(
    declared: DeclaredContract, kind: str, members: Sequence[str], roots: Sequence[Sequence[str]]
) -> Site:
    for view in declared.oracles:
        if sum(any(view.addresses(root) for root in member) for member in roots) >= 2:
            return _WITNESSED
    told = " and ".join(members)
    return Site(f"no oracle addresses two members of the {kind} sibling group {told} in both channels")


success_indicator_separation = per_operation(
    _success_indicator,
    "every operation the rule fires on has an oracle reading its success indicator beside another roled pointer",
)
whole_body = per_operation(
    _whole_body,
    "every operation declaring more than one required response key has an oracle covering all of them at one step",
)
malformed_input = per_operation(
    _malformed_input, "every operation declaring a request key has a type-violating step some check addresses"
)
per_record = per_operation(_per_record, "every declared collection location is the collection of some quantifier")
omission_and_completeness = per_operation(
    _omission, "every collection location naming a reference set is reconciled against it in the declared form"
)
state_change_read_back = per_operation(
    _state_change, "every state-changing operation is read back through a later non-state-changing step"
)
