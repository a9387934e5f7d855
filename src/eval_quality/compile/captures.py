"""What a plan step sends that another step returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from eval_quality.canonical import utf16_key
from eval_quality.declared_inputs import bound_channels_of
from eval_quality.plan_index import EvidenceTarget, parse_evidence_target

if TYPE_CHECKING:
    from eval_quality.artifacts.plan import InteractionStep
    from eval_quality.artifacts.pointers import InputChannel


class CapturedBinding(NamedTuple):
    """One parameter of a step that is sent what another step returned."""

    input_channel: InputChannel
    key: str
    pointer: str
    target: EvidenceTarget


def captured_bindings(step: InteractionStep) -> Iterator[CapturedBinding]:
    """What a step captures: input channels in their fixed order, keys by UTF-16 units within one."""
    for channel, bound in bound_channels_of(step["inputBinding"]):
        captured = {key: value.get("captured") for key, value in (bound or {}).items()}
        for key in sorted((key for key, pointer in captured.items() if pointer is not None), key=utf16_key):
            pointer = str(captured[key])
            yield CapturedBinding(channel, key, pointer, parse_evidence_target(pointer))
