"""The two judgements of a shape agree: what is accepted is what reports no issue and comes back as it was."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.artifacts.schema import shape_of
from eval_quality.artifacts.shapes import Finding
from eval_quality.canonical import read_json
from tests.conformance.operations.schema import OTHER_TYPES
from tests.conformance.runner import read_vectors
from tests.conformance.sample import SAMPLE

DOCUMENTS = [
    (vector["input"]["artifact"], vector["input"]["text"])
    for vector in read_vectors(SAMPLE / "schema.jsonl.gz")
    if vector["expect"]["value"]["accepted"]
]
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, -0.0, 1.0, 1.5, 2**53, -(2**60), 10**400, 1e300, math.inf, math.nan),
    *("", "a", "A", "a\n", "\ud800", "P-001", "@/", "^a$", "/interactions/a/stdout", "1.50"),
    *(
        [],
        [[]],
        ["a", "a"],
        {},
        {"length": 1},
        {"__proto__": 1},
        {"a": {"__proto__": 1}},
        {"b": 1, "2": 1, "1": 1},
        (1,),
    ),
    *({"literal": 1}, {"pointer": "/x"}, {"referenceSet": "Bad Id"}, {"kind": "absent"}, {"op": "not", "operands": []}),
]
KEYS = ["__proto__", "constructor", "", "length", "10", "9", "01", "\ud800", "kind", "value"]


def containers(value: Any) -> list[Any]:
    found = [value] if isinstance(value, dict | list) else []
    for each in found:  # which grows as it is walked
        found += [
            inner for inner in (each.values() if isinstance(each, dict) else each) if isinstance(inner, dict | list)
        ]
    return found


def change(value: Any, place: int, key: int, odd: Any) -> None:
    """Set, add or remove one member of one container of the value."""
    among = containers(value)
    container = among[place % len(among)]
    names = [*container, *KEYS] if isinstance(container, dict) else [*range(len(container) + 1)]
    name = names[key % len(names)]
    if isinstance(container, list):
        container[name : name + 1] = [deepcopy(odd)]
    elif name in container and place % 3 == 0:
        del container[name]
    else:
        container[name] = deepcopy(odd)


def spelled(value: Any) -> str:
    """A value to the letter, but for the order of keys, which no rule over closed objects reads."""
    return json.dumps(value, sort_keys=True)


CHANGES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(ODD)), max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(DOCUMENTS), CHANGES)
def test_accepting_and_reporting_agree(document: tuple[str, str], changes: list[tuple[int, int, Any]]) -> None:
    key, text = document
    shape = shape_of(OTHER_TYPES.get(key) or ARTIFACT_REGISTRY[key].load())
    value = read_json(text)
    for place, name, odd in changes:
        change(value, place, name, odd)
    before = repr(value)
    findings: list[Finding] = []
    result = shape.report(value, (), findings)
    if shape.accepts(value):
        assert findings == []
        assert spelled(result) == spelled(value)
    elif not findings:
        assert shape.accepts(result)
        assert spelled(shape.report(result, (), [])) == spelled(result)
    assert repr(value) == before
