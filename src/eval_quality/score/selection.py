"""Which observations count as which planned step (spec 09, sections 3 to 5).

A step's candidates are the observations of its operation, in sequence. They have to come after what the step follows and
after everything it captured, and to carry what the step binds. Captured values are resolved tier by tier, each tier
depending on earlier ones only; a cycle resolves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.plan import BindingValue, InteractionStep
from eval_quality.artifacts.pointers import INPUT_CHANNELS
from eval_quality.artifacts.sealed_run_record import Observation
from eval_quality.canonical import utf16_key
from eval_quality.compile.bindings import CapturedBinding, captured_bindings
from eval_quality.declared_inputs import bound_channels_of, request_shape_of
from eval_quality.evaluate import ABSENT, ResolvedValue
from eval_quality.evaluate.evidence import channel_root, walk_tail
from eval_quality.evaluate.operators import kind_of
from eval_quality.plan_index import OperationKey, PlanIndex, key_of, parse_evidence_target

SelectionResult = Literal["none", "one", "several"]


class StepSelection(NamedTuple):
    """The observations that count as a step, in sequence."""

    result: SelectionResult
    matched_observation_ids: tuple[str, ...]


class BindingOrder(NamedTuple):
    """Steps in tiers that depend on earlier tiers only, and those that no order suits."""

    tiers: tuple[tuple[str, ...], ...]
    cyclic: tuple[str, ...]


@dataclass(frozen=True)
class Resolved:
    """A captured value, with the observation it was taken from; the value may be ``ABSENT`` in it."""

    value: ResolvedValue
    observation_id: str
    sequence: int


@dataclass(frozen=True)
class Unresolved:
    """No observation to capture from."""


@dataclass(frozen=True)
class Ambiguous:
    """Several observations, and nothing that says which."""

    matched_observation_ids: tuple[str, ...]


CapturedResolution = Resolved | Unresolved | Ambiguous
BindingSite = tuple[str, str, str]
"""Step, input channel and key that a captured value fills."""


def selection_of(observation_ids: Sequence[str]) -> StepSelection:
    count = len(observation_ids)
    return StepSelection("none" if count == 0 else "one" if count == 1 else "several", tuple(observation_ids))


def in_sequence(observations: Sequence[Observation]) -> list[Observation]:
    """Observations by sequence, then by identifier."""
    return sorted(observations, key=lambda each: (each["sequence"], utf16_key(each["observationId"])))


def binding_order(plan: Sequence[InteractionStep]) -> BindingOrder:
    """Order the steps of a plan by what they capture and follow."""
    depends: dict[str, set[str]] = {step["stepId"]: set() for step in plan}
    for step in plan:
        sources = [binding.target.step_id for binding in captured_bindings(step)]
        if step["after"] is not None:
            sources.append(step["after"])
        depends[step["stepId"]].update(source for source in sources if source in depends)
    dependents: dict[str, list[str]] = defaultdict(list)
    for step_id, sources_of in depends.items():
        for source in sources_of:
            dependents[source].append(step_id)
    position = {step_id: place for place, step_id in enumerate(depends)}
    waiting = {step_id: len(sources_of) for step_id, sources_of in depends.items()}
    tiers: list[tuple[str, ...]] = []
    ready = [step_id for step_id, number in waiting.items() if number == 0]
    while ready:
        tiers.append(tuple(ready))
        following: list[str] = []
        for step_id in ready:
            for dependent in dependents[step_id]:
                waiting[dependent] -= 1
                if waiting[dependent] == 0:
                    following.append(dependent)
        ready = sorted(following, key=position.__getitem__)
    placed = {step_id for tier in tiers for step_id in tier}
    return BindingOrder(tuple(tiers), tuple(step_id for step_id in depends if step_id not in placed))


@dataclass
class PlanBindings:
    """A plan prepared once for every trial: its order, what each step captures, and the operations behind it."""

    plan: Sequence[InteractionStep]
    index: PlanIndex
    order: BindingOrder = field(init=False)
    captures: dict[str, tuple[CapturedBinding, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.order = binding_order(self.plan)
        self.captures = {step["stepId"]: tuple(captured_bindings(step)) for step in self.plan}

    def captures_of(self, step: InteractionStep) -> tuple[CapturedBinding, ...]:
        return (
            tuple(captured_bindings(step))
            if step is not self.index.step_of(step["stepId"])
            else (self.captures[step["stepId"]])
        )


class _Choice(NamedTuple):
    """The one observation a step is reduced to, or the several it could be."""

    source: Observation | None = None
    ambiguous: tuple[str, ...] | None = None


class TrialSelection:
    """Selections of one trial."""

    def __init__(self, bindings: PlanBindings, observations: Sequence[Observation]) -> None:
        self._bindings = bindings
        self._index = bindings.index
        by_operation: dict[OperationKey, list[Observation]] = defaultdict(list)
        self._last_by_id: dict[str, Observation] = {}
        self._first_by_id: dict[str, Observation] = {}
        for observation in observations:
            by_operation[observation["interfaceId"], observation["operationId"]].append(observation)
            self._last_by_id[observation["observationId"]] = observation
            self._first_by_id.setdefault(observation["observationId"], observation)
        self._by_operation = {key: in_sequence(each) for key, each in by_operation.items()}
        self._resolved: dict[BindingSite, CapturedResolution] = {}
        self._resolve_captures()

    def select(self, step: InteractionStep) -> StepSelection:
        """The observations that count as a step."""
        return self._filtered(step, frozenset())

    def observation(self, observation_id: str) -> Observation | None:
        """The last observation of that identifier."""
        return self._last_by_id.get(observation_id)

    def _resolve_captures(self) -> None:
        for tier in self._bindings.order.tiers:
            found = {}
            for step_id in tier:
                if self._index.step_of(step_id) is not None:
                    for binding in self._bindings.captures[step_id]:
                        site = (step_id, binding.input_channel, binding.key)
                        found[site] = self._captured_value(binding.pointer)
            self._resolved |= found

    def _captured_value(self, pointer: str) -> CapturedResolution:
        target = parse_evidence_target(pointer)
        step = self._index.step_of(target.step_id)
        choice = None if step is None else self._choose(step, frozenset())
        if choice is None:
            return Unresolved()
        if choice.ambiguous is not None:
            return Ambiguous(choice.ambiguous)
        if choice.source is None:
            return Unresolved()
        value = walk_tail(channel_root(choice.source, target), target.tail)
        return Resolved(value, choice.source["observationId"], choice.source["sequence"])

    def _choose(self, step: InteractionStep, guard: frozenset[str]) -> _Choice | None:
        """The observation a step is reduced to; nothing for a step that depends on itself."""
        if step["stepId"] in guard:
            return None
        selection = self._filtered(step, guard)
        if selection.result == "none":
            return _Choice()
        if selection.result == "several" and step["cardinality"] != "any":
            return _Choice(ambiguous=selection.matched_observation_ids)
        return _Choice(self._first_by_id[selection.matched_observation_ids[0]])

    def _filtered(self, step: InteractionStep, guard: frozenset[str]) -> StepSelection:
        floor = self._floor(step, guard | {step["stepId"]})
        if floor is None:
            return selection_of(())
        candidates = self._by_operation.get(key_of(step), ())
        return selection_of(
            [
                each["observationId"]
                for each in candidates
                if (last := self._last_by_id[each["observationId"]])["sequence"] > floor and self._carries(last, step)
            ]
        )

    def _floor(self, step: InteractionStep, guard: frozenset[str]) -> float | None:
        """The sequence a step's observations come after; none when what it follows or captures is not there."""
        floor = float("-inf")
        anchor = None if step["after"] is None else self._index.step_of(step["after"])
        if anchor is not None:
            choice = self._choose(anchor, guard)
            if choice is None or choice.source is None:
                return None
            floor = choice.source["sequence"]
        for binding in self._bindings.captures_of(step):
            resolution = self._resolved.get((step["stepId"], binding.input_channel, binding.key))
            if not isinstance(resolution, Resolved):
                return None
            floor = max(floor, resolution.sequence)
        return floor

    def _carries(self, observation: Observation, step: InteractionStep) -> bool:
        """Whether an observation sent what a step binds."""
        raw = cast(Mapping[str, Any], step["inputBinding"]).get("body")
        if raw is not None and raw.get("kind") == "raw" and not sent_raw(observation, raw):
            return False
        operation = self._index.any_operation_of(key_of(step))
        inputs = cast(Mapping[str, Any], observation["callInputs"])
        for channel, bound in bound_channels_of(step["inputBinding"]):
            if bound is None:
                continue
            sent = inputs[channel]
            if sent is None:
                return False
            for key, value in bound.items():
                site = (step["stepId"], channel, key)
                if key not in sent or not self._satisfies(sent[key], value, observation, site, operation):
                    return False
        return True

    def _satisfies(
        self,
        sent: Any,
        binding: BindingValue,
        observation: Observation,
        site: BindingSite,
        operation: AnyOperation | None,
    ) -> bool:
        match binding:
            case {"captured": _}:
                resolution = self._resolved.get(site)
                return isinstance(resolution, Resolved) and deep_equals(sent, resolution.value)
            case {"principal": principal}:
                return observation["principal"] == principal
        return satisfies_plain(sent, binding, site[1], site[2], operation)


