"""Shapes: what a JSON value must look like, judged in two ways that agree (spec 01 section 2, spec 02 section 3).

``Shape.accepts(value)`` answers fast whether a value conforms *and* already is in normal form; nearly every value does.
``Shape.report(value, path, issues)`` is the authority on everything else: it collects every issue in the published order
and returns a fresh value in normal form. The rules it keeps:

1. An issue is soft, hard or blocking. Patterns, number bounds and cross-field rules run only while no hard issue lies on
   or inside the value; length bounds run on whatever has a length unless a blocking issue lies inside.
2. A closed object reports its fields in declared order, then all unknown keys in one issue.
3. A caller-keyed map is read in JavaScript's own-key order and silently loses a key ``__proto__``, as does every object
   inside a JSON value; a closed object refuses that key like any unknown one.
4. A tagged union speaks through the arm its tag selects. A plain union passes with the first arm that has no issue, and
   otherwise reports the issues of its only soft arm, or else that nothing fits.

Normal form: integral numbers within +-(2**53 - 1) are ``int``, all others ``float``; arrays are lists; maps are in
own-key order. The keys of closed objects are in whatever order they came: no rule reads it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, Final, NamedTuple

from .constraints import Length, Pattern, Range, Rule

MAX_SAFE_INTEGER: Final = 2**53 - 1

Path = tuple[str | int, ...]
Acceptor = Callable[[Any], bool]
Types = frozenset[type]


class Severity(IntEnum):
    """How far an issue reaches: a hard one silences later rules on the value, a blocking one the length bounds too."""

    SOFT = 0
    HARD = 1
    BLOCKING = 2


class Finding(NamedTuple):
    """One issue while it is being collected."""

    path: Path
    message: str
    severity: Severity


class Missing:
    """The value of a key that is not there."""


MISSING: Final = Missing()


def received(value: object) -> str:
    """The word refusals use for what was given."""
    match value:
        case Missing():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            number = as_number(value)
            if math.isfinite(number):
                return "number"
            return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def as_number(value: float) -> float:
    """A number in normal form: ``int`` when integral and safe, else the binary64 value."""
    if isinstance(value, int):
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return int(value)
        try:
            return float(value)
        except OverflowError:
            return math.copysign(math.inf, value)
    if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER and (value or math.copysign(1, value) > 0):
        return int(value)
    return float(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_array_index(key: str) -> bool:
    """Whether JavaScript would order this key as an integer: ``0`` to ``4294967294``, canonical."""
    canonical = key.isascii() and key.isdigit() and len(key) <= 10 and (key == "0" or key[0] != "0")
    return canonical and int(key) < 2**32 - 1


def own_keys(value: Mapping[str, object]) -> list[str]:
    """Keys in JavaScript's own-key order: integer-like ones ascending, then the rest in insertion order."""
    keys = list(value)
    if any(key[:1].isdigit() for key in keys):
        keys.sort(key=lambda key: (0, int(key)) if is_array_index(key) else (1, 0))
    return keys


_KNOWN: Final = 4096
"""How many texts, or tuples of keys, are remembered as valid: artifacts repeat theirs many times."""
_orderly: Final[set[tuple[object, ...]]] = set()


def in_normal_order(value: Mapping[Any, object]) -> bool:
    """Whether a map's keys are texts in own-key order and none of them is ``__proto__``."""
    keys = tuple(value)
    if keys in _orderly:
        return True
    if "__proto__" in value or not _TEXT.issuperset(map(type, keys)) or own_keys(value) != [*keys]:
        return False
    if len(_orderly) < _KNOWN:
        _orderly.add(keys)
    return True


_TEXT: Final = frozenset({str})


def worst(findings: Iterable[Finding]) -> Severity:
    return max((finding.severity for finding in findings), default=Severity.SOFT)


def _js_length_number(value: object) -> float:
    """A ``length`` member as JavaScript's ``>=`` coerces it; NaN when it is no number."""
    match value:
        case None:
            return 0
        case bool() | int() | float():
            return float(value)
        case str():
            try:
                return float(value.strip() or "0")
            except ValueError:
                return math.nan
        case _:
            return math.nan


