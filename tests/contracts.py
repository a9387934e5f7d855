"""Small contracts for tests: every call returns a fresh value that parses and compiles, to be changed at will."""

from __future__ import annotations

from typing import Any

from eval_quality.artifacts.eval_contract import EVAL_CONTRACT_SCHEMA_VERSION, FORBIDDEN_INPUT_FLOOR

Json = dict[str, Any]


def keyed_shape(required: Json | None = None, permitted: Json | None = None) -> Json:
    """A keyed shape from two maps of key to JSON type."""
    required, permitted = required or {}, permitted or {}
    return {"requiredKeys": list(required), "permittedKeys": list(permitted), "types": required | permitted}


def response(required: Json | None = None, permitted: Json | None = None, **changes: Any) -> Json:
    """A response descriptor; ``changes`` replace its three nullable fields."""
    undeclared = {"successIndicator": None, "channelRoles": None, "collectionLocations": None}
    return keyed_shape(required, permitted) | undeclared | changes


def transport_inputs(**channels: Any) -> Json:
    """Inputs of one HTTP exchange, empty but for the channels given."""
    return {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}} | channels


def transport_binding(**channels: Any) -> Json:
    """What a step binds on an HTTP operation, nothing but the channels given."""
    return {"path": None, "query": None, "header": None, "body": None} | channels


def equality(left: Json, right: Json) -> Json:
    return {"op": "equality", "operands": [left, right]}


def differs(left: str, right: str) -> Json:
    """The relation of a sensitivity witness: two evidence pointers whose values are not equal."""
    return {"op": "not", "operands": [equality({"pointer": left}, {"pointer": right})]}


def oracle(identifier: str, check: Json, *targets: str, **changes: Any) -> Json:
    """An oracle whose direction agrees with its check."""
    direction = {
        "evidenceTargets": list(targets),
        "relation": check["op"],
        "polarity": "expects-hold",
        "scope": None,
        "negativeDomain": None,
    }
    return {
        "id": identifier,
        "direction": direction,
        "check": check,
        "polarity": "expects-hold",
        "commentary": None,
    } | changes


def place_order_operation() -> Json:
    """``place-order`` changes state; its witness varies the body."""
    return {
        "operationId": "place-order",
        "method": "POST",
        "pathTemplate": "/orders",
        "stateChangeMarker": True,
        "requestShape": {
            "path": keyed_shape(),
            "query": keyed_shape(),
            "header": keyed_shape(permitted={"x-trace": "string"}),
            "body": keyed_shape({"tea": "string", "cups": "number"}, {"note": "string"}),
        },
        "responseDescriptor": response(
            {"id": "string", "tea": "string"}, {"placedAt": "string"}, successIndicator="/id"
        ),
        "volatilePointers": ["/id", "/placedAt"],
        "sensitivityWitness": {
            "witnessId": "order-varies",
            "channel": "body",
            "legs": [
                {
                    "legId": f"order-{tea}",
                    "inputs": transport_inputs(body={"kind": "json", "value": {"tea": tea, "cups": 1}}),
                }
                for tea in ("oolong", "sencha")
            ],
            "relation": differs(
                "/interactions/order-oolong/response-body/tea", "/interactions/order-sencha/response-body/tea"
            ),
        },
    }


def list_orders_operation() -> Json:
    """``list-orders`` reads; its witness varies the query."""
    return {
        "operationId": "list-orders",
        "method": "GET",
        "pathTemplate": "/shops/{shop}/orders",
        "stateChangeMarker": False,
        "requestShape": {
            "path": keyed_shape({"shop": "string"}),
            "query": keyed_shape(permitted={"after": "string", "limit": "number"}),
            "header": keyed_shape(),
            "body": keyed_shape(),
        },
        "responseDescriptor": response(
            {"orders": "array"},
            {"total": "number"},
            channelRoles={"/orders": "collection"},
            collectionLocations=[
                {
                    "pointer": "/orders",
                    "expectedCardinality": {"mode": "at-most", "max": 20},
                    "referenceSet": "menu",
                }
            ],
        ),
        "volatilePointers": [],
        "sensitivityWitness": {
            "witnessId": "list-varies",
            "channel": "query",
            "legs": [
                {
                    "legId": f"list-{limit}",
                    "inputs": transport_inputs(path={"shop": "harbour"}, query={"limit": limit}),
                }
                for limit in (1, 5)
            ],
            "relation": differs("/interactions/list-1/response-body/total", "/interactions/list-5/response-body/total"),
        },
    }


def export_command_operation() -> Json:
    """``export-orders`` prints JSON on its standard output and may write a log."""
    return {
        "operationId": "export-orders",
        "invocation": {"executable": "shop", "subcommandPath": ["orders", "export"]},
        "stateChangeMarker": False,
        "requestShape": {
            "argument": keyed_shape(),
            "option": keyed_shape({"format": "string"}),
            "environment": keyed_shape(),
            "stdin": keyed_shape(),
        },
        "artifacts": ["log"],
        "descriptorChannel": {"kind": "stream", "channel": "stdout"},
        "responseDescriptor": response({"rows": "array"}),
        "volatilePointers": [],
        "sensitivityWitness": {
            "witnessId": "export-varies",
            "channel": "option",
            "legs": [
                {
                    "legId": f"export-{form}",
                    "inputs": {
                        "argument": {},
                        "option": {"format": form},
                        "environment": {},
                        "stdin": {"kind": "absent"},
                    },
                }
                for form in ("full", "brief")
            ],
            "relation": differs("/interactions/export-full/stdout", "/interactions/export-brief/stdout"),
        },
    }


