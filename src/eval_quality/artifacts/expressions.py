"""Checks as expression trees: operands, operators, connectives and quantifiers (spec 01, section 5)."""

from typing import Annotated, Final, Literal, TypedDict, get_args

from .constraints import NON_EMPTY, Definition, Length, Pattern, Range, Tag
from .pointers import EvidencePointer
from .primitives import Identifier, JsonValue, KeyedShapeDescriptor, KeyName

OperatorName = Literal[
    "equality",
    "deep-equality",
    "containment",
    "existence",
    "absence",
    "regex",
    "set-membership",
    "ordering",
    "count-tolerance",
    "shape",
    "covers-by-key",
]
ConnectiveName = Literal["all", "any", "not"]
QuantifierName = Literal["for-all", "for-any"]
Relation = Literal[OperatorName, ConnectiveName, QuantifierName]
Polarity = Literal["expects-hold", "expects-violation"]
SortOrder = Literal["ascending", "descending"]

OPERATOR_NAMES: Final[tuple[OperatorName, ...]] = get_args(OperatorName)
CONNECTIVE_NAMES: Final[tuple[ConnectiveName, ...]] = get_args(ConnectiveName)
QUANTIFIER_NAMES: Final[tuple[QuantifierName, ...]] = get_args(QuantifierName)
RELATION_VOCABULARY: Final[tuple[Relation, ...]] = get_args(Relation)
CONNECTIVE_MINIMUM_ARITY: Final = 2

AnchoredPattern = Annotated[str, Pattern(r"^\^[\s\S]*\$$")]


class PointerOperand(TypedDict):
    """Evidence read from an observation, or from the element a quantifier binds (``@/...``)."""

    pointer: EvidencePointer
    """Where the evidence lies."""


class LiteralOperand(TypedDict):
    """A value the author states."""

    literal: JsonValue
    """The value."""


class ReferenceSetOperand(TypedDict):
    """The members of a reference set the contract declares."""

    referenceSet: Identifier
    """Its identifier."""


class LiteralSetOperand(TypedDict):
    """A set the author states."""

    literal: Annotated[list[JsonValue], NON_EMPTY]
    """Its members."""


Operand = Annotated[PointerOperand | LiteralOperand | ReferenceSetOperand, Definition("Operand")]
SetOperand = ReferenceSetOperand | LiteralSetOperand


class Equality(TypedDict):
    """Both operands are present, of one kind and equal; containers compare structurally."""

    op: Literal["equality"]
    """Names the operator."""
    operands: tuple[Operand, Operand]
    """The two things compared."""


class DeepEquality(TypedDict):
    """Both operands are present and structurally equal, compared by canonical digest."""

    op: Literal["deep-equality"]
    """Names the operator."""
    operands: tuple[Operand, Operand]
    """The two things compared."""


class Containment(TypedDict):
    """The first operand contains the second: an element, a subset, or a part of a text."""

    op: Literal["containment"]
    """Names the operator."""
    operands: tuple[Operand, Operand]
    """The container, then what it should contain."""


class Existence(TypedDict):
    """The operand is there."""

    op: Literal["existence"]
    """Names the operator."""
    operands: tuple[Operand]
    """The evidence that should be there."""


class Absence(TypedDict):
    """The operand is not there."""

    op: Literal["absence"]
    """Names the operator."""
    operands: tuple[Operand]
    """The evidence that should not be there."""


class Regex(TypedDict):
    """The operand is a text that matches an anchored ECMAScript pattern."""

    op: Literal["regex"]
    """Names the operator."""
    operands: tuple[Operand]
    """The text that is matched."""
    pattern: AnchoredPattern
    """Begins with ``^`` and ends with ``$``."""


class SetMembership(TypedDict):
    """The first operand is a member of the set."""

    op: Literal["set-membership"]
    """Names the operator."""
    operands: tuple[Operand, SetOperand]
    """The value, then the set."""


class Ordering(TypedDict):
    """The collection is sorted by one key."""

    op: Literal["ordering"]
    """Names the operator."""
    operands: tuple[Operand]
    """The collection."""
    key: KeyName
    """Key each element is sorted by."""
    order: SortOrder
    """Direction of the order; ties pass."""


class CountTolerance(TypedDict):
    """The collection has the expected number of elements, give or take."""

    op: Literal["count-tolerance"]
    """Names the operator."""
    operands: tuple[Operand]
    """The collection that is counted."""
    expected: Annotated[int, Range(minimum=0)]
    """Number of elements."""
    tolerance: Annotated[int, Range(minimum=0)]
    """Permitted distance: elements, or whole percent of ``expected`` when ``relative``."""
    relative: bool
    """Whether the tolerance is a percentage."""


class ShapeCheck(TypedDict):
    """The operand is an object with the described keys."""

    op: Literal["shape"]
    """Names the operator."""
    operands: tuple[Operand]
    """The object whose keys are read."""
    descriptor: KeyedShapeDescriptor
    """The keys, and their JSON types."""


class CoversByKey(TypedDict):
    """A bijection, by key, between a reference set and an observed collection."""

    op: Literal["covers-by-key"]
    """Names the operator."""
    operands: tuple[Operand, Operand]
    """The reference set, then the observed collection."""
    expectedKey: KeyName
    """Key of the expected members."""
    actualKey: KeyName
    """Key of the observed elements."""


class Not(TypedDict):
    """The negation of one expression."""

    op: Literal["not"]
    """Names the connective."""
    operands: tuple["Expression"]
    """The expression that is negated."""


class All(TypedDict):
    """Every expression holds."""

    op: Literal["all"]
    """Names the connective."""
    operands: Annotated[list["Expression"], Length(minimum=CONNECTIVE_MINIMUM_ARITY)]
    """The expressions, every one of which must hold."""


class Any(TypedDict):
    """At least one expression holds."""

    op: Literal["any"]
    """Names the connective."""
    operands: Annotated[list["Expression"], Length(minimum=CONNECTIVE_MINIMUM_ARITY)]
    """The expressions, one of which must hold."""


class ForAll(TypedDict):
    """The predicate holds for every element of a collection."""

    op: Literal["for-all"]
    """Names the quantifier."""
    collection: Operand
    """The collection ranged over."""
    predicate: "Expression"
    """What must hold; ``@/`` addresses the bound element."""


class ForAny(TypedDict):
    """The predicate holds for at least one element of a collection."""

    op: Literal["for-any"]
    """Names the quantifier."""
    collection: Operand
    """The collection ranged over."""
    predicate: "Expression"
    """What must hold; ``@/`` addresses the bound element."""


Expression = Annotated[
    Equality
    | DeepEquality
    | Containment
    | Existence
    | Absence
    | Regex
    | SetMembership
    | Ordering
    | CountTolerance
    | ShapeCheck
    | CoversByKey
    | Not
    | All
    | Any
    | ForAll
    | ForAny,
    Tag("op"),
    Definition("Expression"),
]