def length_findings(value: object, bounds: Length, path: Path) -> Iterable[Finding]:
    """Breaches of length bounds by anything that has a length: texts, arrays, and objects with a key ``length``."""
    match value:
        case str():
            size, noun, unit = float(len(value)), "string", " characters"
        case list() | tuple():
            size, noun, unit = float(len(value)), "array", " items"
        case {"length": length}:
            size, noun, unit = _js_length_number(length), "unknown", ""
        case _:
            return
    severity = Severity.HARD if bounds.hard else Severity.SOFT
    have = "to have" if unit else "to be"
    if bounds.exactly is not None and size != bounds.exactly:
        word = "Too big" if size > bounds.exactly else "Too small"
        yield Finding(path, f"{word}: expected {noun} {have} exactly {bounds.exactly}{unit}", severity)
    if bounds.minimum is not None and not size >= bounds.minimum:
        yield Finding(path, f"Too small: expected {noun} {have} >={bounds.minimum}{unit}", severity)
    if bounds.maximum is not None and not size <= bounds.maximum:
        yield Finding(path, f"Too big: expected {noun} {have} <={bounds.maximum}{unit}", severity)


_NO_TYPE: Final[Types] = frozenset()


class Shape:
    """One kind of value. Subclasses say how it is accepted and how a departure is reported."""

    @property
    def types(self) -> Types:
        """Types of which it accepts every value, so that there is nothing else to ask."""
        return _NO_TYPE

    @cached_property
    def accepts(self) -> Acceptor:
        """Whether a value conforms and is in normal form already."""
        raise NotImplementedError

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        """Append every issue; return the value in normal form (of no use when there are issues)."""
        raise NotImplementedError


def wrong_type(expected: str, value: object, path: Path) -> Finding:
    return Finding(path, f"Invalid input: expected {expected}, received {received(value)}", Severity.HARD)


@dataclass(frozen=True)
class Text(Shape):
    """A string, with an anchored pattern or a length bound at most."""

    pattern: Pattern | None = None
    length: Length | None = None

    @property
    def types(self) -> Types:
        return _TEXT if self.pattern is None and self.length is None else _NO_TYPE

    @cached_property
    def _matches(self) -> Acceptor:
        assert self.pattern is not None
        source = self.pattern.source.removeprefix("^").removesuffix("$").replace(r"\/", "/")
        return re.compile(source, re.ASCII).fullmatch  # type: ignore[return-value]

    @cached_property
    def accepts(self) -> Acceptor:
        if self.pattern is not None:
            known: set[str] = set()
            matches = self._matches

            def accepts_pattern(value: Any) -> bool:
                if type(value) is not str:
                    return False
                if value in known:
                    return True
                if not matches(value):
                    return False
                if len(known) < _KNOWN:
                    known.add(value)
                return True

            return accepts_pattern
        if self.length is not None:
            return lambda value: type(value) is str and not any(length_findings(value, self.length, ()))  # type: ignore[arg-type]
        return lambda value: type(value) is str

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, str):
            findings.append(wrong_type("string", value, path))
        if self.length is not None:
            findings.extend(length_findings(value, self.length, path))
        if self.pattern is not None and isinstance(value, str) and not self._matches(value):
            message = self.pattern.message or f"Invalid string: must match pattern /{self.pattern.source}/"
            findings.append(Finding(path, message, Severity.SOFT))
        return value


@dataclass(frozen=True)
class Number(Shape):
    """A finite number; ``integer`` adds integrality and the safe range."""

    integer: bool = False
    bounds: Range = field(default_factory=Range)

    @cached_property
    def accepts(self) -> Acceptor:
        low, high, above = self.bounds.minimum, self.bounds.maximum, self.bounds.above
        floor = -MAX_SAFE_INTEGER if low is None else low
        if above is not None:
            floor = max(floor, above + 1)
        ceiling = MAX_SAFE_INTEGER if high is None else high
        if self.integer:
            return lambda value: type(value) is int and floor <= value <= ceiling

        def accepts_number(value: Any) -> bool:
            if type(value) is int:
                return floor <= value <= ceiling
            findings: list[Finding] = []
            return type(value) is float and self.report(value, (), findings) is value and not findings

        return accepts_number

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not is_number(value) or not math.isfinite(as_number(value)):
            findings.append(wrong_type("number", value, path))
            return value
        number = as_number(value)
        if self.integer:
            if not float(number).is_integer():
                findings.append(
                    Finding(path, "Invalid input: expected int, received number", Severity.BLOCKING),
                )
                return value
            if number > MAX_SAFE_INTEGER:
                findings.append(Finding(path, f"Too big: expected int to be <={MAX_SAFE_INTEGER}", Severity.SOFT))
            if number < -MAX_SAFE_INTEGER:
                findings.append(Finding(path, f"Too small: expected int to be >=-{MAX_SAFE_INTEGER}", Severity.SOFT))
        bounds = self.bounds
        if bounds.above is not None and not number > bounds.above:
            findings.append(Finding(path, f"Too small: expected number to be >{bounds.above}", Severity.SOFT))
        if bounds.minimum is not None and not number >= bounds.minimum:
            findings.append(Finding(path, f"Too small: expected number to be >={bounds.minimum}", Severity.SOFT))
        if bounds.maximum is not None and not number <= bounds.maximum:
            findings.append(Finding(path, f"Too big: expected number to be <={bounds.maximum}", Severity.SOFT))
        return value if type(number) is type(value) else number


