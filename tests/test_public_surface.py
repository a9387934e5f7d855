"""The names, signatures and manners of the library's root."""

from __future__ import annotations

import ast
import asyncio
import copy
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eval_quality

EXAMPLE = Path(__file__).parents[1] / "examples" / "refund-api"
CONSTANTS = {
    "ADDRESS_CLASSES": 6,
    "AGGREGATION_REFUSAL_CODES": 2,
    "DENIAL_REASONS": 7,
    "DISCIPLINE_RULES": 7,
    "DOMINANCE_RELATIONS": 4,
    "EVALUATOR_RECOMMENDATIONS": 3,
    "FAILURE_CODES": 27,
    "FORBIDDEN_TARGET_REASONS": 11,
    "INTERCHANGE_ARTIFACT_KEYS": 13,
    "OUTCOME_STATES": 12,
    "PORT_FAILURE_REASONS": 1,
    "QUALIFICATION_FAILURES": 20,
    "RUNTIME_FAULT_CODES": 10,
    "SEVERITY_LEVELS": 3,
    "VERDICTS": 4,
}
SCHEMA_VERSIONS = {
    "EVAL_CONTRACT_SCHEMA_VERSION": 7,
    "EVALUATOR_CONFIGURATION_SCHEMA_VERSION": 1,
    "EVIDENCE_ARTIFACT_SCHEMA_VERSION": 4,
    "ISOLATION_MANIFEST_SCHEMA_VERSION": 1,
    "PREFLIGHT_VERDICT_SCHEMA_VERSION": 2,
    "PRIVATE_ARTIFACT_MANIFEST_SCHEMA_VERSION": 1,
    "PROBE_SCHEMA_VERSION": 6,
    "SCORING_POLICY_SCHEMA_VERSION": 2,
    "SEALED_EVALUATOR_BRIEF_SCHEMA_VERSION": 2,
    "SEALED_RUN_RECORD_SCHEMA_VERSION": 8,
    "STRENGTH_AGGREGATE_SCHEMA_VERSION": 1,
}
SIGNATURES = {
    "aggregate_strength": "(*, evidence, floors, policy)",
    "classify_address": "(text)",
    "compare_dominance": "(a, b, severity_floor)",
    "compile": "(contract, *, strict=True)",
    "digest_artifact": "(artifact, artifact_path)",
    "digest_bytes": "(content)",
    "digest_composite": "(fields, artifact_path)",
    "evaluate_target": "(policy, target)",
    "is_safe_method": "(authorization, method)",
    "make_pointer_denotes_collection": "(contract, plan_index=None)",
    "make_resolve_operand": "(step_observations, reference_sets)",
    "parse_address": "(text)",
    "preflight_from_observations": "(*, contract, probes, observations, run_id, sink=None)",
    "qualify_probe": "(probe, home_operation)",
    "reference_set_keys_of": "(contract)",
    "resolve_check": (
        "(expression, resolve_operand, pointer_denotes_collection, reference_set_keys, regex_match_step_budget, "
        "artifact_path)"
    ),
    "resolve_home_operation": "(signature, interfaces)",
    "run_preflight": "(*, contract, probes, run_id, port, signal=None, sink=None)",
    "run_score": (
        "(*, record, manifest, configuration, contract, probe, preflight_verdict, policy, corpus_digest, "
        "private_manifest=None, designated_oracle_id=None, port=None, signal=None)"
    ),
    "scan_json": "(source, artifact_path)",
    "score": (
        "(*, record, manifest, configuration, contract, probe, preflight_verdict, policy, corpus_digest, "
        "private_manifest=None, designated_oracle_id=None)"
    ),
    "seal": "(contract, *, strict=True)",
    "serialize_artifact": "(artifact, artifact_path)",
    "stays_on_host": "(text)",
}


def read(name: str) -> Any:
    return json.loads((EXAMPLE / name).read_text())


def test_every_name_resolves_and_is_listed() -> None:
    assert sorted(eval_quality.__all__) == dir(eval_quality)
    for name in eval_quality.__all__:
        assert getattr(eval_quality, name) is not None, name
    with pytest.raises(AttributeError, match="has no attribute 'digest_json'"):
        eval_quality.digest_json  # noqa: B018


def test_checkers_find_each_name_where_it_is_loaded_from() -> None:
    """The names are listed three times: for type checkers, for loading, and in ``__all__``."""
    tree = ast.parse(inspect.getsource(eval_quality))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    shown = {alias.name: node.module for node in imports for alias in node.names}
    assert shown == {name: f"eval_quality.{home}" for name, home in eval_quality._HOMES.items()}
    assert {*shown, "__version__"} == set(eval_quality.__all__)


