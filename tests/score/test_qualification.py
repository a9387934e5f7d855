"""Probe qualification: routes, evidence, and every rule about a signature, in the order they speak."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from eval_quality.artifacts.probe import PROBE_CLASSES
from eval_quality.score.home_operation import home_operation_of, resolve_home_operation
from eval_quality.score.qualification import (
    ADMISSIBLE_ROUTES,
    QUALIFICATION_FAILURES,
    QUALIFICATION_RULES,
    QualificationResult,
    qualify_probe,
    seal_probe_set,
)
from eval_quality.score.record_rules import ProbeRecord
from tests.contracts import equality, export_command_operation, reset_tool_operation
from tests.preflight.environments import defect
from tests.score.shop import (
    STATUS,
    canary,
    clean_control,
    interface,
    mutation,
    operation,
    probe,
    selector,
    signature,
)

P = "Probe[probeId=P-001]"
C = f"{P}.defectSignature.condition.predicate"
BODY = "/interactions/observed/response-body"
INTERFACES: Any = [interface(operation())]


def judged(given: Any, interfaces: Any = INTERFACES) -> QualificationResult:
    return qualify_probe(given, None if interfaces is None else home_operation_of(given, interfaces))


def found(given: Any, interfaces: Any = INTERFACES) -> list[tuple[str, str]]:
    """Codes and places, the places below the probe."""
    return [(each.code, each.artifact_path.removeprefix(P)) for each in judged(given, interfaces).failures]


def signed(predicate: Any = None, **changes: Any) -> Any:
    return probe(defectSignature=signature(predicate, **changes))


def exists(pointer: str) -> Any:
    return {"op": "existence", "operands": [{"pointer": pointer}]}


def every(collection: str, predicate: Any) -> Any:
    return {"op": "for-all", "collection": {"pointer": collection}, "predicate": predicate}


def any_of(*operands: Any) -> Any:
    return {"op": "any", "operands": list(operands)}


def test_probes_of_every_kind_qualify() -> None:
    for given in (probe(), canary(), clean_control()):
        assert judged(given) == QualificationResult(True, (), True)
    assert judged(probe(), None) == QualificationResult(True, (), False)


def test_every_code_has_a_rule_and_every_rule_says_when() -> None:
    assert {rule.code for rule in QUALIFICATION_RULES} == set(QUALIFICATION_FAILURES)
    assert len({rule.guard for rule in QUALIFICATION_RULES}) == len(QUALIFICATION_RULES)


def test_at_most_one_route_is_admissible() -> None:
    natural, planted = defect("D-001", None) | {"source": "natural"}, defect("D-002", None)
    expected = {
        (True, "zero-action", 0): "clean-control",
        **{(False, "gameability", count): "gameability" for count in range(4)},
        **{(False, "canary", count): "canary" for count in range(4)},
        **{(False, name, 1): "historical" for name in ("defect", "zero-action")},
        **{(False, name, 2): "controlled-mutation" for name in ("defect", "zero-action")},
    }
    defects: list[Any] = [[], [natural], [planted], [natural, planted]]
    for clean, probe_class, (count, seeded) in product((True, False), PROBE_CLASSES, enumerate(defects)):
        if clean and seeded:
            continue
        given: Any = probe(expectedClean=clean, probeClass=probe_class, defects=seeded)
        assert ProbeRecord(given).admissible_route == expected.get((clean, probe_class, count))
    assert {row.route for row in ADMISSIBLE_ROUTES} == set(expected.values())


@pytest.mark.parametrize(
    ("given", "codes", "detail"),
    [
        (
            probe(qualification=canary()["qualification"]),
            ["qualification-route-incompatible"],
            'route "canary" is not one of "controlled-mutation" for probeClass "defect" with expectedClean false (AD-9)',
        ),
        (
            probe(defects=[]),
            ["qualification-route-incompatible"],
            'probeClass "defect" seeds a defect and this probe\'s defects array is empty, so no AD-9 route has a seeded '
            "defect to qualify (AD-9)",
        ),
        (
            probe(defects=[defect("D-001", None), defect("D-002", None) | {"source": "natural"}]),
            ["qualification-defect-sources-mixed", "qualification-route-incompatible"],
            "seeds both a natural defect and a controlled mutation, which no single AD-9 route qualifies (AD-9)",
        ),
        (
            clean_control(probeClass="gameability"),
            ["qualification-route-incompatible"],
            'probeClass "gameability" with expectedClean true admits no AD-9 route at all, so no qualification record '
            "can be written for it (AD-9)",
        ),
        (
            probe(qualification=mutation(rollbackVerified=False)),
            ["qualification-evidence-unverified"],
            "AD-9 qualifies a controlled mutation only with verified rollback or cleanup, and this record states it was "
            "not verified",
        ),
        (
            probe(defectSignature=None),
            ["signature-absent"],
            'probeClass "defect" seeds a defect, and AD-33 assigns an outcome only from a signature match, so a null '
            "signature makes this probe unscoreable (AD-40)",
        ),
        (
            canary(defectSignature=signature()),
            ["signature-present-on-canary"],
            "a canary seeds no defect, so it declares no signature; AD-9 qualifies it by demonstrating that "
            "non-detection indicts the corpus or the fixture",
        ),
    ],
)
def test_rules_about_the_record(given: Any, codes: list[str], detail: str) -> None:
    result = judged(given)
    assert [each.code for each in result.failures] == codes
    assert result.failures[0].detail == detail


def test_defects_of_two_sources_have_no_route() -> None:
    """Spec 09, section 7.4, the second of the texts for an empty list of routes."""
    mixed = probe(defects=[defect("D-001", None), defect("D-002", None) | {"source": "natural"}])
    assert judged(mixed).failures[1].detail == (
        "the defects array seeds both a natural defect and a controlled mutation, so no single AD-9 route qualifies this "
        "probe (AD-9)"
    )


def test_a_clean_controls_signature_is_not_looked_at() -> None:
    unstable = clean_control(defectSignature=signature(interfaceKind="web"))
    assert judged(unstable).qualified


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (signed(interfaceKind="web"), [("signature-interface-kind-unsupported", ".defectSignature.interfaceKind")]),
        (
            signed(observableChannel="call-inputs"),
            [
                ("signature-observable-channel-not-response-side", ".defectSignature.observableChannel"),
                ("condition-channels-underspecified", C.removeprefix(P)),
            ],
        ),
        (
            signed(observableChannel="stdout"),
            [
                ("condition-text-channel-on-api", ".defectSignature.observableChannel"),
                ("condition-channels-underspecified", C.removeprefix(P)),
            ],
        ),
        (
            signed(equality({"pointer": STATUS}, {"referenceSet": "menu"})),
            [
                ("condition-reference-set-operand", f"{C.removeprefix(P)}.operands[1]"),
                ("condition-operand-illegal", f"{C.removeprefix(P)}.operands[1]"),
            ],
        ),
        (
            signed(equality({"pointer": STATUS}, {"pointer": "/interactions/read/response-status"})),
            [("condition-pointer-not-observation-rooted", f"{C.removeprefix(P)}.operands[1]")],
        ),
        (
            signed(equality({"pointer": STATUS}, {"pointer": "/interactions/observed/artifact/log"})),
            [
                ("condition-artifact-channel-contract-local", f"{C.removeprefix(P)}.operands[1]"),
                ("condition-text-channel-on-api", f"{C.removeprefix(P)}.operands[1]"),
                ("condition-pointer-unwritable", f"{C.removeprefix(P)}.operands[1]"),
            ],
        ),
        (
            signed(exists("@/id")),
            [
                ("condition-channels-underspecified", C.removeprefix(P)),
                ("condition-bound-element-outside-quantifier", f"{C.removeprefix(P)}.operands[0]"),
            ],
        ),
        (
            signed(
                {
                    "op": "all",
                    "operands": [
                        exists(STATUS),
                        {"op": "regex", "operands": [{"pointer": STATUS}], "pattern": "(?<=a)b"},
                    ],
                }
            ),
            [("condition-regex-illegal", f"{C.removeprefix(P)}.operands[1].pattern")],
        ),
        (
            signed({"op": "all", "operands": [exists(STATUS), every(f"{BODY}/lines", every("@/", exists("@/")))]}),
            [("condition-quantifier-nesting", f"{C.removeprefix(P)}.operands[1].predicate")],
        ),
        (
            signed({"op": "all", "operands": [exists(STATUS), every(f"{BODY}/total", exists("@/"))]}),
            [("condition-quantifier-over-non-collection", f"{C.removeprefix(P)}.operands[1].collection")],
        ),
        (
            signed({"op": "all", "operands": [exists(STATUS), exists(f"{BODY}/undeclared")]}),
            [("condition-pointer-unwritable", f"{C.removeprefix(P)}.operands[1].operands[0]")],
        ),
    ],
)
def test_rules_about_the_signature(given: Any, expected: list[tuple[str, str]]) -> None:
    assert found(given) == expected


def test_what_only_the_operation_can_tell_is_left_out_without_it() -> None:
    predicate = {"op": "all", "operands": [exists(STATUS), exists(f"{BODY}/undeclared")]}
    given = signed(predicate)
    given["defectSignature"]["condition"]["selector"] = selector(path={"undeclared": {"matcher": "any"}})
    assert found(given, None) == []
    assert [code for code, _ in found(given)] == ["condition-selector-key-undeclared", "condition-pointer-unwritable"]


@pytest.mark.parametrize(
    ("predicate", "blind"),
    [
        (any_of(exists(STATUS), exists(BODY)), []),
        (any_of(exists(STATUS), exists("/interactions/observed/call-inputs/query/page")), [".operands[1]"]),
        (any_of(exists(STATUS), equality({"literal": 1}, {"literal": 1})), [".operands[1]"]),
        (any_of(exists(STATUS), any_of(exists("@/"), exists(BODY))), [".operands[1].operands[0]"]),
        (any_of(exists(STATUS), exists("/interactions/another/response-body")), []),
        (every(f"{BODY}/lines", any_of(exists("@/"), exists(STATUS))), []),
        (every("@/x", any_of(exists("@/"), exists(STATUS))), [".predicate.operands[0]"]),
        (every(BODY, every("@/x", any_of(exists("@/"), exists(STATUS)))), [".predicate.predicate.operands[0]"]),
        (
            any_of(exists("@/a"), any_of(exists("@/b"), exists(STATUS))),
            [".operands[0]", ".operands[1].operands[0]"],
        ),
        (
            {"op": "all", "operands": [any_of(exists("@/a"), exists(STATUS)), any_of(exists("@/b"), exists(STATUS))]},
            [".operands[0].operands[0]", ".operands[1].operands[0]"],
        ),
    ],
)
def test_every_way_out_of_a_disjunction_examines_what_came_back(predicate: Any, blind: list[str]) -> None:
    code = "condition-disjunct-without-response-channel"
    assert [place for named, place in found(signed(predicate)) if named == code] == [
        C.removeprefix(P) + each for each in blind
    ]


def test_selector_keys_are_told_in_own_key_order() -> None:
    given = signed()
    given["defectSignature"]["condition"]["selector"] = selector(
        query={
            "zip": {"literal": 1},
            "mood": {"matcher": "type-violating"},
            "10": {"literal": 1},
            "2": {"literal": 1},
            "page": {"matcher": "type-violating"},
            'é"\x01': {"matcher": "any"},
        },
        argument={"name": {"literal": 1}},
    )
    base = f"{P}.defectSignature.condition.selector.inputBinding"
    failures = judged(given).failures
    assert [each.artifact_path for each in failures] == [
        f'{base}.query["2"]',
        f'{base}.query["10"]',
        f'{base}.query["zip"]',
        f'{base}.query["mood"]',
        f'{base}.query["é\\"\\u0001"]',
        f'{base}.argument["name"]',
    ]
    assert failures[3].detail == (
        'operation "get-order" declares an indeterminate type for "mood" in its query channel, and a type-violating '
        "binding cannot prove a violation against one, so this selector matches no observation (AD-4, AD-40)"
    )


def test_a_breach_of_compilations_rules_is_told_in_its_words() -> None:
    predicate = any_of(exists(STATUS), {"op": "existence", "operands": [{"literal": 5}]})
    (*_, last) = judged(signed(predicate)).failures
    assert last.code == "condition-operand-illegal"
    assert last.detail == (
        f'malformed-operator-expression in {C}.operands[1].operands[0]: "existence" does not accept a literal operand '
        "at position 0 (AD-4, AD-26)"
    )


@pytest.mark.parametrize(
    ("changes", "home"),
    [
        ({}, ("api", "get-order")),
        ({"interfaceKind": "web"}, ("api", "get-order")),
        ({"pathTemplate": "/orders/{any-thing_9}"}, ("api", "get-order")),
        ({"pathTemplate": "/orders/7"}, None),
        ({"method": "DELETE"}, None),
    ],
)
def test_the_home_operation_is_the_first_that_is_what_the_signature_names(changes: Any, home: Any) -> None:
    interfaces: Any = [
        interface(export_command_operation(), logical_id="tool", kind="cli"),
        interface(operation("other", path="/orders")),
        interface(operation(), operation("again"), logical_id="api"),
        interface(operation(), logical_id="second", kind="web"),
    ]
    resolved = resolve_home_operation(signature(**changes), interfaces)
    assert (None if resolved is None else resolved.key) == home


def test_commands_and_tools_are_found_by_what_they_are_called() -> None:
    interfaces: Any = [
        interface(export_command_operation(), logical_id="shop-cli", kind="cli"),
        interface(reset_tool_operation(), logical_id="shop-tools", kind="mcp"),
    ]
    invocation = {"executable": "shop", "subcommandPath": ["orders", "export"]}
    by_command = resolve_home_operation(signature(interfaceKind="cli", invocation=invocation), interfaces)
    by_tool = resolve_home_operation(signature(interfaceKind="mcp", toolName="reset_shop"), interfaces)
    assert by_command is not None
    assert by_command.key == ("shop-cli", "export-orders")
    assert by_tool is not None
    assert by_tool.key == ("shop-tools", "reset-shop")


def test_a_set_of_probes_is_parted_in_order() -> None:
    unfit = probe(probeId="P-002", defectSignature=None)
    given: Any = [unfit, probe(), unfit, canary(probeId="P-003")]
    sealed = seal_probe_set(given, INTERFACES)
    assert [each.probe["probeId"] for each in sealed.admitted] == ["P-001", "P-003"]
    assert [each.probe["probeId"] for each in sealed.rejected] == ["P-002", "P-002"]


def test_a_command_and_a_tool_of_one_name_are_two_operations() -> None:
    """Spec 09, section 7.1: interfaces of another family are skipped, whatever their operations are called."""
    invocation = {"executable": "reset_shop", "subcommandPath": []}
    command = export_command_operation() | {"invocation": invocation}
    tool = reset_tool_operation()
    interfaces = [interface(command, logical_id="cli", kind="cli"), interface(tool, logical_id="mcp", kind="mcp")]
    by_tool = resolve_home_operation(signature(interfaceKind="mcp", toolName="reset_shop"), interfaces)
    by_command = resolve_home_operation(signature(interfaceKind="cli", invocation=invocation), interfaces[::-1])
    assert by_tool is not None
    assert by_tool.interface_id == "mcp"
    assert by_command is not None
    assert by_command.interface_id == "cli"