@dataclass(frozen=True)
class Instance(Shape):
    """A value of one Python type with nothing more to say about it: a boolean, null, bytes."""

    type: type
    word: str

    @property
    def types(self) -> Types:
        return frozenset({self.type})

    @cached_property
    def accepts(self) -> Acceptor:
        expected = self.type
        return lambda value: type(value) is expected

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, self.type):
            findings.append(wrong_type(self.word, value, path))
        return value


BOOLEAN: Final = Instance(bool, "boolean")
NULL: Final = Instance(type(None), "null")
BYTES: Final = Instance(bytes, "Uint8Array")


@dataclass(frozen=True)
class Choice(Shape):
    """One of a closed list of texts, or one boolean; ``listed`` publishes a list of one as a list."""

    options: tuple[str | bool, ...]
    listed: bool = False

    @cached_property
    def accepts(self) -> Acceptor:
        if len(self.options) == 1 and isinstance(self.options[0], bool):
            only = self.options[0]
            return lambda value: value is only
        options = frozenset(self.options)
        return lambda value: type(value) is str and value in options

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not self.accepts(value):
            match self.options:
                case (bool() as only,):
                    message = f"Invalid input: expected {str(only).lower()}"
                case (only,):
                    message = f'Invalid input: expected "{only}"'
                case _:
                    message = "Invalid option: expected one of " + "|".join(f'"{option}"' for option in self.options)
            findings.append(Finding(path, message, Severity.HARD))
        return value


@dataclass(frozen=True)
class Array(Shape):
    """A list of one kind of element."""

    element: Shape
    length: Length | None = None

    @cached_property
    def accepts(self) -> Acceptor:
        element, length, covers = self.element.accepts, self.length, self.element.types.issuperset

        def accepts_array(value: Any) -> bool:
            if type(value) is not list or (length is not None and any(length_findings(value, length, ()))):
                return False
            if value and not covers(map(type, value)):
                for each in value:
                    if not element(each):  # a loop keeps deep nesting off the C stack
                        return False
            return True

        return accepts_array

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        mine: list[Finding] = []
        result = value
        if isinstance(value, list | tuple):
            result = [self.element.report(each, (*path, position), mine) for position, each in enumerate(value)]
        else:
            mine.append(wrong_type("array", value, path))
        if self.length is not None and worst(mine) < Severity.BLOCKING:
            mine.extend(length_findings(value, self.length, path))
        findings.extend(mine)
        return result


@dataclass(frozen=True)
class Tuple(Shape):
    """A list of fixed length whose positions have shapes of their own."""

    elements: tuple[Shape, ...]

    @cached_property
    def accepts(self) -> Acceptor:
        acceptors, size = [element.accepts for element in self.elements], len(self.elements)

        def accepts_tuple(value: Any) -> bool:
            if type(value) is not list or len(value) != size:
                return False
            for accepts, each in zip(acceptors, value, strict=True):  # noqa: SIM110 - as in Array
                if not accepts(each):
                    return False
            return True

        return accepts_tuple

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, list | tuple):
            findings.append(wrong_type("tuple", value, path))
            return value
        size = len(self.elements)
        if len(value) < size:
            message = f"Too small: expected array to have >={size} items"
            findings.append(Finding(path, message, Severity.HARD))
            return value
        if len(value) > size:
            findings.append(Finding(path, f"Too big: expected array to have <={size} items", Severity.HARD))
        pairs = enumerate(zip(self.elements, value, strict=False))
        return [element.report(each, (*path, position), findings) for position, (element, each) in pairs]


