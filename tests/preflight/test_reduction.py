"""From the tea shop's answers to a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_quality.errors import RuntimeFault
from tests.contracts import Json, minimal_contract

from .environments import (
    ABSENT,
    answers,
    check_of,
    defect,
    json_body,
    lost_order,
    planned,
    probe,
    verdict,
)

Edit = Callable[[str, Json], Json | None]


def only(leg_id: str, **changes: Any) -> Edit:
    """Change the answer to one leg."""
    return lambda leg, told: told | changes if leg == leg_id else told


def without(*leg_ids: str) -> Edit:
    """Leave legs unanswered."""
    return lambda leg, told: None if leg in leg_ids else told


def after(edit: Edit, *probes: Json, contract: Json | None = None) -> Json:
    return verdict(answers(contract, *probes, edit=edit), contract, *probes)


def unchanged(_: str, told: Json) -> Json:
    return told


LOST = probe(defect("D-001", lost_order()))
REGEX_BUDGET = 1_000_000


def test_a_fit_environment() -> None:
    reduced = after(unchanged, LOST)
    assert reduced["passed"] is True
    assert {check["outcome"] for check in reduced["checks"]} == {"satisfied", "exempt"}
    assert check_of(reduced, "input-sensitivity", "reset-shop") == (
        "exempt",
        "The operation declares no inputs in any channel.",
    )
    assert check_of(reduced, "seeded-faults-scoped") == ("satisfied", "D-001")
    assert check_of(reduced, "seeded-fault-fired") == ("satisfied", "D-001")
    assert {key: reduced[key] for key in ("schemaVersion", "parentDigest", "revisionCount", "runId")} == {
        "schemaVersion": 2,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": "run",
    }


def test_checks_name_their_operation_where_they_have_one() -> None:
    reduced = after(unchanged, probe(defect("D-001", lost_order()), defect("D-002", None)))
    names = [(check["kind"], check["operationId"]) for check in reduced["checks"]]
    assert names[-5:] == [
        ("state-reset", None),
        ("clean-control", None),
        ("seeded-faults-scoped", "place-order"),
        ("seeded-fault-fired", "place-order"),
        ("seeded-fault-fired", None),
    ]


@pytest.mark.parametrize("leg", [leg.leg_id for leg in planned(None, LOST).legs])
def test_every_leg_has_to_be_answered(leg: str) -> None:
    reduced = after(without(leg), LOST)
    assert not reduced["passed"]
    notes = [check["note"] for check in reduced["checks"] if check["kind"] == "interface-present"]
    assert f'leg "{leg}" produced no observation' in notes


@pytest.mark.parametrize("field", ["interfaceId", "operationId"])
def test_an_answer_of_another_operation(field: str) -> None:
    reduced = after(only("list-1", **{field: "another"}))
    assert check_of(reduced, "interface-present", "list-orders") == (
        "failed",
        'leg "list-1" echoed an identifier the request did not carry',
    )


def test_a_port_must_not_answer_twice() -> None:
    told = answers()
    with pytest.raises(RuntimeFault) as caught:
        verdict([*told, told[0] | {"probeId": "unknown"}, told[1] | {"probeId": "unknown"}])
    assert caught.value.code == "port-contract-violation"
    assert caught.value.detail == 'two observations echoed the probe id "unknown", so one leg was answered twice'


def test_a_port_must_answer_in_kind() -> None:
    told = answers(edit=lambda leg, each: each | {"probeId": "list-1"} if leg == "export-full" else None)
    with pytest.raises(RuntimeFault, match='asked for a "api" probe and was answered with a "cli" observation'):
        verdict(told)


def test_a_port_must_answer_something() -> None:
    told = answers()
    with pytest.raises(RuntimeFault, match="no observation echoed any of the 10 planned probe ids"):
        verdict([told[0] | {"probeId": "unknown"}])
    with pytest.raises(RuntimeFault, match="no fixture was observed"):
        verdict([])


def test_an_operation_that_ignores_its_inputs() -> None:
    same = json_body({"orders": [], "total": 4})
    reduced = after(lambda leg, told: told | {"body": same} if leg.startswith("list-") else told)
    assert check_of(reduced, "input-sensitivity", "list-orders") == ("failed", "The witness relation resolved false.")


def test_a_witness_whose_evidence_is_missing() -> None:
    reduced = after(only("list-1", body=json_body({"total": []})))
    assert check_of(reduced, "input-sensitivity", "list-orders") == (
        "failed",
        "The witness relation resolved insufficient-evidence.",
    )
    assert check_of(after(without("list-5", "list-1")), "input-sensitivity", "list-orders") == (
        "failed",
        'witness leg "list-1" produced no observation',
    )


def test_request_keys_without_a_witness() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"] = None
    assert check_of(after(unchanged, contract=contract), "input-sensitivity", "place-order") == (
        "failed",
        "The operation declares request keys and no sensitivity witness.",
    )


CLOSING = "preflight-control-observe-2"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (unchanged, ("satisfied", None)),
        (without(CLOSING), ("failed", "a control-observe leg produced no observation")),
        (only(CLOSING, headers={}), ("satisfied", None)),
        (
            only(CLOSING, status=299),
            ("failed", f'the projections of "preflight-control-observe" and "{CLOSING}" differ'),
        ),
        (
            only(CLOSING, body=json_body({"orders": [{"tea": "oolong"}], "total": True})),
            ("failed", f'the projections of "preflight-control-observe" and "{CLOSING}" differ'),
        ),
        (only(CLOSING, body=json_body({"total": 1.0, "orders": [{"tea": "oolong"}]})), ("satisfied", None)),
    ],
)
def test_a_reset_restores_what_was_observed(edit: Edit, expected: tuple[str, str | None]) -> None:
    assert check_of(after(edit), "state-reset") == expected


def test_what_is_volatile_may_differ() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][1]["volatilePointers"] = ["/orders/0/tea"]
    edit = only(CLOSING, body=json_body({"orders": [{"tea": "other"}], "total": 1}))
    assert check_of(after(edit, contract=contract), "state-reset") == ("satisfied", None)
    assert check_of(after(edit), "state-reset")[0] == "failed"


def test_an_answer_without_a_digest() -> None:
    with pytest.raises(RuntimeFault) as caught:
        after(only(CLOSING, body=json_body({"total": "\ud800"})))
    assert (caught.value.code, caught.value.artifact_path) == ("non-canonicalizable-value", "PreflightVerdict")


@pytest.mark.parametrize(
    ("edit", "note"),
    [
        (without("reset"), 'control leg "reset" produced no observation'),
        (only(CLOSING, status=400), f'control leg "{CLOSING}" observed status 400'),
        (only("reset", isError=True), 'control leg "reset" observed a tool error'),
        (
            only("reset", isError=True, result=ABSENT, exitCode=9),
            'control leg "reset" observed a tool error: the server exited with code 9 before answering',
        ),
    ],
)
def test_controls_meet_no_anomaly(edit: Edit, note: str) -> None:
    assert check_of(after(edit), "clean-control") == ("failed", note)


def test_a_command_is_a_control_too() -> None:
    contract = minimal_contract()
    contract["permittedInterfaces"][0]["operations"][1]["stateChangeMarker"] = True
    assert check_of(after(only(CLOSING, exitCode=-1), contract=contract), "clean-control") == (
        "failed",
        f'control leg "{CLOSING}" observed exit code -1',
    )


def test_anomalies_elsewhere_are_no_concern_of_the_control() -> None:
    assert check_of(after(only("list-5", status=500)), "clean-control") == ("satisfied", None)


def test_a_defect_that_shows_elsewhere_too() -> None:
    edit = only("order-sencha", body=json_body({"tea": "none"}))
    assert check_of(after(edit, LOST), "seeded-faults-scoped") == (
        "failed",
        'D-001: the manifestation witness fires on clean leg "order-sencha"',
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"headers": {}, "body": json_body({"tea": "none"})}, ("satisfied", "D-002")),
        (
            {"body": json_body({"tea": "none"})},
            ("failed", 'D-002: the manifestation witness fires on clean leg "fault-order"'),
        ),
    ],
)
def test_a_leg_that_asked_and_got_the_same_is_no_clean_leg(changes: Json, expected: tuple[str, str]) -> None:
    """The leg of another defect: its answer is the same only when its headers are."""
    twice = probe(defect("D-001", lost_order()), defect("D-002", lost_order("fault-again")))
    reduced = after(lambda leg, told: told | changes if leg.startswith("fault-") else told, twice)
    scoped = [(check["outcome"], check["note"]) for check in reduced["checks"] if "scoped" in check["kind"]]
    assert scoped == [("satisfied", "D-001"), expected]


def reset_witness(leg_id: str, done: bool) -> Json:
    return {
        "legId": leg_id,
        "interfaceId": "shop-tools",
        "operationId": "reset-shop",
        "inputs": {"arguments": {}},
        "relation": {
            "op": "equality",
            "operands": [{"pointer": f"/interactions/{leg_id}/response-body/done"}, {"literal": done}],
        },
    }


def test_only_legs_that_asked_and_got_the_same() -> None:
    reduced = after(unchanged, probe(defect("D-001", reset_witness("fault-reset", True))))
    assert check_of(reduced, "seeded-faults-scoped") == (
        "failed",
        "D-001: every other leg of the operation issued the fault leg's own request and received its answer "
        '("preflight-control-mutate", "reset"), so nothing here establishes that the defect is scoped to it',
    )


def test_no_other_leg_of_the_operation() -> None:
    contract = minimal_contract(fixtureReset=None)
    reduced = after(unchanged, probe(defect("D-001", reset_witness("fault-reset", True))), contract=contract)
    assert check_of(reduced, "seeded-faults-scoped") == (
        "failed",
        "D-001: the operation has no leg besides the fault leg, "
        "so nothing here establishes that the defect is scoped to it",
    )


def test_what_was_not_answered_contradicts_nothing() -> None:
    edit = without("order-oolong", "order-sencha")
    assert check_of(after(edit, LOST), "seeded-faults-scoped") == ("satisfied", "D-001")


@pytest.mark.parametrize(
    ("edit", "note"),
    [
        (without("fault-order"), "D-001: the fault leg produced no observation"),
        (
            only("fault-order", body=json_body({"tea": "matcha"})),
            "D-001: the manifestation witness resolved false on its own fault leg",
        ),
        (
            only("fault-order", body=json_body({"tea": []})),
            "D-001: the manifestation witness resolved insufficient-evidence on its own fault leg",
        ),
    ],
)
def test_a_defect_that_does_not_show(edit: Edit, note: str) -> None:
    assert check_of(after(edit, LOST), "seeded-fault-fired") == ("failed", note)


def test_a_relation_that_reads_nothing_holds_without_an_answer() -> None:
    """Spec 07, section 5.2: what the relation comes to is looked at before the missing answer."""
    witness = lost_order() | {"relation": {"op": "existence", "operands": [{"literal": 1}]}}
    reduced = after(without("fault-order"), probe(defect("D-001", witness)))
    assert check_of(reduced, "seeded-fault-fired") == ("satisfied", "D-001")


@pytest.mark.parametrize(("length", "exhausted"), [(REGEX_BUDGET, False), (REGEX_BUDGET + 1, True)])
def test_patterns_of_a_relation_have_a_budget_of_their_own(length: int, exhausted: bool) -> None:
    """Spec 07, section 4.2: a million steps; this pattern takes one for each character."""
    witness = lost_order()
    witness["relation"] = {
        "op": "regex",
        "operands": [{"pointer": "/interactions/fault-order/response-body/tea"}],
        "pattern": "^m$",
    }
    lost = probe(defect("D-001", witness))
    edit = only("fault-order", body=json_body({"tea": "m" * length}))
    if exhausted:
        with pytest.raises(RuntimeFault, match=r"budget-exhausted in PreflightVerdict: .* budget of 1000000"):
            after(edit, lost)
    else:
        assert check_of(after(edit, lost), "seeded-fault-fired")[0] == "failed"


def test_a_defect_without_a_witness() -> None:
    assert check_of(after(unchanged, probe(defect("D-001", None))), "seeded-fault-fired") == (
        "failed",
        "D-001: the defect declares no manifestation witness, so it cannot be observed to fire",
    )


def test_relations_know_declared_collections_and_reference_sets() -> None:
    witness = {
        "legId": "fault-list",
        "interfaceId": "shop-api",
        "operationId": "list-orders",
        "inputs": {"path": {"shop": "harbour"}, "query": {}, "header": {}, "body": ABSENT},
        "relation": {
            "op": "not",
            "operands": [
                {
                    "op": "covers-by-key",
                    "operands": [
                        {"referenceSet": "menu"},
                        {"pointer": "/interactions/fault-list/response-body/orders"},
                    ],
                    "expectedKey": "tea",
                    "actualKey": "tea",
                }
            ],
        },
    }
    whole = json_body({"orders": [{"tea": "oolong"}, {"tea": "sencha"}], "total": 2})
    lost = probe(defect("D-001", witness))
    assert check_of(after(only("fault-list"), lost), "seeded-fault-fired") == ("satisfied", "D-001")
    assert check_of(after(only("fault-list", body=whole), lost), "seeded-fault-fired")[0] == "failed"


def test_relations_go_into_the_items_of_a_collection() -> None:
    contract = minimal_contract()
    witness = contract["permittedInterfaces"][0]["operations"][1]["sensitivityWitness"]
    witness["relation"] = {
        "op": "for-all",
        "collection": {"pointer": "/interactions/list-5/response-body/orders"},
        "predicate": {
            "op": "for-any",
            "collection": {"pointer": "@/notes"},
            "predicate": {"op": "equality", "operands": [{"pointer": "@/by"}, {"literal": "barista"}]},
        },
    }
    noted = json_body({"orders": [{"tea": "oolong", "notes": [{"by": "guest"}, {"by": "barista"}]}]})
    assert check_of(after(only("list-5", body=noted), contract=contract), "input-sensitivity", "list-orders") == (
        "satisfied",
        None,
    )
    assert check_of(after(unchanged, contract=contract), "input-sensitivity", "list-orders")[0] == "failed"
