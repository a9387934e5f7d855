"""From a configuration value to a typed section, with every issue on the way (spec 14, sections 2 and 12).

A section is a frozen dataclass. Its annotations are the schema: ``Annotated`` carries bounds (``Least``, ``Most``) and
named checks (``Matches``, ``Holds``), a field with a default is optional, and a ``refine`` method yields the cross
checks. Keys are the field names in camelCase. The rules, in order:

1. a wrong type is a *hard* issue; lengths, patterns and unknown keys are *soft*, and the value is still read;
2. an object reports its fields in declared order, then its unknown keys, then its cross checks;
3. cross checks run only where no hard issue lies inside the object;
4. ``null`` never means absent.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from eval_quality.canonical import utf16_length

from .refusals import MalformedSection

Path = tuple[str | int, ...]
_T = TypeVar("_T")
_SAFE_INTEGER: Final = 2**53 - 1


@dataclass(frozen=True)
class Least:
    """A minimum: of characters, of items, or of a number."""

    bound: int


@dataclass(frozen=True)
class Most:
    """A maximum: of characters, of items, or of a number."""

    bound: int


@dataclass(frozen=True)
class Holds:
    """A test a string has to pass, and what is said when it does not."""

    test: Callable[[str], object]
    message: str


@dataclass(frozen=True)
class Into:
    """What a string that passed its tests is turned into."""

    convert: Callable[[str], object]


class Issue(NamedTuple):
    """One reason why a section cannot be used."""

    at: Path
    message: str
    hard: bool = False


class _Invalid:
    """Stands for a value that a hard issue kept from being read."""


_INVALID: Final = _Invalid()
_Issues = list[Issue]


def read_section(model: type[_T], value: object, head: str) -> _T:
    """``value`` as a ``model``. Raises ``MalformedSection`` with ``head`` and one line for each issue."""
    issues: _Issues = []
    section = _read(model, value, (), issues)
    if issues:
        raise MalformedSection("\n".join([head, *(f"  {_place(issue.at)}: {issue.message}" for issue in issues)]))
    return section  # type: ignore[no-any-return]


def matches(source: str, message: str | None = None) -> Holds:
    """A test that the whole string matches the regular expression ``source`` (which brings its own anchors)."""
    import re

    compiled: list[re.Pattern[str]] = []

    def test(text: str) -> object:
        if not compiled:
            compiled.append(re.compile(source.removesuffix("$") + r"\Z" if source.endswith("$") else source))
        return compiled[0].match(text)

    return Holds(test, message or f"Invalid string: must match pattern /{source}/")


NonEmpty = Annotated[str, Least(1)]


def _place(at: Path) -> str:
    return ".".join(map(str, at)) or "(the section itself)"


def _kind(value: object) -> str:
    """The word an issue uses for what was received."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _read(hint: Any, value: object, at: Path, issues: _Issues) -> Any:
    """``value`` read as ``hint``; issues are appended, and a hard one answers ``_INVALID``."""
    rules: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *metadata = get_args(hint)
        rules = tuple(metadata)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _read_union(_branches(hint), value, at, issues)
    if origin is Literal:
        return _read_choice(get_args(hint), value, at, issues)
    if origin is tuple:
        return _read_list(get_args(hint)[0], rules, value, at, issues)
    if origin is Mapping or origin is dict:
        return _read_map(get_args(hint), value, at, issues)
    if dataclasses.is_dataclass(hint):
        return _read_object(hint, value, at, issues)
    scalar = {str: _read_string, int: _read_integer, bool: _read_flag}[hint]
    return scalar(rules, value, at, issues)


def _branches(hint: object) -> tuple[Any, ...]:
    return tuple(branch for branch in get_args(hint) if branch is not types.NoneType)


def _refuse_type(expected: str, value: object, at: Path, issues: _Issues, rules: tuple[object, ...] = ()) -> _Invalid:
    issues.append(Issue(at, f"Invalid input: expected {expected}, received {_kind(value)}", hard=True))
    if isinstance(value, str | list):
        _hold_length(rules, value, at, issues)
    return _INVALID


def _hold_length(rules: tuple[object, ...], value: str | list[object], at: Path, issues: _Issues) -> None:
    if isinstance(value, str):
        length, what, of = utf16_length(value), "string", "characters"
    else:
        length, what, of = len(value), "array", "items"
    for rule in rules:
        match rule:
            case Least(bound) if length < bound:
                issues.append(Issue(at, f"Too small: expected {what} to have >={bound} {of}"))
            case Most(bound) if length > bound:
                issues.append(Issue(at, f"Too big: expected {what} to have <={bound} {of}"))


def _read_string(rules: tuple[object, ...], value: object, at: Path, issues: _Issues) -> object:
    if not isinstance(value, str):
        return _refuse_type("string", value, at, issues, rules)
    before = len(issues)
    _hold_length(rules, value, at, issues)
    issues.extend(Issue(at, rule.message) for rule in rules if isinstance(rule, Holds) and not rule.test(value))
    if len(issues) > before:
        return value
    return next((rule.convert(value) for rule in rules if isinstance(rule, Into)), value)


def _read_integer(rules: tuple[object, ...], value: object, at: Path, issues: _Issues) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _refuse_type("number", value, at, issues)
    if isinstance(value, float) and not value.is_integer():
        issues.append(Issue(at, "Invalid input: expected int, received number", hard=True))
        return _INVALID
    number = int(value)
    if abs(number) > _SAFE_INTEGER:
        word, sign, bound = ("big", "<", _SAFE_INTEGER) if number > 0 else ("small", ">", -_SAFE_INTEGER)
        issues.append(Issue(at, f"Too {word}: expected int to be {sign}={bound}"))
    for rule in rules:
        match rule:
            case Least(bound) if number < bound:
                issues.append(Issue(at, f"Too small: expected number to be >={bound}"))
            case Most(bound) if number > bound:
                issues.append(Issue(at, f"Too big: expected number to be <={bound}"))
    return number