@dataclass(frozen=True)
class Mapped(Shape):
    """A caller-keyed map."""

    key: Shape
    value: Shape

    @cached_property
    def accepts(self) -> Acceptor:
        accepts_key, accepts_value = self.key.accepts, self.value.accepts

        def accepts_map(value: Any) -> bool:
            if type(value) is not dict or not in_normal_order(value):
                return False
            for key, each in value.items():  # noqa: SIM110 - as in Array
                if not (accepts_key(key) and accepts_value(each)):
                    return False
            return True

        return accepts_map

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, dict):
            findings.append(wrong_type("record", value, path))
            return value
        result = {}
        for key in own_keys(value):
            if key == "__proto__":
                continue
            if not self.key.accepts(key):
                findings.append(Finding((*path, key), "Invalid key in record", Severity.HARD))
                continue
            result[key] = self.value.report(value[key], (*path, key), findings)
        return result


@dataclass(frozen=True)
class Closed(Shape):
    """An object with declared keys and no others."""

    name: str
    fields: Mapping[str, Shape]
    optional: frozenset[str] = frozenset()

    @cached_property
    def accepts(self) -> Acceptor:
        required = {key: shape for key, shape in self.fields.items() if key not in self.optional}
        plain = [(key, shape.types) for key, shape in required.items() if shape.types]
        asked = [(key, *_passing(shape)) for key, shape in required.items() if not shape.types]
        optional = [(key, self.fields[key].accepts) for key in self.fields if key in self.optional]
        size = len(required)

        def accepts_fields(value: Any) -> bool:
            if type(value) is not dict or len(value) != size:
                return False
            try:
                for key, types in plain:
                    if type(value[key]) not in types:
                        return False
                for key, passes, accepts in asked:
                    each = value[key]
                    if each is not passes and not accepts(each):
                        return False
            except KeyError:
                return False
            return True

        def accepts_optional(value: Any) -> bool:
            if type(value) is not dict:
                return False
            present = [(key, accepts) for key, accepts in optional if key in value]
            bare = {key: each for key, each in value.items() if key not in self.optional}
            return accepts_fields(bare) and all(accepts(value[key]) for key, accepts in present)

        return accepts_optional if optional else accepts_fields

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, dict):
            findings.append(wrong_type("object", value, path))
            return value
        result = {}
        for key, shape in self.fields.items():
            if key in value or key not in self.optional:
                result[key] = shape.report(value.get(key, MISSING), (*path, key), findings)
        unknown = [f'"{key}"' for key in own_keys(value) if key not in self.fields]
        if unknown:
            noun = "key" if len(unknown) == 1 else "keys"
            findings.append(Finding(path, f"Unrecognized {noun}: {', '.join(unknown)}", Severity.SOFT))
        return result


def _passing(shape: Shape) -> tuple[object, Acceptor]:
    """A value that needs no asking (``MISSING`` for none), and what to ask of any other."""
    return (None, shape.inner.accepts) if isinstance(shape, Nullable) else (MISSING, shape.accepts)


@dataclass(frozen=True)
class Tagged(Shape):
    """A union of closed objects told apart by the literal under one key."""

    tag: str
    arms: Sequence[Closed]

    @cached_property
    def _by_tag(self) -> dict[tuple[type, object], Shape]:
        table: dict[tuple[type, object], Shape] = {}
        for arm in self.arms:
            literal = arm.fields[self.tag]
            assert isinstance(literal, Choice)
            table |= {(type(option), option): arm for option in literal.options}
        return table

    def _arm(self, value: dict[str, Any]) -> Shape | None:
        tag = value.get(self.tag)
        return self._by_tag.get((type(tag), tag)) if isinstance(tag, str | bool) else None

    @cached_property
    def accepts(self) -> Acceptor:
        table, key = {option: arm.accepts for (_, option), arm in self._by_tag.items()}, self.tag
        kind = type(next(iter(table)))

        def accepts_tagged(value: Any) -> bool:
            if type(value) is not dict:
                return False
            tag = value.get(key)
            arm = table.get(tag) if type(tag) is kind else None
            return arm is not None and arm(value)

        return accepts_tagged

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if not isinstance(value, dict):
            findings.append(wrong_type("object", value, path))
            return value
        arm = self._arm(value)
        if arm is not None:
            return arm.report(value, path, findings)
        options = (str(tag).lower() if isinstance(tag, bool) else tag for _, tag in self._by_tag)
        expected = " | ".join(f"'{option}'" for option in options)
        findings.append(
            Finding((*path, self.tag), f"Invalid discriminator value. Expected {expected}", Severity.HARD),
        )
        return value


