"""The grammar of ECMAScript regular expressions without flags (ECMA-262, RegExp grammar and its Annex B).

``is_valid_pattern`` says whether the language itself would accept a pattern; nothing is matched. It reads the pattern
as UTF-16 code units, as a pattern without flags is read, and keeps the groups that are open on a stack of its own, so
that no nesting is too deep. The early errors, in the terms of the standard:

1. an unmatched bracket or parenthesis, or a lone ``\\`` at the end;
2. a quantifier after nothing that repeats: at the start of an alternative, after an assertion other than lookahead, or
   after another quantifier; and a quantifier whose bounds are out of order;
3. a class range out of order, after its escapes are decoded;
4. an unknown group specifier, a modifier repeated, or modifiers that change nothing;
5. a group name that is no identifier, or one that two groups of one alternative carry;
6. with a named group anywhere in the pattern: ``\\k`` that names no group;
7. more capturing groups than an engine counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from eval_quality.canonical.domain import joined, utf16_units

MAX_CAPTURING_GROUPS: Final = 32_767
MAX_REPETITION: Final = 2**31 - 1
"""Bounds of a quantifier above the engines' maximum are read as the maximum."""

_TOKEN: Final = re.compile(
    r"""
      (?P<reference> \\k<(?P<referenced>(?:[^>\\]|\\u)*)> )
    | (?P<escape> \\. )
    | (?P<class> \[ (?: \\. | [^\]\\] )* \] )
    | (?P<quantifier> (?: [*+?] | \{ (?P<low>[0-9]+) (?: , (?P<high>[0-9]*) )? \} ) \?? )
    | (?P<lookahead> \(\?[=!] )
    | (?P<lookbehind> \(\?<[=!] )
    | (?P<named> \(\?<(?P<name>[^>]*)> )
    | (?P<modified> \(\? (?P<on>[ims]*) (?: (?P<dash>-) (?P<off>[ims]*) )? : )
    | (?P<capture> \((?!\?) )
    | (?P<close> \) )
    | (?P<bar> \| )
    | (?P<anchor> [\^$] )
    | (?P<literal> [^\\\[()|^$*+?{]+ | \{ )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_ATOM: Final = re.compile(
    r"""
      \\ (?: c(?P<control>[A-Za-z0-9_]) | x(?P<hex>[0-9A-Fa-f]{2}) | u(?P<unit>[0-9A-Fa-f]{4})
           | (?P<octal>[0-3][0-7]{0,2}|[4-7][0-7]?) | (?P<set>[dDsSwW]) | (?P<backslash>(?=c)) | (?P<escaped>.) )
    | (?P<literal> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_CONTROLS: Final = {"b": 0x08, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_NAME_ESCAPE: Final = re.compile(r"\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))")
_OTHER_ID_START: Final = "\u1885\u1886\u2118\u212e\u309b\u309c"
_OTHER_ID_CONTINUE: Final = "\u00b7\u0387\u1369\u136a\u136b\u136c\u136d\u136e\u136f\u1370\u1371\u19da\u200c\u200d"


@dataclass
class _Group:
    """A group whose end has not been read; the pattern itself is the outermost one."""

    quantifiable: bool = True
    names: set[str] = field(default_factory=set)
    """Names met in the alternative being read."""
    other_names: set[str] = field(default_factory=set)
    """Names met in the alternatives before it."""


class _EarlyError(Exception):
    """The pattern breaks a rule of the grammar."""


def is_valid_pattern(pattern: str) -> bool:
    """Whether a pattern is a regular expression of ECMAScript, read without flags."""
    try:
        _read(utf16_units(pattern))
    except _EarlyError:
        return False
    return True


def _read(pattern: str) -> None:
    names_exist = any(name is not None for name in capturing_groups(pattern))
    references: set[str] = set()
    names: set[str] = set()
    groups = [_Group(quantifiable=False)]
    captures, repeatable, position = 0, False, 0
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            raise _EarlyError
        position = token.end()
        match token.lastgroup:
            case "quantifier":
                if not repeatable or _out_of_order(token["low"], token["high"]):
                    raise _EarlyError
                repeatable = False
            case "reference" if names_exist:
                references.add(_identifier(token["referenced"]))
                repeatable = True
            case "reference":
                position = token.start() + len(r"\k")  # without named groups this is the letter, and text follows
                repeatable = True
            case "escape":
                if names_exist and token[0] == r"\k":
                    raise _EarlyError
                repeatable = token[0] not in (r"\b", r"\B")
            case "class":
                _check_class(token[0][1:-1], names_exist)
                repeatable = True
            case "close":
                group = groups.pop()
                if not groups:
                    raise _EarlyError
                _claim(group.names | group.other_names, groups[-1])
                repeatable = group.quantifiable
            case "bar":
                groups[-1].other_names |= groups[-1].names
                groups[-1].names = set()
                repeatable = False
            case "anchor":
                repeatable = False
            case "literal":
                repeatable = True
            case opening:
                captures += opening in ("capture", "named")
                if opening == "named":
                    name = _identifier(token["name"])
                    names.add(name)
                    _claim({name}, groups[-1])
                elif opening == "modified":
                    _check_modifiers(token["on"], token["dash"], token["off"])
                groups.append(_Group(quantifiable=opening != "lookbehind"))
                repeatable = False
    if len(groups) > 1 or not references <= names or captures > MAX_CAPTURING_GROUPS:
        raise _EarlyError


def capturing_groups(pattern: str) -> Iterator[str | None]:
    """The name of each capturing group as it is written, or none, in order of their opening."""
    tokens = re.finditer(r"\\.|\[(?:\\.|[^\]\\])*|\((?:\?<(?![=!])([^>(]*)>|(?!\?))", pattern, re.DOTALL)
    return (token[1] for token in tokens if token[0].startswith("("))


def _claim(names: set[str], group: _Group) -> None:
    """Add names to the alternative a group is at; two groups of one alternative must not share one."""
    if names & group.names:
        raise _EarlyError
    group.names |= names


def _out_of_order(low: str | None, high: str | None) -> bool:
    return bool(low and high) and bound(str(low)) > bound(str(high))


def bound(digits: str) -> int:
    """A bound of a quantifier."""
    significant = digits.lstrip("0") or "0"
    return min(int(significant), MAX_REPETITION) if len(significant) <= 10 else MAX_REPETITION


def _check_modifiers(on: str, dash: str | None, off: str | None) -> None:
    flags = on + (off or "")
    if len(set(flags)) < len(flags) or (dash and not flags):
        raise _EarlyError


def _check_class(body: str, names_exist: bool) -> None:
    """Check the escapes and ranges of a class; ``body`` is what stands between the brackets."""
    atoms = [(_class_unit(atom, names_exist), atom[0]) for atom in _CLASS_ATOM.finditer(body.removeprefix("^"))]
    position = 0
    while position + 2 < len(atoms):
        (start, _), (_, between), (end, _) = atoms[position : position + 3]
        if between != "-":  # an escaped dash makes no range
            position += 1
            continue
        if start is not None and end is not None and start > end:
            raise _EarlyError
        position += 3


def _class_unit(atom: re.Match[str], names_exist: bool) -> int | None:
    """The code unit a class atom stands for; ``None`` for an escape that stands for several."""
    match atom.lastgroup, atom[atom.lastgroup or 0]:
        case "set", _:
            return None
        case "control", letter:
            return ord(letter) % 32
        case "hex" | "unit", digits:
            return int(digits, 16)
        case "octal", digits:
            return int(digits, 8)
        case "backslash", _:
            return ord("\\")
        case "escaped", "k" if names_exist:
            raise _EarlyError
        case "escaped", letter if letter in _CLASS_CONTROLS:
            return _CLASS_CONTROLS[letter]
        case _, literal:
            return ord(literal)


def _identifier(source: str) -> str:
    """A group name decoded, which must be an identifier (ECMA-262, RegExpIdentifierName)."""
    name = decoded_name(source)
    if not name or not _starts_identifier(name[0]) or not all(map(_continues_identifier, name)):
        raise _EarlyError
    return name


def decoded_name(source: str) -> str:
    """A group name with its escapes and surrogate pairs decoded."""
    return joined(_NAME_ESCAPE.sub(lambda escape: _code_point(escape[1] or escape[2]), source))


def _code_point(digits: str) -> str:
    value = int(digits, 16)
    if value > 0x10FFFF:
        raise _EarlyError
    return chr(value)


def _starts_identifier(character: str) -> bool:
    """Whether a character has the Unicode property ID_Start, or is ``$`` or ``_``."""
    if character in "$_" or character in _OTHER_ID_START:
        return True
    category = unicodedata.category(character)
    return (category[0] == "L" or category == "Nl") and character != "\u2e2f"


def _continues_identifier(character: str) -> bool:
    """Whether a character has the Unicode property ID_Continue, or is ``$`` or a zero-width joiner or non-joiner."""
    return (
        _starts_identifier(character)
        or character in _OTHER_ID_CONTINUE
        or unicodedata.category(character) in ("Mn", "Mc", "Nd", "Pc")
    )
