"""Whether what an observation sent is what a step or a signature's selector binds (spec 09, sections 5.6, 5.7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eval_quality.artifacts.defect_signature import DefectSignature
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.pointers import INPUT_CHANNELS
from eval_quality.artifacts.sealed_run_record import Observation
from eval_quality.declared_inputs import request_shape_of
from eval_quality.evaluate import ABSENT, ResolvedValue
from eval_quality.evaluate.operators import kind_of


def is_raw_body(bound: Mapping[str, Any] | None) -> bool:
    """Whether what is bound to a body channel stands for exact bytes instead of keys."""
    return bound is not None and bound.get("kind") == "raw"


def sent_raw(observation: Observation, raw: Mapping[str, Any]) -> bool:
    """Whether an observation sent exactly these bytes."""
    inputs = observation["callInputs"]
    return inputs["bodyEncoding"] == "raw" and deep_equals(inputs["body"], raw)


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


def selector_admits(signature: DefectSignature, observation: Observation, operation: AnyOperation) -> bool:
    """Whether a signature's selector admits an observation of the operation the signature is about."""
    selector = cast(Mapping[str, Any], signature["condition"]["selector"]["inputBinding"])
    inputs = cast(Mapping[str, Any], observation["callInputs"])
    for channel in INPUT_CHANNELS:
        bound, sent = selector[channel], inputs[channel]
        if bound is None:
            continue
        if sent is None:
            return False
        if channel == "body" and is_raw_body(bound):
            if not sent_raw(observation, bound):
                return False
        elif not all(
            key in sent and satisfies_plain(sent[key], binding, channel, key, operation)
            for key, binding in bound.items()
        ):
            return False
    return True


def deep_equals(one: ResolvedValue, other: ResolvedValue) -> bool:
    """Whether two values are equal as JSON values; nothing equals ``ABSENT``. Depth costs no recursion."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if left is ABSENT or right is ABSENT or kind_of(left) != kind_of(right):
            return False
        match left:
            case dict():
                if left.keys() != right.keys():
                    return False
                pending += [(value, right[key]) for key, value in left.items()]
            case list():
                if len(left) != len(right):
                    return False
                pending += zip(left, right, strict=True)
            case _ if left != right:
                return False
    return True
