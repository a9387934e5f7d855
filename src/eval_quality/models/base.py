"""What every model has in common: wire names, canonical JSON, and the judgement of an artifact's declaration."""

from __future__ import annotations

import importlib
from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, ValidationInfo, model_validator

from eval_quality.errors import Issue, RuntimeFault


def _own(value: Any) -> Any:
    """The model's own copy of a JSON value; pydantic makes one of everything it knows the type of."""
    from eval_quality.artifacts.shapes.normal_form import normalized

    return normalized(value) if isinstance(value, dict | list) else value


JsonValue: TypeAlias = Annotated[Any, AfterValidator(_own)]
"""Any JSON value."""


class ArtifactModel(BaseModel):
    """A part of an artifact: immutable, closed, with the wire's names as aliases."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        populate_by_name=True,
        protected_namespaces=(),
        use_attribute_docstrings=True,
        defer_build=True,
    )

    def to_wire(self) -> dict[str, Any]:
        """The part as a JSON value with the wire's names."""
        return self.model_dump(by_alias=True, exclude_unset=True)


_JUDGED = {"judged": True}
"""Validation context of a value that its declaration has been held against already."""


class Artifact(ArtifactModel):
    """A whole artifact. However it is made, it conforms to its schema."""

    _declared_in: ClassVar[tuple[str, str]]
    """Module and name of the declaration."""
    _tag: ClassVar[str | None] = None
    """Of an artifact with several forms: the attribute whose literal tells them apart."""

    @classmethod
    def _declaration(cls) -> tuple[Any, str]:
        module, name = cls._declared_in
        return getattr(importlib.import_module(f"eval_quality.artifacts.{module}"), name), name

    @model_validator(mode="after")
    def _conforms(self, info: ValidationInfo) -> Self:
        from eval_quality.artifacts.schema import issues_of

        if info.context is _JUDGED:
            return self

        _, issues = issues_of(self._declaration()[0], self.to_wire())
        if issues:
            raise ValueError("; ".join(f"{issue.pointer or '(root)'}: {issue.message}" for issue in issues))
        return self

    @classmethod
    def from_wire(cls, value: object) -> Self:
        """The artifact a JSON value is; raises ``RuntimeFault`` ``schema-parse-failure`` with every issue."""
        from eval_quality.artifacts.schema import parse

        declaration, name = cls._declaration()
        form = cls._form_of(parsed := parse(declaration, value, name))
        try:
            return form.model_validate(parsed, context=_JUDGED)
        except ValidationError as error:  # pydantic follows fewer expressions inside each other than the judgement does
            issues = [Issue("", "nested deeper than a model can hold")]
            detail = f"input does not conform to the {name} schema"
            raise RuntimeFault("schema-parse-failure", name, detail, issues=issues) from error

    @classmethod
    def _form_of(cls, value: dict[str, Any]) -> type[Self]:
        """The class of a judged value: this one, or the form its tag names."""
        if cls._tag is None or cls._tag in cls.model_fields:
            return cls
        for form in cls.__subclasses__():
            tag = form.model_fields[cls._tag]
            if value[tag.alias or cls._tag] in get_args(tag.annotation):
                return form
        raise AssertionError(f"a {cls.__name__} is of a form no class stands for")

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The artifact a JSON text spells.

        The text is read by the lexical scanner: duplicate keys and numbers that would be rounded are refused. Raises
        ``RuntimeFault`` (``schema-parse-failure``, ``non-canonicalizable-value``).
        """
        from eval_quality.canonical import scan_json

        return cls.from_wire(scan_json(text, cls._declared_in[1]))

    def to_json(self) -> bytes:
        """The artifact's canonical bytes (RFC 8785), which its digest covers; a file adds one line break."""
        from eval_quality.canonical import canonicalize

        return canonicalize(self.to_wire(), self._declared_in[1])
