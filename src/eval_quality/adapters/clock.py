"""The system clock adapter (spec 12, section 7.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import ClockReadRequest, ClockReadResponse

from .boundary import PortMethod

ClockMechanism = Callable[[AbortSignal], Awaitable[str]]
"""Tells the time as RFC 3339 text in UTC."""


async def system_time(signal: AbortSignal) -> str:
    """Now, in UTC, with the milliseconds cut off after three digits."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class SystemClockAdapter:
    """A ``ClockPort``."""

    def __init__(self, mechanism: ClockMechanism) -> None:
        self._read = PortMethod(
            request_type=ClockReadRequest,
            response_type=ClockReadResponse,
            request_path="ClockReadRequest",
            response_path="ClockReadResponse",
            mechanism=lambda request, signal: mechanism(signal),
            assemble=lambda now, request: {"now": now},
        )

    async def read(self, request: ClockReadRequest, signal: AbortSignal) -> ClockReadResponse:
        """The time; raises ``RuntimeFault``."""
        response: ClockReadResponse = await self._read(request, signal)
        return response


def create_system_clock_adapter(mechanism: ClockMechanism = system_time) -> SystemClockAdapter:
    """A clock port over the system's clock, or over a scripted mechanism."""
    return SystemClockAdapter(mechanism)
