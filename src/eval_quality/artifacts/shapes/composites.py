"""Shapes with shapes inside: arrays, tuples, maps, closed objects, and unions of those by a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval_quality.canonical.domain import js_key_order

from ..constraints import Length
from .base import Acceptor, Nesting, Shape, Steps
from .choices import Nullable
from .findings import MISSING, Finding, Path, Severity, worst, wrong_type
from .leaves import Choice
from .lengths import length_findings
from .normal_form import in_normal_order


@dataclass(frozen=True)
class Array(Nesting):
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

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        mine: list[Finding] = []
        result = value
        if isinstance(value, list | tuple):
            result = []
            for position, each in enumerate(value):
                result.append((yield self.element, each, (path, position), mine))
        else:
            mine.append(wrong_type("array", value, path))
        if self.length is not None and worst(mine) < Severity.BLOCKING:
            mine.extend(length_findings(value, self.length, path))
        findings.extend(mine)
        return result


@dataclass(frozen=True)
class Tuple(Nesting):
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

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
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
        result = []
        for position, (element, each) in enumerate(zip(self.elements, value, strict=False)):
            result.append((yield element, each, (path, position), findings))
        return result


@dataclass(frozen=True)
class Mapped(Nesting):
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

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        if not isinstance(value, dict):
            findings.append(wrong_type("record", value, path))
            return value
        result = {}
        for key in js_key_order(value):
            if key == "__proto__":
                continue
            if not self.key.accepts(key):
                findings.append(Finding((path, key), "Invalid key in record", Severity.HARD))
                continue
            result[key] = yield self.value, value[key], (path, key), findings
        return result


@dataclass(frozen=True)
class Closed(Nesting):
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

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        if not isinstance(value, dict):
            findings.append(wrong_type("object", value, path))
            return value
        result = {}
        for key, shape in self.fields.items():
            if key in value or key not in self.optional:
                result[key] = yield shape, value.get(key, MISSING), (path, key), findings
        unknown = [f'"{key}"' for key in js_key_order(value) if key not in self.fields]
        if unknown:
            noun = "key" if len(unknown) == 1 else "keys"
            findings.append(Finding(path, f"Unrecognized {noun}: {', '.join(unknown)}", Severity.SOFT))
        return result


def _passing(shape: Shape) -> tuple[object, Acceptor]:
    """A value that needs no asking (``MISSING`` for none), and what to ask of any other."""
    return (None, shape.inner.accepts) if isinstance(shape, Nullable) else (MISSING, shape.accepts)


@dataclass(frozen=True)
class Tagged(Nesting):
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

    def steps(self, value: Any, path: Path, findings: list[Finding]) -> Steps:
        if not isinstance(value, dict):
            findings.append(wrong_type("object", value, path))
            return value
        arm = self._arm(value)
        if arm is not None:
            return (yield arm, value, path, findings)
        options = (str(tag).lower() if isinstance(tag, bool) else tag for _, tag in self._by_tag)
        expected = " | ".join(f"'{option}'" for option in options)
        findings.append(
            Finding((path, self.tag), f"Invalid discriminator value. Expected {expected}", Severity.HARD),
        )
        return value