@dataclass(frozen=True)
class OneOf(Shape):
    """A plain union: the first arm without an issue wins."""

    arms: tuple[Shape, ...]

    @cached_property
    def accepts(self) -> Acceptor:
        acceptors = [arm.accepts for arm in self.arms]

        def accepts_any(value: Any) -> bool:
            for accepts in acceptors:  # noqa: SIM110 - as in Array
                if accepts(value):
                    return True
            return False

        return accepts_any

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        soft: list[list[Finding]] = []
        for arm in self.arms:
            mine: list[Finding] = []
            result = arm.report(value, path, mine)
            if not mine:
                return result
            if worst(mine) is Severity.SOFT:
                soft.append(mine)
        findings.extend(soft[0] if len(soft) == 1 else [Finding(path, "Invalid input", Severity.HARD)])
        return value


@dataclass(frozen=True)
class Nullable(Shape):
    """Null, or the inner shape."""

    inner: Shape

    @property
    def types(self) -> Types:
        return self.inner.types | NULL.types if self.inner.types else _NO_TYPE

    @cached_property
    def accepts(self) -> Acceptor:
        inner = self.inner.accepts
        return lambda value: value is None or inner(value)

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        return None if value is None else self.inner.report(value, path, findings)


@dataclass(frozen=True)
class Ruled(Shape):
    """A shape with cross-field rules, which run while no hard issue lies on or inside the value."""

    inner: Shape
    rules: tuple[Rule, ...]

    @cached_property
    def accepts(self) -> Acceptor:
        inner, rules = self.inner.accepts, [rule.holds for rule in self.rules]

        def accepts_ruled(value: Any) -> bool:
            if not inner(value):
                return False
            for holds in rules:  # noqa: SIM110 - as in Array
                if not holds(value):
                    return False
            return True

        return accepts_ruled

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        mine: list[Finding] = []
        result = self.inner.report(value, path, mine)
        for rule in self.rules:
            if worst(mine) is Severity.SOFT and not rule.holds(result):
                mine.append(Finding((*path, *rule.at), rule.message, Severity.SOFT))
        findings.extend(mine)
        return result


@dataclass(frozen=True)
class Named(Shape):
    """A shape that published documents state once, by name."""

    name: str
    inner: Shape

    @property
    def types(self) -> Types:
        return self.inner.types

    @cached_property
    def accepts(self) -> Acceptor:
        return self.inner.accepts

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        return self.inner.report(value, path, findings)


@dataclass(eq=False)
class Deferred(Shape):
    """A shape named before it is built, so that shapes can nest in themselves."""

    target: Shape | None = None

    @cached_property
    def accepts(self) -> Acceptor:
        def accepts_target(value: Any) -> bool:
            assert self.target is not None
            return self.target.accepts(value)

        return accepts_target

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        assert self.target is not None
        return self.target.report(value, path, findings)


class Json(Shape):
    """Any JSON value. Both judgements walk without recursion, so depth costs nothing but time."""

    @cached_property
    def accepts(self) -> Acceptor:
        return _is_normal_json

    def report(self, value: Any, path: Path, findings: list[Finding]) -> Any:
        if _is_normal_json(value):
            return value
        try:
            return _normal_json(value)
        except ValueError:
            findings.append(Finding(path, "Invalid input", Severity.HARD))
            return value


JSON: Final = Json()


_ALWAYS_NORMAL: Final = frozenset({str, bool, type(None)})


def _is_normal_json(value: Any) -> bool:
    if type(value) in _ALWAYS_NORMAL:
        return True
    stack = [value]
    while stack:
        each = stack.pop()
        kind = type(each)
        if kind in _ALWAYS_NORMAL:
            continue
        if kind is dict:
            if not in_normal_order(each):
                return False
            stack.extend(each.values())
        elif kind is list:
            stack.extend(each)
        elif kind is int:
            if not -MAX_SAFE_INTEGER <= each <= MAX_SAFE_INTEGER:
                return False
        elif kind is not float or not math.isfinite(each) or type(as_number(each)) is not float:
            return False
    return True


def _normal_json(value: Any) -> Any:
    """A copy in normal form; ``ValueError`` for what JSON cannot hold."""
    root: list[Any] = [None]
    work: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while work:
        place, key, each = work.pop()
        match each:
            case None | bool() | str():
                place[key] = each
            case int() | float():
                number = as_number(each)
                if not math.isfinite(number):
                    raise ValueError(number)
                place[key] = number
            case list() | tuple():
                place[key] = items = [None] * len(each)
                work.extend((items, position, item) for position, item in enumerate(each))
            case dict():
                keys = [name for name in own_keys(each) if name != "__proto__"]
                place[key] = members = dict.fromkeys(keys)
                work.extend((members, name, each[name]) for name in keys)
            case _:
                raise ValueError(each)
    return root[0]
