"""Issues: which are found, in which order, with which words (spec 01, sections 2 to 7; spec 02, section 3)."""

from __future__ import annotations

import json
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Annotated, Any

import pytest

from eval_quality import corpus
from eval_quality.artifacts import bodies, expressions, interfaces, plan, primitives, probe_qualification, schema
from eval_quality.artifacts.artifact_reference import ArtifactReference
from eval_quality.artifacts.constraints import Length
from eval_quality.artifacts.eval_contract import EvalContract, SiblingGroups
from eval_quality.artifacts.evidence_artifact import NestedCheckResolution
from eval_quality.artifacts.port_messages import FileReadResponse, ProbeObservation, ProbeRequest
from eval_quality.artifacts.probe import CleanControlProbe, Probe
from eval_quality.artifacts.schema import issues_of, parse
from eval_quality.artifacts.scoring_policy import ScoringPolicy
from eval_quality.artifacts.sealed_run_record import Observation, QuotedEvidence, SealedRunRecord
from eval_quality.artifacts.strength_aggregate import StrengthFloors
from eval_quality.artifacts.target_policies import CommandTargetAuthorization, McpTargetPolicy, ProbeTargetAuthorization
from eval_quality.errors import RuntimeFault

INTEGER, NUMBER = "Invalid input: expected int, received number", "Invalid input: expected number, received "
SAFE = 2**53 - 1


def lines(annotation: Any, value: object) -> list[str]:
    """Every issue as the command line prints it, in the order it was found."""
    _, issues = issues_of(annotation, value)
    return [f"{issue.pointer or '(root)'}: {issue.message}" for issue in issues]


def fields(annotation: Any, value: dict[str, Any], *names: str) -> list[str]:
    """The issues of some fields of an object of which only those are stated."""
    return [line for line in lines(annotation, value) if line.split(":")[0].split("/")[1] in names]


