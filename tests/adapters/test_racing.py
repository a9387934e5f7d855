"""Work raced against a signal and a deadline (spec 12, section 4.5, steps 2 and 3)."""

from __future__ import annotations

import asyncio

import pytest

from eval_quality.abort import AbortError, AbortSignal
from eval_quality.adapters.racing import DeadlinePassed, until_raised
from tests.adapters.processes import PATIENCE, let_pass

LONGEST_MS = 2**31 - 1


async def outcome_after(delay_ms: int, passed_ms: int) -> str:
    """How work that never ends is doing when some time has passed."""
    task = asyncio.ensure_future(until_raised(asyncio.Event().wait(), AbortSignal(), delay_ms))
    await asyncio.sleep(0)
    let_pass(passed_ms / 1000)
    await asyncio.sleep(0.05)
    if not task.done():
        task.cancel()
        return "waiting"
    with pytest.raises(DeadlinePassed):
        task.result()
    return "cut short"


@pytest.mark.parametrize("delay_ms", [LONGEST_MS, LONGEST_MS + 1, LONGEST_MS + 30_000])
def test_no_deadline_is_longer_than_the_longest(delay_ms: int) -> None:
    assert asyncio.run(outcome_after(delay_ms, LONGEST_MS - 10_000)) == "waiting"
    assert asyncio.run(outcome_after(delay_ms, LONGEST_MS)) == "cut short"


@pytest.mark.parametrize("reason", [None, ValueError("enough"), "no exception"])
def test_an_abort_is_told_with_its_reason(reason: object) -> None:
    async def main() -> None:
        signal = AbortSignal()
        task = asyncio.ensure_future(until_raised(asyncio.Event().wait(), signal, 60_000))
        await asyncio.sleep(0)
        signal.abort(reason)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(AbortError, match="The operation was aborted") as caught:
                await task
        assert caught.value.__cause__ is (signal.reason if isinstance(signal.reason, Exception) else None)
        assert signal._listeners == []

    asyncio.run(main())
