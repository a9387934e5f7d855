"""The system clock (spec 12, section 7.3); the boundary's tests have the rest."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta

from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_system_clock_adapter
from eval_quality.ports import ClockPort


def test_it_tells_the_time_in_utc_to_the_millisecond() -> None:
    now = asyncio.run(create_system_clock_adapter().read({}, AbortSignal()))["now"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now)
    assert abs(datetime.fromisoformat(now) - datetime.now(UTC)) < timedelta(seconds=10)


def test_it_is_a_clock_port() -> None:
    assert isinstance(create_system_clock_adapter(), ClockPort)
