"""Addresses, and the default-deny decision on a resolved HTTP target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eval_quality.errors import FORBIDDEN_TARGET_REASONS
from eval_quality.targets import (
    DENIAL_REASONS,
    Allowed,
    Denied,
    PolicyDecision,
    ResolvedTarget,
    classify_address,
    evaluate_target,
    is_safe_method,
    parse_address,
    stays_on_host,
)

ADDRESSES: list[tuple[str, int | None, str, bool]] = [
    ("127.0.0.1", 4, "loopback", True),
    ("127.255.255.255", 4, "loopback", True),
    ("0.0.0.0", 4, "loopback", True),
    ("0.0.0.1", 4, "public", False),
    ("126.255.255.255", 4, "public", False),
    ("169.254.169.254", 4, "metadata", False),
    ("169.254.169.253", 4, "link-local", False),
    ("10.1.2.3", 4, "private", False),
    ("172.16.0.0", 4, "private", False),
    ("172.31.255.255", 4, "private", False),
    ("172.32.0.0", 4, "public", False),
    ("192.168.0.1", 4, "private", False),
    ("192.169.0.1", 4, "public", False),
    ("100.64.0.1", 4, "private", False),
    ("100.127.255.255", 4, "private", False),
    ("100.128.0.1", 4, "public", False),
    ("[127.0.0.1]", 4, "loopback", True),
    ("[::1]", 6, "loopback", True),
    ("::", 6, "loopback", True),
    ("::2", 6, "public", False),
    ("::ffff:7f00:1", 4, "loopback", True),
    ("[::ffff:127.0.0.1]", 4, "loopback", True),
    ("::ffff:0.0.0.0", 4, "loopback", True),
    ("::ffff:169.254.169.254", 4, "metadata", False),
    ("fe80::1%eth0", 6, "link-local", False),
    ("[fe80::1%25eth0]", 6, "link-local", False),
    ("[fe80::1%eth0]", 6, "link-local", False),
    ("febf::1", 6, "link-local", False),
    ("fec0::1", 6, "public", False),
    ("fc00::", 6, "private", False),
    ("fdff::1", 6, "private", False),
    ("FD00:EC2::254", 6, "metadata", False),
    ("64:ff9b::7f00:1", 6, "loopback", False),
    ("::127.0.0.1", 6, "loopback", False),
    ("64:ff9b::169.254.169.254", 6, "metadata", False),
    ("64:ff9b::10.0.0.1", 6, "private", False),
    ("1:2:3:4:5:6:7::", 6, "public", False),
    ("2001:db8::1.2.3.4", 6, "public", False),
    *(
        (text, None, "unparseable", False)
        for text in [
            *["", "[", "[]", "]", "%", "%eth0", "[%]", ":", ":::", "localhost", "\u0661.2.3.4", "1.2.3.\u00b2"],
            *["010.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "1.2.3.4:80", "1.2.3.4.", " 1.2.3.4", "1.2.3.4\n"],
            *["256.0.0.1", "1.2.3.+4", "1.2.3.-4", "1..2.3", "1.2.3.4.5", "127.0.0.1%lo", "[[::1]]", "[::1", "::1]"],
            *["::ffff:1.2.3.4%x", "::1%lo", "fe80::1%", "fe80::1%a%b", "fe80::%"],
            *["::1:2:3:4:5:6:7:8", "1::2::3", "12345::", "::g", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7"],
            *["1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:1.2.3.4", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "1:2:3:4::5:6:7:8"],
        ]
    ),
]


@pytest.mark.parametrize(("text", "family", "address_class", "on_host"), ADDRESSES)
def test_address_texts(text: str, family: int | None, address_class: str, on_host: bool) -> None:
    parsed = parse_address(text)
    assert (parsed.ok, parsed.family) == (family is not None, family)
    assert classify_address(text) == address_class
    assert stays_on_host(text) is on_host


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("[1.2.3.4]", "1.2.3.4"),
        ("::FFFF:1.2.3.4", "1.2.3.4"),
        ("::1", "0000:0000:0000:0000:0000:0000:0000:0001"),
        ("fe80::ABC%eth0", "fe80:0000:0000:0000:0000:0000:0000:0abc"),
        ("1:2:3:4:5:6:7::", "0001:0002:0003:0004:0005:0006:0007:0000"),
        ("1:2:3:4:5:6:1.2.3.4", "0001:0002:0003:0004:0005:0006:0102:0304"),
    ],
)
def test_canonical_forms(text: str, canonical: str) -> None:
    assert parse_address(text).canonical == canonical


def authorization(**changes: Any) -> Any:
    return {
        "interfaceId": "shop-api",
        "scheme": "https",
        "host": "shop.example",
        "port": 443,
        "addresses": ["203.0.113.7"],
        "methods": ["GET", "POST"],
        "safeMethods": ["GET", "DELETE"],
        "maxRedirects": 0,
        "maxElapsedMs": 1000,
        "maxRequestBytes": 1000,
        "maxResponseBytes": 1000,
    } | changes


TARGET = ResolvedTarget("shop-api", "https", "shop.example", 443, "203.0.113.7", "GET")


def decide(target: ResolvedTarget, *authorizations: Any) -> PolicyDecision:
    return evaluate_target({"authorizations": list(authorizations)}, target)


def test_what_is_named_is_allowed() -> None:
    granted = authorization()
    assert decide(TARGET, granted) == Allowed(granted, "public", "203.0.113.7")


@pytest.mark.parametrize(
    ("changes", "reason", "detail", "address_class"),
    [
        (
            {"interface_id": "other", "address": "10.0.0.1"},
            "interface-not-authorized",
            'no authorization names interface "other"',
            "private",
        ),
        (
            {"scheme": "HTTPS"},
            "scheme-not-authorized",
            'scheme "HTTPS" is not the authorized "https"',
            "public",
        ),
        (
            {"host": "Shop.example..", "address": "nowhere"},
            "host-not-authorized",
            'host "Shop.example.." is not the authorized "shop.example"',
            "unparseable",
        ),
        ({"port": 8443}, "port-not-authorized", "port 8443 is not the authorized 443", "public"),
        (
            {"address": "0x7f.1"},
            "address-unparseable",
            'address "0x7f.1" could not be parsed, so it cannot be proven outside a denied class',
            "unparseable",
        ),
        (
            {"address": "[::1]"},
            "address-not-authorized",
            'address "[::1]" (0000:0000:0000:0000:0000:0000:0000:0001, class loopback) is named by no authorized '
            "address",
            "loopback",
        ),
        ({"method": "get"}, "method-not-authorized", 'method "get" is not among the authorized methods', "public"),
    ],
)
def test_the_first_test_that_fails_names_the_denial(
    changes: dict[str, Any], reason: Any, detail: str, address_class: Any
) -> None:
    assert decide(replace(TARGET, **changes), authorization()) == Denied(reason, detail, address_class)


def test_nothing_is_allowed_by_default() -> None:
    assert not decide(TARGET).allowed


@pytest.mark.parametrize(
    ("asked", "granted"), [("SHOP.example.", "shop.EXAMPLE"), ("\u00dcber.test", "\u00fcber.test.")]
)
def test_host_names_are_compared_without_case_and_one_trailing_dot(asked: str, granted: str) -> None:
    assert decide(replace(TARGET, host=asked), authorization(host=granted)).allowed


def test_the_canonical_address_is_compared() -> None:
    loopback = authorization(addresses=["nonsense", "127.0.0.1"])
    assert decide(replace(TARGET, address="::ffff:127.0.0.1"), loopback).allowed
    assert not decide(replace(TARGET, address="::127.0.0.1"), loopback).allowed
    assert not decide(replace(TARGET, address="127.0.0.2"), loopback).allowed


def test_two_unparseable_addresses_do_not_match() -> None:
    denied = decide(replace(TARGET, address="nonsense"), authorization(addresses=["nonsense"]))
    assert isinstance(denied, Denied)
    assert denied.reason == "address-unparseable"


def test_the_first_authorization_that_allows_and_the_first_that_denies() -> None:
    elsewhere, first, second = authorization(port=80), authorization(), authorization(maxRedirects=3)
    decision = decide(TARGET, elsewhere, first, second)
    assert isinstance(decision, Allowed)
    assert decision.authorization is first
    denied = decide(replace(TARGET, method="PUT"), authorization(interfaceId="other"), elsewhere, first)
    assert isinstance(denied, Denied)
    assert denied.reason == "port-not-authorized"


def test_denials_are_reasons_of_a_fault_in_the_same_order() -> None:
    assert FORBIDDEN_TARGET_REASONS[: len(DENIAL_REASONS)] == DENIAL_REASONS


@pytest.mark.parametrize(("method", "safe"), [("GET", True), ("POST", False), ("DELETE", False), ("get", False)])
def test_a_safe_method_is_authorized_and_declared_safe(method: str, safe: bool) -> None:
    assert is_safe_method(authorization(), method) is safe
