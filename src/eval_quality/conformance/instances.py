"""Handling a subject's instances: build, call, count, dispose, and what went wrong in words (spec 13, section 2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import Any

from eval_quality.artifacts.schema import issues_of
from eval_quality.canonical import number_text
from eval_quality.errors import RUNTIME_FAULT_CODES

from .model import BuiltSubject, ConformanceOutcome, PortSubject, ScenarioKind


@dataclass(frozen=True)
class Complaint:
    """Why something could not be done, as the detail of an outcome."""

    text: str


@dataclass(frozen=True)
class FaultView:
    """A declared fault, recognised by its attributes and never by its class."""

    code: str
    artifact_path: str


@dataclass(frozen=True)
class Resolved:
    """A call that returned."""

    value: Any


@dataclass(frozen=True)
class Rejected:
    """A call that raised."""

    error: BaseException

    @property
    def fault(self) -> FaultView | None:
        return fault_view(self.error)

    @property
    def undeclared(self) -> str:
        return f"rejected with {thrown(self.error)}, which carries no declared AD-28 code"


def thrown(error: object) -> str:
    """What was raised, in words."""
    if isinstance(error, BaseException):
        return f"{type(error).__name__}: {error}"
    return f"a non-Error value: {error}"


def fault_view(error: object) -> FaultView | None:
    """The declared fault an error is, if it is one."""
    code, path = getattr(error, "code", None), getattr(error, "artifact_path", None)
    if isinstance(error, Exception) and isinstance(code, str) and isinstance(path, str) and code in RUNTIME_FAULT_CODES:
        return FaultView(code, path)
    return None


async def build(subject: PortSubject, scenario: ScenarioKind) -> BuiltSubject | Complaint:
    """A fresh instance."""
    try:
        return await subject.build(scenario)
    except Exception as error:
        return Complaint(f"build('{scenario}') threw {thrown(error)}")


async def settle(call: Awaitable[Any]) -> Resolved | Rejected:
    """How a call ended; one that was cancelled, and not by its caller, has rejected."""
    try:
        return Resolved(await call)
    except Exception as error:
        return Rejected(error)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return Rejected(error)


def count_complaint(built: BuiltSubject, expected: int, remark: str = "") -> Complaint | None:
    """What is wrong with the number of underlying calls, if anything is."""
    try:
        calls = built.underlying_calls()
    except Exception as error:
        return Complaint(f"underlyingCalls() threw {thrown(error)}")
    if calls == expected and not isinstance(calls, bool):
        return None
    return Complaint(f"{call_count_detail(calls, expected)}{remark}")


def call_count_detail(calls: object, expected: int) -> str:
    told = number_text(calls) if isinstance(calls, int | float) and not isinstance(calls, bool) else str(calls)
    return f"underlyingCalls() was {told}, expected {expected}"


async def disposed(built: BuiltSubject, *outcomes: ConformanceOutcome) -> tuple[ConformanceOutcome, ...]:
    """The outcomes, failed if the instance could not be disposed of."""
    if built.dispose is None:
        return outcomes
    try:
        await built.dispose()
    except Exception as error:
        complaint = f"dispose() threw {thrown(error)}"
        return tuple(replace(each, passed=False, detail=f"{each.detail}; {complaint}") for each in outcomes)
    return outcomes


def conforms(annotation: Any, value: object) -> bool:
    """Whether a value conforms to a message's schema."""
    return not issues_of(annotation, value)[1]
