"""Is a probe fit to test an evaluation? (spec 09, section 7; AD-9, AD-40)

Everything that is wrong is reported, in a fixed order: sources and route, the evidence the route asks for, the presence
of a signature; then, for a signature, its kind, channels, operands, pointers, selector keys, and the rules every
expression is held to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from eval_quality.artifacts.defect_signature import OBSERVED_STEP_ID, DefectSignature
from eval_quality.artifacts.interfaces import AnyOperation, PermittedInterface
from eval_quality.artifacts.pointers import INPUT_CHANNELS, RESPONSE_SIDE_CHANNELS
from eval_quality.artifacts.probe import Probe
from eval_quality.artifacts.probe_qualification import QualificationRoute
from eval_quality.artifacts.shapes import own_keys
from eval_quality.canonical import json_string
from eval_quality.compile.legality import (
    illegal_operands,
    nested_quantifiers,
    quantifiers_over_scalars,
    unbound_elements,
)
from eval_quality.compile.patterns import rejected_patterns
from eval_quality.compile.reachability import Surface, unreachable_evidence
from eval_quality.compile.sites import Site, bare_site
from eval_quality.declared_inputs import input_channels_of, request_shape_of
from eval_quality.errors import PreconditionError, StructuralFailure
from eval_quality.expression_walk import CONNECTIVES, QUANTIFIERS, Node, is_bound, walk
from eval_quality.plan_index import EvidenceTarget, parse_evidence_target

from .home_operation import HomeOperation, home_operation_of, signature_of

QualificationFailureCode = Literal[
    "qualification-route-incompatible",
    "qualification-defect-sources-mixed",
    "qualification-evidence-unverified",
    "signature-absent",
    "signature-present-on-canary",
    "signature-interface-kind-unsupported",
    "signature-observable-channel-not-response-side",
    "condition-channels-underspecified",
    "condition-disjunct-without-response-channel",
    "condition-selector-key-undeclared",
    "condition-pointer-not-observation-rooted",
    "condition-pointer-unwritable",
    "condition-artifact-channel-contract-local",
    "condition-text-channel-on-api",
    "condition-reference-set-operand",
    "condition-operand-illegal",
    "condition-regex-illegal",
    "condition-quantifier-nesting",
    "condition-quantifier-over-non-collection",
    "condition-bound-element-outside-quantifier",
]
QUALIFICATION_FAILURES: Final[tuple[QualificationFailureCode, ...]] = get_args(QualificationFailureCode)


class QualificationFailure(NamedTuple):
    """One reason why a probe is not fit: a code, where, and what."""

    code: QualificationFailureCode
    artifact_path: str
    detail: str


class QualificationResult(NamedTuple):
    """Whether a probe is fit; ``declaration_checks_ran`` says whether its signature's operation was at hand."""

    qualified: bool
    failures: tuple[QualificationFailure, ...]
    declaration_checks_ran: bool


class SealedProbe(NamedTuple):
    """A probe with its qualification."""

    probe: Probe
    result: QualificationResult


class SealedProbeSet(NamedTuple):
    """Probes that may be scored and probes that may not."""

    admitted: tuple[SealedProbe, ...]
    rejected: tuple[SealedProbe, ...]


_SUPPORTED_KINDS: Final = ("api", "cli", "mcp")
_FOREIGN_CHANNELS: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "api": (frozenset({"stdout", "stderr", "exit-code", "artifact"}), "an api interface"),
    "web": (frozenset({"stdout", "stderr", "exit-code", "artifact"}), "an api interface"),
    "cli": (
        frozenset({"response-body", "response-headers", "response-status"}),
        "an interface behind a command",
    ),
    "mcp": (frozenset({"stdout", "stderr", "artifact", "response-headers"}), "a tool call"),
}
"""Channels that interfaces of a kind never produce, and those interfaces in words."""


def qualify_probe(probe: Probe, home_operation: HomeOperation | None) -> QualificationResult:
    """Judge one probe; ``home_operation`` is the operation its signature names, where a contract declares one."""
    signature = signature_of(probe)
    failures = list(_record_failures(probe, signature))
    if signature is not None:
        operation = None if home_operation is None else home_operation.operation
        path = f"{_probe_path(probe)}.defectSignature"
        failures += _Condition(signature, path, operation).failures()
    return QualificationResult(not failures, tuple(failures), signature is None or home_operation is not None)


def seal_probe_set(probes: Sequence[Probe], interfaces: Sequence[PermittedInterface]) -> SealedProbeSet:
    """Qualify each probe against the interfaces of a contract."""
    sealed = [SealedProbe(probe, qualify_probe(probe, home_operation_of(probe, interfaces))) for probe in probes]
    return SealedProbeSet(
        tuple(each for each in sealed if each.result.qualified),
        tuple(each for each in sealed if not each.result.qualified),
    )