@pytest.mark.parametrize(("name", "count"), CONSTANTS.items())
def test_enumerations_are_tuples_of_distinct_members(name: str, count: int) -> None:
    members = getattr(eval_quality, name)
    assert isinstance(members, tuple)
    assert len(set(members)) == len(members) == count


@pytest.mark.parametrize(("name", "version"), SCHEMA_VERSIONS.items())
def test_schema_versions(name: str, version: int) -> None:
    assert getattr(eval_quality, name) == version


def test_functions_and_their_signatures() -> None:
    functions = {
        name: value for name in eval_quality.__all__ if inspect.isfunction(value := getattr(eval_quality, name))
    }
    told = {}
    for name, function in functions.items():
        signature = inspect.signature(function)
        bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
        told[name] = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
        assert inspect.getdoc(function), name
    told.pop("validate_lineage_chain")
    assert told == SIGNATURES


def test_the_version_is_the_distribution_s() -> None:
    from importlib.metadata import version

    assert eval_quality.VERSION == eval_quality.__version__ == "7.2.0"
    assert version("eval-quality").partition(".post")[0] == eval_quality.VERSION


def test_importing_the_root_loads_nothing_heavy() -> None:
    script = "import sys, eval_quality; print([n for n in ('pydantic', 'click', 're2', 'asyncio') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_star_import_takes_the_public_names_only() -> None:
    namespace: dict[str, Any] = {}
    exec("from eval_quality import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(eval_quality.__all__)


def test_a_public_name_survives_the_import_of_the_subpackage_of_its_name() -> None:
    contract = read("contract.json")
    assert eval_quality.compile(contract) == eval_quality.compile(contract)
    assert callable(eval_quality.compile)
    assert callable(eval_quality.seal)
    assert callable(eval_quality.score)


def test_a_run_from_contract_to_aggregate() -> None:
    contract = eval_quality.EvalContract.from_wire(read("contract.json"))
    compiled = eval_quality.compile(contract)
    brief = eval_quality.seal(compiled)
    verdict = eval_quality.preflight_from_observations(
        contract=compiled,
        probes=read("probes.json"),
        observations=read("observations.json"),
        run_id="run-refund-2026-04",
    )
    evidence = []
    for probe in ("P-001", "P-003", "P-004"):
        result = eval_quality.score(
            record=[read(f"record-{probe}-{trial}.json") for trial in (1, 2, 3)],
            manifest=read("isolation-manifest.json"),
            configuration=read("evaluator-configuration.json"),
            contract=compiled,
            probe=eval_quality.Probe.from_wire(read(f"probe-{probe}.json")),
            preflight_verdict=verdict,
            policy=read("scoring-policy.json"),
            corpus_digest="sha256:46d9e83a69609eb5d7266d0588589f0bed55b3f94b77093fb0119e268881c137",
        )
        assert result.artifact is not None
        assert result.qualification.qualified
        evidence.append(result.artifact)
    aggregate = eval_quality.aggregate_strength(
        evidence=evidence, floors=read("floors.json"), policy=read("scoring-policy.json")
    )
    expected = EXAMPLE / "expected"
    for model, name in (
        (compiled, "eval-contract"),
        (brief, "sealed-evaluator-brief"),
        (verdict, "preflight-verdict"),
        (evidence[0], "evidence-artifact-P-001"),
        (aggregate, "strength-aggregate"),
    ):
        assert model.to_json() + b"\n" == (expected / f"{name}.json").read_bytes()
        assert eval_quality.serialize_artifact(model, "x").encode() == (expected / f"{name}.json").read_bytes()
    assert eval_quality.compare_dominance(evidence[0], evidence[0], "material") == "equivalent"


def test_checks_are_resolved_over_models_as_over_values() -> None:
    """Spec 08, section 13.2: the evaluation group; a model is as good as the JSON value it stands for."""
    contract, record = read("contract.json"), read("record-P-001-1.json")
    models = eval_quality.EvalContract.from_wire(contract), eval_quality.SealedRunRecord.from_wire(record)

    def resolved(contract: Any, oracle: Any, observations: Any) -> Any:
        seen = {step["stepId"]: observations[0] for step in read("contract.json")["interactionPlan"]}
        return eval_quality.resolve_check(
            oracle,
            eval_quality.make_resolve_operand(seen, {}),
            eval_quality.make_pointer_denotes_collection(contract),
            eval_quality.reference_set_keys_of(contract),
            100_000,
            "EvalContract",
        )

    assert resolved(models[0], models[0].oracles[0].check, models[1].observations) == resolved(
        contract, contract["oracles"][0]["check"], record["observations"]
    )
    chain = {"artifact_path": "x", "accepted_schema_version": 7, "declared_revision_count": 0, "remediation_cap": None}
    assert eval_quality.validate_lineage_chain([models[0]], **chain)["passed"]
    named = [eval_quality.digest_composite({"contract": each}, "x") for each in (contract, models[0])]
    assert named[0] == named[1]


class Unreachable:
    """Ports nobody should get as far as calling."""

    async def probe(self, request: Any, signal: Any) -> Any:
        raise AssertionError(request)

    async def resolve(self, request: Any, signal: Any) -> Any:
        raise AssertionError(request)


def test_ports_are_called_with_the_signal_given_and_sinks_are_told() -> None:
    signal, told = eval_quality.AbortSignal(), list[eval_quality.Diagnostic]()
    signal.abort()
    probes = tuple(eval_quality.Probe.from_wire(each) for each in read("probes.json"))
    contract = eval_quality.EvalContract.from_wire(read("contract.json"))
    with pytest.raises(eval_quality.RuntimeFault, match="aborted in ProbeRequest"):
        asyncio.run(
            eval_quality.run_preflight(
                contract=contract, probes=probes, run_id="run", port=Unreachable(), signal=signal, sink=told.append
            )
        )
    assert [each.message.partition(": ")[2] for each in told] == ["planned"]
    lineage = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0}
    entry = {"privateRef": "kept", "digest": f"sha256:{'0' * 64}", "artifactKind": "other"}
    entry |= {"publicSafeRunId": None, "sanitizationPolicy": None}
    with pytest.raises(eval_quality.RuntimeFault, match="aborted in CorpusResolveRequest"):
        asyncio.run(
            eval_quality.run_score(
                record=(read("record-P-001-1.json"),),
                manifest=read("isolation-manifest.json"),
                configuration=read("evaluator-configuration.json"),
                contract=contract,
                probe=read("probe-P-001.json"),
                preflight_verdict=json.loads((EXAMPLE / "expected" / "preflight-verdict.json").read_text()),
                policy=read("scoring-policy.json"),
                corpus_digest=f"sha256:{'0' * 64}",
                private_manifest={**lineage, "entries": [entry]},
                port=Unreachable(),
                signal=signal,
            )
        )