def reset_tool_operation() -> Json:
    """``reset-shop`` is a tool that returns the shop to its starting state; it takes no keys and needs no witness."""
    return {
        "operationId": "reset-shop",
        "toolName": "reset_shop",
        "stateChangeMarker": True,
        "requestShape": {"arguments": keyed_shape()},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": response({"done": "boolean"}),
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def minimal_contract(**changes: Any) -> Json:
    """A tea shop behind all three interface kinds; ``changes`` replace top-level fields."""
    return {
        "schemaVersion": EVAL_CONTRACT_SCHEMA_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "tea-shop",
        "sourceSpecDigest": None,
        "behaviors": [
            {
                "id": "B-001",
                "description": "a placed order is listed",
                "severity": "critical",
                "observableSuccessCriterion": "the list of orders shows what was ordered",
                "requirementLinks": [{"scheme": "ticket", "id": "T-1"}],
                "riskLinks": [],
                "oracles": ["O-001", "O-002"],
            },
            {
                "id": "B-002",
                "description": "the export is complete",
                "severity": "low",
                "observableSuccessCriterion": "every tea on the menu is exported once",
                "requirementLinks": [],
                "riskLinks": [{"scheme": "risk", "id": "lost-rows"}],
                "oracles": ["O-003"],
            },
        ],
        "oracles": [
            oracle(
                "O-001",
                equality({"pointer": "/interactions/place/response-body/tea"}, {"literal": "oolong"}),
                "/interactions/place/response-body/tea",
            ),
            oracle(
                "O-002",
                {
                    "op": "for-all",
                    "collection": {"pointer": "/interactions/list/response-body/orders"},
                    "predicate": {"op": "regex", "operands": [{"pointer": "@/tea"}], "pattern": "^[a-z]+$"},
                },
                "/interactions/list/response-body/orders",
            ),
            oracle(
                "O-003",
                {
                    "op": "covers-by-key",
                    "operands": [{"referenceSet": "menu"}, {"pointer": "/interactions/export/stdout/rows"}],
                    "expectedKey": "tea",
                    "actualKey": "tea",
                },
                "/interactions/export/stdout/rows",
            ),
        ],
        "rubrics": [
            {
                "id": "R-001",
                "scaleLevels": [
                    {"level": 1, "anchor": "names no order"},
                    {"level": 2, "anchor": "names every order"},
                ],
                "failureModePenalties": [{"name": "padding", "description": "repeats the request"}],
                "maxLength": 400,
                "criteria": [
                    {"id": "RC-001", "text": "Are all orders named?", "evidence": "/interactions/list/response-body"}
                ],
            }
        ],
        "waivers": [
            {
                "id": "W-001",
                "rule": "whole-body",
                "rationale": "the reset answers with one field",
                "condition": None,
                "approval": "approved in review",
                "expiresAt": "2031-01-31T00:00:00Z",
            }
        ],
        "permittedInterfaces": [
            {
                "logicalId": "shop-api",
                "kind": "api",
                "operations": [place_order_operation(), list_orders_operation()],
            },
            {"logicalId": "shop-cli", "kind": "cli", "operations": [export_command_operation()]},
            {"logicalId": "shop-tools", "kind": "mcp", "operations": [reset_tool_operation()]},
        ],
        "referenceSets": {
            "menu": {"keys": ["tea"], "members": [{"tea": "oolong"}, {"tea": "sencha"}], "commentary": None}
        },
        "siblingGroups": None,
        "interactionPlan": [
            {
                "stepId": "place",
                "interfaceId": "shop-api",
                "operationId": "place-order",
                "inputBinding": transport_binding(body={"tea": {"literal": "oolong"}, "cups": {"matcher": "any"}}),
                "after": None,
                "cardinality": "exactly-one",
            },
            {
                "stepId": "list",
                "interfaceId": "shop-api",
                "operationId": "list-orders",
                "inputBinding": transport_binding(
                    path={"shop": {"literal": "harbour"}},
                    query={"after": {"captured": "/interactions/place/response-body/id"}},
                ),
                "after": "place",
                "cardinality": "at-most-one",
            },
            {
                "stepId": "export",
                "interfaceId": "shop-cli",
                "operationId": "export-orders",
                "inputBinding": {
                    "argument": None,
                    "option": {"format": {"literal": "full"}},
                    "environment": None,
                    "stdin": None,
                },
                "after": None,
                "cardinality": "any",
            },
        ],
        "scopedResources": None,
        "forbiddenInputs": list(FORBIDDEN_INPUT_FLOOR),
        "testData": {
            "setup": "an empty shop",
            "cleanup": None,
            "principals": {"barista": {"kind": "staff"}},
            "resources": None,
        },
        "budgets": {"maxToolCalls": 20, "maxWallClockMinutes": 10, "maxCostUsd": "1.50"},
        "safetyLimits": ["orders stay in the test shop"],
        "requiredEvidence": ["every response body"],
        "probeStepBound": 4,
        "fixtureReset": {
            "legId": "reset",
            "interfaceId": "shop-tools",
            "operationId": "reset-shop",
            "inputs": {"arguments": {}},
        },
    } | changes
