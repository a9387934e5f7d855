"""Sensitivity witnesses and the fixture reset (spec 05, section 6; AD-10, AD-26).

A sensitivity witness shows that an operation reacts to its inputs: two legs that differ in one channel, and a relation
over their answers. Checked in this order:

1. Every operation that takes request keys declares a witness, and each leg sends what the operation declares (strict).
2. Leg identifiers are unique over the contract and no plan step has one.
3. A witness varies a channel its operation may be varied in, both legs have that channel and differ there; the relation
   reads both legs and nothing else, only what a leg carries, only what the operation declares, and nothing volatile.
4. The fixture reset names a declared operation that changes state, and sends what it declares.

Pre-flight and probe qualification judge inputs and relations by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from eval_quality.declared_inputs import declares_no_request_keys, is_command_operation, is_mcp_operation
from eval_quality.errors import StructuralFailure

from .legality import malformed
from .mandatory_inputs import undeclared
from .reachability import unreachable_evidence
from .surface import Surface

if TYPE_CHECKING:
    from eval_quality.artifacts.interfaces import AnyOperation
    from eval_quality.artifacts.witnesses import WitnessInputs

    from .sites import Site, WitnessSite
    from .subject import Subject

OperationKind = Literal["transport", "command", "tool-call"]

WITNESS_CHANNELS: Final[dict[OperationKind, tuple[str, ...]]] = {
    "transport": ("path", "query", "body"),
    "command": ("argument", "option", "environment", "stdin"),
    "tool-call": ("arguments",),
}
"""Channels two legs may differ in; a header is none."""

CARRIED_CHANNELS: Final[dict[OperationKind, tuple[str, ...]]] = {
    "transport": ("response-headers", "response-status", "call-inputs"),
    "command": ("exit-code", "call-inputs"),
    "tool-call": ("response-status", "exit-code", "call-inputs"),
}
"""What a leg carries besides the channel its operation describes."""

_TAGGED_CHANNELS: Final = ("body", "stdin")
"""Channels that hold one body and say what kind it is."""


def kind_of_inputs(inputs: WitnessInputs) -> OperationKind:
    """The kind of operation that inputs are made for."""
    if "arguments" in inputs:
        return "tool-call"
    return "command" if "stdin" in inputs else "transport"


def kind_of_operation(operation: AnyOperation) -> OperationKind:
    if is_mcp_operation(operation):
        return "tool-call"
    return "command" if is_command_operation(operation) else "transport"


def undeclared_inputs(
    inputs: WitnessInputs, operation: AnyOperation, owner: str, path: str
) -> Iterator[StructuralFailure]:
    """What is wrong with inputs that ``owner`` supplies to an operation (section 6.1).

    They are of the operation's kind, supply every required key and no undeclared one. Text on a command's standard
    input fills the one required key there. Raw body bytes are not held to any keys.
    """
    kind, accepted = kind_of_inputs(inputs), kind_of_operation(operation)
    surface = Surface(operation)
    if kind != accepted:
        yield undeclared(
            path,
            f"{owner} supplies {kind} channels to {surface.named}, which accepts {accepted} channels (AD-10, AD-19)",
        )
        return
    for channel in surface.request_shapes:
        for misfit in _misfits(inputs, channel, surface):
            yield undeclared(path, f"{owner} {misfit}")


def uncarried_evidence(site: Site, surface: Surface) -> Iterator[StructuralFailure]:
    """Pointers of a relation to what no witness leg of the operation carries (section 6.5)."""
    carried = (surface.channel, *CARRIED_CHANNELS[kind_of_operation(surface.operation)])
    for each in site.evidence:
        target = each.target
        if target.channel not in carried:
            detail = (
                f'"{each.pointer}" addresses {target.channel}, which a witness leg of {surface.named} does not carry; '
                f"pre-flight builds each leg from {', '.join(carried)} alone"
            )
        elif target.channel == "artifact" and target.artifact_id != surface.artifact:
            detail = (
                f'"{each.pointer}" addresses the "{target.artifact_id}" artifact, which {surface.named} declares it writes '
                "and its descriptor does not nominate, so a witness leg carries nothing for it"
            )
        else:
            continue
        yield StructuralFailure("unreachable-check-evidence", each.path, detail)


def volatile_evidence(site: Site, surface: Surface) -> Iterator[StructuralFailure]:
    """Pointers of a relation to what the operation declares volatile (section 6.5)."""
    volatile = surface.volatile_tails
    for each in site.evidence if volatile else ():
        if surface.describes(each.target):
            for position in surface.volatile_tree.covering(each.target.tail):
                yield StructuralFailure(
                    "unreachable-check-evidence",
                    each.path,
                    f'"{each.pointer}" addresses "/{"/".join(volatile[position])}", which {surface.named} declares '
                    "volatile, so the projection the relation reads has already removed it",
                )


def check_witnesses_declared(subject: Subject) -> Iterator[StructuralFailure]:
    """Every operation with request keys has a witness, whose legs send what it declares (row 15, strict)."""
    for _, operation, path in subject.operations:
        witness = operation["sensitivityWitness"]
        if witness is not None:
            for position, leg in enumerate(witness["legs"]):
                leg_path = f"{path}.sensitivityWitness.legs[{position}]"
                yield from undeclared_inputs(leg["inputs"], operation, f'leg "{leg["legId"]}"', leg_path)
        elif not declares_no_request_keys(operation):
            yield undeclared(
                path,
                f'operation "{operation["operationId"]}" declares request keys but no sensitivity witness; only an '
                "operation declaring no keys in any channel is exempt (AD-10). The relation is the author's to choose "
                "and need not assert the two legs differ: an operation that is insensitive to its declared inputs by "
                "design declares a witness whose relation says so, which is a true and checkable claim about it, and "
                "gets the weaker guarantee that follows",
            )


def check_leg_identifiers(subject: Subject) -> Iterator[StructuralFailure]:
    """Legs, the fixture reset's included, share one namespace with plan steps (row 32)."""
    steps = {step["stepId"] for step in subject.contract["interactionPlan"]}
    claims: dict[str, str] = {}
    for site in subject.witness_sites:
        witness = site.witness
        first, second = (leg["legId"] for leg in witness["legs"])
        if first == second:
            yield malformed(
                f"{site.witness_path}.legs",
                f'both legs of witness "{witness["witnessId"]}" carry the leg id "{first}", so the relation cannot '
                "tell them apart (AD-10)",
            )
        for position, leg_id in enumerate((first, second)):
            path = f"{site.witness_path}.legs[{position}].legId"
            yield from _claim(leg_id, f'witness "{witness["witnessId"]}"', path, steps, claims)
    reset = subject.contract["fixtureReset"]
    if reset is not None:
        yield from _claim(reset["legId"], "the fixture reset", "EvalContract.fixtureReset.legId", steps, claims)


