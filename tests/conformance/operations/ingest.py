"""Ingest and its quotation audit."""

from __future__ import annotations

from typing import Any

from eval_quality.ingest import ValidatedObservations, ingest
from eval_quality.ingest.conditions import IngestCondition
from eval_quality.ingest.quotation import UnwitnessedQuotation, audit_quotation, project_channel

from .spelling import camel_fields


def _quotation(quotation: UnwitnessedQuotation) -> dict[str, Any]:
    return camel_fields(quotation._asdict())


def condition(each: IngestCondition) -> dict[str, Any]:
    fields = camel_fields(vars(each))
    if "quotations" in fields:
        fields["quotations"] = [_quotation(quotation) for quotation in fields["quotations"]]
    return {"kind": each.kind, **fields}


def validated(product: ValidatedObservations) -> dict[str, Any]:
    return camel_fields(vars(product)) | {
        "conditions": [condition(each) for each in product.conditions],
        "unwitnessedQuotations": [_quotation(each) for each in product.unwitnessed_quotations],
    }


OPERATIONS = {
    "ingest": lambda value: validated(ingest(value["record"], value["manifest"], value["configuration"])),
    "auditQuotation": lambda value: [
        _quotation(each) for each in audit_quotation(value["observations"], value["findings"])
    ],
    "projectChannel": lambda value: project_channel(
        value["observation"], value["channel"], value["path"], value["artifactId"]
    ),
}
