"""Patterns whose spaces also match a line break, since a paragraph may be wrapped anywhere (spec 14, section 9)."""

from __future__ import annotations

import re
from typing import Final

_GAP: Final = r"(?:[^\S\n]|\n(?![ \t]*\n))+"
_TOKEN: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|( +)([?*+{])?|.", re.DOTALL)


class WideningError(Exception):
    """A space of a pattern cannot be widened; the message says which."""


def widen_spaces(source: str) -> str:
    """``source`` with every run of spaces, outside classes and escapes, matching any gap but a blank line."""

    def widened(token: re.Match[str]) -> str:
        spaces, quantifier = token.groups()
        if spaces is None:
            return token[0]
        if quantifier is not None:
            raise WideningError(
                f'a space followed by "{quantifier}" cannot be widened into a wrap gap; write it as \\s* or drop wrap'
            )
        return _GAP

    return _TOKEN.sub(widened, source)
