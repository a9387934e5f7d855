"""The smallest change of an example that ends in each code; the page of failure codes shows what is then said.

An edit is a path into the artifact, as keys and positions, and the value to put there; ``"+"`` appends to a list.
"""

from __future__ import annotations

import json
from functools import reduce
from operator import getitem
from typing import Any, Final, NamedTuple

from .pages import ROOT

Path = tuple[str | int, ...]


class Example(NamedTuple):
    """An artifact of ``examples/`` and what is changed in it."""

    file: str
    edits: tuple[tuple[Path, Any], ...]

    def artifact(self) -> Any:
        """The changed artifact. A value that is a function is given the artifact first."""
        changed = json.loads((ROOT / "examples" / self.file).read_text(encoding="utf-8"))
        for (*way, last), value in self.edits:
            target = reduce(getitem, way, changed)
            put = value(changed) if callable(value) else value
            if last == "+":
                target.append(put)
            else:
                target[last] = put
        return changed


REFUND: Final = "refund-api/contract.json"
NOTES: Final = "notes-mcp/contract.json"
REVIEW: Final = "review-bot-cli/contract.json"
SHOP: Final = "workflow-capture/contract.json"

_STATUS: Final = {"pointer": "/interactions/open-bad/response-status"}
_CHECK: Final[Path] = ("oracles", 0, "check")
_REFUNDS: Final = {"pointer": "/interactions/list-after-bad/response-body/refunds"}


def _equals(pointer: str, literal: object) -> dict[str, Any]:
    return {"op": "equality", "operands": [{"pointer": pointer}, {"literal": literal}]}


def _every(collection: dict[str, str], predicate: dict[str, Any]) -> dict[str, Any]:
    return {"op": "for-all", "collection": collection, "predicate": predicate}


_ENDS: Final = ("bad", "good")
_RUBRIC: Final[dict[str, Any]] = {
    "id": "R-001",
    "scaleLevels": [{"level": 1, "anchor": "no amount is named"}, {"level": 2, "anchor": "the amount is named"}],
    "failureModePenalties": [{"name": "padding", "description": "the answer repeats the request"}],
    "maxLength": 400,
    "criteria": [
        {
            "id": "RC-001",
            "text": "the refusal names the amount",
            "evidence": "/interactions/open-bad/response-body/status",
        }
    ],
}
_CRITERION: Final = _RUBRIC["criteria"][0]


def _rubric(**changes: Any) -> tuple[Path, Any]:
    return ("rubrics",), [_RUBRIC | changes]


def _edit(file: str, *edits: tuple[Path, Any]) -> Example:
    return Example(file, edits)


