"""The HTTP target policy: default deny, decided on the resolved address (spec 07, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from eval_quality.addresses import (
    ADDRESS_CLASSES,
    AddressClass,
    ParsedAddress,
    classify_address,
    parse_address,
    stays_on_host,
)
from eval_quality.artifacts.target_policies import ProbeTargetAuthorization, ProbeTargetPolicy

__all__ = [
    "ADDRESS_CLASSES",
    "DENIAL_REASONS",
    "AddressClass",
    "Allowed",
    "DenialReason",
    "Denied",
    "ParsedAddress",
    "PolicyDecision",
    "ResolvedTarget",
    "classify_address",
    "evaluate_target",
    "is_safe_method",
    "parse_address",
    "stays_on_host",
]

DenialReason = Literal[
    "interface-not-authorized",
    "scheme-not-authorized",
    "host-not-authorized",
    "port-not-authorized",
    "address-not-authorized",
    "address-unparseable",
    "method-not-authorized",
]
DENIAL_REASONS: Final[tuple[DenialReason, ...]] = get_args(DenialReason)


@dataclass(frozen=True)
class ResolvedTarget:
    """Where a request would go: the name as asked for, and the address it resolved to."""

    interface_id: str
    scheme: str
    host: str
    port: int
    address: str
    method: str


@dataclass(frozen=True)
class Allowed:
    """The request may be made, to ``canonical_address`` and under the authorization's caps."""

    authorization: ProbeTargetAuthorization
    address_class: AddressClass
    canonical_address: str
    allowed: Literal[True] = True


@dataclass(frozen=True)
class Denied:
    """The request must not be made."""

    reason: DenialReason
    detail: str
    address_class: AddressClass
    allowed: Literal[False] = False


PolicyDecision: TypeAlias = Allowed | Denied


def evaluate_target(policy: ProbeTargetPolicy, target: ResolvedTarget) -> PolicyDecision:
    """Decide on one target: the first authorization of its interface that allows it, else the first denial.

    Nothing is allowed by class: a loopback, private or metadata address is reachable only when an authorization names
    it. The caps of the authorization are for the caller to enforce.
    """
    first_denial: Denied | None = None
    for authorization in policy["authorizations"]:
        if authorization["interfaceId"] == target.interface_id:
            decision = _evaluate(authorization, target)
            if isinstance(decision, Allowed):
                return decision
            first_denial = first_denial or decision
    return first_denial or Denied(
        "interface-not-authorized",
        f'no authorization names interface "{target.interface_id}"',
        classify_address(target.address),
    )


def _evaluate(authorization: ProbeTargetAuthorization, target: ResolvedTarget) -> PolicyDecision:
    """One authorization; the first test that fails decides."""
    address_class = classify_address(target.address)
    if target.scheme != authorization["scheme"]:
        detail = f'scheme "{target.scheme}" is not the authorized "{authorization["scheme"]}"'
        return Denied("scheme-not-authorized", detail, address_class)
    if _host(target.host) != _host(authorization["host"]):
        detail = f'host "{target.host}" is not the authorized "{authorization["host"]}"'
        return Denied("host-not-authorized", detail, address_class)
    if target.port != authorization["port"]:
        detail = f"port {target.port} is not the authorized {authorization['port']}"
        return Denied("port-not-authorized", detail, address_class)
    parsed = parse_address(target.address)
    if parsed.canonical is None:
        return Denied(
            "address-unparseable",
            f'address "{target.address}" could not be parsed, so it cannot be proven outside a denied class',
            "unparseable",
        )
    if all(parse_address(named).canonical != parsed.canonical for named in authorization["addresses"]):
        return Denied(
            "address-not-authorized",
            f'address "{target.address}" ({parsed.canonical}, class {address_class}) is named by no authorized address',
            address_class,
        )
    if target.method not in authorization["methods"]:
        detail = f'method "{target.method}" is not among the authorized methods'
        return Denied("method-not-authorized", detail, address_class)
    return Allowed(authorization, address_class, parsed.canonical)


def _host(name: str) -> str:
    """A host name as it is compared: lower case, without one trailing dot."""
    return name.lower().removesuffix(".")


def is_safe_method(authorization: ProbeTargetAuthorization, method: str) -> bool:
    """Whether a method is authorised and declared safe to repeat."""
    return method in authorization["methods"] and method in authorization["safeMethods"]
