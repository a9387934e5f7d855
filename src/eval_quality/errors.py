"""Error classes and the closed registries of their codes (spec 01, section 15).

Every error a stage raises on purpose names a code from one of the disjoint registries below and the artifact path it
concerns; its text is ``<code> in <artifact_path>: <detail>``. Registries keep the published order: the order of
``FAILURE_CODES`` is a rank that other stages use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, get_args

FailureCode = Literal[
    "missing-requirement-linkage",
    "no-observable-success-criterion",
    "unreachable-check-evidence",
    "malformed-operator-expression",
    "quantifier-over-non-collection",
    "quantifier-nesting-exceeded",
    "unresolved-reference-set",
    "duplicate-operation-signature",
    "undeclared-mandatory-input",
    "oracle-missing-channel",
    "direction-check-misaligned",
    "unsupported-interface-kind",
    "nested-temporal-clause",
    "plan-exceeds-scripting-bound",
    "binding-cycle",
    "captured-channel-undeclared",
    "rubric-scores-reasoning-prose",
    "rubric-unanchored",
    "rubric-evidence-unreachable",
    "forbidden-input-floor-incomplete",
    "scoped-reference-resolves-forbidden",
    "waiver-incomplete",
    "brief-exceeds-scripting-bound",
    "unresolved-artifact-reference",
    "irreducible-step-reference",
    "excluded-content-in-declaration",
    "duplicate-interface-identifier",
]
AggregationRefusalCode = Literal["strength-inputs-disagree", "strength-input-inconsistent"]
RuntimeFaultCode = Literal[
    "schema-parse-failure",
    "schema-version-mismatch",
    "non-canonicalizable-value",
    "digest-mismatch",
    "budget-exhausted",
    "port-failure",
    "port-contract-violation",
    "forbidden-target",
    "aborted",
    "operator-cannot-accept-operand",
]
ForbiddenTargetReason = Literal[
    "interface-not-authorized",
    "scheme-not-authorized",
    "host-not-authorized",
    "port-not-authorized",
    "address-not-authorized",
    "address-unparseable",
    "method-not-authorized",
    "executable-not-authorized",
    "subcommand-not-authorized",
    "environment-key-not-authorized",
    "tool-not-authorized",
]
PortFailureReason = Literal["launch-too-large"]

FAILURE_CODES: Final[tuple[FailureCode, ...]] = get_args(FailureCode)
AGGREGATION_REFUSAL_CODES: Final[tuple[AggregationRefusalCode, ...]] = get_args(AggregationRefusalCode)
RUNTIME_FAULT_CODES: Final[tuple[RuntimeFaultCode, ...]] = get_args(RuntimeFaultCode)
FORBIDDEN_TARGET_REASONS: Final[tuple[ForbiddenTargetReason, ...]] = get_args(ForbiddenTargetReason)
PORT_FAILURE_REASONS: Final[tuple[PortFailureReason, ...]] = get_args(PortFailureReason)


class Issue(NamedTuple):
    """One reason why a value does not conform to its schema: a JSON pointer (``""`` is the root) and a message."""

    pointer: str
    message: str


class EvalQualityError(Exception):
    """Base of every error this package raises on purpose.

    Attributes: ``code`` (a registry member), ``artifact_path`` (where), ``detail`` (what is wrong there).
    """

    def __init__(self, code: str, artifact_path: str, detail: str) -> None:
        super().__init__(code, artifact_path, detail)
        self.code = code
        self.artifact_path = artifact_path
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code} in {self.artifact_path}: {self.detail}"


class StructuralFailure(EvalQualityError):
    """A contract (or what is derived from it) breaks a discipline rule; ``code`` is one of ``FAILURE_CODES``."""

    code: FailureCode

    def __init__(self, code: FailureCode, artifact_path: str, detail: str) -> None:
        super().__init__(code, artifact_path, detail)


class AggregationRefusal(EvalQualityError):
    """Evidence artifacts that must not be combined; ``code`` is one of ``AGGREGATION_REFUSAL_CODES``."""

    code: AggregationRefusalCode

    def __init__(self, code: AggregationRefusalCode, artifact_path: str, detail: str) -> None:
        super().__init__(code, artifact_path, detail)


class RuntimeFault(EvalQualityError):
    """An input, an effect or an operand that cannot be used; ``code`` is one of ``RUNTIME_FAULT_CODES``.

    ``issues`` lists every schema issue behind a ``schema-parse-failure`` of an artifact (empty otherwise). ``reason``
    is kept only with ``forbidden-target`` and ``port_failure_reason`` only with ``port-failure``; a value outside its
    vocabulary is dropped.
    """

    code: RuntimeFaultCode

    def __init__(
        self,
        code: RuntimeFaultCode,
        artifact_path: str,
        detail: str,
        *,
        issues: Sequence[Issue] = (),
        reason: str | None = None,
        port_failure_reason: str | None = None,
    ) -> None:
        super().__init__(code, artifact_path, detail)
        self.issues = tuple(issues)
        self.reason: ForbiddenTargetReason | None = next(
            (known for known in FORBIDDEN_TARGET_REASONS if code == "forbidden-target" and known == reason), None
        )
        self.port_failure_reason: PortFailureReason | None = next(
            (known for known in PORT_FAILURE_REASONS if code == "port-failure" and known == port_failure_reason), None
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_runtime_fault, (type(self), self.args, self.issues, self.reason, self.port_failure_reason))


def _rebuild_runtime_fault(
    kind: type[RuntimeFault],
    args: tuple[RuntimeFaultCode, str, str],
    issues: tuple[Issue, ...],
    reason: str | None,
    port_failure_reason: str | None,
) -> RuntimeFault:
    return kind(*args, issues=issues, reason=reason, port_failure_reason=port_failure_reason)


class DesignatedOracleRefusal(Exception):
    """The oracle a caller designates for scoring cannot be the one; carries a message only (spec 08, section 7.1)."""


class PreconditionError(TypeError):
    """A function was called with what a validated artifact cannot hold: a defect of the caller, not of an artifact.

    ``issues`` lists the schema issues behind it, when there are any.
    """

    def __init__(self, message: str, issues: Sequence[Issue] = ()) -> None:
        super().__init__(message)
        self.issues = tuple(issues)
