"""What the two adapters that start processes share as environment probes (spec 12, sections 4.1 and 5.1).

Requests of one kind only; refusals in the words of ``forbidden-target``; nothing of the host's environment but ``PATH``;
observations that begin with the correlation of their request.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import ProbeObservation, ProbeRequest
from eval_quality.errors import ForbiddenTargetReason, RuntimeFault

from .boundary import PortMethod


def probe_method(
    kind: Literal["cli", "mcp"],
    act: Callable[[Any, AbortSignal], Awaitable[Any]],
    observed: Callable[[Any], dict[str, Any]],
) -> PortMethod:
    """The port method that has requests of one kind acted on; ``observed`` says what there is to see in a result."""

    async def mechanism(request: ProbeRequest, signal: AbortSignal) -> Any:
        if request["kind"] != kind:
            detail = f"this adapter runs {kind} requests only; no {request['kind']} target is ever authorized"
            raise forbidden("interface-not-authorized", detail)
        return await act(request, signal)

    def assemble(raw: Any, request: ProbeRequest) -> dict[str, Any]:
        echoed = {key: request[key] for key in ("probeId", "interfaceId", "operationId", "kind")}
        return echoed | observed(raw)

    return PortMethod(
        request_type=ProbeRequest,
        response_type=ProbeObservation,
        request_path="ProbeRequest",
        response_path="ProbeObservation",
        mechanism=mechanism,
        assemble=assemble,
    )


def forbidden(reason: ForbiddenTargetReason, detail: str) -> RuntimeFault:
    """The refusal of a request before anything is started."""
    return RuntimeFault("forbidden-target", "ProbeRequest", detail, reason=reason)


def host_path() -> dict[str, str]:
    """The one variable of the host's environment that a target is given."""
    return {"PATH": os.environ["PATH"]} if "PATH" in os.environ else {}