def check_witnesses(subject: Subject) -> Iterator[StructuralFailure]:
    """Every witness is a differential its relation can decide; the reset resets something (row 33, in both modes)."""
    for site in subject.witness_sites:
        yield from chain.from_iterable(rule(site) for rule in WITNESS_RULES)
    yield from _unsound_reset(subject)


def _claim(leg_id: str, owner: str, path: str, steps: set[str], claims: dict[str, str]) -> Iterator[StructuralFailure]:
    if leg_id in steps:
        yield malformed(
            path,
            f'leg id "{leg_id}" collides with an interaction-plan step id; the two share one pointer namespace (AD-10, '
            "AD-26)",
        )
    if leg_id in claims:
        yield malformed(
            path,
            f'leg id "{leg_id}" is already claimed by {claims[leg_id]}; leg ids are unique across the contract (AD-10)',
        )
    claims[leg_id] = owner


def _misfits(inputs: WitnessInputs, channel: str, surface: Surface) -> Iterator[str]:
    """What inputs of the operation's kind do on one channel that the operation does not declare."""
    required = surface.request_shapes[channel]["requiredKeys"]
    match channel, _supplied(inputs, channel):
        case "body", {"kind": "raw"}:
            return
        case "stdin", {"kind": "text"}:
            if len(required) != 1:
                consequence = (
                    f"{len(required)} required keys there, so nothing says which the text fills"
                    if required
                    else "no required key there, so the text fills nothing"
                )
                yield (
                    f"supplies its {channel} channel as text, which fills the one key the channel declares, but "
                    f"{surface.named} declares {consequence} (AD-10, AD-19)"
                )
            return
    supplied = _supplied_keys(inputs, channel)
    for key in required:
        if key not in supplied:
            yield f'omits "{key}", which {surface.named} declares required in its {channel} channel (AD-10)'
    for key in supplied:
        if key not in surface.request_keys[channel]:
            yield (
                f'supplies "{key}", which {surface.named} declares in neither requiredKeys nor permittedKeys of its '
                f"{channel} channel (AD-10, AD-18)"
            )


def _supplied(inputs: WitnessInputs, channel: str) -> Any:
    """What inputs hold on a channel; ``None`` when they have no such channel."""
    return cast(Mapping[str, Any], inputs).get(channel)


def _supplied_keys(inputs: WitnessInputs, channel: str) -> Mapping[str, Any]:
    """The keys inputs supply on a channel, in order: those of its map, or of the JSON object a tagged body holds."""
    supplied = _supplied(inputs, channel)
    if channel not in _TAGGED_CHANNELS:
        return supplied or {}
    match supplied:
        case {"kind": "json", "value": dict(members)}:
            return members
        case _:
            return {}


