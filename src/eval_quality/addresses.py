"""IP address literals: their canonical form and what kind of place they name (spec 01, section 18).

The grammar is narrower than most: no leading zeros, no short forms, a zone only on a link-local address. What does not
read cannot be shown to lie outside a denied class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

AddressClass = Literal["loopback", "private", "link-local", "metadata", "public", "unparseable"]
ADDRESS_CLASSES: Final[tuple[AddressClass, ...]] = get_args(AddressClass)

_OCTET: Final = re.compile("0|[1-9][0-9]{0,2}")
_GROUP: Final = re.compile("[0-9a-fA-F]{1,4}")

_V4_CLASSES: Final[tuple[tuple[str, int, AddressClass], ...]] = (
    ("169.254.169.254", 32, "metadata"),
    ("127.0.0.0", 8, "loopback"),
    ("0.0.0.0", 32, "loopback"),
    ("169.254.0.0", 16, "link-local"),
    ("10.0.0.0", 8, "private"),
    ("172.16.0.0", 12, "private"),
    ("192.168.0.0", 16, "private"),
    ("100.64.0.0", 10, "private"),
)
"""IPv4 networks by prefix length; the first that holds an address decides, and everything else is public."""

_V6_METADATA: Final = (0xFD00, 0x0EC2, 0, 0, 0, 0, 0, 0x0254)
_NAT64_PREFIX: Final = (0x0064, 0xFF9B, 0, 0, 0, 0)
_UNSPECIFIED_AND_LOOPBACK: Final = ((0,) * 8, (0, 0, 0, 0, 0, 0, 0, 1))


@dataclass(frozen=True)
class ParsedAddress:
    """An address text that was read, or not (``ok`` false and the rest empty)."""

    ok: bool
    family: Literal[4, 6] | None = None
    canonical: str | None = None
    address_class: AddressClass | None = None


UNPARSEABLE: Final = ParsedAddress(ok=False)


def parse_address(text: str) -> ParsedAddress:
    """Read an IPv4 or IPv6 literal, brackets and a link-local zone allowed; never raises."""
    if len(text) >= 2 and text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    address, percent, zone = text.partition("%")
    if not address or (percent and (not zone or "%" in zone)):
        return UNPARSEABLE
    zoned = bool(percent)
    if ":" not in address:
        octets = _octets(address)
        return UNPARSEABLE if zoned or octets is None else _v4(octets)
    groups = _groups(address)
    if groups is None:
        return UNPARSEABLE
    if groups[:6] == (0, 0, 0, 0, 0, 0xFFFF):
        return UNPARSEABLE if zoned else _v4(_embedded(groups))
    address_class = _v6_class(groups)
    if zoned and address_class != "link-local":
        return UNPARSEABLE
    return ParsedAddress(True, 6, ":".join(f"{group:04x}" for group in groups), address_class)


def classify_address(text: str) -> AddressClass:
    """What kind of place an address text names; ``unparseable`` for one that does not read."""
    return parse_address(text).address_class or "unparseable"


def stays_on_host(text: str) -> bool:
    """Whether an address certainly never leaves this host; translated and compatible forms of a loopback may."""
    parsed = parse_address(text)
    on_host = ("0000:0000:0000:0000:0000:0000:0000:0000", "0000:0000:0000:0000:0000:0000:0000:0001")
    return parsed.address_class == "loopback" and (parsed.family == 4 or parsed.canonical in on_host)


Octets = tuple[int, ...]
Groups = tuple[int, ...]


def _octets(text: str) -> Octets | None:
    parts = text.split(".")
    if len(parts) != 4 or not all(_OCTET.fullmatch(part) for part in parts):
        return None
    octets = tuple(map(int, parts))
    return octets if max(octets) <= 255 else None


def _groups(text: str) -> Groups | None:
    halves = text.split("::")
    if len(halves) > 2:
        return None
    head = _pieces(halves[0], dotted_end=len(halves) == 1)
    tail = _pieces(halves[1], dotted_end=True) if len(halves) == 2 else ()
    if head is None or tail is None:
        return None
    if len(halves) == 1:
        return head if len(head) == 8 else None
    gap = 8 - len(head) - len(tail)
    return (*head, *(0,) * gap, *tail) if gap >= 1 else None


def _pieces(text: str, *, dotted_end: bool) -> Groups | None:
    """The groups between colons; the last may be a dotted IPv4 address, which is two of them."""
    groups: list[int] = []
    pieces = text.split(":") if text else []
    for position, piece in enumerate(pieces):
        if _GROUP.fullmatch(piece):
            groups.append(int(piece, 16))
            continue
        octets = _octets(piece) if dotted_end and position == len(pieces) - 1 else None
        if octets is None:
            return None
        groups += [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
    return tuple(groups)


def _v4(octets: Octets) -> ParsedAddress:
    return ParsedAddress(True, 4, ".".join(map(str, octets)), _v4_class(octets))


def _v4_class(octets: Octets) -> AddressClass:
    value = int.from_bytes(bytes(octets))
    for network, prefix, address_class in _V4_CLASSES:
        base = int.from_bytes(bytes(map(int, network.split("."))))
        if value >> (32 - prefix) == base >> (32 - prefix):
            return address_class
    return "public"


def _embedded(groups: Groups) -> Octets:
    """The IPv4 address in the low 32 bits."""
    return tuple(part for group in groups[6:] for part in (group >> 8, group & 0xFF))


def _v6_class(groups: Groups) -> AddressClass:
    if groups == _V6_METADATA:
        return "metadata"
    if groups in _UNSPECIFIED_AND_LOOPBACK:
        return "loopback"
    if groups[:6] == _NAT64_PREFIX or not any(groups[:6]):
        return _v4_class(_embedded(groups))
    if groups[0] & 0xFFC0 == 0xFE80:
        return "link-local"
    return "private" if groups[0] & 0xFE00 == 0xFC00 else "public"
