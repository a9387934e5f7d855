"""Subjects over the clock, corpus and file-system adapters, with a mechanism for each scenario."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eval_quality.abort import AbortSignal
from eval_quality.adapters import (
    create_file_system_adapter,
    create_local_corpus_adapter,
    create_system_clock_adapter,
)
from eval_quality.conformance import BuiltSubject, PortSubject, ScenarioKind

Port = Callable[[Any, AbortSignal], Any]
NOW = "2030-01-01T00:00:00Z"


@dataclass
class Mechanism:
    """What lies beneath an adapter in one scenario, and how often it was called."""

    scenario: ScenarioKind
    good: Any
    bad: Any
    calls: int = 0

    async def __call__(self, *given: Any) -> Any:
        self.calls += 1
        match self.scenario:
            case "fails":
                raise OSError("no such luck")
            case "in-band-error":
                return self.bad
            case "hangs":
                await asyncio.Event().wait()
        return self.good


def subject_of(
    name: str, sample: Any, make: Callable[[Mechanism], Port], good: Any, bad: Any, **changes: Any
) -> PortSubject:
    """A subject whose port is made over a mechanism that answers ``good`` or ``bad``."""

    async def build(scenario: ScenarioKind) -> BuiltSubject:
        mechanism = Mechanism(scenario, good, bad)
        return BuiltSubject(make(mechanism), lambda: mechanism.calls)

    given: dict[str, Any] = {"name": name, "sample_request": sample, "build": build}
    return PortSubject(**(given | changes))


def clock_subject(make: Callable[[Mechanism], Port] | None = None, **changes: Any) -> PortSubject:
    made = make or (lambda mechanism: create_system_clock_adapter(mechanism).read)
    return subject_of("clock", {}, made, NOW, "noon", **changes)


def corpus_subject(root: Any) -> PortSubject:
    """``root`` holds a file ``a.txt``."""
    return subject_of(
        "corpus",
        {"privateRef": "a.txt"},
        lambda mechanism: create_local_corpus_adapter(root, mechanism).resolve,
        b"a",
        "a",
    )


class _Files:
    """One mechanism for both methods."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.read_file = mechanism
        self.write_file = mechanism


def read_subject(make: Callable[[Mechanism], Port] | None = None) -> PortSubject:
    made = make or (lambda mechanism: create_file_system_adapter(_Files(mechanism)).read_file)
    return subject_of("files", {"path": "a"}, made, b"a", None)


def write_subject(make: Callable[[Mechanism], Port] | None = None, name: str = "files") -> PortSubject:
    made = make or (lambda mechanism: create_file_system_adapter(_Files(mechanism)).write_file)
    return subject_of(name, {"path": "a", "bytes": b"a"}, made, 1, -1)
