"""What a rule about probes is, and the codes of what it finds (spec 09, section 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, Literal, NamedTuple, TypeVar, get_args

QualificationFailureCode = Literal[
    "qualification-route-incompatible",
    "qualification-defect-sources-mixed",
    "qualification-evidence-unverified",
    "signature-absent",
    "signature-present-on-canary",
    "signature-interface-kind-unsupported",
    "signature-observable-channel-not-response-side",
    "condition-channels-underspecified",
    "condition-disjunct-without-response-channel",
    "condition-selector-key-undeclared",
    "condition-pointer-not-observation-rooted",
    "condition-pointer-unwritable",
    "condition-artifact-channel-contract-local",
    "condition-text-channel-on-api",
    "condition-reference-set-operand",
    "condition-operand-illegal",
    "condition-regex-illegal",
    "condition-quantifier-nesting",
    "condition-quantifier-over-non-collection",
    "condition-bound-element-outside-quantifier",
]
QUALIFICATION_FAILURES: Final[tuple[QualificationFailureCode, ...]] = get_args(QualificationFailureCode)
"""In their published order, which is not the one they are found in."""

Subject = TypeVar("Subject")


class QualificationFailure(NamedTuple):
    """One reason why a probe is not fit: a code, where, and what."""

    code: QualificationFailureCode
    artifact_path: str
    detail: str


class Breach(NamedTuple):
    """One place where a rule is broken, and how."""

    artifact_path: str
    detail: str


class Rule(NamedTuple, Generic[Subject]):
    """One row: the code of what it finds, when it finds something, and every place where it does."""

    code: QualificationFailureCode
    guard: str
    breaches: Callable[[Subject], Iterable[Breach]]


def failures(rules: Iterable[Rule[Subject]], subject: Subject) -> Iterator[QualificationFailure]:
    """Everything the rules find, rule by rule."""
    return (QualificationFailure(rule.code, *breach) for rule in rules for breach in rule.breaches(subject))