def test_models_and_errors_travel() -> None:
    brief = eval_quality.seal(read("contract.json"))
    for twin in (pickle.loads(pickle.dumps(brief)), copy.copy(brief), copy.deepcopy(brief)):
        assert twin == brief
    assert repr(brief).startswith("SealedEvaluatorBrief(schema_version=2")
    assert brief.model_dump(by_alias=True)["contractDigest"] == brief.contract_digest
    errors = [
        eval_quality.StructuralFailure("waiver-incomplete", "EvalContract.waivers", "has no rationale"),
        eval_quality.AggregationRefusal("strength-inputs-disagree", "EvidenceArtifact[1]", "differs"),
        eval_quality.RuntimeFault(
            "schema-parse-failure", "Probe", "does not conform", issues=[eval_quality.Issue("/a", "is missing")]
        ),
        eval_quality.RuntimeFault("forbidden-target", "ProbeRequest", "denied", reason="scheme-not-authorized"),
        eval_quality.DesignatedOracleRefusal("--designated-oracle O-1 is none"),
        eval_quality.PreconditionError("broken"),
    ]
    for error in errors:
        twin = pickle.loads(pickle.dumps(error))
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)
        if isinstance(error, eval_quality.EvalQualityError):
            assert str(error) == f"{error.code} in {error.artifact_path}: {error.detail}"
    assert pickle.loads(pickle.dumps(eval_quality.ABSENT)) is eval_quality.ABSENT


def test_a_model_keeps_nothing_of_what_it_was_made_from() -> None:
    """Spec 08, section 2: the output of a parse is a copy, the JSON values in it included."""
    contract = read("contract.json")
    compiled = eval_quality.compile(contract)
    text = compiled.to_json()
    pending = [contract]
    while pending:
        container = pending.pop()
        members = container.values() if isinstance(container, dict) else container
        pending += [each for each in members if isinstance(each, dict | list)]
        container.clear()
    assert compiled.to_json() == text


def test_a_reason_is_kept_with_its_code_only() -> None:
    assert eval_quality.RuntimeFault("aborted", "x", "y", reason="scheme-not-authorized").reason is None
    assert eval_quality.RuntimeFault("forbidden-target", "x", "y", reason="because").reason is None
    fault = eval_quality.RuntimeFault("port-failure", "x", "y", port_failure_reason="launch-too-large")
    assert fault.port_failure_reason == "launch-too-large"
