"""Addresses and the HTTP target decision."""

from __future__ import annotations

from typing import Any

from eval_quality.targets import (
    Allowed,
    ResolvedTarget,
    classify_address,
    evaluate_target,
    is_safe_method,
    parse_address,
    stays_on_host,
)


def _parse(value: dict[str, Any]) -> dict[str, Any]:
    parsed = parse_address(value["address"])
    if not parsed.ok:
        return {"ok": False}
    return {
        "ok": True,
        "family": parsed.family,
        "canonical": parsed.canonical,
        "addressClass": parsed.address_class,
    }


def _evaluate(value: dict[str, Any]) -> dict[str, Any]:
    target = value["target"]
    decision = evaluate_target(
        value["policy"],
        ResolvedTarget(
            target["interfaceId"],
            target["scheme"],
            target["host"],
            target["port"],
            target["address"],
            target["method"],
        ),
    )
    if isinstance(decision, Allowed):
        return {
            "allowed": True,
            "authorization": decision.authorization,
            "addressClass": decision.address_class,
            "canonicalAddress": decision.canonical_address,
        }
    return {
        "allowed": False,
        "reason": decision.reason,
        "detail": decision.detail,
        "addressClass": decision.address_class,
    }


OPERATIONS = {
    "parseAddress": _parse,
    "classifyAddress": lambda value: classify_address(value["address"]),
    "staysOnHost": lambda value: stays_on_host(value["address"]),
    "isSafeMethod": lambda value: is_safe_method(value["authorization"], value["method"]),
    "evaluateTarget": _evaluate,
}
