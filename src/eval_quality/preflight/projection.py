"""What of an observation pre-flight compares and digests (spec 07, section 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypedDict

from eval_quality.artifacts.bodies import ProbeObservedBody
from eval_quality.artifacts.interfaces import AnyOperation
from eval_quality.artifacts.port_messages import CommandProbeObservation, ProbeObservation
from eval_quality.canonical import copied, digest_composite, utf16_key
from eval_quality.declared_inputs import descriptor_artifact_of, descriptor_channel_of
from eval_quality.errors import PreconditionError
from eval_quality.plan_index import decode_tail

ARTIFACT_PATH: Final = "PreflightVerdict"
_DESCRIPTOR_POINTER: Final = re.compile("(?:/(?:[^/~]|~[01])*)*")
_INDEX: Final = re.compile("0|[1-9][0-9]*")


class Projection(TypedDict):
    """The parts of an observation that an operation's contract speaks of, what is volatile taken out."""

    legId: str
    interfaceId: str
    operationId: str
    status: int | None
    exitCode: int | None
    toolError: bool | None
    body: ProbeObservedBody


def project(observation: ProbeObservation, operation: AnyOperation) -> Projection:
    """Project one observation; headers and streams that no descriptor describes are never part of it."""
    answer = _answer(observation, operation)
    return {
        "legId": observation["probeId"],
        "interfaceId": observation["interfaceId"],
        "operationId": observation["operationId"],
        "status": answer.status,
        "exitCode": answer.exit_code,
        "toolError": answer.tool_error,
        "body": prune_volatile(answer.body, operation["volatilePointers"], ARTIFACT_PATH),
    }


class _Answer(NamedTuple):
    """What an observation says in the terms of its operation's descriptor."""

    body: ProbeObservedBody
    status: int | None = None
    exit_code: int | None = None
    tool_error: bool | None = None


def _answer(observation: ProbeObservation, operation: AnyOperation) -> _Answer:
    if observation["kind"] == "api":
        return _Answer(observation["body"], status=observation["status"])
    if observation["kind"] == "cli":
        return _Answer(_described_output(observation, operation), exit_code=observation["exitCode"])
    return _Answer(observation["result"], exit_code=observation.get("exitCode"), tool_error=observation["isError"])


def _described_output(observation: CommandProbeObservation, operation: AnyOperation) -> ProbeObservedBody:
    artifact = descriptor_artifact_of(operation)
    if artifact is not None:
        return observation["artifacts"].get(artifact, {"kind": "absent"})
    return observation["stderr" if descriptor_channel_of(operation) == "stderr" else "stdout"]


def prune_volatile(body: ProbeObservedBody, volatile_pointers: Sequence[str], artifact_path: str) -> ProbeObservedBody:
    """A body without what its operation declares volatile; pointers are applied in order, on one copy.

    Raises ``PreconditionError`` for a pointer outside the grammar.
    """
    for pointer in volatile_pointers:
        if not _DESCRIPTOR_POINTER.fullmatch(pointer):
            raise PreconditionError(f'{artifact_path}: "{pointer}" is not a descriptor-relative pointer')
    if body["kind"] != "json" or not volatile_pointers:
        return body
    if "" in volatile_pointers:
        return {"kind": "absent"}
    value = copied(body["value"])
    for pointer in volatile_pointers:
        _delete(value, decode_tail(pointer))
    return {"kind": "json", "value": value}


def _delete(value: Any, tail: Sequence[str]) -> None:
    *walk, last = tail
    for token in walk:
        match value:
            case list() if _is_index(token, value):
                value = value[int(token)]
            case dict() if token in value:
                value = value[token]
            case _:
                return
    match value:
        case list() if _is_index(last, value):
            del value[int(last)]
        case dict():
            value.pop(last, None)


def _is_index(token: str, array: list[Any]) -> bool:
    return bool(_INDEX.fullmatch(token)) and len(token) < 20 and int(token) < len(array)


def fixture_digest(projections: Sequence[Projection], artifact_path: str) -> str:
    """The digest of everything the fixture answered, whatever the order it was asked in.

    Raises ``PreconditionError`` for no projection at all.
    """
    if not projections:
        raise PreconditionError(
            f"{artifact_path}: a fixture digest over no observation would certify a pre-flight that verified nothing"
        )
    ordered = sorted(projections, key=lambda projection: utf16_key(projection["legId"]))
    return digest_composite({"observations": ordered}, artifact_path)
