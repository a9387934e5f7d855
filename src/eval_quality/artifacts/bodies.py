"""Bodies of requests and of what was observed (spec 01, section 6)."""

from typing import Annotated, Literal, TypedDict

from .constraints import Pattern, Tag
from .primitives import JsonValue

CanonicalBase64 = Annotated[
    str, Pattern(r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$")
]
ContentType = Annotated[str, Pattern(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:;[ \t]*[^\r\n]+)?$")]


class JsonBody(TypedDict):
    """A body that is a JSON value."""

    kind: Literal["json"]
    """Says that the body is JSON."""
    value: JsonValue
    """The value."""


class TextBody(TypedDict):
    """A body that is text."""

    kind: Literal["text"]
    """Says that the body is text."""
    value: str
    """The text; it may be empty."""


class AbsentBody(TypedDict):
    """No body."""

    kind: Literal["absent"]
    """Says that there is no body."""


class RawRequestBody(TypedDict):
    """A body sent as exact bytes."""

    kind: Literal["raw"]
    """Says that the body is exact bytes."""
    base64: CanonicalBase64
    """The bytes in canonical base64 (RFC 4648, padded); empty for none."""
    contentType: ContentType
    """Their media type."""


ProbeRequestBody = Annotated[JsonBody | RawRequestBody | AbsentBody, Tag("kind")]
ProbeObservedBody = Annotated[JsonBody | TextBody | AbsentBody, Tag("kind")]
ProbeRequestStdin = Annotated[JsonBody | TextBody | AbsentBody, Tag("kind")]