def _probe_path(probe: Probe) -> str:
    return f"Probe[probeId={probe['probeId']}]"


def _record_failures(probe: Probe, signature: DefectSignature | None) -> Iterator[QualificationFailure]:
    """What is wrong with a probe before its signature is looked into."""
    path, clean, probe_class = _probe_path(probe), probe["expectedClean"], probe["probeClass"]
    sources = {defect["source"] for defect in probe["defects"]}
    if not clean and probe_class not in ("gameability", "canary") and len(sources) > 1:
        yield QualificationFailure(
            "qualification-defect-sources-mixed",
            f"{path}.defects",
            "seeds both a natural defect and a controlled mutation, which no single AD-9 route qualifies (AD-9)",
        )
    qualification: Mapping[str, Any] = probe["qualification"]
    route = qualification["route"]
    admissible = _admissible_route(probe)
    if route != admissible:
        yield QualificationFailure(
            "qualification-route-incompatible",
            f"{path}.qualification.route",
            f'route "{route}" is not one of "{admissible}" for probeClass "{probe_class}" with expectedClean '
            f"{str(clean).lower()} (AD-9)"
            if admissible is not None
            else _no_route(probe),
        )
    if route == "historical" and not qualification["oracleStableAcrossRevisions"]:
        yield QualificationFailure(
            "qualification-evidence-unverified",
            f"{path}.qualification.oracleStableAcrossRevisions",
            "AD-9 qualifies a historical probe only with the oracle stable across both revisions, and this record "
            "states it was not",
        )
    if route == "controlled-mutation" and not qualification["rollbackVerified"]:
        yield QualificationFailure(
            "qualification-evidence-unverified",
            f"{path}.qualification.rollbackVerified",
            "AD-9 qualifies a controlled mutation only with verified rollback or cleanup, and this record states it "
            "was not verified",
        )
    if not clean and probe_class == "canary" and signature is not None:
        yield QualificationFailure(
            "signature-present-on-canary",
            f"{path}.defectSignature",
            "a canary seeds no defect, so it declares no signature; AD-9 qualifies it by demonstrating that "
            "non-detection indicts the corpus or the fixture",
        )
    if not clean and probe_class != "canary" and signature is None:
        yield QualificationFailure(
            "signature-absent",
            f"{path}.defectSignature",
            f'probeClass "{probe_class}" seeds a defect, and AD-33 assigns an outcome only from a signature match, so '
            "a null signature makes this probe unscoreable (AD-40)",
        )


def _admissible_route(probe: Probe) -> QualificationRoute | None:
    """The route a probe of its class and defects may be qualified by (AD-9), if there is one."""
    sources = {defect["source"] for defect in probe["defects"]}
    match probe["expectedClean"], probe["probeClass"], sorted(sources):
        case True, "zero-action", _:
            return "clean-control"
        case True, _, _:
            return None
        case _, "gameability", _:
            return "gameability"
        case _, "canary", _:
            return "canary"
        case _, _, ["natural"]:
            return "historical"
        case _, _, ["controlled-mutation"]:
            return "controlled-mutation"
    return None


def _no_route(probe: Probe) -> str:
    probe_class = probe["probeClass"]
    if not probe["expectedClean"] and not probe["defects"]:
        return (
            f'probeClass "{probe_class}" seeds a defect and this probe\'s defects array is empty, so no AD-9 route has '
            "a seeded defect to qualify (AD-9)"
        )
    if len({defect["source"] for defect in probe["defects"]}) > 1:
        return (
            "the defects array seeds both a natural defect and a controlled mutation, so no single AD-9 route "
            "qualifies this probe (AD-9)"
        )
    return (
        f'probeClass "{probe_class}" with expectedClean {str(probe["expectedClean"]).lower()} admits no AD-9 route at '
        "all, so no qualification record can be written for it (AD-9)"
    )


