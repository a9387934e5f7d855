"""Steps in words: an operation, and as much of its binding as tells a step apart (spec 06, sections 3.4 and 3.5.1).

Steps that one direction names on one operation are told at the first level at which all of them differ. At the last
level a captured value is followed back to the step it came from, and on from there. That expansion has a budget, so
that captures upon captures stay readable; it takes no more of the interpreter's stack however far it leads.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.canonical import utf16_length
from eval_quality.errors import StructuralFailure
from eval_quality.plan_index import EvidenceTarget, PlanIndex, key_of, parse_evidence_target

from .phrases import LEVELS, BoundInput, Level, bound_inputs, join_and, local_phrase, operation_reference, wording

EXPANSION_LIMITS: Final = (100_000, 4_000_000)
"""UTF-16 units that captured sources may take up: a first try, and a second one when the first ran dry."""


def distinct_references(steps: Sequence[InteractionStep], operation: AnyOperation, index: PlanIndex) -> dict[str, str]:
    """References that tell steps of one operation apart, by step identifier.

    Raises ``StructuralFailure`` ``irreducible-step-reference`` when no level does.
    """
    for limit in EXPANSION_LIMITS:
        starved = False
        for level in LEVELS:
            references = {}
            for step in steps:
                writer = _ReferenceWriter(index, level, limit)
                references[step["stepId"]] = writer.write(step, operation)
                starved = starved or writer.starved
            if len(set(references.values())) == len(steps):
                return references
        if not starved:
            break
    raise _irreducible(steps[0], index)


def _irreducible(step: InteractionStep, index: PlanIndex) -> StructuralFailure:
    operation, interface = step["operationId"], step["interfaceId"]
    shared = index.is_operation_id_shared(operation)
    owner = f' on interface "{interface}"' if shared else ""
    qualifier = f"[interfaceId={interface}]" if shared else ""
    return StructuralFailure(
        "irreducible-step-reference",
        f"EvalContract.interactionPlan{qualifier}[operationId={operation}]",
        f'two or more steps invoking operation "{operation}"{owner} that one direction references render to the '
        "same derived reference even fully escalated; the declared structure does not distinguish them "
        "(AD-16, AD-3)",
    )


@dataclass
class _Captures:
    """Inputs captured from one step: their names, and what of that step's exchange each one is."""

    source: InteractionStep
    operation: AnyOperation
    names: list[str] = field(default_factory=list)
    targets: list[EvidenceTarget] = field(default_factory=list)


_Pending = Generator[_Captures, Any, str]
"""A reference being written: yields captures, is sent their source in words, and returns its text."""


class _ReferenceWriter:
    """Writes one reference at one level, following captures for as long as the budget lasts."""

    def __init__(self, index: PlanIndex, level: Level, limit: int) -> None:
        self._index = index
        self._level = level
        self._remaining = limit
        self._open: set[str] = set()
        self.starved = False
        """Whether the budget was found empty."""

    def write(self, step: InteractionStep, operation: AnyOperation) -> str:
        """The reference in words; those it waits for are kept on a list, not on the interpreter's stack."""
        waiting = [self._reference(step, operation)]
        text: str | None = None
        while True:
            try:
                captures = waiting[-1].send(text)
            except StopIteration as end:
                text = str(end.value)
                waiting.pop()
                if not waiting:
                    return text
            else:
                waiting.append(self._reference(captures.source, captures.operation))
                text = None

    def _reference(self, step: InteractionStep, operation: AnyOperation) -> _Pending:
        self._open.add(step["stepId"])
        words = []
        for slot in self._slots(step):
            if isinstance(slot, BoundInput):
                words.append(wording(slot, self._level))
            elif self._exhausted():
                words.append(f"the {join_and(slot.names)} you obtained earlier")
            else:
                source: str = yield slot
                self._remaining -= utf16_length(source)
                parts = join_and([local_phrase(target) for target in slot.targets])
                words.append(f"the {join_and(slot.names)} you obtained as {parts} from {source}")
        self._open.remove(step["stepId"])
        reference = operation_reference(step, operation, self._index)
        return f"{reference} (with {join_and(words)})" if words else reference

    def _slots(self, step: InteractionStep) -> list[BoundInput | _Captures]:
        """What is said of a step's inputs: malformed ones hide the others, captures from one step go together."""
        inputs = list(bound_inputs(step))
        malformed = [bound for bound in inputs if bound.value.get("matcher") == "type-violating"]
        slots: list[BoundInput | _Captures] = []
        groups: dict[str, _Captures] = {}
        for bound in malformed or inputs:
            target = self._followed(bound)
            source = None if target is None else self._index.step_of(target.step_id)
            operation = None if source is None else self._index.any_operation_of(key_of(source))
            if target is None or source is None or operation is None:
                slots.append(bound)
                continue
            if target.step_id not in groups:
                groups[target.step_id] = _Captures(source, operation)
                slots.append(groups[target.step_id])
            groups[target.step_id].names.append(bound.name)
            groups[target.step_id].targets.append(target)
        return slots

    def _followed(self, bound: BoundInput) -> EvidenceTarget | None:
        """What an input was captured from, when that is to be said: never of a step that is being told already."""
        if self._level != "literal" or "captured" not in bound.value or self._exhausted():
            return None
        target = parse_evidence_target(bound.value["captured"])
        return None if target.step_id in self._open else target

    def _exhausted(self) -> bool:
        empty = self._remaining <= 0
        self.starved = self.starved or empty
        return empty