def _read_flag(_rules: tuple[object, ...], value: object, at: Path, issues: _Issues) -> object:
    return value if isinstance(value, bool) else _refuse_type("boolean", value, at, issues)


def _read_choice(choices: tuple[str, ...], value: object, at: Path, issues: _Issues) -> object:
    if isinstance(value, str) and value in choices:
        return value
    quoted = "|".join(f'"{choice}"' for choice in choices)
    single = len(choices) == 1
    issues.append(
        Issue(at, f"Invalid input: expected {quoted}" if single else f"Invalid option: expected one of {quoted}", True)
    )
    return _INVALID


def _read_list(item: Any, rules: tuple[object, ...], value: object, at: Path, issues: _Issues) -> object:
    if not isinstance(value, list):
        return _refuse_type("array", value, at, issues, rules)
    items = tuple(_read(item, member, (*at, index), issues) for index, member in enumerate(value))
    _hold_length(rules, value, at, issues)
    return items


def _read_map(hints: tuple[Any, ...], value: object, at: Path, issues: _Issues) -> object:
    key_hint, item = hints
    if not isinstance(value, dict):
        return _refuse_type("record", value, at, issues)
    result = {}
    for key, member in value.items():
        key_issues: _Issues = []
        _read(key_hint, key, (*at, key), key_issues)
        if key_issues:
            issues.append(Issue((*at, key), "Invalid key in record", hard=True))
        else:
            result[key] = _read(item, member, (*at, key), issues)
    return result


class _Field(NamedTuple):
    name: str
    key: str
    hint: Any
    required: bool


@cache
def _fields(model: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(model, include_extras=True)
    return tuple(
        _Field(field.name, key_of(field.name), _without_none(hints[field.name]), _is_required(field))
        for field in dataclasses.fields(model)
        if field.init
    )


def key_of(name: str) -> str:
    """The key of a field in a configuration file."""
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(part.capitalize() for part in tail)


def _without_none(hint: Any) -> Any:
    """``X`` for ``X | None``: the ``None`` of an optional field is never a value that a file can give."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    branches = _branches(hint)
    return branches[0] if len(branches) == 1 else Union[branches]  # noqa: UP007 - built from a tuple


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _read_object(model: Any, value: object, at: Path, issues: _Issues) -> object:
    if not isinstance(value, dict):
        return _refuse_type("object", value, at, issues)
    before = len(issues)
    fields = _fields(model)
    arguments = {}
    for field in fields:
        if field.key in value:
            arguments[field.name] = _read(field.hint, value[field.key], (*at, field.key), issues)
        elif field.required:
            issues.append(Issue((*at, field.key), _absence(field.hint), hard=True))
    unknown = [key for key in value if key not in {field.key for field in fields}]
    if unknown:
        quoted = ", ".join(f'"{key}"' for key in unknown)
        issues.append(Issue(at, f"Unrecognized key{'s' if len(unknown) > 1 else ''}: {quoted}"))
    if any(issue.hard for issue in issues[before:]):
        return _INVALID
    section = model(**arguments)
    refine: Callable[[], Iterator[tuple[Path, str]]] | None = getattr(section, "refine", None)
    if refine is not None:
        issues.extend(Issue((*at, *where), message) for where, message in refine())
    return section


def _absence(hint: Any) -> str:
    """What is said of a required field that is not there."""
    issues: _Issues = []
    _read(hint, None, (), issues)
    return issues[0].message.replace("received null", "received undefined")


def _read_union(branches: tuple[Any, ...], value: object, at: Path, issues: _Issues) -> object:
    tags = _tags(branches)
    if tags is not None:
        return _read_tagged(*tags, value, at, issues)
    attempts = []
    for branch in branches:
        attempt: _Issues = []
        result = _read(branch, value, at, attempt)
        if not attempt:
            return result
        attempts.append((attempt, result))
    close = [(found, result) for found, result in attempts if not any(issue.hard for issue in found)]
    if len(close) == 1:
        issues.extend(close[0][0])
        return close[0][1]
    issues.append(Issue(at, "Invalid input", hard=True))
    return _INVALID


def _tags(branches: tuple[Any, ...]) -> tuple[str, dict[str, Any]] | None:
    """The discriminating key and the branch of each of its values, when every branch starts with such a field."""
    if not all(dataclasses.is_dataclass(branch) for branch in branches):
        return None
    first = [_fields(branch)[0] for branch in branches]
    if any(get_origin(field.hint) is not Literal for field in first):
        return None
    return first[0].key, {
        tag: branch for branch, field in zip(branches, first, strict=True) for tag in get_args(field.hint)
    }


def _read_tagged(key: str, branches: dict[str, Any], value: object, at: Path, issues: _Issues) -> object:
    if not isinstance(value, dict):
        return _refuse_type("object", value, at, issues)
    tag = value.get(key)
    if not isinstance(tag, str) or tag not in branches:
        expected = " | ".join(f"'{known}'" for known in branches)
        issues.append(Issue((*at, key), f"Invalid discriminator value. Expected {expected}", hard=True))
        return _INVALID
    return _read(branches[tag], value, at, issues)