@dataclass(frozen=True)
class _Condition:
    """A signature under judgement."""

    signature: DefectSignature
    path: str
    operation: AnyOperation | None

    @property
    def _predicate_path(self) -> str:
        return f"{self.path}.condition.predicate"

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        return tuple(walk(self.signature["condition"]["predicate"]))

    @cached_property
    def _pointers(self) -> list[tuple[str, str, EvidenceTarget]]:
        """Rooted pointers in the order they are met: path, text, target."""
        return [
            (f"{self._predicate_path}{node.path}{place}", pointer, parse_evidence_target(pointer))
            for node in self._nodes
            for place, pointer in _node_pointers(node)
            if not is_bound(pointer)
        ]

    def failures(self) -> Iterator[QualificationFailure]:
        """Everything that is wrong with the signature, in order."""
        yield from self._kind()
        yield from self._observable_channel()
        yield from self._reference_sets()
        yield from self._pointer_roots()
        yield from self._channel_rule()
        yield from self._disjuncts()
        yield from self._selector_keys()
        yield from self._legality()

    def _kind(self) -> Iterator[QualificationFailure]:
        if self.signature["interfaceKind"] not in _SUPPORTED_KINDS:
            yield QualificationFailure(
                "signature-interface-kind-unsupported",
                f"{self.path}.interfaceKind",
                '"web" has no probe semantics in this version: it declares a method and a path template with no '
                "per-kind semantics behind them, and no operation shape of its own for a signature to bind. It stays "
                'in the enum so unsupported-interface-kind stays fireable contract-side; "api", "cli" and "mcp" are '
                "admitted here (AD-19)",
            )

    def _observable_channel(self) -> Iterator[QualificationFailure]:
        channel = self.signature["observableChannel"]
        foreign, phrase = _FOREIGN_CHANNELS[self.signature["interfaceKind"]]
        path = f"{self.path}.observableChannel"
        if channel not in RESPONSE_SIDE_CHANNELS:
            yield QualificationFailure(
                "signature-observable-channel-not-response-side",
                path,
                f'declares observableChannel "{channel}", which records what was sent rather than what came back, so '
                "no defect manifests in it (AD-40)",
            )
        elif channel in foreign:
            yield QualificationFailure(
                "condition-text-channel-on-api",
                path,
                f'declares observableChannel "{channel}", which {phrase} never produces (AD-19, AD-26)',
            )

    def _reference_sets(self) -> Iterator[QualificationFailure]:
        for node in self._nodes:
            for place, operand in _node_operands(node):
                if "referenceSet" not in operand:
                    continue
                consequence = (
                    ""
                    if node.op == "set-membership" and place == ".operands[1]"
                    else ", so the operand resolves absent and faults the evaluator rather than discriminating"
                )
                yield QualificationFailure(
                    "condition-reference-set-operand",
                    f"{self._predicate_path}{node.path}{place}",
                    f'names referenceSet "{operand["referenceSet"]}"; a corpus signature declares no reference sets'
                    f"{consequence} (AD-4, AD-26)",
                )

    def _pointer_roots(self) -> Iterator[QualificationFailure]:
        foreign, phrase = _FOREIGN_CHANNELS[self.signature["interfaceKind"]]
        for path, pointer, target in self._pointers:
            if target.step_id != OBSERVED_STEP_ID:
                yield QualificationFailure(
                    "condition-pointer-not-observation-rooted",
                    path,
                    f'"{pointer}" roots at step "{target.step_id}"; a signature is authored against a corpus and roots '
                    'every pointer at "observed", since a step identifier is contract-relative and resolves nothing '
                    "against a second contract (AD-40)",
                )
                continue
            if target.channel == "artifact":
                yield QualificationFailure(
                    "condition-artifact-channel-contract-local",
                    path,
                    f'"{pointer}" names artifact "{target.artifact_id}"; an artifact identifier is minted per '
                    "contract, so a signature carrying one resolves only against the contract it was authored on, "
                    "which is what AD-40 dropped operationId to avoid",
                )
            if target.channel in foreign:
                yield QualificationFailure(
                    "condition-text-channel-on-api",
                    path,
                    f'"{pointer}" addresses {target.channel}, which {phrase} never produces (AD-19, AD-26)',
                )

    def _channel_rule(self) -> Iterator[QualificationFailure]:
        """The predicate reads the observable channel, or two channels of which one came back."""
        named = dict.fromkeys(target.channel for _, _, target in self._pointers if target.step_id == OBSERVED_STEP_ID)
        observable = self.signature["observableChannel"]
        came_back = [channel for channel in named if channel in RESPONSE_SIDE_CHANNELS]
        if observable in came_back or (len(named) > 1 and came_back):
            return
        told = ", ".join(f'"{channel}"' for channel in named) or "no channel"
        yield QualificationFailure(
            "condition-channels-underspecified",
            self._predicate_path,
            f'names {told}, which is neither the declared observableChannel "{observable}" nor two channels with a '
            "response-side member (AD-40)",
        )

    def _disjuncts(self) -> Iterator[QualificationFailure]:
        """Every operand of an ``any`` examines something that came back."""
        for node in self._nodes:
            if node.op != "any":
                continue
            enclosing = _channel_of(node.root)
            for position, operand in enumerate(node.expression["operands"]):
                named = dict.fromkeys(_channels_in(operand, enclosing))
                if any(channel in RESPONSE_SIDE_CHANNELS for channel in named):
                    continue
                told = ", ".join(f'"{channel}"' for channel in named) or "no channel at all"
                yield QualificationFailure(
                    "condition-disjunct-without-response-channel",
                    f"{self._predicate_path}{node.path}.operands[{position}]",
                    f'this operand of "any" names {told}, so it can satisfy the whole condition without examining '
                    "anything that came back (AD-40)",
                )

    def _selector_keys(self) -> Iterator[QualificationFailure]:
        """Every key the selector binds is one the operation declares; a violated type is a declared one."""
        if self.operation is None:
            return
        named = f'operation "{self.operation["operationId"]}"'
        selector = cast(Mapping[str, Any], self.signature["condition"]["selector"]["inputBinding"])
        for channel in INPUT_CHANNELS:
            bound = selector[channel]
            if bound is None:
                continue
            path = f"{self.path}.condition.selector.inputBinding.{channel}"
            if channel == "body" and bound.get("kind") == "raw":
                if "body" not in input_channels_of(self.operation):
                    yield QualificationFailure(
                        "condition-selector-key-undeclared",
                        path,
                        f"{named} declares no body channel, so this selector matches no observation and the probe can "
                        "never be triggered (AD-4, AD-40)",
                    )
                continue
            shape = request_shape_of(self.operation, channel)
            declared = set() if shape is None else {*shape["requiredKeys"], *shape["permittedKeys"]}
            types = {} if shape is None else shape["types"]
            for key in own_keys(bound):
                place = f"{path}[{json_string(key)}]"
                if key not in declared:
                    yield QualificationFailure(
                        "condition-selector-key-undeclared",
                        place,
                        f'{named} declares "{key}" in neither requiredKeys nor permittedKeys of its {channel} channel, '
                        "so this selector matches no observation and the probe can never be triggered (AD-4, AD-40)",
                    )
                elif bound[key].get("matcher") == "type-violating" and types.get(key) is None:
                    lack = "declares an indeterminate" if key in types else "does not declare"
                    yield QualificationFailure(
                        "condition-selector-key-undeclared",
                        place,
                        f'{named} {lack} type for "{key}" in its {channel} channel, and a type-violating binding '
                        "cannot prove a violation against one, so this selector matches no observation (AD-4, AD-40)",
                    )

    def _legality(self) -> Iterator[QualificationFailure]:
        """The first breach of each rule that compile holds every expression to."""
        predicate = self.signature["condition"]["predicate"]
        site = bare_site(predicate, self._predicate_path, self.operation, frozenset({OBSERVED_STEP_ID}))
        for code, breaches in _LEGALITY:
            first = next(iter(breaches(site)), None)
            if first is not None:
                yield QualificationFailure(code, first.artifact_path, str(first))
        if self.operation is not None:
            for late_code, late_breaches in _DECLARED_LEGALITY:
                first = next(iter(late_breaches(site, Surface(self.operation))), None)
                if first is not None:
                    yield QualificationFailure(late_code, first.artifact_path, str(first))


