"""What a Python distribution says of its licence, and whether a licence expression is allowed (spec 14, section 4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from .ecmascript import trim
from .extras import needs_packaging

FREE_TEXT: Final = "declared as free text that names no identifier"
NOT_VALID: Final = "not a valid SPDX expression"
_SHOWN: Final = 64
_APPROVED: Final = "License :: OSI Approved"


class Declaration(NamedTuple):
    """The licence an entry declares, ``None`` for none, and why it cannot be allowed when that is clear already.

    A lock of npm may hold any value there; what is no text satisfies nothing.
    """

    licence: object
    reason: str | None = None


NO_LICENCE: Final = Declaration(None)


def is_allowed(expression: object, identifiers: Collection[str]) -> bool:
    """Whether an expression is satisfied by identifiers alone: any part of an ``OR``, every part of an ``AND``."""
    if not isinstance(expression, str) or not trim(expression):
        return False
    text = _without_outer_parentheses(trim(expression))
    for operator, combine in ((" OR ", any), (" AND ", all)):
        parts = _split(text, operator)
        if len(parts) > 1:
            return combine(is_allowed(part, identifiers) for part in parts)
    return text in identifiers


def _without_outer_parentheses(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and _closes_at(text) == len(text) - 1:
        text = trim(text[1:-1])
    return text


def _closes_at(text: str) -> int:
    """Where the parenthesis that ``text`` starts with is closed; -1 when it is not."""
    return next((index for index, depth in enumerate(_depths(text)) if depth == 0), -1)


def _depths(text: str) -> Iterator[int]:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        yield depth


def _split(text: str, operator: str) -> list[str]:
    """``text`` at every ``operator`` outside parentheses."""
    depths = list(_depths(text))
    parts, start = [], 0
    for match in re.finditer(f"(?={operator})", text):
        if depths[match.start()] == 0 and match.start() >= start:
            parts.append(text[start : match.start()])
            start = match.start() + len(operator)
    return [*parts, text[start:]]


def declared_licence(expression: str | None, licence: str | None, classifiers: Sequence[str]) -> Declaration:
    """What the metadata of a distribution declares: the first of its three fields that yields an answer."""
    if expression is not None and trim(expression):
        canonical = _canonical(expression)
        return Declaration(expression, NOT_VALID) if canonical is None else Declaration(canonical)
    named = None if licence is None else _canonical(licence) or _COMMON_NAMES.get(_folded(licence))
    if named is not None:
        return Declaration(named)
    licences = [text for text in classifiers if text.startswith("License ::") and text != _APPROVED]
    mapped = [_CLASSIFIERS[text] for text in licences if text in _CLASSIFIERS]
    if mapped and len(mapped) == len(licences):
        return Declaration(" AND ".join(mapped))
    if licence is not None and trim(licence) not in ("", "UNKNOWN"):
        return Declaration(trim(licence).split("\n")[0][:_SHOWN], FREE_TEXT)
    unmapped = next((text for text in licences if text not in _CLASSIFIERS), None)
    return NO_LICENCE if unmapped is None else Declaration(unmapped, FREE_TEXT)


def _canonical(text: str) -> str | None:
    with needs_packaging():
        from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        return None


def _folded(text: str) -> str:
    return " ".join(text.split()).lower().removeprefix("the ")


_COMMON_NAMES: Final = {
    "mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license 2.0": "Apache-2.0",
    "bsd 2-clause": "BSD-2-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "3-clause bsd": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "isc license": "ISC",
    "mpl 2.0": "MPL-2.0",
    "psf license": "PSF-2.0",
}

_GNU: Final = (
    ("GNU General Public License v2 (GPLv2)", "GPL-2.0-only"),
    ("GNU General Public License v2 or later (GPLv2+)", "GPL-2.0-or-later"),
    ("GNU General Public License v3 (GPLv3)", "GPL-3.0-only"),
    ("GNU General Public License v3 or later (GPLv3+)", "GPL-3.0-or-later"),
    ("GNU Lesser General Public License v2 (LGPLv2)", "LGPL-2.0-only"),
    ("GNU Lesser General Public License v2 or later (LGPLv2+)", "LGPL-2.0-or-later"),
    ("GNU Lesser General Public License v3 (LGPLv3)", "LGPL-3.0-only"),
    ("GNU Lesser General Public License v3 or later (LGPLv3+)", "LGPL-3.0-or-later"),
    ("GNU Affero General Public License v3", "AGPL-3.0-only"),
    ("GNU Affero General Public License v3 or later (AGPLv3+)", "AGPL-3.0-or-later"),
)

_CLASSIFIERS: Final = {
    "License :: CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
    **{
        f"{_APPROVED} :: {text}": identifier
        for text, identifier in (
            ("MIT License", "MIT"),
            ("MIT No Attribution License (MIT-0)", "MIT-0"),
            ("Apache Software License", "Apache-2.0"),
            ("ISC License (ISCL)", "ISC"),
            ("Zero-Clause BSD (0BSD)", "0BSD"),
            ("Mozilla Public License 1.0 (MPL)", "MPL-1.0"),
            ("Mozilla Public License 1.1 (MPL 1.1)", "MPL-1.1"),
            ("Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
            ("Python Software Foundation License", "PSF-2.0"),
            ("Boost Software License 1.0 (BSL-1.0)", "BSL-1.0"),
            ("zlib/libpng License", "Zlib"),
            ("The Unlicense (Unlicense)", "Unlicense"),
            ("Universal Permissive License (UPL)", "UPL-1.0"),
            ("Blue Oak Model License (BlueOak-1.0.0)", "BlueOak-1.0.0"),
            ("CMU License (MIT-CMU)", "MIT-CMU"),
            ("Historical Permission Notice and Disclaimer (HPND)", "HPND"),
            ("PostgreSQL License", "PostgreSQL"),
            ("University of Illinois/NCSA Open Source License", "NCSA"),
            ("SIL Open Font License 1.1 (OFL-1.1)", "OFL-1.1"),
            ("Eclipse Public License 1.0 (EPL-1.0)", "EPL-1.0"),
            ("Eclipse Public License 2.0 (EPL-2.0)", "EPL-2.0"),
            ("European Union Public Licence 1.1 (EUPL 1.1)", "EUPL-1.1"),
            ("European Union Public Licence 1.2 (EUPL 1.2)", "EUPL-1.2"),
            *_GNU,
        )
    },
}
"""Classifiers that name one licence. Many, like ``BSD License``, name several and stand for none."""
