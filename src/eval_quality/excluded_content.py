"""Content that no artifact of this package may hold: secrets, personal data, transaction data (spec 01, section 16;
AD-18).

``scan_excluded_content`` looks at every text value of an artifact, depth first, and reports at most one hit a text: the
first category, in the published order, whose pattern is found anywhere in it. Keys are not looked at. Class escapes are
ASCII and white space is ECMAScript's, as the patterns are published in that dialect.

Almost every artifact is clean, so all its texts are first searched as one, a character between them that no pattern
takes for a letter, a digit or white space: a category absent there is absent from every text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args

from eval_quality.canonical import JS_WHITESPACE, js_key_order

ExcludedCategory = Literal[
    "credentials", "tokens", "real names", "email addresses", "account identifiers", "transaction content"
]
EXCLUDED_CATEGORIES: Final[tuple[ExcludedCategory, ...]] = get_args(ExcludedCategory)

VALUE_PATTERNS: Final[dict[ExcludedCategory, str]] = {
    "credentials": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "tokens": (
        rf"(?<![A-Za-z])(?:[Bb]earer[{JS_WHITESPACE}]+[\w.~+/-]{{16,}}|sk-[A-Za-z0-9]{{16,}}|gh[pousr]_[A-Za-z0-9]{{16,}}"
        r"|AKIA[0-9A-Z]{16})"
    ),
    "email addresses": r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    "account identifiers": r"\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b|\b\d{3}-\d{2}-\d{4}\b",
    "transaction content": r"(?<![0-9A-Za-z])\d{4}(?:[ -]\d{4}){3}(?![0-9A-Za-z])",
}
"""A pattern for each category that has one; no pattern recognizes a real name.

An address is looked for from the start of a run of its characters only. The first match starts there in any case, and
no text is then read more than a few times.
"""

WEB_TOKEN: Final = r"(?<![\w-])(?>[\w-]*?(?<![A-Za-z])(?=eyJ))(?P<token>[\w-]{11,}+\.[\w-]{8,})"
"""A further alternative of ``tokens``, ``(?<![A-Za-z])eyJ[\\w-]{8,}\\.[\\w-]{8,}``, also looked for from the start of a
run: where the first ``eyJ`` of a run begins no token, no later one does.
"""


class ExcludedHit(NamedTuple):
    """One text that holds excluded content."""

    category: ExcludedCategory
    path: str
    """Where the text stands: ``.key`` and ``[index]`` steps below the path the scan was given, keys as they are."""
    match: str


def scan_excluded_content(value: object, path: str) -> Iterator[ExcludedHit]:
    """Every text of a JSON value that holds excluded content, in walk order: arrays by index, objects in key order.

    ``path`` is where ``value`` itself stands. Numbers, booleans, null and keys are skipped.
    """
    everything = "\0".join(set(_texts(value)))
    categories = [category for category in VALUE_PATTERNS if _first_match(category, everything) is not None]
    if not categories:
        return
    for text, place in _places(value, path):
        for category in categories:
            if (match := _first_match(category, text)) is not None:
                yield ExcludedHit(category, place, match)
                break


def _first_match(category: ExcludedCategory, text: str) -> str | None:
    """The first part of a text that a category's pattern matches."""
    match = _compiled(VALUE_PATTERNS[category]).search(text)
    web_token = _compiled(WEB_TOKEN).search(text) if category == "tokens" else None
    if web_token is not None and (match is None or web_token.start("token") < match.start()):
        return web_token["token"]
    return None if match is None else match[0]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _texts(value: object) -> list[str]:
    """Every text value, in no particular order: one level of containers after the other."""
    texts: list[str] = []
    containers: list[dict[str, Any] | list[Any]] = [[value]]
    while containers:
        members = [each for one in containers for each in (one.values() if isinstance(one, dict) else one)]
        texts += [member for member in members if isinstance(member, str)]
        containers = [member for member in members if isinstance(member, dict | list)]
    return texts


def _places(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Every text value with its path, depth first."""
    pending = [(value, path)]
    while pending:
        current, place = pending.pop()
        match current:
            case str(text):
                yield text, place
            case dict(members):
                pending += [(members[key], f"{place}.{key}") for key in reversed(js_key_order(members))]
            case list(items):
                pending += [(items[index], f"{place}[{index}]") for index in reversed(range(len(items)))]