def _differential_value(inputs: WitnessInputs, channel: str) -> object:
    """What a leg varies: the map of its channel, or the parts of a tagged body, whose own keys have no order."""
    supplied = _supplied(inputs, channel)
    return [list(part) for part in sorted(supplied.items())] if channel in _TAGGED_CHANNELS else supplied


def _wrong_channel(site: WitnessSite) -> Iterator[StructuralFailure]:
    operation, channel = site.surface.operation, site.witness["channel"]
    legal = WITNESS_CHANNELS[kind_of_operation(operation)]
    changes_state = operation["stateChangeMarker"]
    if kind_of_operation(operation) == "transport":
        legal = ("body",) if changes_state else ("path", "query")
    if channel not in legal:
        choice = " or ".join(f'"{each}"' for each in legal)
        yield malformed(
            site.witness_path,
            f'channel "{channel}" contradicts stateChangeMarker {str(changes_state).lower()} on {site.surface.named}; '
            f"AD-10 selects {choice}",
        )


def _leg_without_channel(site: WitnessSite) -> Iterator[StructuralFailure]:
    channel = site.witness["channel"]
    for leg in site.witness["legs"]:
        if channel not in WITNESS_CHANNELS[kind_of_inputs(leg["inputs"])]:
            yield malformed(
                f"{site.witness_path}.legs",
                f'leg "{leg["legId"]}" of witness "{site.witness["witnessId"]}" supplies inputs whose shape carries no '
                f'"{channel}" channel, so it cannot vary the channel {site.surface.named} declares (AD-10, AD-19)',
            )


def _legs_alike(site: WitnessSite) -> Iterator[StructuralFailure]:
    channel = site.witness["channel"]
    if _same_text(*(_differential_value(leg["inputs"], channel) for leg in site.witness["legs"])):
        yield malformed(
            f"{site.witness_path}.legs",
            f'both legs of witness "{site.witness["witnessId"]}" supply the same {channel} value, so the pair is not a '
            "differential (AD-10)",
        )


def _foreign_roots(site: WitnessSite) -> Iterator[StructuralFailure]:
    for each in site.evidence:
        if site.surface_of(each.target.step_id) is None:
            yield StructuralFailure(
                "unreachable-check-evidence",
                site.path,
                f'the relation addresses "{each.target.step_id}", which is neither leg of witness '
                f'"{site.witness["witnessId"]}" (AD-10)',
            )


def _unread_leg(site: WitnessSite) -> Iterator[StructuralFailure]:
    read = len({each.target.step_id for each in site.evidence})
    if read < len(site.witness["legs"]):
        yield malformed(
            site.path,
            f'the relation addresses {read} of the two legs of witness "{site.witness["witnessId"]}"; a differential '
            "that reads one leg establishes no sensitivity (AD-10)",
        )


WITNESS_RULES: Final[tuple[Callable[[WitnessSite], Iterator[StructuralFailure]], ...]] = (
    _wrong_channel,
    _leg_without_channel,
    _legs_alike,
    _foreign_roots,
    _unread_leg,
    lambda site: uncarried_evidence(site, site.surface),
    lambda site: unreachable_evidence(site, site.surface),
    lambda site: volatile_evidence(site, site.surface),
)
"""What each witness is held to, in order; the later rules rely on the earlier ones."""


def _unsound_reset(subject: Subject) -> Iterator[StructuralFailure]:
    reset, path = subject.contract["fixtureReset"], "EvalContract.fixtureReset"
    if reset is None:
        return
    operation = next(
        (
            declared.operation
            for declared in subject.operations
            if (declared.interface_id, declared.operation["operationId"])
            == (reset["interfaceId"], reset["operationId"])
        ),
        None,
    )
    if operation is None:
        yield StructuralFailure(
            "unreachable-check-evidence",
            path,
            f'the fixture reset names operation "{reset["operationId"]}" on interface "{reset["interfaceId"]}", which '
            "the contract does not declare (AD-10)",
        )
        return
    if not operation["stateChangeMarker"]:
        yield malformed(
            path,
            f'the fixture reset names operation "{reset["operationId"]}", whose stateChangeMarker is false; an '
            "operation that changes no state resets nothing (AD-10)",
        )
    yield from undeclared_inputs(reset["inputs"], operation, "the fixture reset", f"{path}.inputs")


def _same_text(left: object, right: object) -> bool:
    """Whether two JSON values are written alike: equal down to the order of keys, booleans apart from numbers."""
    pending = [(left, right)]
    while pending:
        match pending.pop():
            case dict(a), dict(b):
                if list(a) != list(b):
                    return False
                pending += zip(a.values(), b.values(), strict=True)
            case list(a), list(b):
                if len(a) != len(b):
                    return False
                pending += zip(a, b, strict=True)
            case bool() | None as a, b:
                if a is not b:
                    return False
            case a, bool():
                return False
            case a, b:
                if a != b:
                    return False
    return True
