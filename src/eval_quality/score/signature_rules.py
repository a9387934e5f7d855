"""Rules about a defect signature: its kind, its channels, the operands, pointers and selector of its condition.

Spec 09, section 7.4, steps 6 to 18; AD-4, AD-19, AD-26, AD-40. A signature is written against a corpus and judged
without the contract it will meet, but for the operation it names, where that is at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.defect_signature import OBSERVED_STEP_ID, DefectSignature
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.pointers import INPUT_CHANNELS, RESPONSE_SIDE_CHANNELS
from eval_quality.canonical import js_key_order, json_string
from eval_quality.compile.inventory import SUPPORTED_KINDS
from eval_quality.compile.legality import (
    illegal_operands,
    nested_quantifiers,
    quantifiers_over_scalars,
    unbound_elements,
)
from eval_quality.compile.patterns import rejected_patterns
from eval_quality.compile.reachability import unreachable_evidence
from eval_quality.compile.sites import Site, bare_site
from eval_quality.compile.surface import Surface
from eval_quality.declared_inputs import input_channels_of, request_shape_of
from eval_quality.errors import PreconditionError, StructuralFailure
from eval_quality.expression_walk import CONNECTIVES, QUANTIFIERS, Node, is_bound, walk
from eval_quality.plan_index import EvidenceTarget, parse_evidence_target

from .bindings import is_raw_body
from .qualification_rule import Breach, QualificationFailure, Rule, failures


class Foreign(NamedTuple):
    """Channels that interfaces of a kind never produce, and those interfaces in words."""

    channels: frozenset[str]
    phrase: str


_NO_TEXT: Final = Foreign(frozenset({"stdout", "stderr", "exit-code", "artifact"}), "an api interface")
FOREIGN_CHANNELS: Final[Mapping[str, Foreign]] = {
    "api": _NO_TEXT,
    "web": _NO_TEXT,
    "cli": Foreign(
        frozenset({"response-body", "response-headers", "response-status"}), "an interface behind a command"
    ),
    "mcp": Foreign(frozenset({"stdout", "stderr", "artifact", "response-headers"}), "a tool call"),
}


@dataclass(frozen=True)
class Condition:
    """A signature under judgement."""

    signature: DefectSignature
    path: str
    operation: AnyOperation | None
    """The operation the signature names, if it is at hand."""

    @property
    def predicate(self) -> Any:
        return self.signature["condition"]["predicate"]

    @property
    def predicate_path(self) -> str:
        return f"{self.path}.condition.predicate"

    @property
    def foreign(self) -> Foreign:
        return FOREIGN_CHANNELS[self.signature["interfaceKind"]]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(walk(self.predicate))

    @cached_property
    def pointers(self) -> tuple[RootedPointer, ...]:
        """Rooted pointers in the order they are met."""
        return tuple(
            RootedPointer(self, node, place, pointer, parse_evidence_target(pointer))
            for node in self.nodes
            for place, pointer in _pointers_at(node)
            if not is_bound(pointer)
        )

    @cached_property
    def site(self) -> Site:
        """The predicate as compilation sees an expression."""
        return bare_site(self.predicate, self.predicate_path, self.operation, frozenset({OBSERVED_STEP_ID}))


class RootedPointer(NamedTuple):
    """A pointer of a condition that is rooted at a step, and where it stands."""

    condition: Condition
    node: Node
    place: str
    pointer: str
    target: EvidenceTarget

    @property
    def path(self) -> str:
        return f"{self.condition.predicate_path}{self.node.path}{self.place}"

    @property
    def observed(self) -> bool:
        """Whether it is rooted where a signature's pointers have to be."""
        return self.target.step_id == OBSERVED_STEP_ID


def condition_failures(condition: Condition) -> Iterator[QualificationFailure]:
    """Everything that is wrong with a signature, in order."""
    yield from failures(SIGNATURE_RULES, condition)
    for pointer in condition.pointers:
        yield from failures(POINTER_RULES, pointer)
    yield from failures(CONDITION_RULES, condition)


def _unsupported_kind(condition: Condition) -> Iterator[Breach]:
    if condition.signature["interfaceKind"] not in SUPPORTED_KINDS:
        yield Breach(
            f"{condition.path}.interfaceKind",
            '"web" has no probe semantics in this version: it declares a method and a path template with no per-kind '
            "semantics behind them, and no operation shape of its own for a signature to bind. It stays in the enum "
            'so unsupported-interface-kind stays fireable contract-side; "api", "cli" and "mcp" are admitted here '
            "(AD-19)",
        )


def _channel_of_what_was_sent(condition: Condition) -> Iterator[Breach]:
    channel = condition.signature["observableChannel"]
    if channel not in RESPONSE_SIDE_CHANNELS:
        yield Breach(
            f"{condition.path}.observableChannel",
            f'declares observableChannel "{channel}", which records what was sent rather than what came back, so no '
            "defect manifests in it (AD-40)",
        )


def _foreign_observable_channel(condition: Condition) -> Iterator[Breach]:
    channel = condition.signature["observableChannel"]
    if channel in RESPONSE_SIDE_CHANNELS and channel in condition.foreign.channels:
        yield Breach(
            f"{condition.path}.observableChannel",
            f'declares observableChannel "{channel}", which {condition.foreign.phrase} never produces (AD-19, AD-26)',
        )