FAULTS: Final[dict[str, Example]] = {
    "schema-parse-failure": _edit(REFUND, (("behaviors", 0, "severity"), "high")),
    "schema-version-mismatch": _edit(REFUND, (("schemaVersion",), 6)),
}
CONTRACTS: Final[dict[str, Example]] = {
    "missing-requirement-linkage": _edit(
        REFUND, (("behaviors", 0, "requirementLinks"), []), (("behaviors", 0, "riskLinks"), [])
    ),
    "no-observable-success-criterion": _edit(REFUND, (("behaviors", 0, "observableSuccessCriterion"), None)),
    "unreachable-check-evidence": _edit(
        REFUND, ((*_CHECK, "operands", 1, "operands", 0, "pointer"), "/interactions/list-after-bad/response-body/sum")
    ),
    "malformed-operator-expression": _edit(
        REFUND, ((*_CHECK, "operands", 0), {"op": "regex", "operands": [_STATUS], "pattern": "^4[0-9$"})
    ),
    "quantifier-over-non-collection": _edit(
        REFUND,
        (
            (*_CHECK, "operands", 1),
            _every({"pointer": "/interactions/list-after-bad/response-body/total"}, _equals("@/order", "ord-77")),
        ),
    ),
    "quantifier-nesting-exceeded": _edit(
        REFUND,
        ((*_CHECK, "operands", 1), _every(_REFUNDS, _every({"pointer": "@/parts"}, _equals("@/order", "ord-77")))),
    ),
    "unresolved-reference-set": _edit(
        REFUND,
        (
            (*_CHECK, "operands", 1),
            {"op": "set-membership", "operands": [_STATUS, {"referenceSet": "refusals"}]},
        ),
    ),
    "duplicate-operation-signature": _edit(
        REFUND,
        (("permittedInterfaces", 0, "operations", 1, "method"), "POST"),
    ),
    "undeclared-mandatory-input": _edit(
        REFUND, (("interactionPlan", 0, "inputBinding", "body", "amont"), {"matcher": "type-violating"})
    ),
    "oracle-missing-channel": _edit(REFUND, (("oracles", 0, "direction"), None)),
    "direction-check-misaligned": _edit(
        REFUND, (("oracles", 0, "direction", "evidenceTargets"), ["/interactions/open-bad/response-body/id"])
    ),
    "unsupported-interface-kind": _edit(REFUND, (("permittedInterfaces", 0, "kind"), "web")),
    "nested-temporal-clause": _edit(REFUND, (("interactionPlan", 2, "after"), "list-after-bad")),
    "plan-exceeds-scripting-bound": _edit(
        REFUND,
        (("interactionPlan", 2, "after"), "open-bad"),
        (("interactionPlan", 3, "after"), None),
        (("interactionPlan", 4, "after"), "open-bad"),
    ),
    "binding-cycle": _edit(
        SHOP,
        (
            ("interactionPlan", 0, "inputBinding", "body", "note"),
            {"captured": "/interactions/pay/response-body/order"},
        ),
    ),
    "captured-channel-undeclared": _edit(
        SHOP,
        (
            ("interactionPlan", 1, "inputBinding", "path", "cart"),
            {"captured": "/interactions/cart/response-headers/location"},
        ),
    ),
    "rubric-scores-reasoning-prose": _edit(
        REFUND, _rubric(criteria=[_CRITERION | {"text": "its chain of thought is sound"}])
    ),
    "rubric-unanchored": _edit(REFUND, _rubric(scaleLevels=None)),
    "rubric-evidence-unreachable": _edit(
        REFUND, _rubric(criteria=[_CRITERION | {"evidence": "/interactions/open-bad/response-body/reason"}])
    ),
    "forbidden-input-floor-incomplete": _edit(REFUND, (("forbiddenInputs",), ["original-spec", "source-code"])),
    "scoped-reference-resolves-forbidden": _edit(REFUND, (("testData", "resources"), {"ledger": {"kind": "file"}})),
    "waiver-incomplete": _edit(
        REFUND,
        (
            ("waivers",),
            [
                {
                    "id": "W-001",
                    "rule": "whole-body",
                    "rationale": "the list is checked by another contract",
                    "condition": None,
                    "approval": None,
                    "expiresAt": "2027-01-01T00:00:00Z",
                }
            ],
        ),
    ),
    "unresolved-artifact-reference": _edit(REVIEW, (("permittedInterfaces", 0, "operations", 0, "artifacts"), [])),
    "irreducible-step-reference": _edit(
        REFUND,
        (("interactionPlan", 0, "inputBinding", "body"), {"order": {"literal": "ord-77"}}),
        (("interactionPlan", 2, "inputBinding", "body"), {"order": {"literal": "ord-77"}}),
        (
            ("oracles", 0, "direction", "evidenceTargets"),
            ["/interactions/open-bad/response-status", "/interactions/open-good/response-status"],
        ),
        (
            _CHECK,
            {"op": "all", "operands": [_equals(f"/interactions/open-{end}/response-status", 422) for end in _ENDS]},
        ),
    ),
    "excluded-content-in-declaration": _edit(REFUND, (("oracles", 0, "commentary"), "ask jo@example.com")),
    "duplicate-interface-identifier": _edit(
        REFUND, (("permittedInterfaces", "+"), {"logicalId": "refund-desk", "kind": "api", "operations": []})
    ),
}

DEFECT: Final = "refund-api/probe-P-001.json"
CANARY: Final = "review-bot-cli/probe-P-004.json"
COMMAND: Final = "review-bot-cli/probe-P-001.json"
_SIGNATURE: Final[Path] = ("defectSignature",)
_PREDICATE: Final[Path] = ("defectSignature", "condition", "predicate")
_OBSERVED: Final = {"pointer": "/interactions/observed/response-status"}
_ACCEPTED: Final = _equals("/interactions/observed/response-status", 201)
_LIST: Final = {"pointer": "/interactions/observed/response-body/refunds"}


