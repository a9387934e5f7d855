"""Version stamps, read before artifacts are parsed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_quality import stamps
from eval_quality.errors import RuntimeFault


@pytest.mark.parametrize(
    ("check", "accepted", "path", "consequence"),
    [
        (
            stamps.check_contract_stamp,
            7,
            "EvalContract.schemaVersion",
            "since its stale version would travel into the scoring version",
        ),
        (
            lambda raw: stamps.check_record_stamp(raw, 3),
            8,
            "SealedRunRecord[index=3].schemaVersion",
            "a record written for another version would be scored under a shape this build does not define",
        ),
        (
            lambda raw: stamps.check_record_stamp(raw | {"trialIndex": 2.0}, 3),
            8,
            "SealedRunRecord[trialIndex=2].schemaVersion",
            "a record written for another version would be scored under a shape this build does not define",
        ),
        (
            stamps.check_isolation_manifest_stamp,
            1,
            "IsolationManifest.schemaVersion",
            "a manifest written for another version would be checked for isolation violations under a shape this build "
            "does not define",
        ),
        (
            stamps.check_evaluator_configuration_stamp,
            1,
            "EvaluatorConfiguration.schemaVersion",
            "a configuration written for another version would be ingested under a shape this build does not define",
        ),
        (
            lambda raw: stamps.check_probe_stamp(raw | {"probeId": "P-1"}),
            6,
            "Probe[probeId=P-1].schemaVersion",
            "since the stamp says which shapes the probe was authored against: the qualification record on every "
            "probe, and the witness legs and the defect signature grammar on a seeded one",
        ),
        (
            stamps.check_preflight_verdict_stamp,
            2,
            "PreflightVerdict.schemaVersion",
            "a verdict written for another version would gate the run under a shape this build does not define",
        ),
        (
            stamps.check_scoring_policy_stamp,
            2,
            "ScoringPolicy.schemaVersion",
            "a policy written for another version would be applied under thresholds and caps this build does not "
            "define",
        ),
        (
            stamps.check_private_manifest_stamp,
            1,
            "PrivateArtifactManifest.schemaVersion",
            "a manifest written for another version would be checked against the corpus under a shape this build does "
            "not define",
        ),
        (
            lambda raw: stamps.check_evidence_stamp(raw, 0),
            4,
            "EvidenceArtifact[0].schemaVersion",
            "a class rate over a stale evidence artifact would rest on a reduction this build does not define",
        ),
    ],
)
def test_a_stale_stamp_is_refused(check: Callable[[Any], None], accepted: int, path: str, consequence: str) -> None:
    unstale: tuple[object, ...] = (accepted, float(accepted), True, str(accepted), None, {})
    for stamped in unstale:
        check({"schemaVersion": stamped})
    with pytest.raises(RuntimeFault) as caught:
        check({"schemaVersion": 99})
    assert (caught.value.code, caught.value.artifact_path) == ("schema-version-mismatch", path)
    assert caught.value.detail == (
        f'carries "schemaVersion" 99 where this build reads {accepted}; an artifact written for another version is not '
        f"read leniently, {consequence} (AD-11)"
    )


@pytest.mark.parametrize(("stamped", "text"), [(7.5, "7.5"), (1e21, "1e+21"), (-0.0, "0"), (float("inf"), "Infinity")])
def test_a_stamp_prints_as_a_javascript_number(stamped: float, text: str) -> None:
    with pytest.raises(RuntimeFault, match=rf'carries "schemaVersion" {text.replace("+", "[+]")} where'):
        stamps.check_contract_stamp({"schemaVersion": stamped})


@pytest.mark.parametrize("raw", [None, 6, "6", [], [6], {}])
def test_what_has_no_stamp_is_the_parses_to_report(raw: object) -> None:
    stamps.check_contract_stamp(raw)
    stamps.check_probe_stamp(raw)
    stamps.check_record_stamp(raw, 0)
    with pytest.raises(RuntimeFault, match=r"in Probe\.schemaVersion: "):
        stamps.check_probe_stamp({"schemaVersion": 5, "probeId": 1})