def _reference_sets(condition: Condition) -> Iterator[Breach]:
    for node in condition.nodes:
        for place, operand in _operands_at(node):
            if "referenceSet" not in operand:
                continue
            consequence = (
                ""
                if node.op == "set-membership" and place == ".operands[1]"
                else ", so the operand resolves absent and faults the evaluator rather than discriminating"
            )
            yield Breach(
                f"{condition.predicate_path}{node.path}{place}",
                f'names referenceSet "{operand["referenceSet"]}"; a corpus signature declares no reference sets'
                f"{consequence} (AD-4, AD-26)",
            )


def _rooted_elsewhere(at: RootedPointer) -> Iterator[Breach]:
    if not at.observed:
        yield Breach(
            at.path,
            f'"{at.pointer}" roots at step "{at.target.step_id}"; a signature is authored against a corpus and roots '
            'every pointer at "observed", since a step identifier is contract-relative and resolves nothing against '
            "a second contract (AD-40)",
        )


def _contract_local_artifact(at: RootedPointer) -> Iterator[Breach]:
    if at.observed and at.target.channel == "artifact":
        yield Breach(
            at.path,
            f'"{at.pointer}" names artifact "{at.target.artifact_id}"; an artifact identifier is minted per contract, '
            "so a signature carrying one resolves only against the contract it was authored on, which is what AD-40 "
            "dropped operationId to avoid",
        )


def _foreign_channel(at: RootedPointer) -> Iterator[Breach]:
    foreign = at.condition.foreign
    if at.observed and at.target.channel in foreign.channels:
        yield Breach(
            at.path,
            f'"{at.pointer}" addresses {at.target.channel}, which {foreign.phrase} never produces (AD-19, AD-26)',
        )


def _underspecified_channels(condition: Condition) -> Iterator[Breach]:
    named = dict.fromkeys(at.target.channel for at in condition.pointers if at.observed)
    observable = condition.signature["observableChannel"]
    came_back = [channel for channel in named if channel in RESPONSE_SIDE_CHANNELS]
    if observable in came_back or (len(named) > 1 and came_back):
        return
    yield Breach(
        condition.predicate_path,
        f'names {_quoted(named) or "no channel"}, which is neither the declared observableChannel "{observable}" nor '
        "two channels with a response-side member (AD-40)",
    )


def _blind_disjuncts(condition: Condition) -> Iterator[Breach]:
    for path, operands, enclosing in _disjunctions(condition.predicate):
        for position, operand in enumerate(operands):
            named = dict.fromkeys(_channels_in(operand, enclosing))
            if any(channel in RESPONSE_SIDE_CHANNELS for channel in named):
                continue
            yield Breach(
                f"{condition.predicate_path}{path}.operands[{position}]",
                f'this operand of "any" names {_quoted(named) or "no channel at all"}, so it can satisfy the whole '
                "condition without examining anything that came back (AD-40)",
            )


def _undeclared_selector_keys(condition: Condition) -> Iterator[Breach]:
    operation = condition.operation
    if operation is None:
        return
    named = f'operation "{operation["operationId"]}"'
    selector = cast(Mapping[str, Any], condition.signature["condition"]["selector"]["inputBinding"])
    for channel in INPUT_CHANNELS:
        bound, path = selector[channel], f"{condition.path}.condition.selector.inputBinding.{channel}"
        if bound is None:
            continue
        if channel == "body" and is_raw_body(bound):
            if channel not in input_channels_of(operation):
                yield Breach(
                    path,
                    f"{named} declares no body channel, so this selector matches no observation and the probe can "
                    "never be triggered (AD-4, AD-40)",
                )
            continue
        shape = request_shape_of(operation, channel)
        declared = set() if shape is None else {*shape["requiredKeys"], *shape["permittedKeys"]}
        types = {} if shape is None else shape["types"]
        for key in js_key_order(bound):
            if key not in declared:
                yield Breach(
                    f"{path}[{json_string(key)}]",
                    f'{named} declares "{key}" in neither requiredKeys nor permittedKeys of its {channel} channel, so '
                    "this selector matches no observation and the probe can never be triggered (AD-4, AD-40)",
                )
            elif bound[key].get("matcher") == "type-violating" and types.get(key) is None:
                lack = "declares an indeterminate" if key in types else "does not declare"
                yield Breach(
                    f"{path}[{json_string(key)}]",
                    f'{named} {lack} type for "{key}" in its {channel} channel, and a type-violating binding cannot '
                    "prove a violation against one, so this selector matches no observation (AD-4, AD-40)",
                )


def _first(breaches: Callable[[Condition], Iterable[StructuralFailure]]) -> Callable[[Condition], Iterator[Breach]]:
    """The first breach of a rule that compilation holds every expression to, told as compilation tells it."""

    def first(condition: Condition) -> Iterator[Breach]:
        for failure in breaches(condition):
            yield Breach(failure.artifact_path, str(failure))
            return

    return first


