"""Primitive types that every artifact is built of (spec 01, section 3)."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict, get_args

from .constraints import NON_EMPTY, AnyJson, Definition, Pattern

if TYPE_CHECKING:
    JsonValue = Any
else:
    JsonValue = Annotated[object, AnyJson(), Definition("JsonValue")]

Identifier = Annotated[str, Pattern(r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
BehaviorId = Annotated[str, Pattern(r"^B-[0-9]{3,}$")]
OracleId = Annotated[str, Pattern(r"^O-[0-9]{3,}$")]
ProbeId = Annotated[str, Pattern(r"^P-[0-9]{3,}$")]
WaiverId = Annotated[str, Pattern(r"^W-[0-9]{3,}$")]
DefectId = Annotated[str, Pattern(r"^D-[0-9]{3,}$")]
FindingId = Annotated[str, Pattern(r"^F-[0-9]{3,}$")]
RubricId = Annotated[str, Pattern(r"^R-[0-9]{3,}$")]
RubricCriterionId = Annotated[str, Pattern(r"^RC-[0-9]{3,}$")]
Digest = Annotated[str, Pattern(r"^sha256:[0-9a-f]{64}$")]
UnsignedDecimalString = Annotated[str, Pattern(r"^(0|[1-9][0-9]*)(\.[0-9]+)?$")]
PositiveDecimalString = Annotated[str, Pattern(r"^([1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9][0-9]*)$")]
Rfc3339Utc = Annotated[
    str,
    Pattern(
        r"^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|"
        r"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|"
        r"(?:02)-(?:0[1-9]|1\d|2[0-8])))T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z))$",
        message="Invalid ISO datetime",
    ),
]
NonEmptyText = Annotated[str, NON_EMPTY]
KeyName = Annotated[str, NON_EMPTY]
ToolName = Annotated[str, Pattern(r"^[A-Za-z0-9_-]+$")]
EnvironmentKeyName = Annotated[str, Pattern(r"^[A-Za-z_][A-Za-z0-9_]*$")]

JsonTypeName = Literal["string", "number", "boolean", "object", "array", "null"]
JsonObjectValue = dict[str, JsonValue]
KeyTypeMap = dict[KeyName, JsonTypeName | None]

HttpMethod = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
PathTemplate = Annotated[str, Pattern(r"^(?:\/(?:[^/{}:]|\{[A-Za-z0-9_-]+\})*)+$")]

Severity = Literal["low", "material", "critical"]
SEVERITY_LEVELS: Final[tuple[Severity, ...]] = get_args(Severity)


class KeyedShapeDescriptor(TypedDict):
    """Which keys an object has, may have, and of what JSON type each is."""

    requiredKeys: list[KeyName]
    """Keys that must be present."""
    permittedKeys: list[KeyName]
    """Keys that may be present; it is not joined with the required ones."""
    types: KeyTypeMap
    """JSON type by key; null declares a key without stating its type."""
