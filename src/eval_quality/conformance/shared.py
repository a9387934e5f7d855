"""The six assertions every port method is held to (spec 13, section 3)."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from eval_quality.abort import AbortSignal
from eval_quality.canonical import number_text

from .instances import (
    Complaint,
    Rejected,
    build,
    call_count_detail,
    conforms,
    count_complaint,
    disposed,
    settle,
    thrown,
)
from .model import ConformanceOutcome, PortSubject

_TITLES: Final = {
    "typed-fault": "a mechanism failure rejects with a declared RuntimeFault",
    "single-underlying-call-on-success": "exactly one underlying call on a successful invocation",
    "single-underlying-call-on-failure": "exactly one underlying call on a failing invocation (no internal retry)",
    "prompt-abort": 'an aborted signal rejects promptly with code "aborted"',
    "no-in-band-error": "a value the response schema rejects throws rather than resolving",
    "schema-valid-return": "a successful invocation returns a schema-valid response",
}
_LAST_TURN_SECONDS: Final = 0.05
"""What a call that is given up may take to hear of its cancellation."""
_LEAST_BUDGET_MS: Final = 1
"""What a timer of no time takes: a call that ends without waiting for anything meets even that."""
_NO_RETRY: Final = "; more than one is an internal retry, which AD-28 forbids"


async def run_shared(prefix: str, subject: PortSubject, response_type: Any) -> list[ConformanceOutcome]:
    """The six outcomes of one port method, in the order they are reported."""
    suite = _SharedSuite(prefix, subject, response_type)
    made = [*await suite.resolves(), *await suite.fails(), *await suite.hangs(), *await suite.in_band_error()]
    by_id = {outcome.id: outcome for outcome in made}
    return [by_id[f"{prefix}/{name}"] for name in _TITLES]


class _SharedSuite:
    def __init__(self, prefix: str, subject: PortSubject, response_type: Any) -> None:
        self._prefix = prefix
        self._subject = subject
        self._response_type = response_type

    def _outcome(self, name: str, passed: bool, detail: str) -> ConformanceOutcome:
        return ConformanceOutcome(f"{self._prefix}/{name}", _TITLES[name], passed, detail)

    def _all_failed(self, complaint: Complaint, *names: str) -> tuple[ConformanceOutcome, ...]:
        return tuple(self._outcome(name, False, complaint.text) for name in names)

    async def resolves(self) -> tuple[ConformanceOutcome, ...]:
        names = ("single-underlying-call-on-success", "schema-valid-return")
        built = await build(self._subject, "resolves")
        if isinstance(built, Complaint):
            return self._all_failed(built, *names)
        answer = await settle(built.port(self._subject.sample_request, AbortSignal()))
        if isinstance(answer, Rejected):
            refused = Complaint(f"the 'resolves' scenario rejected with {thrown(answer.error)}")
            return await disposed(built, *self._all_failed(refused, *names))
        calls = count_complaint(built, 1)
        return await disposed(
            built,
            self._outcome(names[0], calls is None, calls.text if calls else call_count_detail(1, 1)),
            self._outcome(
                names[1],
                conforms(self._response_type, answer.value),
                "the resolved value failed the port response schema",
            ),
        )

    async def fails(self) -> tuple[ConformanceOutcome, ...]:
        names = ("typed-fault", "single-underlying-call-on-failure")
        built = await build(self._subject, "fails")
        if isinstance(built, Complaint):
            return self._all_failed(built, *names)
        answer = await settle(built.port(self._subject.sample_request, AbortSignal()))
        if not isinstance(answer, Rejected):
            typed = self._outcome(names[0], False, "the 'fails' scenario resolved instead of rejecting")
        elif answer.fault is None:
            typed = self._outcome(names[0], False, answer.undeclared)
        else:
            detail = f"the {answer.fault.code} fault carries an empty artifactPath"
            typed = self._outcome(names[0], bool(answer.fault.artifact_path), detail)
        calls = count_complaint(built, 1, _NO_RETRY)
        detail = calls.text if calls else call_count_detail(1, 1) + _NO_RETRY
        return await disposed(built, typed, self._outcome(names[1], calls is None, detail))

    async def hangs(self) -> tuple[ConformanceOutcome, ...]:
        built = await build(self._subject, "hangs")
        if isinstance(built, Complaint):
            return self._all_failed(built, "prompt-abort")
        passed, detail = await self._abort(built.port)
        return await disposed(built, self._outcome("prompt-abort", passed, detail))

    async def _abort(self, port: Any) -> tuple[bool, str]:
        signal = AbortSignal()
        call = asyncio.ensure_future(settle(port(self._subject.sample_request, signal)))
        await asyncio.sleep(0.001)  # a real turn of the loop: an adapter that starts threads has started them
        signal.abort()
        budget = self._subject.abort_budget_ms
        await asyncio.wait({call}, timeout=max(budget, _LEAST_BUDGET_MS) / 1000)
        if not call.done():
            call.cancel()
            await asyncio.wait({call}, timeout=_LAST_TURN_SECONDS)
            return False, f"the call had not settled {number_text(budget)}ms after the signal aborted"
        answer = call.result()
        if not isinstance(answer, Rejected):
            return False, "the call resolved after the signal aborted instead of rejecting"
        fault = answer.fault
        told = f'code "{fault.code}"' if fault else thrown(answer.error)
        return fault is not None and fault.code == "aborted", f'rejected with {told}, expected the "aborted" fault'

    async def in_band_error(self) -> tuple[ConformanceOutcome, ...]:
        built = await build(self._subject, "in-band-error")
        if isinstance(built, Complaint):
            return self._all_failed(built, "no-in-band-error")
        answer = await settle(built.port(self._subject.sample_request, AbortSignal()))
        if isinstance(answer, Rejected):
            outcome = self._outcome("no-in-band-error", answer.fault is not None, answer.undeclared)
        else:
            detail = "the in-band error value was returned instead of thrown"
            outcome = self._outcome("no-in-band-error", False, detail)
        return await disposed(built, outcome)
