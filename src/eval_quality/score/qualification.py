"""Is a probe fit to test an evaluation? (spec 09, section 7; AD-9, AD-40)

Everything that is wrong is reported, rule by rule in the order of ``QUALIFICATION_RULES``: first about the record, then
about the signature, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from eval_quality.artifacts.interfaces import PermittedInterface
from eval_quality.artifacts.probe import Probe

from .home_operation import HomeOperation, home_operation_of
from .qualification_rule import (
    QUALIFICATION_FAILURES,
    QualificationFailure,
    QualificationFailureCode,
    Rule,
    failures,
)
from .record_rules import ADMISSIBLE_ROUTES, RECORD_RULES, ProbeRecord
from .signature_rules import CONDITION_RULES, POINTER_RULES, SIGNATURE_RULES, Condition, condition_failures

__all__ = [
    "ADMISSIBLE_ROUTES",
    "QUALIFICATION_FAILURES",
    "QUALIFICATION_RULES",
    "QualificationFailure",
    "QualificationFailureCode",
    "QualificationResult",
    "SealedProbe",
    "SealedProbeSet",
    "qualify_probe",
    "seal_probe_set",
]

QUALIFICATION_RULES: Final[tuple[Rule[Any], ...]] = (
    *RECORD_RULES,
    *SIGNATURE_RULES,
    *POINTER_RULES,
    *CONDITION_RULES,
)
"""Every rule, in the order in which it is applied."""


class QualificationResult(NamedTuple):
    """Whether a probe is fit; ``declaration_checks_ran`` says whether its signature's operation was at hand."""

    qualified: bool
    failures: tuple[QualificationFailure, ...]
    declaration_checks_ran: bool


class SealedProbe(NamedTuple):
    """A probe with its qualification."""

    probe: Probe
    result: QualificationResult


class SealedProbeSet(NamedTuple):
    """Probes that may be scored and probes that may not."""

    admitted: tuple[SealedProbe, ...]
    rejected: tuple[SealedProbe, ...]


def qualify_probe(probe: Probe, home_operation: HomeOperation | None) -> QualificationResult:
    """Judge one probe; ``home_operation`` is the operation its signature names, where a contract declares one."""
    record = ProbeRecord(probe)
    found: Iterable[QualificationFailure] = failures(RECORD_RULES, record)
    if record.signature is not None:
        operation = None if home_operation is None else home_operation.operation
        condition = Condition(record.signature, f"{record.path}.defectSignature", operation)
        found = (*found, *condition_failures(condition))
    reasons = tuple(found)
    return QualificationResult(not reasons, reasons, record.signature is None or home_operation is not None)


def seal_probe_set(probes: Sequence[Probe], interfaces: Sequence[PermittedInterface]) -> SealedProbeSet:
    """Qualify each probe against the interfaces of a contract."""
    sealed = [SealedProbe(probe, qualify_probe(probe, home_operation_of(probe, interfaces))) for probe in probes]
    return SealedProbeSet(
        tuple(each for each in sealed if each.result.qualified),
        tuple(each for each in sealed if not each.result.qualified),
    )