@pytest.mark.parametrize(
    ("value", "received"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "number"),
        (10**400, "Infinity"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_what_was_received_has_a_word(value: object, received: str) -> None:
    assert lines(primitives.Identifier, value) == [f"(root): Invalid input: expected string, received {received}"]


def test_what_is_missing_is_undefined_to_each_shape() -> None:
    observation = fields(Observation, {}, *Observation.__annotations__)
    assert observation == [
        "/observationId: Invalid input: expected string, received undefined",
        "/sequence: Invalid input: expected number, received undefined",
        "/interfaceId: Invalid input: expected string, received undefined",
        "/operationId: Invalid input: expected string, received undefined",
        '/provenance: Invalid option: expected one of "baseline"|"evaluator-chosen"',
        "/principal: Invalid input: expected string, received undefined",
        "/callInputs: Invalid input: expected object, received undefined",
        "/responseBody: Invalid input",
        "/responseHeaders: Invalid input: expected record, received undefined",
        "/responseStatus: Invalid input: expected number, received undefined",
        "/stdout: Invalid input: expected object, received undefined",
        "/stderr: Invalid input: expected object, received undefined",
        "/exitCode: Invalid input: expected number, received undefined",
        "/artifacts: Invalid input: expected record, received undefined",
    ]
    assert fields(SealedRunRecord, {}, "observations", "evidenceDisclosure") == [
        "/observations: Invalid input: expected array, received undefined",
        "/evidenceDisclosure: Invalid input: expected object, received undefined",
    ]
    assert fields(bodies.JsonBody, {}, "kind") == ['/kind: Invalid input: expected "json"']
    assert fields(interfaces.ApiOperation, {}, "stateChangeMarker") == [
        "/stateChangeMarker: Invalid input: expected boolean, received undefined"
    ]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        # 2.3: one row each
        (interfaces.ExactCardinality, {"mode": "exact", "count": 1.5}, [f"/count: {INTEGER}"]),
        (interfaces.ExactCardinality, {"mode": "exact", "count": True}, [f"/count: {NUMBER}boolean"]),
        (primitives.Severity, "lower", ['(root): Invalid option: expected one of "low"|"material"|"critical"']),
        (primitives.Severity, None, ['(root): Invalid option: expected one of "low"|"material"|"critical"']),
        (CleanControlProbe.__annotations__["expectedClean"], 1, ["(root): Invalid input: expected true"]),
        (primitives.JsonValue, [{"a": math.inf}], ["(root): Invalid input"]),
        (primitives.JsonObjectValue, {"a": 1, "b": [math.nan]}, ["/b: Invalid input"]),
        (primitives.KeyTypeMap, {"": 1, "a": None}, ["/: Invalid key in record"]),
        (primitives.KeyTypeMap, [], ["(root): Invalid input: expected record, received array"]),
        (primitives.Digest, "sha256:", ["(root): Invalid string: must match pattern /^sha256:[0-9a-f]{64}$/"]),
        (primitives.Rfc3339Utc, "2026-02-29T00:00:00Z", ["(root): Invalid ISO datetime"]),
        (primitives.KeyName, "", ["(root): Too small: expected string to have >=1 characters"]),
        (FileReadResponse, {"path": "p", "bytes": "b"}, ["/bytes: Invalid input: expected Uint8Array, received string"]),
        (
            ArtifactReference,
            {"storage": "public", "path": "p", "privateRef": "q", "digest": "sha256:" + "0" * 64},
            ["/privateRef: Invalid input: expected null, received string"],
        ),
        (
            NestedCheckResolution,
            {"resolution": True, "introductionCondition": "none", "children": []},
            [
                '/resolution: Invalid option: expected one of "true"|"false"|"insufficient-evidence"',
                '/introductionCondition: Invalid input: expected "empty-collection"',
            ],
        ),
        (StrengthFloors, {"defect": None}, [f"/defect: {NUMBER}null"]),
        (StrengthFloors, {"defect": 1.5, "gameability": -1, "zero-action": -0.0}, [
            "/defect: Too big: expected number to be <=1",
            "/gameability: Too small: expected number to be >=0",
        ]),
        # unknown keys: one issue after the fields, in own-key order, nothing escaped
        (bodies.AbsentBody, {"kind": "absent", 'b"': 1}, ['(root): Unrecognized key: "b""']),
        (
            bodies.AbsentBody,
            {"z": 1, "kind": 1, "__proto__": 1, "10": 1, "9": 1, "01": 1},
            [
                '/kind: Invalid input: expected "absent"',
                '(root): Unrecognized keys: "9", "10", "z", "__proto__", "01"',
            ],
        ),
        # integers: type, integrality, safe range, bounds
        (interfaces.ExactCardinality, {"mode": "exact", "count": 2**53}, [
            f"/count: Too big: expected int to be <={SAFE}"
        ]),
        (interfaces.ExactCardinality, {"mode": "exact", "count": -(2**60)}, [
            f"/count: Too small: expected int to be >=-{SAFE}",
            "/count: Too small: expected number to be >=0",
        ]),
        (interfaces.ExactCardinality, {"mode": "exact", "count": math.inf}, [f"/count: {NUMBER}Infinity"]),
        (interfaces.ExactCardinality, {"mode": "exact", "count": 1e3}, []),
        # length bounds run on whatever has a length
        (primitives.KeyName, [], [
            "(root): Invalid input: expected string, received array",
            "(root): Too small: expected array to have >=1 items",
        ]),
        (primitives.KeyName, [1], ["(root): Invalid input: expected string, received array"]),
        (SiblingGroups.__annotations__["parameters"], ["a"], [
            "/0: Invalid input: expected array, received string",
            "/0: Too small: expected string to have >=2 characters",
        ]),
        (SiblingGroups.__annotations__["parameters"], [[1]], [
            "/0/0: Invalid input: expected string, received number",
            "/0: Too small: expected array to have >=2 items",
        ]),
        # but not over an integer that is none
        (expressions.Expression, {"op": "all", "operands": [{
            "op": "count-tolerance", "operands": [{"literal": 1}], "expected": 0.5, "tolerance": 0, "relative": False
        }]}, [f"/operands/0/expected: {INTEGER}"]),
        # tuples
        (expressions.Expression, {"op": "equality", "operands": {}}, [
            "/operands: Invalid input: expected tuple, received object"
        ]),
        (expressions.Expression, {"op": "equality", "operands": [1]}, [
            "/operands: Too small: expected array to have >=2 items"
        ]),
        (expressions.Expression, {"op": "existence", "operands": [1, 2]}, [
            "/operands: Too big: expected array to have <=1 items",
            "/operands/0: Invalid input",
        ]),
        # tagged unions
        (Probe, {}, ["/expectedClean: Invalid discriminator value. Expected 'true' | 'false'"]),
        (Probe, {"expectedClean": "true", "x": 1}, [
            "/expectedClean: Invalid discriminator value. Expected 'true' | 'false'"
        ]),
        (Probe, [], ["(root): Invalid input: expected object, received array"]),
        (bodies.ProbeRequestBody, {"kind": []}, [
            "/kind: Invalid discriminator value. Expected 'json' | 'raw' | 'absent'"
        ]),
        (bodies.ProbeRequestBody, {"kind": "json"}, ["/value: Invalid input"]),
        # plain unions: the only soft arm speaks
        (expressions.Operand, {"pointer": "/x"}, ["(root): Invalid input"]),
        (expressions.Operand, {"referenceSet": "Bad Id"}, [
            "/referenceSet: Invalid string: must match pattern /^[a-z0-9]+(?:-[a-z0-9]+)*$/"
        ]),
        (expressions.Operand, {"literal": 1, "x": 1}, ['(root): Unrecognized key: "x"']),
        (expressions.Operand, {"pointer": "@/", "literal": 1}, ["(root): Invalid input"]),
        (expressions.SetOperand, {"literal": []}, ["/literal: Too small: expected array to have >=1 items"]),
        (expressions.SetOperand, {"literal": 1}, ["(root): Invalid input"]),
        (QuotedEvidence, {"quote": "", "channel": "stdout", "artifactId": None}, [
            "/quote: Too small: expected string to have >=1 characters"
        ]),
        (QuotedEvidence, {"quote": "x", "channel": "artifact", "artifactId": None}, ["(root): Invalid input"]),
        # bindings
        (plan.BindingValue, "x", ["(root): Invalid input"]),
        (plan.BindingValue, {"principal": "Ann A"}, [
            "/principal: Invalid string: must match pattern /^[a-z0-9]+(?:-[a-z0-9]+)*$/"
        ]),
        (plan.InputBinding, {"path": {}, "query": None, "header": None, "body": None}, [
            "/path: an input-binding channel names at least one parameter; an unbound channel is null"
        ]),
        (plan.InputBinding, {"arguments": {"__proto__": {"literal": 1}}}, [
            "/arguments: an input-binding channel names at least one parameter; an unbound channel is null"
        ]),
        (plan.InputBinding, {"arguments": None, "path": None}, ['(root): Unrecognized key: "path"']),
        (plan.InputBinding, dict.fromkeys(("path", "query", "header", "body", "arguments")), ["(root): Invalid input"]),
        (plan.InputBinding, {"path": None}, ["(root): Invalid input"]),
        (plan.InputBinding, {}, ["(root): Invalid input"]),
        (plan.InputBinding, {"path": None, "query": None, "header": None, "body": {"kind": {"literal": "raw"}}}, []),
        (plan.InputBinding, {"path": None, "query": None, "header": None, "body": {
            "kind": "raw", "base64": "AB==", "contentType": "a/b"
        }}, [
            "/body/base64: Invalid string: must match pattern "
            "/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/"
        ]),
        (plan.BindingChannel, {"": {"literal": 1}}, ["/: Invalid key in record"]),
        (probe_qualification.ProbeQualification, {"route": "history"}, [
            "/route: Invalid discriminator value. Expected "
            "'historical' | 'controlled-mutation' | 'gameability' | 'canary' | 'clean-control'"
        ]),
    ],
)  # fmt: skip
def test_every_departure_has_its_words(annotation: Any, value: object, expected: list[str]) -> None:
    assert lines(annotation, value) == expected


