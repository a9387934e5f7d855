"""The boundary every adapter method goes through (spec 12, section 2), on the smallest adapter there is: the clock."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from eval_quality.abort import AbortError, AbortSignal
from eval_quality.adapters import create_system_clock_adapter
from eval_quality.adapters.boundary import PortMethod
from eval_quality.artifacts.port_messages import ClockReadRequest, ClockReadResponse
from eval_quality.errors import RuntimeFault
from tests.adapters.processes import PATIENCE

NOW = "2030-01-01T00:00:00Z"
Mechanism = Callable[[AbortSignal], Awaitable[str]]


def read(mechanism: Mechanism, request: Any = None, signal: AbortSignal | None = None) -> Any:
    adapter = create_system_clock_adapter(mechanism)
    return asyncio.run(adapter.read({} if request is None else request, signal or AbortSignal()))


def fault(mechanism: Mechanism, request: Any = None, signal: AbortSignal | None = None) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        read(mechanism, request, signal)
    return caught.value


async def tells(signal: AbortSignal) -> str:
    return NOW


async def fails(signal: AbortSignal) -> str:
    raise ValueError("no clock")


async def tells_a_date(signal: AbortSignal) -> str:
    return "2020-01-01"


def aborts_and_tells(signal: AbortSignal) -> Awaitable[str]:
    signal.abort()
    return tells(signal)


def aborts_and_throws(signal: AbortSignal) -> Awaitable[str]:
    signal.abort()
    raise ValueError("no clock")


async def aborts_later(signal: AbortSignal) -> str:
    await asyncio.sleep(0)
    signal.abort()
    await asyncio.sleep(0)
    return NOW


def throws_at_once(signal: AbortSignal) -> Awaitable[str]:
    raise ValueError("no clock")


def is_no_coroutine(signal: AbortSignal) -> Any:
    return NOW


async def cancels_itself(signal: AbortSignal) -> str:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        (tells_a_date, "port-contract-violation in ClockReadResponse: the mechanism result failed boundary validation"),
        (fails, "port-failure in ClockReadResponse: the underlying mechanism threw or rejected"),
        (throws_at_once, "port-failure in ClockReadResponse: the underlying mechanism threw or rejected"),
        (is_no_coroutine, "port-failure in ClockReadResponse: the underlying mechanism threw or rejected"),
        (cancels_itself, "port-failure in ClockReadResponse: the underlying mechanism threw or rejected"),
        (aborts_and_tells, "aborted in ClockReadResponse: the signal aborted before the raced work began"),
        (aborts_and_throws, "aborted in ClockReadResponse: signal was aborted before the mechanism settled"),
        (aborts_later, "aborted in ClockReadResponse: the signal aborted while the mechanism was in flight"),
    ],
)
def test_a_mechanism_that_does_not_answer(mechanism: Mechanism, told: str) -> None:
    assert str(fault(mechanism)) == told


def test_an_answer() -> None:
    assert read(tells) == {"now": NOW}


def test_the_cause_of_a_failure_is_kept() -> None:
    assert isinstance(fault(fails).__cause__, ValueError)
    assert isinstance(fault(aborts_and_throws).__cause__, ValueError)
    assert isinstance(fault(aborts_later).__cause__, AbortError)


def test_a_fault_of_the_mechanism_passes_unchanged() -> None:
    own = RuntimeFault("digest-mismatch", "Clock", "own")

    async def mechanism(signal: AbortSignal) -> str:
        raise own

    assert fault(mechanism) is own


def test_a_signal_raised_before_stops_the_call_before_the_request_is_read() -> None:
    signal = AbortSignal()
    reason = ValueError("enough")
    signal.abort(reason)
    raised = fault(tells, request={"not": "a request"}, signal=signal)
    assert str(raised) == "aborted in ClockReadRequest: signal was already aborted before the port call"
    assert raised.__cause__ is reason


def test_a_request_that_does_not_conform_calls_nothing() -> None:
    def mechanism(signal: AbortSignal) -> Awaitable[str]:
        raise AssertionError("the mechanism must not be called")

    raised = fault(mechanism, request={"now": NOW})
    assert str(raised) == "schema-parse-failure in ClockReadRequest: outbound request failed boundary validation"
    assert raised.issues


def test_an_abort_after_the_answer_does_not_fail_the_call() -> None:
    signal = AbortSignal()

    async def mechanism(given: AbortSignal) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: given.abort())
        return NOW

    assert read(mechanism, signal=signal) == {"now": NOW}
    assert signal.aborted


def test_no_listener_stays_on_a_signal_that_is_used_again() -> None:
    signal = AbortSignal()
    for _ in range(3):
        read(tells, signal=signal)
        fault(fails, signal=signal)
    assert signal._listeners == []


def test_a_mechanism_that_never_settles_is_left_behind_and_cancelled() -> None:
    seen: list[str] = []

    async def mechanism(signal: AbortSignal) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return NOW

    async def main() -> None:
        signal = AbortSignal()
        asyncio.get_running_loop().call_later(0.05, signal.abort)
        with pytest.raises(RuntimeFault, match="in flight"):
            await create_system_clock_adapter(mechanism).read({}, signal)
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_an_abort_from_another_thread_is_heard_at_once() -> None:
    """And not when the loop wakes up for something else."""
    late: list[str] = []

    async def mechanism(given: AbortSignal) -> str:
        threading.Timer(0.1, given.abort).start()
        await asyncio.sleep(PATIENCE)
        late.append("woken by the clock")
        return NOW

    assert fault(mechanism).code == "aborted"
    assert late == []


def test_cancellation_reaches_the_mechanism_and_is_not_translated() -> None:
    seen: list[str] = []

    async def mechanism(signal: AbortSignal) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("ended")
        return NOW

    async def main() -> None:
        task = asyncio.ensure_future(create_system_clock_adapter(mechanism).read({}, AbortSignal()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen == ["ended"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_a_mechanism_that_will_not_be_cancelled_does_not_hold_its_caller() -> None:
    released = asyncio.Event()

    async def mechanism(signal: AbortSignal) -> str:
        while not released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await released.wait()
        return NOW

    async def main() -> None:
        task = asyncio.ensure_future(create_system_clock_adapter(mechanism).read({}, AbortSignal()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (left,) = asyncio.all_tasks() - {asyncio.current_task()}
        released.set()
        await asyncio.wait({left})

    asyncio.run(main())


def method(**changes: Any) -> PortMethod:
    async def mechanism(request: Any, signal: AbortSignal) -> str:
        return NOW

    given: dict[str, Any] = {
        "request_type": ClockReadRequest,
        "response_type": ClockReadResponse,
        "request_path": "In",
        "response_path": "Out",
        "mechanism": mechanism,
        "assemble": lambda now, request: {"now": now},
    }
    return PortMethod(**(given | changes))


def method_fault(signal: AbortSignal | None = None, **changes: Any) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(method(**changes)({}, signal or AbortSignal()))
    return caught.value


def test_a_precheck_refuses_before_the_mechanism_is_called() -> None:
    def refuse(request: Any) -> None:
        raise RuntimeFault("forbidden-target", "In", "no", reason="tool-not-authorized")

    def unreachable(request: Any, signal: AbortSignal) -> Any:
        raise AssertionError("the mechanism must not be called")

    assert method_fault(precheck=refuse, mechanism=unreachable).reason == "tool-not-authorized"


def test_a_precheck_that_breaks_is_a_port_failure() -> None:
    def breaks(request: Any) -> None:
        raise ValueError("broken")

    assert str(method_fault(precheck=breaks)) == "port-failure in Out: the underlying mechanism threw or rejected"


def test_a_postcheck_refuses_or_breaks_or_is_aborted() -> None:
    signal = AbortSignal()

    async def refuse(request: Any) -> None:
        raise RuntimeFault("port-failure", "In", "outside")

    async def breaks(request: Any) -> None:
        signal.abort()
        raise ValueError("broken")

    async def hangs(request: Any) -> None:
        other.abort()
        await asyncio.Event().wait()

    async def fails(request: Any) -> None:
        raise ValueError("broken")

    other = AbortSignal()
    assert str(method_fault(postcheck=refuse)) == "port-failure in In: outside"
    assert str(method_fault(postcheck=fails)) == "port-failure in Out: a post-call check threw or rejected"
    assert method_fault(signal, postcheck=breaks).code == "aborted"
    assert method_fault(other, postcheck=hangs).detail == "the signal aborted while the mechanism was in flight"


def test_a_broken_assembly_is_a_defect_and_not_a_fault() -> None:
    def broken(raw: Any, request: Any) -> Any:
        return raw.nothing

    with pytest.raises(AttributeError):
        asyncio.run(method(assemble=broken)({}, AbortSignal()))