def satisfies_plain(
    sent: Any, binding: Mapping[str, Any], channel: str, key: str, operation: AnyOperation | None
) -> bool:
    """Whether a sent value meets a literal or a matcher; the declared type tells what violates it."""
    match binding:
        case {"literal": literal}:
            return deep_equals(sent, literal)
        case {"matcher": "any"}:
            return True
    shape = None if operation is None else request_shape_of(operation, channel)
    declared = None if shape is None else shape["types"].get(key)
    return declared is not None and kind_of(sent) != declared


def sent_raw(observation: Observation, raw: Mapping[str, Any]) -> bool:
    """Whether an observation sent exactly these bytes."""
    inputs = observation["callInputs"]
    return inputs["bodyEncoding"] == "raw" and deep_equals(inputs["body"], dict(raw))


def admitted_by(observation: Observation, selector: Mapping[str, Any], operation: AnyOperation) -> bool:
    """Whether a signature's selector admits an observation of its operation."""
    inputs = cast(Mapping[str, Any], observation["callInputs"])
    for channel in INPUT_CHANNELS:
        bound = selector[channel]
        if bound is None:
            continue
        sent = inputs[channel]
        if sent is None:
            return False
        if channel == "body" and bound.get("kind") == "raw":
            if not sent_raw(observation, bound):
                return False
            continue
        for key, value in bound.items():
            if key not in sent or not satisfies_plain(sent[key], value, channel, key, operation):
                return False
    return True


def deep_equals(one: ResolvedValue, other: ResolvedValue) -> bool:
    """Whether two values are equal as JSON values; nothing equals ``ABSENT``. Depth costs no recursion."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if left is ABSENT or right is ABSENT:
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pending += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pending += zip(left, right, strict=True)
        elif kind_of(left) != kind_of(right) or left != right:
            return False
    return True


def plan_selections(bindings: PlanBindings, trial: TrialSelection) -> Iterator[tuple[InteractionStep, StepSelection]]:
    """Each plan entry with its selection; a repeated identifier is an entry of its own."""
    return ((step, trial.select(step)) for step in bindings.plan)
