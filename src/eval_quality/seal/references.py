"""The evidence of one direction in words (spec 06, sections 3 and 3.6).

The bytes do not depend on the order of pointers, steps or interfaces. Targets of one step are told together; a step and
the step that follows it, with one target each, are told as a comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.plan import InteractionStep
from eval_quality.canonical import utf16_key
from eval_quality.json_text import json_text
from eval_quality.plan_index import (
    EvidenceTarget,
    OperationKey,
    PlanIndex,
    key_of,
    parse_evidence_target,
    resolve_operation,
    resolve_step,
)

from .phrases import join_and, local_phrase
from .step_references import distinct_references


@dataclass(frozen=True)
class _Resolved:
    """A target with the step and the operation it is about."""

    target: EvidenceTarget
    step: InteractionStep
    operation: AnyOperation


def render_evidence_references(pointers: Iterable[str], index: PlanIndex) -> str:
    """The evidence a direction points at, as one phrase.

    Raises ``PreconditionError`` for a pointer that names nothing declared and ``StructuralFailure``
    ``irreducible-step-reference`` for steps that cannot be told apart.
    """
    resolved = [_resolve(pointer, index) for pointer in dict.fromkeys(pointers)]
    phrases = _DirectionWriter(resolved, index).phrases()
    return join_and(sorted(phrases, key=utf16_key))


def _resolve(pointer: str, index: PlanIndex) -> _Resolved:
    target = parse_evidence_target(pointer)
    step = resolve_step(index, target.step_id)
    return _Resolved(target, step, resolve_operation(index, step))


class _DirectionWriter:
    """Writes the phrases of one direction; a step's siblings are the steps this direction names on its operation."""

    def __init__(self, resolved: Sequence[_Resolved], index: PlanIndex) -> None:
        self._index = index
        self._by_step: dict[str, list[_Resolved]] = defaultdict(list)
        self._siblings: dict[OperationKey, list[InteractionStep]] = defaultdict(list)
        self._references: dict[OperationKey, dict[str, str]] = {}
        for each in resolved:
            step_id = each.target.step_id
            if step_id not in self._by_step:
                self._siblings[key_of(each.step)].append(each.step)
            self._by_step[step_id].append(each)

    def phrases(self) -> Iterator[str]:
        """One phrase a group, by step identifier."""
        ids = sorted(self._by_step, key=utf16_key)
        partners = self._pairs(ids)
        taken = set(partners.values())
        for step_id in ids:
            if step_id in partners:
                yield self._comparison(self._by_step[step_id][0], self._by_step[partners[step_id]][0])
            elif step_id not in taken:
                yield self._group(self._by_step[step_id])

    def _pairs(self, ids: Sequence[str]) -> dict[str, str]:
        """Steps told together with the step that follows them: along each chain the first two, the next two, and on."""
        single = {step_id for step_id in ids if len(self._by_step[step_id]) == 1}
        successor: dict[str, str] = {}
        for step_id in ids:
            after = self._by_step[step_id][0].step["after"]
            if step_id in single and after in single and after is not None:
                successor.setdefault(after, step_id)
        partners: dict[str, str] = {}
        followers = set(successor.values())
        for root in ids:
            current: str | None = None if root in followers else root
            while current is not None and current in successor:
                partner = successor[current]
                partners[current] = partner
                current = successor.get(partner)
        return partners

    def _reference(self, resolved: _Resolved) -> str:
        key = key_of(resolved.step)
        if key not in self._references:
            self._references[key] = distinct_references(self._siblings[key], resolved.operation, self._index)
        return self._references[key][resolved.target.step_id]

    def _full(self, resolved: _Resolved) -> str:
        link = "to" if resolved.target.channel == "call-inputs" else "from"
        return f"{local_phrase(resolved.target)} {link} {self._reference(resolved)}"

    def _group(self, group: Sequence[_Resolved]) -> str:
        if len(group) == 1:
            return self._full(group[0])
        locals_ = sorted((local_phrase(each.target) for each in group), key=utf16_key)
        return f"{self._reference(group[0])}: {join_and(locals_)}"

    def _comparison(self, one: _Resolved, other: _Resolved) -> str:
        """What was sent before what came back, then by channel; references decide, and are written, only when needed."""
        first, second = sorted((one, other), key=_rank)
        if _rank(first) == _rank(second):
            first, second = sorted((one, other), key=lambda each: utf16_key(self._reference(each)))
        return f"{self._full(first)}, compared with {self._full(second)}"


def _rank(resolved: _Resolved) -> tuple[bool, bytes]:
    target = resolved.target
    signature = json_text([target.channel, target.input_channel, target.artifact_id, list(target.tail)])
    return target.channel != "call-inputs", utf16_key(signature)
