"""Which discipline rules a contract satisfies (spec 04, section 8).

A rule fires on sites (operations, collections, sibling groups); it is satisfied when each of its sites is witnessed by
an oracle. The first site that is not decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from eval_quality.artifacts.plan import InteractionStep
from eval_quality.declared_inputs import bound_channels_of, declares_no_request_keys
from eval_quality.plan_index import key_of

from .declared import DeclaredContract, DeclaredOperation, OracleView, escape_token, step_root


class Satisfaction(NamedTuple):
    """Whether a rule is satisfied, and why."""

    satisfied: bool
    reason: str


class Site(NamedTuple):
    """Somewhere a rule fires: whether it is witnessed there, and what is missing if it is not."""

    witnessed: bool
    missing: str


SatisfactionPredicate = Callable[[DeclaredContract], Satisfaction]
_NO_OPERATION = Satisfaction(
    False, "the contract declares no operation, so the site this rule fires on has no declaration to witness"
)
_VACUOUS = Satisfaction(True, "the rule is relevant for no site, so satisfaction holds vacuously")


def _decide(sites: Iterator[Site], closing: str) -> Satisfaction:
    decided = _VACUOUS
    for site in sites:
        if not site.witnessed:
            return Satisfaction(False, site.missing)
        decided = Satisfaction(True, closing)
    return decided


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
        yield Site(
            _has_scalar_command_witness(declared, operation),
            f"operation {operation.id} nominates no success indicator, so no oracle can separate one from the body",
        )
    elif roles is None:
        yield Site(
            False,
            f"operation {operation.id} declares no channel roles, so no pointer is declared to separate the indicator "
            "from",
        )
    elif any(pointer != indicator for pointer in roles):
        others = [pointer for pointer, role in roles.items() if pointer != indicator and role != "success-indicator"]
        witnessed = any(
            view.addresses(operation.body_pointer(step, indicator))
            and any(view.addresses(operation.body_pointer(step, other)) for other in others)
            for step in declared.steps_of(operation.key)
            for view in declared.oracles_at(step)
            if view.linked
        )
        yield Site(
            witnessed,
            f"no behavior-linked oracle addresses operation {operation.id}'s success indicator beside another roled "
            "pointer at one step, in both channels",
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
        for view in declared.oracles_at(step)
        if view.linked
    )


def _pins_exit_and_output(view: OracleView, root: str) -> bool:
    exit_code, stdout = f"{root}/exit-code", f"{root}/stdout"
    if view.oracle["polarity"] != "expects-hold" or not {exit_code, stdout} <= view.direction_targets:
        return False
    pinned = list(_pinned_literals(view.oracle["check"]))
    return any(
        pointer == exit_code and type(literal) in (int, float) and literal == 0 for pointer, literal in pinned
    ) and any(pointer == stdout and isinstance(literal, str) for pointer, literal in pinned)


def _pinned_literals(check: Any) -> Iterator[tuple[str, Any]]:
    """The pointers that a conjunction holds equal to a literal."""
    pending = [] if check is None else [check]
    while pending:
        expression = pending.pop()
        if expression["op"] == "all":
            pending += expression["operands"]
        elif expression["op"] in ("equality", "deep-equality"):
            match expression["operands"]:
                case [{"pointer": pointer}, {"literal": literal}] | [{"literal": literal}, {"pointer": pointer}]:
                    yield pointer, literal


def _whole_body(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    pointers = [f"/{escape_token(key)}" for key in dict.fromkeys(operation.descriptor["requiredKeys"])]
    if len(pointers) > 1:
        witnessed = any(
            all(view.addresses(operation.body_pointer(step, pointer)) for pointer in pointers)
            for step in declared.steps_of(operation.key)
            for view in declared.oracles_at(step)
        )
        yield Site(
            witnessed,
            f"no oracle covers every required response key of operation {operation.id} at one addressed step, in both "
            "channels",
        )


def _malformed_input(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    if not declares_no_request_keys(operation.operation):
        steps = declared.steps_of(operation.key)
        yield Site(
            any(_binds_type_violating(step) and declared.oracles_at(step) for step in steps),
            f"no step invoking operation {operation.id} binds a type-violating matcher under a check that addresses it",
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
            False,
            f"operation {operation.id} declares no collection-location list, so no quantifier can range over a "
            "declared collection",
        )
    for location in locations or ():
        pointer, steps = location["pointer"], declared.steps_of(operation.key)
        yield Site(
            any(operation.body_pointer(step, pointer) in declared.quantified for step in steps),
            f"no check quantifies over collection {pointer} of operation {operation.id}",
        )


def _omission(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    locations = operation.descriptor["collectionLocations"]
    if locations is None:
        yield Site(
            False,
            f"operation {operation.id} declares no collection-location list, so no location can be reconciled against "
            "a reference set",
        )
    for location in locations or ():
        named, pointer, steps = location["referenceSet"], location["pointer"], declared.steps_of(operation.key)
        if named is not None:
            mode = location["expectedCardinality"]["mode"]
            reconciled = declared.covered if mode == "exact" else declared.bounded
            yield Site(
                any((named, operation.body_pointer(step, pointer)) in reconciled for step in steps),
                f"no check reconciles collection {pointer} of operation {operation.id} against reference set {named} in "
                f"the form its {mode} cardinality requires",
            )


def _state_change(declared: DeclaredContract, operation: DeclaredOperation) -> Iterator[Site]:
    if operation.operation["stateChangeMarker"]:
        witnessed = any(
            declared.read_beside_inputs_of(write).address(reader.body_pointer(read, ""))
            for write in declared.steps_of(operation.key)
            for read, reader in declared.read_backs_of(write)
        )
        yield Site(
            witnessed,
            f"no check relates operation {operation.id}'s call inputs to the response body of a later step that changes "
            "no state",
        )


def sibling_cross_check(declared: DeclaredContract) -> Satisfaction:
    """Every declared sibling group has an oracle that reads two of its members."""
    if declared.contract["siblingGroups"] is None:
        return Satisfaction(False, "the contract declares no sibling groups, so no group is declared to cross-check")
    return _decide(_sibling_sites(declared), "every declared sibling group has an oracle reading two of its members")


def _sibling_sites(declared: DeclaredContract) -> Iterator[Site]:
    groups = declared.contract["siblingGroups"]
    assert groups is not None
    for operations in groups["operations"]:
        keys = {key_of(member): member["operationId"] for member in operations}
        yield _sibling_site("operation", keys.values(), [declared.operation_readers.get(key, ()) for key in keys])
    for parameters in groups["parameters"]:
        names = dict.fromkeys(parameters)
        tokens = map(escape_token, names)
        yield _sibling_site("parameter", names, [declared.parameter_readers.get(token, ()) for token in tokens])


def _sibling_site(kind: str, members: Iterable[str], readers: Sequence[Iterable[OracleView]]) -> Site:
    read = Counter(view for views in readers for view in views)
    return Site(
        any(times >= 2 for times in read.values()),
        f"no oracle addresses two members of the {kind} sibling group {' and '.join(members)} in both channels",
    )


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
