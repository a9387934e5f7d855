"""What operands read."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from eval_quality.errors import PreconditionError
from eval_quality.evaluate import (
    ABSENT,
    make_pointer_denotes_collection,
    make_resolve_operand,
    make_witness_pointer_denotes_collection,
    reference_set_keys_of,
)
from eval_quality.plan_index import build_plan_index
from tests.contracts import list_orders_operation, minimal_contract
from tests.run_records import observation

OBSERVATIONS = {
    "list": observation(
        "OBS-1",
        1,
        responseBody={"orders": [{"id": 1}, None], "a/b": {"m~n": "esc"}, "": {"": "blank"}, "text": "abc"},
        responseHeaders={"Content-Type": "text/plain"},
        responseStatus=200,
        callInputs=observation("-", 1)["callInputs"] | {"query": {"limit": 3}},
        stdout={"kind": "json", "value": [1]},
        stderr={"kind": "text", "value": "warn"},
        artifacts={
            "log": {"kind": "text", "value": "done"},
            "empty": {"kind": "json", "value": None},
            "gone": {"kind": "absent"},
        },
    ),
    "quiet": observation("OBS-2", 2),
}


def read(pointer: str, bound: Any = ABSENT) -> Any:
    return make_resolve_operand(OBSERVATIONS, {})({"pointer": pointer}, bound, "Check")


@pytest.mark.parametrize(
    ("tail", "value"),
    [
        ("response-body/orders/0/id", 1),
        ("response-body/orders/1", None),
        ("response-body/a~1b/m~0n", "esc"),
        ("response-body//", "blank"),
        ("response-headers/Content-Type", "text/plain"),
        ("response-status", 200),
        ("call-inputs/query/limit", 3),
        ("stdout/0", 1),
        ("stderr", "warn"),
        ("artifact/log", "done"),
        ("artifact/empty", None),
    ],
)
def test_a_pointer_reads_its_channel(tail: str, value: Any) -> None:
    assert read(f"/interactions/list/{tail}") == value


@pytest.mark.parametrize(
    "tail",
    [
        "response-body/orders/2",
        "response-body/orders/00",
        "response-body/orders/-",
        "response-body/orders/length",
        "response-body/orders/\u0661",
        "response-body/orders/" + "9" * 5000,
        "response-body/orders/1/id",
        "response-body/text/0",
        "response-body/absent",
        "response-headers/content-type",
        "artifact/gone",
        "artifact/never",
    ],
)
def test_what_is_not_there_is_absent(tail: str) -> None:
    assert read(f"/interactions/list/{tail}") is ABSENT


def test_channels_that_recorded_nothing_are_null_and_streams_and_files_absent() -> None:
    for channel in ("response-body", "response-headers", "response-status", "exit-code", "call-inputs/query"):
        assert read(f"/interactions/quiet/{channel}") is None
    for channel in ("stdout", "stderr", "artifact/log"):
        assert read(f"/interactions/quiet/{channel}") is ABSENT


def test_a_step_without_an_observation_is_absent() -> None:
    assert read("/interactions/never/response-status") is ABSENT


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("@/", {"a": {"": 1}, "": 2}), ("@/a/", 1), ("@/a", {"": 1}), ("@//", ABSENT), ("@/b", ABSENT)],
)
def test_a_bound_element_is_walked(pointer: str, value: Any) -> None:
    assert read(pointer, {"a": {"": 1}, "": 2}) == value


def test_nothing_is_bound_outside_a_quantifier() -> None:
    assert read("@/") is ABSENT


def test_a_bound_null_is_an_element() -> None:
    assert read("@/", None) is None


def test_literals_and_reference_sets_read_themselves() -> None:
    resolve = make_resolve_operand({}, {"menu": [{"tea": "oolong"}]})
    assert resolve({"literal": None}, ABSENT, "Check") is None
    assert resolve({"referenceSet": "menu"}, ABSENT, "Check") == [{"tea": "oolong"}]
    assert resolve({"referenceSet": "undeclared"}, ABSENT, "Check") is ABSENT


def test_a_pointer_outside_the_grammar_is_a_defect_of_the_caller() -> None:
    with pytest.raises(PreconditionError, match="not an interaction-rooted evidence pointer"):
        read("/steps/list/response-body")


def test_absent_is_one_value() -> None:
    assert copy.deepcopy(ABSENT) is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    assert repr(ABSENT) == "ABSENT"


@pytest.mark.parametrize(
    ("pointer", "denotes"),
    [
        ("/interactions/list/response-body/orders", True),
        ("/interactions/list/response-body/orders/0", False),
        ("/interactions/list/response-body", False),
        ("/interactions/list/stdout/orders", False),
        ("/interactions/place/response-body/orders", False),
        ("/interactions/never/response-body/orders", False),
        ("@/orders", False),
    ],
)
def test_a_declared_collection_is_one(pointer: str, denotes: bool) -> None:
    assert make_pointer_denotes_collection(minimal_contract())(pointer) is denotes


def test_a_collection_of_a_written_file_is_one_on_that_file_alone() -> None:
    contract = minimal_contract()
    (command,) = contract["permittedInterfaces"][1]["operations"]
    location = {"pointer": "", "expectedCardinality": {"mode": "exact"}, "referenceSet": None}
    command["descriptorChannel"] = {"kind": "artifact", "artifactId": "log"}
    command["responseDescriptor"]["collectionLocations"] = [location]
    denotes = make_pointer_denotes_collection(contract)
    assert denotes("/interactions/export/artifact/log")
    assert not denotes("/interactions/export/artifact/other")
    assert not denotes("/interactions/export/stdout")


def test_what_is_declared_twice_raises_or_names_nothing() -> None:
    contract = minimal_contract()
    contract["interactionPlan"].append(contract["interactionPlan"][1])
    pointer = "/interactions/list/response-body/orders"
    with pytest.raises(PreconditionError, match="duplicate interaction step id: list"):
        make_pointer_denotes_collection(contract)(pointer)
    index = build_plan_index(contract["interactionPlan"], contract["permittedInterfaces"], "unresolved")
    assert not make_pointer_denotes_collection(contract, index)(pointer)


def test_a_witness_reads_collections_of_one_operation_at_any_step() -> None:
    denotes = make_witness_pointer_denotes_collection(list_orders_operation())
    assert denotes("/interactions/any-leg/response-body/orders")
    assert not denotes("/interactions/any-leg/stdout/orders")
    assert not denotes("@/orders")
    assert not make_witness_pointer_denotes_collection(None)("/interactions/any-leg/response-body/orders")


def test_reference_sets_tell_their_keys() -> None:
    assert reference_set_keys_of(minimal_contract()) == {"menu": ["tea"]}
    assert reference_set_keys_of(minimal_contract(referenceSets=None)) == {}
