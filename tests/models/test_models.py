"""Models against the declarations they are generated from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import eval_quality
from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.artifacts.schema import issues_of
from eval_quality.canonical import read_json
from tests.conformance.runner import read_vectors
from tests.conformance.sample import SAMPLE

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "refund-api"
VECTORS = [
    vector
    for vector in read_vectors(SAMPLE / "schema.jsonl.gz")
    if vector["op"] == "parseArtifact" and vector["input"]["artifact"] in ARTIFACT_REGISTRY
]


def model_of(key: str) -> Any:
    return getattr(eval_quality, ARTIFACT_REGISTRY[key].name)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_models_accept_what_declarations_accept(vector: dict[str, Any]) -> None:
    key, value = vector["input"]["artifact"], read_json(vector["input"]["text"])
    parsed, issues = issues_of(ARTIFACT_REGISTRY[key].load(), value)
    if issues:
        with pytest.raises(eval_quality.RuntimeFault) as refused:
            model_of(key).from_wire(value)
        assert list(refused.value.issues) == issues
    else:
        assert model_of(key).from_wire(value).to_wire() == parsed


def test_a_model_made_by_hand_is_judged_as_a_whole() -> None:
    policy = eval_quality.ScoringPolicy.from_wire(json.loads((EXAMPLE / "scoring-policy.json").read_text()))
    fields = {name: getattr(policy, name) for name in type(policy).model_fields}
    assert eval_quality.ScoringPolicy(**fields) == policy
    with pytest.raises(ValidationError, match=r"/catchThreshold: Too big: expected number to be <=1"):
        eval_quality.ScoringPolicy(**fields | {"catch_threshold": 1.5})
    with pytest.raises(ValidationError, match="frozen"):
        policy.catch_threshold = 1


def test_json_is_read_by_the_scanner() -> None:
    text = (EXAMPLE / "scoring-policy.json").read_text()
    policy = eval_quality.ScoringPolicy.from_json(text)
    assert eval_quality.ScoringPolicy.from_json(policy.to_json()) == policy
    with pytest.raises(eval_quality.RuntimeFault, match="duplicate object key"):
        eval_quality.ScoringPolicy.from_json('{"policyId":"a","policyId":"b"}')


def test_a_model_shares_nothing_with_what_it_is_made_of() -> None:
    """Spec 03, section 5."""
    contract = json.loads((EXAMPLE / "contract.json").read_text())
    members: list[Any] = [{"k": [1]}]
    contract["oracles"][0]["check"] = {"op": "existence", "operands": [{"literal": members}]}
    contract["referenceSets"] = {"set": {"keys": ["k"], "members": members, "commentary": None}}
    model = eval_quality.EvalContract.from_wire(contract)
    before = model.to_json()
    members[0]["k"].append(2)
    members.append({})
    model.to_wire()["referenceSets"]["set"]["members"][0]["k"].append(3)
    assert model.to_json() == before


def test_forms_of_one_artifact_are_subclasses() -> None:
    probe = eval_quality.Probe.from_wire(json.loads((EXAMPLE / "probe-P-001.json").read_text()))
    control = eval_quality.Probe.from_wire(json.loads((EXAMPLE / "probe-P-002.json").read_text()))
    assert isinstance(probe, eval_quality.Probe)
    assert isinstance(control, eval_quality.Probe)
    assert (type(probe).__name__, type(control).__name__) == ("SeededProbe", "CleanControlProbe")


@pytest.mark.parametrize(("depth", "held"), [(50, True), (1_000, False)])
def test_what_a_model_cannot_hold_is_a_fault_like_any_other(depth: int, held: bool) -> None:
    contract = json.loads((EXAMPLE / "contract.json").read_text())
    for _ in range(depth):
        contract["oracles"][0]["check"] = {"op": "not", "operands": [contract["oracles"][0]["check"]]}
    if held:
        assert eval_quality.EvalContract.from_wire(contract).to_wire() == contract
    else:
        with pytest.raises(eval_quality.RuntimeFault, match="does not conform to the EvalContract schema") as refused:
            eval_quality.EvalContract.from_wire(contract)
        assert list(refused.value.issues) == [("", "nested deeper than a model can hold")]


def test_models_are_not_stale() -> None:
    command = [sys.executable, "tools/generate_models.py", "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_schemas_are_not_stale() -> None:
    command = [sys.executable, "-m", "eval_quality.artifacts.publish", "--check", "schemas"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
