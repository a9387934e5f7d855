"""From an artifact's type annotations to its shape, and the parse every stage begins with.

``shape_of`` reads ``TypedDict`` classes, ``Literal`` vocabularies, unions and ``Annotated`` constraints once per
process and type, so that a command builds only the shapes it reads. ``parse`` is the one way an untrusted value becomes
an artifact.
"""

import sys
from collections.abc import Mapping
from threading import RLock
from types import NoneType, UnionType
from typing import Annotated, Any, Final, ForwardRef, Literal, NotRequired, Union, get_args, get_origin, is_typeddict

from eval_quality.errors import Issue, RuntimeFault

from .constraints import AnyJson, Definition, Length, Listed, Pattern, Range, Rule, Tag
from .shapes import (
    BOOLEAN,
    BYTES,
    JSON,
    NULL,
    Array,
    Choice,
    Closed,
    Deferred,
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

_PLAIN: Final[Mapping[Any, Shape]] = {
    bool: BOOLEAN,
    NoneType: NULL,
    bytes: BYTES,
    str: Text(),
    int: Number(integer=True),
    float: Number(),
}
# By identity: equality of unions and literals ignores the order of their members, and that order shows in refusals.
_built: dict[int, tuple[Any, Shape]] = {}
_building: Final = RLock()


def shape_of(annotation: Any) -> Shape:
    """The shape an annotation declares, ready for every thread."""
    with _building:
        shape = _shape_of(annotation)
        _ = shape.accepts  # made under the lock: Python 3.11 locks cached properties one by one, so threads could cross
        return shape


def _shape_of(annotation: Any, namespace: Mapping[str, Any] | None = None) -> Shape:
    """The shape an annotation declares; ``namespace`` resolves the names of types that nest in themselves."""
    if isinstance(annotation, str | ForwardRef):
        name = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        assert namespace is not None
        return _shape_of(namespace[name], namespace)
    if isinstance(annotation, type) and annotation in _PLAIN:
        return _PLAIN[annotation]
    if get_origin(annotation) is list:  # a new object each time it is written, so nothing to remember it by
        return Array(_shape_of(get_args(annotation)[0], namespace))
    if id(annotation) not in _built:
        placeholder = Deferred()
        _built[id(annotation)] = (annotation, placeholder)
        placeholder.target = _build(annotation, namespace)
        _built[id(annotation)] = (annotation, placeholder.target)
    return _built[id(annotation)][1]


def _build(annotation: Any, namespace: Mapping[str, Any] | None) -> Shape:
    if is_typeddict(annotation):
        return _closed(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _constrained(arguments[0], annotation.__metadata__, namespace)
    if origin is Literal:
        return Choice(arguments)
    if origin is NotRequired:
        return _shape_of(arguments[0], namespace)
    if origin is tuple:
        return Tuple(tuple(_shape_of(argument, namespace) for argument in arguments))
    if origin is dict:
        return Mapped(_shape_of(arguments[0], namespace), _shape_of(arguments[1], namespace))
    if origin is Union or origin is UnionType:
        arms = [_shape_of(argument, namespace) for argument in arguments if argument is not NoneType]
        inner = arms[0] if len(arms) == 1 else OneOf(tuple(arms))
        return Nullable(inner) if NoneType in arguments else inner
    raise TypeError(f"no shape for the annotation {annotation!r}")


def _closed(declaration: Any) -> Closed:
    namespace = vars(sys.modules[declaration.__module__])
    fields = {key: _shape_of(annotation, namespace) for key, annotation in declaration.__annotations__.items()}
    return Closed(declaration.__name__, fields, declaration.__optional_keys__)


def _constrained(bare: Any, metadata: tuple[Any, ...], namespace: Mapping[str, Any] | None) -> Shape:
    by_kind = {type(constraint): constraint for constraint in metadata}
    rules = tuple(constraint for constraint in metadata if isinstance(constraint, Rule))
    shape: Shape
    if AnyJson in by_kind:
        shape = JSON
    elif Tag in by_kind:
        arms = tuple(_shape_of(arm, namespace) for arm in get_args(bare) or (bare,))
        shape = Tagged(by_kind[Tag].key, arms)  # type: ignore[arg-type]
    elif Listed in by_kind:
        shape = Choice(get_args(bare), listed=True)
    elif bare is str:
        shape = Text(by_kind.get(Pattern), by_kind.get(Length))
    elif bare is int or bare is float:
        shape = Number(bare is int, by_kind.get(Range, Range()))
    elif get_origin(bare) is list and Length in by_kind:
        shape = Array(_shape_of(get_args(bare)[0], namespace), by_kind[Length])
    else:
        shape = _shape_of(bare, namespace)
    if rules:
        shape = Ruled(shape, rules)
    return Named(by_kind[Definition].name, shape) if Definition in by_kind else shape


def issues_of(annotation: Any, value: object) -> tuple[Any, list[Issue]]:
    """The value in normal form, and every reason why it does not conform, in the published order."""
    result, findings = shape_of(annotation).judge(value)
    return result, [Issue(pointer(finding.steps), finding.message) for finding in findings]


def pointer(path: tuple[str | int, ...]) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def parse(annotation: Any, value: object, artifact_path: str, detail: str | None = None) -> Any:
    """A value of the annotated type, in normal form; it may be the very object given, so neither is to be mutated.

    Raises ``RuntimeFault`` ``schema-parse-failure`` at ``artifact_path`` with every issue attached.
    """
    result, issues = issues_of(annotation, value)
    if issues:
        text = detail or f"input does not conform to the {artifact_path} schema"
        raise RuntimeFault("schema-parse-failure", artifact_path, text, issues=issues)
    return result
