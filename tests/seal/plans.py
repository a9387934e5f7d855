"""A small shop for the tests of this package: two operations, a command, a tool, and steps made to measure."""

from __future__ import annotations

from typing import Any

from eval_quality.plan_index import PlanIndex, build_plan_index
from tests.contracts import (
    Json,
    export_command_operation,
    list_orders_operation,
    minimal_contract,
    place_order_operation,
    reset_tool_operation,
    transport_binding,
)


def literal(value: Any) -> Json:
    return {"literal": value}


def captured(pointer: str) -> Json:
    return {"captured": pointer}


def step(step_id: str, operation: str, after: str | None = None, interface: str = "api", **channels: Any) -> Json:
    """A step; ``channels`` are what it binds."""
    return {
        "stepId": step_id,
        "interfaceId": interface,
        "operationId": operation,
        "inputBinding": channels if interface in ("cli", "tools") else transport_binding(**channels),
        "after": after,
        "cardinality": "any",
    }


def create(step_id: str, after: str | None = None, **body: Json) -> Json:
    return step(step_id, "create-order", after, body=body or None)


def get(step_id: str, after: str | None = None, **path: Json) -> Json:
    return step(step_id, "get-order", after, path=path or None)


def interfaces() -> list[Json]:
    """``get-order`` is declared by two interfaces, everything else by one."""
    return [
        {
            "logicalId": "api",
            "kind": "api",
            "operations": [
                place_order_operation() | {"operationId": "create-order"},
                list_orders_operation() | {"operationId": "get-order"},
            ],
        },
        {
            "logicalId": "back-office",
            "kind": "web",
            "operations": [list_orders_operation() | {"operationId": "get-order"}],
        },
        {"logicalId": "cli", "kind": "cli", "operations": [export_command_operation()]},
        {"logicalId": "tools", "kind": "mcp", "operations": [reset_tool_operation()]},
    ]


def index_of(*steps: Json) -> PlanIndex:
    declared: Any = interfaces()
    plan: Any = list(steps)
    return build_plan_index(plan, declared)


def shop_contract(*steps: Json, **changes: Any) -> Json:
    """A contract of that shop which parses; it need not compile."""
    return minimal_contract(interactionPlan=list(steps), permittedInterfaces=interfaces()) | changes