def _over_scalars(condition: Condition) -> Iterable[StructuralFailure]:
    return () if condition.operation is None else quantifiers_over_scalars(condition.site)


def _unreachable(condition: Condition) -> Iterable[StructuralFailure]:
    return () if condition.operation is None else unreachable_evidence(condition.site, Surface(condition.operation))


SIGNATURE_RULES: Final[tuple[Rule[Condition], ...]] = (
    Rule("signature-interface-kind-unsupported", "the signature is of kind `web`", _unsupported_kind),
    Rule(
        "signature-observable-channel-not-response-side",
        "the observable channel is `call-inputs`",
        _channel_of_what_was_sent,
    ),
    Rule(
        "condition-text-channel-on-api",
        "the observable channel is one that interfaces of the signature's kind never produce",
        _foreign_observable_channel,
    ),
    Rule("condition-reference-set-operand", "an operand of the predicate names a reference set", _reference_sets),
)
POINTER_RULES: Final[tuple[Rule[RootedPointer], ...]] = (
    Rule(
        "condition-pointer-not-observation-rooted",
        "a pointer is rooted at another step than `observed`",
        _rooted_elsewhere,
    ),
    Rule(
        "condition-artifact-channel-contract-local",
        "a pointer reads an artifact, which only one contract knows by that name",
        _contract_local_artifact,
    ),
    Rule(
        "condition-text-channel-on-api",
        "a pointer reads a channel that interfaces of the signature's kind never produce",
        _foreign_channel,
    ),
)
"""Applied to one pointer after the other."""
CONDITION_RULES: Final[tuple[Rule[Condition], ...]] = (
    Rule(
        "condition-channels-underspecified",
        "the predicate reads neither the observable channel nor two channels of which one is response-side",
        _underspecified_channels,
    ),
    Rule(
        "condition-disjunct-without-response-channel",
        "an operand of an `any` reads nothing that came back",
        _blind_disjuncts,
    ),
    Rule(
        "condition-selector-key-undeclared",
        "the selector binds a key that the operation does not declare, or a violated type that it does not declare",
        _undeclared_selector_keys,
    ),
    Rule(
        "condition-bound-element-outside-quantifier",
        "an `@` pointer stands outside of a quantifier's predicate",
        _first(lambda c: unbound_elements(c.site)),
    ),
    Rule(
        "condition-operand-illegal",
        "an operand is of a kind that its position does not accept",
        _first(lambda c: illegal_operands(c.site)),
    ),
    Rule(
        "condition-regex-illegal",
        "a pattern uses a construct that is rejected",
        _first(lambda c: rejected_patterns(c.site)),
    ),
    Rule(
        "condition-quantifier-nesting",
        "quantifiers nest, or `covers-by-key` stands inside of one",
        _first(lambda c: nested_quantifiers(c.site)),
    ),
    Rule(
        "condition-quantifier-over-non-collection",
        "a quantifier ranges over what the operation declares to be no collection",
        _first(_over_scalars),
    ),
    Rule(
        "condition-pointer-unwritable",
        "a pointer reads what the operation cannot yield",
        _first(_unreachable),
    ),
)


def _quoted(channels: Iterable[str]) -> str:
    return ", ".join(f'"{channel}"' for channel in channels)


def _operands_at(node: Node) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Operands a node reads itself and where, the set position of ``set-membership`` included."""
    if node.op in QUANTIFIERS:
        yield ".collection", node.expression["collection"]
    elif node.op not in CONNECTIVES:
        yield from ((f".operands[{place}]", operand) for place, operand in enumerate(node.expression["operands"]))


def _pointers_at(node: Node) -> Iterator[tuple[str, str]]:
    return ((place, operand["pointer"]) for place, operand in _operands_at(node) if "pointer" in operand)


def _disjunctions(predicate: Any) -> Iterator[tuple[str, list[Any], str | None]]:
    """Every ``any``, parents first: its path, its operands, and the channel ``@`` stands for in it, if for any."""
    pending: list[tuple[Any, str, str | None]] = [(predicate, "", None)]
    while pending:
        expression, path, enclosing = pending.pop()
        op = expression["op"]
        if op == "any":
            yield path, expression["operands"], enclosing
        if op in CONNECTIVES:
            children = [
                (each, f"{path}.operands[{place}]", enclosing) for place, each in enumerate(expression["operands"])
            ]
            pending += reversed(children)
        elif op in QUANTIFIERS:
            collection = _channel_of(expression["collection"].get("pointer"))
            pending.append((expression["predicate"], f"{path}.predicate", collection))


def _channels_in(expression: Any, enclosing: str | None) -> Iterator[str]:
    """Channels of all pointers of an expression; one to a bound element counts as the enclosing collection's."""
    for node in walk(expression):
        for _, pointer in _pointers_at(node):
            channel = enclosing if is_bound(pointer) else _channel_of(pointer)
            if channel is not None:
                yield channel


def _channel_of(pointer: str | None) -> str | None:
    """The channel of a pointer that is rooted at a step."""
    if pointer is None or is_bound(pointer):
        return None
    try:
        return parse_evidence_target(pointer).channel
    except PreconditionError:
        return None
