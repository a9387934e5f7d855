"""Which observations count as which planned step (spec 09, sections 3 and 5).

A step's candidates are the observations of its operation, in sequence. Those count that come after the observation of
the step it follows and after everything it captured, and that carry what it binds. A step that has to come after
something that was not observed, or was observed more than once where once was planned, has none; nor has a step that
follows itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from eval_quality.artifacts.interfaces import AnyOperation, PermittedInterface
from eval_quality.artifacts.plan import BindingValue, InteractionStep
from eval_quality.artifacts.pointers import InputChannel
from eval_quality.artifacts.sealed_run_record import Observation
from eval_quality.compile.captures import CapturedBinding, captured_bindings
from eval_quality.declared_inputs import bound_channels_of
from eval_quality.evaluate import ResolvedValue
from eval_quality.evaluate.evidence import channel_root, walk_tail
from eval_quality.plan_index import build_plan_index, key_of

from .binding_order import binding_order
from .bindings import deep_equals, is_raw_body, satisfies_plain, sent_raw
from .observations import TrialObservations

SelectionResult = Literal["none", "one", "several"]


class StepSelection(NamedTuple):
    """The observations that count as a step, in sequence."""

    result: SelectionResult
    matched_observation_ids: tuple[str, ...]

    @classmethod
    def of(cls, observation_ids: Sequence[str]) -> StepSelection:
        results: tuple[SelectionResult, ...] = ("none", "one", "several")
        return cls(results[min(len(observation_ids), 2)], tuple(observation_ids))


class PlannedStep(NamedTuple):
    """A plan entry, with everything that does not depend on a trial."""

    step: InteractionStep
    operation: AnyOperation | None
    """The operation it invokes; ``None`` when that is not declared exactly once."""
    captures: tuple[CapturedBinding, ...]
    bound: tuple[tuple[InputChannel, Mapping[str, BindingValue]], ...]
    """Channels whose parameters it binds."""
    raw_body: Mapping[str, Any] | None
    """The exact bytes it sends, if it does."""

    @property
    def step_id(self) -> str:
        return self.step["stepId"]

    def is_ambiguous(self, selection: StepSelection) -> bool:
        """Whether several observations count where one is planned."""
        return selection.result == "several" and self.step["cardinality"] != "any"


class PreparedPlan:
    """An interaction plan, read once for every trial; identifiers that are declared twice name nothing."""

    def __init__(self, plan: Sequence[InteractionStep], interfaces: Sequence[PermittedInterface]) -> None:
        self.index = build_plan_index(plan, interfaces, "unresolved")
        self.order = binding_order(plan)
        self.steps = tuple(self._planned(step) for step in plan)
        self._by_id = {each.step_id: each for each in self.steps if self.index.step_of(each.step_id) is not None}

    def _planned(self, step: InteractionStep) -> PlannedStep:
        body = cast(Mapping[str, Any], step["inputBinding"]).get("body")
        return PlannedStep(
            step,
            self.index.any_operation_of(key_of(step)),
            tuple(captured_bindings(step)),
            tuple((channel, bound) for channel, bound in bound_channels_of(step["inputBinding"]) if bound is not None),
            body if is_raw_body(body) else None,
        )

    def step_of(self, step_id: str) -> PlannedStep | None:
        """The one entry of that identifier."""
        return self._by_id.get(step_id)

    def anchor_of(self, planned: PlannedStep) -> PlannedStep | None:
        """The step that a step comes after."""
        after = planned.step["after"]
        return None if after is None else self.step_of(after)


class _CapturedValue(NamedTuple):
    """A captured value, which may be ``ABSENT`` in the observation it was taken from, and when that was made."""

    value: ResolvedValue
    sequence: int


class TrialSelection:
    """Selections of one trial."""

    def __init__(self, plan: PreparedPlan, observations: TrialObservations) -> None:
        self._plan = plan
        self._observations = observations
        self._captured: dict[tuple[str, str, str], _CapturedValue] = {}
        """By step, input channel and key; a capture that resolves to no observation is not there."""
        self._selections: dict[str, StepSelection] = {}
        """Of steps whose identifier is declared once."""
        for step_id in (step_id for tier in plan.order.tiers for step_id in tier):
            if (planned := plan.step_of(step_id)) is not None:
                self._resolve_captures(planned)

    def select(self, planned: PlannedStep) -> StepSelection:
        """The observations that count as a plan entry."""
        if self._plan.step_of(planned.step_id) is planned and planned.step_id in self._selections:
            return self._selections[planned.step_id]
        chain = {planned.step_id: planned}
        anchor = self._plan.anchor_of(planned)
        while anchor is not None and anchor.step_id not in self._selections and anchor.step_id not in chain:
            chain[anchor.step_id] = anchor
            anchor = self._plan.anchor_of(anchor)
        selection = StepSelection.of(())
        for each in reversed(chain.values()):
            selection = self._filtered(each)
            if self._plan.step_of(each.step_id) is each:
                self._selections[each.step_id] = selection
        return selection

    def _resolve_captures(self, planned: PlannedStep) -> None:
        for capture in planned.captures:
            source = self._plan.step_of(capture.target.step_id)
            if source is None:
                continue
            self.select(source)
            observation = self._read_from(source)
            if observation is not None:
                value = walk_tail(channel_root(observation, capture.target), capture.target.tail)
                site = (planned.step_id, capture.input_channel, capture.key)
                self._captured[site] = _CapturedValue(value, observation["sequence"])

    def _read_from(self, planned: PlannedStep) -> Observation | None:
        """The observation that a selected step is read from: its first, unless it should have been the only one."""
        selection = self._selections.get(planned.step_id)
        if selection is None or selection.result == "none" or planned.is_ambiguous(selection):
            return None
        return self._observations.first[selection.matched_observation_ids[0]]

    def _filtered(self, planned: PlannedStep) -> StepSelection:
        floor = self._floor(planned)
        if floor is None:
            return StepSelection.of(())
        candidates = (each["observationId"] for each in self._observations.of_operation(key_of(planned.step)))
        return StepSelection.of([each for each in candidates if self._counts(each, planned, floor)])

    def _floor(self, planned: PlannedStep) -> float | None:
        """The sequence a step's observations come after; ``None`` when what they come after is not there."""
        floors = [float("-inf")]
        anchor = self._plan.anchor_of(planned)
        if anchor is not None:
            observation = self._read_from(anchor)
            if observation is None:
                return None
            floors.append(observation["sequence"])
        for capture in planned.captures:
            captured = self._captured.get((planned.step_id, capture.input_channel, capture.key))
            if captured is None:
                return None
            floors.append(captured.sequence)
        return max(floors)

    def _counts(self, observation_id: str, planned: PlannedStep, floor: float) -> bool:
        """Whether an observation comes late enough and sent what a step binds."""
        observation = self._observations.last[observation_id]
        if observation["sequence"] <= floor:
            return False
        if planned.raw_body is not None and not sent_raw(observation, planned.raw_body):
            return False
        inputs = cast(Mapping[str, Any], observation["callInputs"])
        return all(
            (sent := inputs[channel]) is not None
            and all(key in sent and self._satisfies(observation, planned, channel, key, bound[key]) for key in bound)
            for channel, bound in planned.bound
        )

    def _satisfies(
        self, observation: Observation, planned: PlannedStep, channel: str, key: str, binding: BindingValue
    ) -> bool:
        sent = cast(Mapping[str, Any], observation["callInputs"])[channel][key]
        match binding:
            case {"captured": _}:
                captured = self._captured.get((planned.step_id, channel, key))
                return captured is not None and deep_equals(sent, captured.value)
            case {"principal": principal}:
                return observation["principal"] == principal
        return satisfies_plain(sent, binding, channel, key, planned.operation)
