"""The published JSON Schema documents, built from the artifacts' declarations (spec 02, section 17).

Nothing at run time imports this module: ``python -m eval_quality.artifacts.publish`` writes ``schemas/`` and, with
``--check``, says whether what is there is what the declarations say. Descriptions are the docstrings of the declarations,
read from their source. What JSON Schema cannot state is listed in ``docs/reference/schemas.md``.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from eval_quality.canonical.domain import MAX_SAFE_INTEGER

from .constraints import Range
from .registry import ARTIFACT_REGISTRY
from .schema import shape_of
from .shapes import (
    Array,
    Choice,
    Closed,
    Deferred,
    Instance,
    Json,
    Mapped,
    Named,
    Nullable,
    Number,
    OneOf,
    Ruled,
    Shape,
    Tagged,
    Text,
    Tuple,
)

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Node = dict[str, Any]

_DEFINITION_DESCRIPTIONS: Final = {
    "JsonValue": "Any JSON value.",
    "Operand": "What an operator reads: evidence, a stated value, or a declared reference set.",
    "Expression": "A check as an expression tree.",
    "InputBindingChannel": "Parameters bound on one input channel; null leaves it unbound.",
    "ProbeInputBindingChannel": "Parameters that select exchanges on one input channel; null selects on nothing there.",
    "ArtifactReference": "An artifact kept elsewhere, by digest.",
    "EvidenceChannel": "A channel that evidence is observed on.",
    "Verdict": "A verdict.",
    "EvaluatorRecommendation": "What an evaluator recommends.",
    "Finding": "Something an evaluator reports.",
    "FloorDecision": "Whether a declared floor is met.",
}
UNION_DESCRIPTIONS: Final = {
    "probe": "A probe: a system with a planted defect, or a clean control.",
    "artifact-reference": _DEFINITION_DESCRIPTIONS["ArtifactReference"],
    "evidence-artifact": "What scoring one probe came to.",
}
_CLASS_FIELDS: Final = {
    "defect": "Probes with a planted defect.",
    "gameability": "Probes whose system a naive oracle would pass.",
    "zero-action": "Probes whose system does nothing.",
}
_HYPHENATED_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "StrengthVector": _CLASS_FIELDS,
    "AggregatedClasses": _CLASS_FIELDS,
    "FloorDecisions": _CLASS_FIELDS,
    "ForbiddenInputAccounting": {
        "original-spec": "The specification the system was built from.",
        "source-code": "The system's source.",
        "repository": "The repository and its history.",
        "builder-transcript": "What the builder of the system said and did.",
        "implementation-logs": "Logs of the building.",
        "comparator-results": "What other evaluations came to.",
        "human-labels": "What people said the answer is.",
    },
}
"""Fields of declarations that cannot be classes, because their keys are no Python names."""
_INJECTED: Final = {"InputBindingChannel": {"minProperties": 1}, "ProbeInputBindingChannel": {"minProperties": 1}}
"""Rules that the declarations carry as code and a document can state in a keyword."""


def published_schema_id(key: str) -> str:
    """The ``$id`` of an artifact's document."""
    return f"urn:eval-quality:schema:{key}"


def published_document(key: str) -> Node:
    """The JSON Schema document of one registered artifact."""
    writer = _Writer()
    shape = shape_of(ARTIFACT_REGISTRY[key].load())
    root = writer.node(shape.inner if isinstance(shape, Named) else shape)
    if key in UNION_DESCRIPTIONS:
        root["description"] = UNION_DESCRIPTIONS[key]
    document = {"$schema": DIALECT, "$id": published_schema_id(key), **root}
    return document | ({"$defs": writer.definitions} if writer.definitions else {})


def serialize_document(document: Node) -> str:
    """A document as it is kept: two spaces of indentation, ASCII only, one line break at the end."""
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


