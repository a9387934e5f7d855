"""Closed vocabularies, each in its published order (spec 01, sections 4, 5, 11 to 13, 15 and 18; spec 02)."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality import addresses, errors
from eval_quality.artifacts import (
    eval_contract,
    evidence_artifact,
    expressions,
    interfaces,
    pointers,
    preflight_verdict,
    primitives,
    private_artifact_manifest,
    probe,
    probe_qualification,
    registry,
    sealed_run_record,
    strength_aggregate,
    verdicts,
)

OPERATORS = (
    "equality deep-equality containment existence absence regex set-membership ordering count-tolerance shape "
    "covers-by-key"
)
API, COMMAND = "response-body response-headers response-status", "stdout stderr exit-code artifact"


@pytest.mark.parametrize(
    ("vocabulary", "members"),
    [
        (primitives.SEVERITY_LEVELS, "low material critical"),
        (verdicts.VERDICTS, "PASS WAIVED CONCERNS FAIL"),
        (verdicts.EVALUATOR_RECOMMENDATIONS, "PASS CONCERNS FAIL"),
        (interfaces.INTERFACE_KINDS, "api web cli mcp"),
        (pointers.EVIDENCE_CHANNELS, f"{API} call-inputs {COMMAND}"),
        (pointers.RESPONSE_SIDE_CHANNELS, f"{API} {COMMAND}"),
        (pointers.INPUT_CHANNELS, "path query header body argument option environment stdin arguments"),
        (pointers.TAIL_BEARING_CHANNELS, "response-body response-headers stdout stderr"),
        (pointers.SCALAR_CHANNELS, "response-status exit-code"),
        (expressions.OPERATOR_NAMES, OPERATORS),
        (expressions.RELATION_VOCABULARY, f"{OPERATORS} all any not for-all for-any"),
        (
            eval_contract.FORBIDDEN_INPUT_FLOOR,
            "original-spec source-code repository builder-transcript implementation-logs comparator-results human-labels",
        ),
        (probe.PROBE_CLASSES, "defect gameability zero-action canary"),
        (
            probe_qualification.QUALIFICATION_ROUTES,
            "historical controlled-mutation gameability canary clean-control",
        ),
        (sealed_run_record.RUN_MODES, "production contract-scoring"),
        (sealed_run_record.ORACLE_DISPOSITIONS, "held violated not-attempted"),
        (
            private_artifact_manifest.PRIVATE_ARTIFACT_KINDS,
            "private-input-record raw-trace raw-result human-label implementation-patch isolation-manifest "
            "scripted-baseline-output other",
        ),
        (
            preflight_verdict.PREFLIGHT_CHECK_KINDS,
            "interface-present input-sensitivity state-reset clean-control seeded-faults-scoped seeded-fault-fired",
        ),
        (
            evidence_artifact.SCORING_VERSION_INPUT_NAMES,
            "contractSchemaVersion corpusDigest fixtureDigest evaluatorConfigurationDigest scoringPolicyDigest mode",
        ),
        (
            evidence_artifact.OUTCOME_STATES,
            "caught confirmed missed passed-clean-control false-positive abstained bypassed unreached oracle-error "
            "judge-error infrastructure-error not-applicable",
        ),
        (evidence_artifact.CORROBORATION_VALUES, "agrees disagrees not-evaluable"),
        (strength_aggregate.STRENGTH_CLASS_NAMES, "defect gameability zero-action"),
        (strength_aggregate.AGGREGATE_ATTESTED_INPUTS, "evidenceSetCompleteness probeClass"),
        (strength_aggregate.FLOOR_DECISIONS, "meets does-not-meet undeclared"),
        (
            strength_aggregate.FLOOR_BASES,
            "no-floor-declared no-eligible-probe not-comparable no-exercised-probe unexercised-probe rate-below-floor "
            "rate-meets-floor",
        ),
        (
            registry.INTERCHANGE_ARTIFACT_KEYS,
            "eval-contract rubric sealed-evaluator-brief sealed-run-record isolation-manifest evaluator-configuration "
            "probe artifact-reference private-artifact-manifest preflight-verdict scoring-policy evidence-artifact "
            "strength-aggregate",
        ),
        (addresses.ADDRESS_CLASSES, "loopback private link-local metadata public unparseable"),
        (
            errors.FAILURE_CODES,
            "missing-requirement-linkage no-observable-success-criterion unreachable-check-evidence "
            "malformed-operator-expression quantifier-over-non-collection quantifier-nesting-exceeded "
            "unresolved-reference-set duplicate-operation-signature undeclared-mandatory-input oracle-missing-channel "
            "direction-check-misaligned unsupported-interface-kind nested-temporal-clause plan-exceeds-scripting-bound "
            "binding-cycle captured-channel-undeclared rubric-scores-reasoning-prose rubric-unanchored "
            "rubric-evidence-unreachable forbidden-input-floor-incomplete scoped-reference-resolves-forbidden "
            "waiver-incomplete brief-exceeds-scripting-bound unresolved-artifact-reference irreducible-step-reference "
            "excluded-content-in-declaration duplicate-interface-identifier",
        ),
        (errors.AGGREGATION_REFUSAL_CODES, "strength-inputs-disagree strength-input-inconsistent"),
        (
            errors.RUNTIME_FAULT_CODES,
            "schema-parse-failure schema-version-mismatch non-canonicalizable-value digest-mismatch budget-exhausted "
            "port-failure port-contract-violation forbidden-target aborted operator-cannot-accept-operand",
        ),
        (
            errors.FORBIDDEN_TARGET_REASONS,
            "interface-not-authorized scheme-not-authorized host-not-authorized port-not-authorized "
            "address-not-authorized address-unparseable method-not-authorized executable-not-authorized "
            "subcommand-not-authorized environment-key-not-authorized tool-not-authorized",
        ),
        (errors.PORT_FAILURE_REASONS, "launch-too-large"),
    ],
)
def test_members_are_in_the_published_order(vocabulary: tuple[str, ...], members: str) -> None:
    assert vocabulary == tuple(members.split())


def test_registries_of_codes_share_no_member() -> None:
    registries: tuple[tuple[Any, ...], ...] = (
        errors.FAILURE_CODES,
        errors.AGGREGATION_REFUSAL_CODES,
        errors.RUNTIME_FAULT_CODES,
    )
    assert len({code for each in registries for code in each}) == sum(map(len, registries))


def test_every_artifact_loads_by_its_key() -> None:
    for key, entry in registry.ARTIFACT_REGISTRY.items():
        assert entry.key == key
        assert entry.load() is not None
    assert [entry.name for entry in registry.ARTIFACT_REGISTRY.values()][:3] == [
        *("EvalContract", "Rubric", "SealedEvaluatorBrief"),
    ]
