"""Evidence pointers and the plan index."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.errors import PreconditionError
from eval_quality.plan_index import (
    EvidenceTarget,
    PlanIndex,
    build_plan_index,
    decode_tail,
    parse_evidence_target,
    resolve_operation,
    resolve_step,
    undeclared_operation_clause,
)
from tests.seal.plans import create, get, interfaces, step


@pytest.mark.parametrize(
    ("pointer", "target"),
    [
        ("response-body", ("response-body", None, None, ())),
        ("response-body/", ("response-body", None, None, ("",))),
        ("response-body/a~1b/c", ("response-body", None, None, ("a/b", "c"))),
        ("response-headers/~01", ("response-headers", None, None, ("~1",))),
        ("stdout/**/*a", ("stdout", None, None, ("**", "*a"))),
        ("stderr/a\nb", ("stderr", None, None, ("a\nb",))),
        ("response-status", ("response-status", None, None, ())),
        ("exit-code", ("exit-code", None, None, ())),
        ("call-inputs/body/t", ("call-inputs", "body", None, ("t",))),
        ("call-inputs/arguments", ("call-inputs", "arguments", None, ())),
        ("call-inputs/argument/s", ("call-inputs", "argument", None, ("s",))),
        ("artifact/report-2/rows/0", ("artifact", None, "report-2", ("rows", "0"))),
    ],
)
def test_pointers(pointer: str, target: tuple[Any, ...]) -> None:
    assert parse_evidence_target(f"/interactions/poll/{pointer}") == EvidenceTarget("poll", *target)


@pytest.mark.parametrize(
    "pointer",
    [
        *(
            "",
            "@/x",
            "/interactions/poll",
            "/interactions/poll/",
            "/interactions/Poll/stdout",
            "/interactions/a--b/stdout",
        ),
        *("/interactions/poll/response-status/x", "/interactions/poll/response-status\n", "x/interactions/poll/stdout"),
        *("/interactions/poll/stdout/~2", "/interactions/poll/stdout/~", "/interactions/poll/stdoutx"),
        *(
            "/interactions/poll/call-inputs",
            "/interactions/poll/call-inputs/cookie",
            "/interactions/poll/call-inputs/bodyx",
        ),
        *("/interactions/poll/artifact", "/interactions/poll/artifact/", "/interactions/poll/artifact/Report"),
        *("/interactions/poll/stdout/*", "/interactions/poll/artifact/a/*/b"),
    ],
)
def test_other_texts_are_no_evidence(pointer: str) -> None:
    with pytest.raises(PreconditionError) as caught:
        parse_evidence_target(pointer)
    message = f"not an interaction-rooted evidence pointer of a recognized channel: {pointer}"
    assert str(caught.value) == message


def test_tails() -> None:
    assert decode_tail("") == ()
    assert decode_tail("/") == ("",)
    assert decode_tail("/a~1~0/~01/") == ("a/~", "~1", "")


def index(*steps: Any, declared: Any = None, duplicate_ids: Any = "throw") -> PlanIndex:
    permitted: Any = declared or interfaces()
    return build_plan_index(list(steps), permitted, duplicate_ids)


def test_lookups_are_total() -> None:
    make = create("make")
    built = index(make, step("exp", "export-orders", interface="cli"))
    assert built.step_of("make") is make
    assert built.step_of("gone") is None
    assert built.steps_using(("api", "create-order")) == [make]
    assert list(built.steps_using(("api", "get-order"))) == []
    assert [built.interface_kind_of(name) for name in ("api", "cli", "none")] == ["api", "cli", None]
    for key, kinds in {
        ("api", "create-order"): [True, False, False],
        ("back-office", "get-order"): [True, False, False],
        ("cli", "export-orders"): [False, True, False],
        ("tools", "reset-shop"): [False, False, True],
        ("tools", "create-order"): [False, False, False],
    }.items():
        found = [built.operation_of(key), built.command_operation_of(key), built.mcp_operation_of(key)]
        assert [each is not None for each in found] == kinds
        assert built.any_operation_of(key) == next((each for each in found if each), None)
    assert built.is_operation_id_shared("get-order")
    assert not built.is_operation_id_shared("create-order")
    assert not built.is_operation_id_shared("gone")


def test_a_step_declared_twice_names_nothing_but_uses_its_operation() -> None:
    steps = [create("make"), create("make"), create("make"), get("read")]
    with pytest.raises(PreconditionError, match=r"^duplicate interaction step id: make$"):
        index(*steps)
    built = index(*steps, duplicate_ids="unresolved")
    assert built.step_of("make") is None
    assert built.step_of("read") is steps[3]
    assert len(built.steps_using(("api", "create-order"))) == 3


def test_an_operation_declared_twice_names_nothing() -> None:
    declared = interfaces()
    declared[0]["operations"] += declared[0]["operations"][:1] * 2
    with pytest.raises(PreconditionError, match=r"^duplicate operation id within interface api: create-order$"):
        index(declared=declared)
    with pytest.raises(PreconditionError, match="duplicate interaction step id"):
        index(create("make"), create("make"), declared=declared)
    built = index(create("make"), declared=declared, duplicate_ids="unresolved")
    assert built.any_operation_of(("api", "create-order")) is None
    assert built.is_operation_duplicated(("api", "create-order"))
    assert not built.is_operation_duplicated(("api", "get-order"))
    reference: Any = create("make")
    assert undeclared_operation_clause(built, reference) == (
        'on interface "api", which that interface declares more than once'
    )


def test_an_operation_has_the_kind_of_the_interface_that_declares_it() -> None:
    declared = [
        {"logicalId": "x", "kind": "api", "operations": [{"operationId": "a"}]},
        {"logicalId": "x", "kind": "cli", "operations": [{"operationId": "b"}]},
    ]
    built = index(declared=declared)
    assert built.interface_kind_of("x") == "cli"
    assert built.operation_of(("x", "a")) is not None
    assert built.command_operation_of(("x", "b")) is not None


def test_what_has_to_be_declared_is_refused_when_it_is_not() -> None:
    make: Any = create("make")
    odd: Any = step("odd", "no-such")
    built = index(make, odd)
    assert resolve_step(built, "make") is make
    assert resolve_operation(built, make) is built.any_operation_of(("api", "create-order"))
    with pytest.raises(PreconditionError, match="a step the interaction plan does not declare: gone"):
        resolve_step(built, "gone")
    with pytest.raises(
        PreconditionError, match='operation "no-such" on interface "api", which that interface does not'
    ):
        resolve_operation(built, odd)
