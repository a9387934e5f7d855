"""What holds of every address text and of every target policy."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_quality.targets import (
    ADDRESS_CLASSES,
    Allowed,
    Denied,
    ResolvedTarget,
    classify_address,
    evaluate_target,
    is_safe_method,
    parse_address,
    stays_on_host,
)

OCTETS = st.sampled_from(
    ["0", "1", "7", "10", "64", "100", "127", "169", "172", "192", "254", "255", "256", "00", "01"]
)
GROUPS = st.sampled_from(["0", "1", "00", "ffff", "FFFF", "64", "ff9b", "fe80", "fc00", "7f00", "00001", "g", ""])
DOTTED = st.lists(OCTETS, min_size=3, max_size=5).map(".".join)
COLONS = st.builds(
    lambda groups, end: ":".join(groups + end),
    st.lists(GROUPS, min_size=1, max_size=9),
    st.one_of(st.just([]), DOTTED.map(lambda text: [text])),
)
STANDARD = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
    st.ip_addresses(v=6).map(lambda address: address.exploded),
    st.ip_addresses(v=6, network="64:ff9b::/96").map(str),
    st.ip_addresses(v=6, network="::/96").map(str),
    st.ip_addresses(v=4).map(lambda address: f"::ffff:{address}"),
)
LITERALS = st.one_of(STANDARD, DOTTED, COLONS)
DRESSED = st.builds(
    lambda literal, dress: dress.format(literal), LITERALS, st.sampled_from(["{}", "[{}]", "{}%eth0", "[{}%a]", "{}%"])
)
TEXTS = st.one_of(DRESSED, LITERALS, st.text(), st.text("0123456789abcdef:.[]% ", max_size=24))


def standard_reading(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@settings(max_examples=2000, deadline=None)
@given(TEXTS)
@example("\u0661.1.1.1")
@example("[")
def test_every_text_has_a_class(text: str) -> None:
    parsed, address_class = parse_address(text), classify_address(text)
    assert address_class in ADDRESS_CLASSES
    assert parsed.ok == (address_class != "unparseable")
    assert not stays_on_host(text) or address_class == "loopback"
    if parsed.ok:
        assert parsed.canonical is not None
        again = parse_address(parsed.canonical)
        assert again == parsed
        assert stays_on_host(parsed.canonical) == stays_on_host(text)


@settings(max_examples=2000, deadline=None)
@given(LITERALS)
def test_plain_literals_are_those_of_the_standard_library(text: str) -> None:
    """Without brackets and zones the grammars are the same; only the embedded form is read as what it embeds."""
    expected, parsed = standard_reading(text), parse_address(text)
    assert parsed.ok == (expected is not None)
    if expected is None or parsed.canonical is None:
        return
    embedded = expected.ipv4_mapped if isinstance(expected, ipaddress.IPv6Address) else None
    meant = embedded or expected
    assert parsed.family == meant.version
    assert parsed.canonical == meant.exploded


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def within(*networks: str) -> Callable[[Address], bool]:
    known = [ipaddress.ip_network(network) for network in networks]
    return lambda address: any(address in network for network in known)


V4_CLASSES: list[tuple[str, Callable[[Address], bool]]] = [
    ("metadata", within("169.254.169.254/32")),
    ("loopback", within("127.0.0.0/8", "0.0.0.0/32")),
    ("link-local", within("169.254.0.0/16")),
    ("private", within("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")),
    ("public", within("0.0.0.0/0")),
]
NATIVE_V6_CLASSES: list[tuple[str, Callable[[Address], bool]]] = [
    ("metadata", within("fd00:ec2::254/128")),
    ("loopback", within("::/127")),
    ("link-local", within("fe80::/10")),
    ("private", within("fc00::/7")),
    ("public", within("::/0")),
]
NEAR_A_BORDER = st.builds(
    lambda network, beyond: ipaddress.IPv4Address(
        (int(ipaddress.IPv4Network(network)[-1]) + beyond) % 2**32,
    ),
    st.sampled_from(
        [
            *["127.0.0.0/8", "0.0.0.0/32", "169.254.0.0/16", "169.254.169.254/32", "10.0.0.0/8"],
            *["172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"],
        ]
    ),
    st.integers(-2, 2),
)


@settings(max_examples=800, deadline=None)
@given(st.one_of(st.ip_addresses(v=4), NEAR_A_BORDER))
def test_classes_of_four_octets_however_they_are_written(address: ipaddress.IPv4Address) -> None:
    expected = next(name for name, holds in V4_CLASSES if holds(address))
    assert classify_address(str(address)) == expected
    assert classify_address(f"::ffff:{address}") == expected
    assert classify_address(f"64:ff9b::{address}") == expected
    if int(address) > 1:
        assert classify_address(f"::{address}") == expected


@settings(max_examples=800, deadline=None)
@given(
    st.one_of(
        st.ip_addresses(v=6),
        st.ip_addresses(v=6, network="fe00::/7"),
        st.ip_addresses(v=6, network="fd00:ec2::/120"),
        st.ip_addresses(v=6, network="::/127"),
    )
)
def test_classes_of_eight_groups(address: ipaddress.IPv6Address) -> None:
    """But for those that hold four octets, which are read above."""
    if int(address) > 1 and within("::/96", "::ffff:0:0/96", "64:ff9b::/96")(address):
        return
    assert classify_address(str(address)) == next(name for name, holds in NATIVE_V6_CLASSES if holds(address))


def few(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


ADDRESSES = few("127.0.0.1", "::ffff:127.0.0.1", "::1", "0:0::1", "203.0.113.7", "10.0.0.1", "nowhere", "fe80::1%a")
AUTHORIZATIONS = st.fixed_dictionaries(
    {
        "interfaceId": few("a", "b"),
        "scheme": few("http", "https"),
        "host": few("h", "H.", "i"),
        "port": few(80, 443),
        "addresses": st.lists(ADDRESSES, max_size=3),
        "methods": st.lists(few("GET", "PUT"), max_size=2),
        "safeMethods": st.lists(few("GET", "PUT"), max_size=2),
        "maxRedirects": st.just(0),
        "maxElapsedMs": st.just(1),
        "maxRequestBytes": st.just(1),
        "maxResponseBytes": st.just(1),
    }
)
TARGETS = st.builds(
    ResolvedTarget,
    few("a", "b", "c"),
    few("http", "https"),
    few("h", "H", "h.", "i."),
    few(80, 443),
    ADDRESSES,
    few("GET", "PUT"),
)


@st.composite
def policies_and_targets(draw: st.DrawFn) -> tuple[list[Any], ResolvedTarget]:
    """Authorizations and a target; half of the time one authorization is made for the target, but for one thing."""
    authorizations = draw(st.lists(AUTHORIZATIONS, max_size=4))
    target = draw(TARGETS)
    if draw(st.booleans()):
        made = {
            "interfaceId": target.interface_id,
            "scheme": target.scheme,
            "host": target.host.lower(),
            "port": target.port,
            "addresses": [target.address],
            "methods": [target.method],
        }
        spoilt = draw(st.sampled_from([None, None, *made]))
        fitting = draw(AUTHORIZATIONS) | {key: value for key, value in made.items() if key != spoilt}
        authorizations.insert(draw(st.integers(0, len(authorizations))), fitting)
    return authorizations, target


def decide(authorizations: list[Any], target: ResolvedTarget) -> Allowed | Denied:
    return evaluate_target({"authorizations": authorizations}, target)


@settings(max_examples=800, deadline=None)
@given(policies_and_targets())
def test_taking_an_authorization_away_never_allows(case: tuple[list[Any], ResolvedTarget]) -> None:
    authorizations, target = case
    allowed = decide(authorizations, target).allowed
    assert not decide([], target).allowed
    for position in range(len(authorizations)):
        fewer = authorizations[:position] + authorizations[position + 1 :]
        assert allowed or not decide(fewer, target).allowed
    for authorization in authorizations:
        for field in ("addresses", "methods"):
            narrowed = [each | {field: each[field][1:]} if each is authorization else each for each in authorizations]
            assert allowed or not decide(narrowed, target).allowed


@settings(max_examples=800, deadline=None)
@given(policies_and_targets())
def test_what_is_allowed_is_named_by_one_authorization(case: tuple[list[Any], ResolvedTarget]) -> None:
    authorizations, target = case
    decision = decide(authorizations, target)
    assert decision.address_class == classify_address(target.address)
    if not isinstance(decision, Allowed):
        assert (decision.reason == "interface-not-authorized") == (
            target.interface_id not in {each["interfaceId"] for each in authorizations}
        )
        return
    granted = decision.authorization
    assert any(granted is each for each in authorizations)
    assert (granted["interfaceId"], granted["scheme"], granted["port"]) == (
        target.interface_id,
        target.scheme,
        target.port,
    )
    assert target.method in granted["methods"]
    assert decision.canonical_address in {parse_address(each).canonical for each in granted["addresses"]}
    assert decision.canonical_address == parse_address(target.address).canonical
    assert is_safe_method(granted, target.method) == (target.method in granted["safeMethods"])


@settings(max_examples=400, deadline=None)
@given(policies_and_targets(), st.randoms(use_true_random=False))
def test_the_order_of_authorizations_does_not_decide(case: tuple[list[Any], ResolvedTarget], source: Any) -> None:
    authorizations, target = case
    shuffled = authorizations.copy()
    source.shuffle(shuffled)
    assert decide(authorizations, target).allowed == decide(shuffled, target).allowed