_Breaches = Callable[[Site], Iterator[StructuralFailure]]
_DeclaredBreaches = Callable[[Site, Surface], Iterator[StructuralFailure]]
_LEGALITY: Final[tuple[tuple[QualificationFailureCode, _Breaches], ...]] = (
    ("condition-bound-element-outside-quantifier", unbound_elements),
    ("condition-operand-illegal", illegal_operands),
    ("condition-regex-illegal", rejected_patterns),
    ("condition-quantifier-nesting", nested_quantifiers),
)
_DECLARED_LEGALITY: Final[tuple[tuple[QualificationFailureCode, _DeclaredBreaches], ...]] = (
    ("condition-quantifier-over-non-collection", lambda site, surface: quantifiers_over_scalars(site)),
    ("condition-pointer-unwritable", unreachable_evidence),
)


def _node_operands(node: Node) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Operands a node reads itself, the set position of ``set-membership`` included."""
    if node.op in QUANTIFIERS:
        yield ".collection", node.expression["collection"]
    elif node.op not in CONNECTIVES:
        yield from ((f".operands[{place}]", operand) for place, operand in enumerate(node.expression["operands"]))


def _node_pointers(node: Node) -> Iterator[tuple[str, str]]:
    return ((place, operand["pointer"]) for place, operand in _node_operands(node) if "pointer" in operand)


def _channel_of(pointer: str | None) -> str | None:
    """The channel a fully rooted pointer is on."""
    if pointer is None:
        return None
    try:
        return parse_evidence_target(pointer).channel
    except PreconditionError:
        return None


def _channels_in(expression: Any, enclosing: str | None) -> Iterator[str]:
    """Channels of all pointers of an expression; one to a bound element counts as the enclosing collection's."""
    for node in walk(expression):
        for _, pointer in _node_pointers(node):
            channel = enclosing if is_bound(pointer) else _channel_of(pointer)
            if channel is not None:
                yield channel
