"""Steps in words: the operation, and as much of its binding as tells it from its siblings (spec 06, sections 3.1-3.5).

A step is named at the first of three levels at which all its siblings differ: ``generic`` says which inputs were
supplied, ``kind`` what sort of value each was, ``literal`` the values themselves, following captured values back to the
steps they came from. The expansion has a budget, so that a plan of captures upon captures stays readable and finite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.artifacts.shapes import own_keys
from eval_quality.canonical import utf16_key
from eval_quality.declared_inputs import bound_channels_of, is_command_operation, is_mcp_operation
from eval_quality.errors import StructuralFailure
from eval_quality.json_text import json_text
from eval_quality.plan_index import EvidenceTarget, PlanIndex, key_of, parse_evidence_target

Level = Literal["generic", "kind", "literal"]
LEVELS: Final[tuple[Level, ...]] = ("generic", "kind", "literal")
EXPANSION_LIMITS: Final = (100_000, 4_000_000)
"""UTF-16 units that captured sources may take up: a first try, and a second one when the first ran dry."""

_LOCAL_PHRASES: Final[Mapping[str, tuple[str, str]]] = {
    "response-status": ("its transport status", "its transport status"),
    "exit-code": ("its exit code", "its exit code"),
    "call-inputs": ("the {input} {field} value you sent", "the {input} you sent"),
    "response-body": ("its {field} field", "the response body you obtained"),
    "response-headers": ("its {field} header", "the response headers you obtained"),
    "stdout": ("the {field} field of its standard output", "the standard output you obtained"),
    "stderr": ("the {field} field of its standard error", "the standard error you obtained"),
    "artifact": ("the {field} field of the {artifact} it wrote", "the {artifact} it wrote"),
}
"""What of an exchange a target names, by channel: with a field, and without one."""


def join_and(items: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    if len(items) <= 2:
        return " and ".join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def local_phrase(target: EvidenceTarget) -> str:
    """What of its exchange a target names."""
    field = ".".join(token for token in target.tail if token)
    with_field, without = _LOCAL_PHRASES[target.channel]
    template = with_field if field else without
    return template.format(input=target.input_channel, field=field, artifact=target.artifact_id)


def operation_reference(step: InteractionStep, operation: AnyOperation, index: PlanIndex) -> str:
    """The operation in words, with its interface where another one shares its name."""
    name = step["operationId"].replace("-", " ")
    noun = "command" if is_command_operation(operation) else "tool" if is_mcp_operation(operation) else "endpoint"
    shared = index.is_operation_id_shared(step["operationId"])
    qualifier = f' of interface "{step["interfaceId"]}"' if shared else ""
    return f"the {name} {noun}{qualifier}"


@dataclass
class _Budget:
    """UTF-16 units left for expansions; remembers whether anybody found it empty."""

    remaining: int
    spent: bool = False

    def exhausted(self) -> bool:
        self.spent = self.spent or self.remaining <= 0
        return self.remaining <= 0


class _Entry(NamedTuple):
    """One bound input: its name in words, and its binding."""

    name: str
    value: Any


def _binding_entries(step: InteractionStep) -> Iterator[_Entry]:
    body = cast(Mapping[str, Any], step["inputBinding"]).get("body")
    if body is not None and body.get("kind") == "raw":
        yield _Entry("body raw bytes", {"literal": body})
    for channel, bound in bound_channels_of(step["inputBinding"]):
        if bound is not None:
            for key in sorted(bound, key=utf16_key):
                yield _Entry(f"{channel} {key}", bound[key])


def _display(value: Any) -> str:
    """A value as JSON text with the keys of every object sorted."""
    return json_text(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(own_keys(value), key=utf16_key)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _wording(entry: _Entry, level: Level) -> str:
    """One bound input in words."""
    match entry.value, level:
        case {"matcher": "type-violating"}, _:
            return f"a malformed {entry.name} value"
        case ({"matcher": _}, _) | (_, "generic"):
            return f"the supplied {entry.name}"
        case {"principal": principal}, _:
            return f"the {entry.name} of the {principal} account"
        case {"captured": _}, _:
            return f"the {entry.name} you obtained earlier"
        case {"literal": _}, "kind":
            return f"the stated {entry.name}"
    return f"the {entry.name} {_display(entry.value['literal'])}"


@dataclass
class _Capture:
    """Inputs that were captured from one step, and what of it each one is."""

    step: InteractionStep
    operation: AnyOperation
    names: list[str]
    locals: list[str]


class StepWriter:
    """Writes references to the steps of one plan."""

    def __init__(self, index: PlanIndex) -> None:
        self._index = index

    def reference(self, step: InteractionStep, operation: AnyOperation, siblings: Sequence[InteractionStep]) -> str:
        """A reference that tells the step from its siblings; raises ``irreducible-step-reference`` when none does."""
        for limit in EXPANSION_LIMITS:
            starved = False
            for level in LEVELS:
                renderings = set()
                for sibling in siblings if len(siblings) > 1 else ():
                    budget = _Budget(limit)
                    renderings.add(self._at_level(sibling, operation, level, frozenset(), budget))
                    starved = starved or budget.spent
                if len(siblings) <= 1 or len(renderings) == len(siblings):
                    return self._at_level(step, operation, level, frozenset(), _Budget(limit))
            if not starved:
                break
        raise self._irreducible(step)

    def _irreducible(self, step: InteractionStep) -> StructuralFailure:
        operation, interface = step["operationId"], step["interfaceId"]
        shared = self._index.is_operation_id_shared(operation)
        owner = f' on interface "{interface}"' if shared else ""
        qualifier = f"[interfaceId={interface}]" if shared else ""
        return StructuralFailure(
            "irreducible-step-reference",
            f"EvalContract.interactionPlan{qualifier}[operationId={operation}]",
            f'two or more steps invoking operation "{operation}"{owner} that one direction references render to the '
            "same derived reference even fully escalated; the declared structure does not distinguish them "
            "(AD-16, AD-3)",
        )

    def _at_level(
        self, step: InteractionStep, operation: AnyOperation, level: Level, path: frozenset[str], budget: _Budget
    ) -> str:
        clause = self._clause(step, level, path | {step["stepId"]}, budget)
        reference = operation_reference(step, operation, self._index)
        return f"{reference} ({clause})" if clause else reference

    def _clause(self, step: InteractionStep, level: Level, path: frozenset[str], budget: _Budget) -> str | None:
        entries = list(_binding_entries(step))
        if not entries:
            return None
        violating = [entry for entry in entries if entry.value.get("matcher") == "type-violating"]
        slots: dict[str, _Entry | _Capture] = {}
        for entry in violating or entries:
            capture = self._capture(entry, level, path, budget)
            if capture is None:
                slots[f"entry {entry.name}"] = entry
                continue
            group = slots.setdefault(f"step {capture.step['stepId']}", capture)
            if isinstance(group, _Capture) and group is not capture:
                group.names += capture.names
                group.locals += capture.locals
        return f"with {join_and([self._slot(slot, level, path, budget) for slot in slots.values()])}"

    def _capture(self, entry: _Entry, level: Level, path: frozenset[str], budget: _Budget) -> _Capture | None:
        """The step an entry was captured from, when it is to be expanded."""
        if level != "literal" or "captured" not in entry.value or budget.exhausted():
            return None
        target = parse_evidence_target(entry.value["captured"])
        step = None if target.step_id in path else self._index.step_of(target.step_id)
        operation = None if step is None else self._index.any_operation_of(key_of(step))
        if step is None or operation is None:
            return None
        return _Capture(step, operation, [entry.name], [local_phrase(target)])

    def _slot(self, slot: _Entry | _Capture, level: Level, path: frozenset[str], budget: _Budget) -> str:
        if isinstance(slot, _Entry):
            return _wording(slot, level)
        names = join_and(slot.names)
        if budget.exhausted():
            return f"the {names} you obtained earlier"
        source = self._at_level(slot.step, slot.operation, level, path, budget)
        budget.remaining -= len(source.encode("utf-16-le", "surrogatepass")) // 2
        return f"the {names} you obtained as {join_and(slot.locals)} from {source}"
