"""A conformance run as one assertion of a test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from .model import ConformanceReport, format_conformance_report


def assert_conforms(report: ConformanceReport | Awaitable[ConformanceReport]) -> ConformanceReport:
    """Raise ``AssertionError``, with the whole report as its text, unless every assertion was made and passed.

    Takes a report, or the call of a runner, which is then run in an event loop of its own; in a test that is a
    coroutine function itself, await the runner and hand over its report.
    """
    finished = report if isinstance(report, ConformanceReport) else asyncio.run(_awaited(report))
    if not finished.passed:
        raise AssertionError(format_conformance_report(finished))
    return finished


async def _awaited(report: Awaitable[ConformanceReport]) -> ConformanceReport:
    return await report