LEGS = Annotated[list[int], Length(exactly=2)]
EMPTY = Annotated[list[int], Length(maximum=0)]


@pytest.mark.parametrize(
    ("length", "at_least_one", "exactly_two"),
    [
        (2, True, None),
        (3.5, True, "big"),
        (1, True, "small"),
        (0, False, "small"),
        (10**400, True, "big"),
        (None, False, "small"),
        (True, True, "small"),
        (False, False, "small"),
        ("2", True, "small"),
        (" \ufeff3.0e0\n", True, "big"),
        ("0x10", True, "big"),
        ("-Infinity", False, "small"),
        ("Infinity", True, "big"),
        ("", False, "small"),
        ("1_0", False, "small"),
        ("inf", False, "small"),
        ("٣", False, "small"),
        ("\x1c3", False, "small"),
        ([], False, "small"),
        ({}, False, "small"),
    ],
)
def test_a_member_named_length_is_compared_as_javascript_compares(
    length: object, at_least_one: bool, exactly_two: str | None
) -> None:
    """Spec 01, section 2.4.2."""
    _, *minimum = lines(primitives.KeyName, {"length": length})
    assert minimum == ([] if at_least_one else ["(root): Too small: expected unknown to be >=1"])
    _, *exact = lines(LEGS, {"length": length})
    assert exact == ([f"(root): Too {exactly_two}: expected unknown to be exactly 2"] if exactly_two else [])