class _Writer:
    """Writes shapes as schema nodes, placing named ones once in ``definitions`` in the order they are first met."""

    def __init__(self) -> None:
        self.definitions: dict[str, Node] = {}

    def node(self, shape: Shape) -> Node:
        match shape:
            case Named():
                return self._reference(shape)
            case Deferred():
                assert shape.target is not None
                return self.node(shape.target)
            case Ruled():
                return self.node(shape.inner)
            case Nullable():
                return {"anyOf": [self.node(shape.inner), {"type": "null"}]}
            case OneOf():
                return {"anyOf": [self.node(arm) for arm in shape.arms]}
            case Tagged():
                return {"oneOf": [self.node(arm) for arm in shape.arms]}
            case Closed():
                return self._closed(shape)
            case Mapped():
                return {
                    "type": "object",
                    "propertyNames": self.node(shape.key),
                    "additionalProperties": self.node(shape.value),
                }
            case Tuple():
                elements = [self.node(element) for element in shape.elements]
                return {"type": "array", "prefixItems": elements, "minItems": len(elements), "items": False}
            case Array():
                return {**_array_bounds(shape), "type": "array", "items": self.node(shape.element)}
            case Json():
                return self._json()
        return _leaf(shape)

    def _reference(self, shape: Named) -> Node:
        if shape.name not in self.definitions:
            self.definitions[shape.name] = {}
            node = self.node(shape.inner) | _INJECTED.get(shape.name, {})
            if shape.name in _DEFINITION_DESCRIPTIONS:
                node = {"description": _DEFINITION_DESCRIPTIONS[shape.name], **node}
            self.definitions[shape.name].update(node)
        return {"$ref": f"#/$defs/{shape.name}"}

    def _json(self) -> Node:
        itself = {"$ref": "#/$defs/JsonValue"}
        scalars = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
        members = {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": itself}
        return {"anyOf": [*scalars, {"type": "array", "items": itself}, members]}

    def _closed(self, shape: Closed) -> Node:
        properties = {}
        for key, field in shape.fields.items():
            node = self.node(field)
            description = field_description(shape.name, key)
            if description and "$ref" in node:
                node = {"description": description, **node}
            elif description:
                node["description"] = description
            properties[key] = node
        return {
            "type": "object",
            "properties": properties,
            "required": [key for key in shape.fields if key not in shape.optional],
            "additionalProperties": False,
            **({"description": class_description(shape.name)} if class_description(shape.name) else {}),
        }


def _array_bounds(shape: Array) -> Node:
    length = shape.length
    if length is None:
        return {}
    low = length.minimum if length.exactly is None else length.exactly
    high = length.maximum if length.exactly is None else length.exactly
    return {name: bound for name, bound in (("minItems", low), ("maxItems", high)) if bound is not None}


def _leaf(shape: Shape) -> Node:
    match shape:
        case Text(pattern=pattern) if pattern is not None:
            timestamp = {"format": "date-time"} if pattern.message == "Invalid ISO datetime" else {}
            return {"type": "string", **timestamp, "pattern": pattern.source}
        case Text(length=length):
            return {"type": "string"} | ({} if length is None else {"minLength": length.minimum})
        case Choice(options=(bool() as only,)):
            return {"type": "boolean", "const": only}
        case Choice(options=(only,), listed=False):
            return {"type": "string", "const": only}
        case Choice(options=options):
            return {"type": "string", "enum": list(options)}
        case Number(integer=True, bounds=bounds):
            return {"type": "integer", **_bounds(_safe(bounds))}
        case Number(bounds=bounds):
            return {"type": "number", **_bounds(bounds)}
        case Instance(word=word):
            return {"type": word}
    raise TypeError(f"no schema node for {shape!r}")


def _safe(bounds: Range) -> Range:
    """Bounds of an integer, filled up to the safe range."""
    low = bounds.minimum if bounds.minimum is not None or bounds.above is not None else -MAX_SAFE_INTEGER
    high = MAX_SAFE_INTEGER if bounds.maximum is None else bounds.maximum
    return Range(low, high, bounds.above)


def _bounds(bounds: Range) -> Node:
    named = (("minimum", bounds.minimum), ("exclusiveMinimum", bounds.above), ("maximum", bounds.maximum))
    return {name: bound for name, bound in named if bound is not None}


@cache
def _declarations() -> Mapping[str, ast.ClassDef]:
    """Every class declared in this package, by name, as its source says it."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    trees = (ast.parse(source.read_text(encoding="utf-8")) for source in sources)
    return {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


def class_description(name: str) -> str | None:
    """What a declaration says of itself."""
    declared = _declarations().get(name)
    return None if declared is None else ast.get_docstring(declared)


@cache
def field_description(name: str, field: str) -> str | None:
    """What a declaration, or one it builds on, says of a field."""
    declared = _declarations().get(name)
    if declared is None:
        return _HYPHENATED_FIELDS.get(name, {}).get(field)
    own = dict(_documented_fields(declared))
    if field in own:
        return own[field]
    bases = (base.id for base in declared.bases if isinstance(base, ast.Name))
    return next((text for base in bases if (text := field_description(base, field))), None)


def _documented_fields(declared: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in zip(declared.body, declared.body[1:], strict=False):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, text


def main(arguments: list[str]) -> int:
    """Write ``schemas/`` (or with ``--check`` compare it) in the folder given, the working directory by default."""
    check = "--check" in arguments
    folder = Path(next((each for each in arguments if not each.startswith("-")), "schemas"))
    if not check:
        folder.mkdir(exist_ok=True)
    wanted = {f"{key}.schema.json": serialize_document(published_document(key)) for key in ARTIFACT_REGISTRY}
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.schema.json")}
    stale = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    for name in stale:
        if check:
            print(f"{folder / name}: not what the declarations say; run python -m {__spec__.name}", file=sys.stderr)
        elif name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    verb = "stale" if check else "written"
    print(f"{len(wanted)} schema documents, {len(stale)} {verb}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