def _natural(probe: Any) -> Any:
    """The first defect once more, as one that was not planted."""
    return probe["defects"][0] | {"defectId": "D-002", "source": "natural"}


PROBES: Final[dict[str, Example]] = {
    "qualification-route-incompatible": _edit(DEFECT, (("probeClass",), "gameability")),
    "qualification-defect-sources-mixed": _edit(DEFECT, (("defects", "+"), _natural)),
    "qualification-evidence-unverified": _edit(DEFECT, (("qualification", "rollbackVerified"), False)),
    "signature-absent": _edit(DEFECT, (_SIGNATURE, None)),
    "signature-present-on-canary": _edit(DEFECT, (("probeClass",), "canary")),
    "signature-interface-kind-unsupported": _edit(DEFECT, ((*_SIGNATURE, "interfaceKind"), "web")),
    "signature-observable-channel-not-response-side": _edit(
        DEFECT, ((*_SIGNATURE, "observableChannel"), "call-inputs")
    ),
    "condition-channels-underspecified": _edit(DEFECT, ((*_SIGNATURE, "observableChannel"), "response-body")),
    "condition-disjunct-without-response-channel": _edit(
        DEFECT,
        (
            _PREDICATE,
            {
                "op": "any",
                "operands": [_ACCEPTED, _equals("/interactions/observed/call-inputs/body/order", "ord-77")],
            },
        ),
    ),
    "condition-selector-key-undeclared": _edit(
        DEFECT,
        ((*_SIGNATURE, "condition", "selector", "inputBinding", "body"), {"amont": {"matcher": "type-violating"}}),
    ),
    "condition-pointer-not-observation-rooted": _edit(
        DEFECT, (_PREDICATE, _equals("/interactions/open-bad/response-status", 201))
    ),
    "condition-pointer-unwritable": _edit(
        DEFECT,
        (_PREDICATE, {"op": "all", "operands": [_ACCEPTED, _equals("/interactions/observed/response-body/sum", 1)]}),
    ),
    "condition-artifact-channel-contract-local": _edit(
        COMMAND,
        (
            _PREDICATE,
            {
                "op": "all",
                "operands": [
                    _equals("/interactions/observed/exit-code", 1),
                    _equals("/interactions/observed/artifact/report/summary", "1 finding"),
                ],
            },
        ),
    ),
    "condition-text-channel-on-api": _edit(
        DEFECT,
        (_PREDICATE, {"op": "all", "operands": [_ACCEPTED, _equals("/interactions/observed/stdout", "done")]}),
    ),
    "condition-reference-set-operand": _edit(
        DEFECT, (_PREDICATE, {"op": "set-membership", "operands": [_OBSERVED, {"referenceSet": "accepted"}]})
    ),
    "condition-operand-illegal": _edit(
        DEFECT, (_PREDICATE, {"op": "all", "operands": [_ACCEPTED, {"op": "existence", "operands": [{"literal": 1}]}]})
    ),
    "condition-regex-illegal": _edit(
        DEFECT, (_PREDICATE, {"op": "regex", "operands": [_OBSERVED], "pattern": "^2[0-9$"})
    ),
    "condition-quantifier-nesting": _edit(
        DEFECT,
        (
            _PREDICATE,
            {"op": "all", "operands": [_ACCEPTED, _every(_LIST, _every({"pointer": "@/parts"}, _equals("@/id", 1)))]},
        ),
    ),
    "condition-quantifier-over-non-collection": _edit(
        DEFECT,
        (
            _PREDICATE,
            {
                "op": "all",
                "operands": [
                    _ACCEPTED,
                    _every({"pointer": "/interactions/observed/response-body/status"}, _equals("@/id", 1)),
                ],
            },
        ),
    ),
    "condition-bound-element-outside-quantifier": _edit(
        DEFECT, (_PREDICATE, {"op": "all", "operands": [_ACCEPTED, _equals("@/id", 1)]})
    ),
}