def test_bounds_of_both_threads() -> None:
    assert lines(LEGS, "abc")[1:] == ["(root): Too big: expected string to have exactly 2 characters"]
    assert lines(LEGS, [1]) == ["(root): Too small: expected array to have exactly 2 items"]
    assert lines(EMPTY, [1]) == ["(root): Too big: expected array to have <=0 items"]
    assert fields(CleanControlProbe, {"defects": [1]}, "defects") == [
        "/defects/0: Invalid input: expected object, received number",
        "/defects: Too big: expected array to have <=0 items",
    ]
    assert fields(Observation, {"sequence": 0}, "sequence") == ["/sequence: Too small: expected number to be >0"]
    assert fields(ProbeTargetAuthorization, {"port": 65536}, "port") == [
        "/port: Too big: expected number to be <=65535"
    ]


def test_rules_over_fields_wait_until_nothing_hard_is_wrong() -> None:
    twice = [{"interfaceId": "a"}, {"interfaceId": "a"}]
    assert not any("two authorizations" in line for line in lines(McpTargetPolicy, {"authorizations": twice}))
    command = {"permittedEnvironmentKeys": ["9", "Path"]}
    assert fields(CommandTargetAuthorization, command, "permittedEnvironmentKeys") == [
        "/permittedEnvironmentKeys/0: Invalid string: must match pattern /^[A-Za-z_][A-Za-z0-9_]*$/",
        "/permittedEnvironmentKeys: PATH cannot be permitted: target may name a bare command, and a declared PATH would "
        "then choose which binary runs",
    ]
    assert (
        len(fields(CommandTargetAuthorization, {"permittedEnvironmentKeys": [1, "PATH"]}, "permittedEnvironmentKeys"))
        == 1
    )
    assert fields(ProbeTargetAuthorization, {"addresses": ["", "localhost", "::1"]}, "addresses") == [
        "/addresses/0: Too small: expected string to have >=1 characters",
        "/addresses/1: is not an IPv4 or IPv6 address literal, so it could never match a resolved address; a hostname "
        "belongs in host",
    ]


def test_a_raw_body_states_its_content_type_alone() -> None:
    """Spec 02, section 15."""
    request: dict[str, Any] = {
        "probeId": "leg-1",
        "interfaceId": "shop",
        "operationId": "put",
        "kind": "api",
        "method": "PUT",
        "pathTemplate": "/",
        "channels": {
            "path": {},
            "query": {},
            "header": {"accept": "a/b"},
            "body": {"kind": "raw", "base64": "AA==", "contentType": "a/b"},
        },
    }
    assert lines(ProbeRequest, request) == []
    request["channels"]["header"]["CONTENT-Type"] = "a/b"
    assert [line.split(":")[0] for line in lines(ProbeRequest, request)] == ["/channels/header"]
    request["channels"]["body"] = {"kind": "json", "value": 1}
    assert lines(ProbeRequest, request) == []


@pytest.mark.parametrize(
    ("is_error", "result", "refused"),
    [
        (True, {"kind": "absent"}, False),
        (False, {"kind": "absent"}, True),
        (True, {"kind": "text", "value": ""}, True),
    ],
)
def test_a_tool_call_ends_with_a_code_only_if_its_server_ended(is_error: bool, result: Any, refused: bool) -> None:
    """Spec 02, section 15."""
    observation = {"probeId": "a", "interfaceId": "b", "operationId": "c", "kind": "mcp", "exitCode": 3}
    found = lines(ProbeObservation, observation | {"isError": is_error, "result": result})
    assert [line.split(":")[0] for line in found] == (["/exitCode"] if refused else [])


def test_a_scoring_policy_with_odd_numbers() -> None:
    """The example of spec 02, section 3.4."""
    odd = {"catchThreshold": -0.0, "remediationCap": 1.5, "regexMatchStepBudget": 1e16}
    assert fields(ScoringPolicy, odd, *odd) == [
        f"/remediationCap: {INTEGER}",
        f"/regexMatchStepBudget: Too big: expected int to be <={SAFE}",
    ]


def test_a_contract_with_several_faults() -> None:
    """The example of spec 01, section 2.5."""
    contract = json.loads(json.dumps(corpus.load("absent-collection-locations")))
    contract["extra"] = 1
    contract["behaviors"][0]["id"] = "B-1"
    contract["oracles"][0]["check"] = {"op": "equality", "operands": [{"literal": each} for each in range(3)]}
    del contract["budgets"]
    contract["permittedInterfaces"][0]["kind"] = "soap"
    contract["interactionPlan"][0]["inputBinding"]["path"] = {}
    contract["testData"]["principals"] = {"Ann A": {"kind": 1}}
    assert sorted(lines(EvalContract, contract)) == [
        '(root): Unrecognized key: "extra"',
        "/behaviors/0/id: Invalid string: must match pattern /^B-[0-9]{3,}$/",
        "/budgets: Invalid input: expected object, received undefined",
        "/interactionPlan/0/inputBinding/path: an input-binding channel names at least one parameter; an unbound channel "
        "is null",
        "/oracles/0/check/operands: Too big: expected array to have <=2 items",
        "/permittedInterfaces/0/kind: Invalid discriminator value. Expected 'api' | 'web' | 'mcp' | 'cli'",
        "/testData/principals/Ann A: Invalid key in record",
    ]


def test_keys_that_are_no_texts_are_refused() -> None:
    assert lines(primitives.JsonValue, [{"a": {1: 2}}]) == ["(root): Invalid input"]
    assert lines(primitives.JsonObjectValue, {True: 2, "b": 1}) == ["/True: Invalid key in record"]
    assert lines(bodies.AbsentBody, {"kind": "absent", 1: 2}) == ['(root): Unrecognized key: "1"']


def test_a_pointer_escapes_the_keys_on_its_way() -> None:
    assert lines(dict[primitives.KeyName, primitives.Severity], {"a/b~c": 1})[0].startswith("/a~1b~0c: ")


def test_the_fault_names_the_artifact_and_carries_the_issues() -> None:
    with pytest.raises(RuntimeFault) as caught:
        parse(ScoringPolicy, [], "ScoringPolicy")
    assert str(caught.value) == (
        "schema-parse-failure in ScoringPolicy: input does not conform to the ScoringPolicy schema"
    )
    assert [tuple(issue) for issue in caught.value.issues] == [("", "Invalid input: expected object, received array")]


@pytest.mark.parametrize(
    ("annotation", "value", "parsed"),
    [
        (primitives.JsonValue, {"b": 1.0, "2": [1e300, 2**60], "__proto__": {"x": 1}, "10": {"__proto__": 1}}, {
            "2": [1e300, 2.0**60], "10": {}, "b": 1
        }),
        (primitives.KeyTypeMap, {"b": None, "__proto__": 5, "0": "null"}, {"0": "null", "b": None}),
        (primitives.KeyTypeMap, {"b": None, "10": None, "9": None}, {"9": None, "10": None, "b": None}),
        (primitives.JsonValue, [-0.0, {"b": 1, "1": -0.0}], [-0.0, {"1": -0.0, "b": 1}]),
        (StrengthFloors, {"zero-action": 1.0, "defect": -0.0}, {"defect": -0.0, "zero-action": 1}),
        (interfaces.ExactCardinality, {"mode": "exact", "count": 7.0}, {"mode": "exact", "count": 7}),
    ],
)  # fmt: skip
def test_a_parse_gives_the_normal_form(annotation: Any, value: Any, parsed: Any) -> None:
    """Spec 01, section 2.2."""
    before = json.dumps(value)
    assert json.dumps(parse(annotation, value, "Thing")) == json.dumps(parsed)
    assert json.dumps(value) == before


@pytest.mark.parametrize("depth", [1, 300, 1500])
def test_depth_is_no_concern_of_the_interpreter(depth: int) -> None:
    """Spec 01, section 20.9."""
    for leaf, pointer in (({"literal": 1}, None), (1, "/operands/0")):
        check: Any = {"op": "existence", "operands": [leaf]}
        resolution: Any = {"resolution": "true", "introductionCondition": None, "children": []}
        for _ in range(depth):
            check = {"op": "not", "operands": [check]}
            resolution = {"resolution": "true", "introductionCondition": None, "children": [resolution]}
        assert lines(expressions.Expression, check) == (
            [f"{'/operands/0' * depth}{pointer}: Invalid input"] if pointer else []
        )
        assert lines(NestedCheckResolution, resolution) == []


def test_threads_may_come_first_together(monkeypatch: pytest.MonkeyPatch) -> None:
    contract, threads = corpus.load("checklist-selection"), 8
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(threads) as pool:
            for _ in range(10):
                monkeypatch.setattr(schema, "_built", {})
                start = Barrier(threads)

                def judge(_: int, start: Barrier = start) -> list[str]:
                    start.wait()
                    return lines(EvalContract, contract)

                assert list(pool.map(judge, range(threads))) == [[]] * threads
    finally:
        sys.setswitchinterval(before)


def test_what_nests_without_end_is_refused() -> None:
    check: Any = {}
    for _ in range(50_000):
        check = {"op": "not", "operands": [check]}
    assert lines(expressions.Expression, check) == ["(root): nested deeper than can be read"]
