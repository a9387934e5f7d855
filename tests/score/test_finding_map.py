"""Which probe a finding is about, and which findings cite no oracle."""

from __future__ import annotations

from typing import Any

from eval_quality.score.finding_map import (
    FINDING_BUCKETS,
    FindingMapper,
    uncited_defect_finding_gaps,
    uncited_finding_ids,
)
from eval_quality.score.observations import TrialObservations
from tests.run_records import remark
from tests.score.shop import canary, claim, interface, operation, probe, seen, signature

INTERFACES: Any = [interface(operation())]
OBSERVATIONS: Any = [seen("g", 1), seen("elsewhere", 2, operationId="other"), seen("twice", 3)]


def buckets(*findings: Any, probes: Any = None, observations: Any = OBSERVATIONS) -> dict[str, list[str]]:
    mapper = FindingMapper.of([probe()] if probes is None else probes, INTERFACES)
    mapped = mapper.map(TrialObservations(observations), findings)
    assert tuple(mapped) == FINDING_BUCKETS
    return {bucket: [each.finding_id for each in entries] for bucket, entries in mapped.items() if entries}


def test_each_defect_finding_is_in_one_bucket() -> None:
    findings = [
        claim("F-005", "g"),
        claim("F-004", "elsewhere"),
        claim("F-003", "g", probeId="P-002"),
        claim("F-002", "g", probeId="P-009"),
        claim("F-001", "nowhere", "g"),
        remark("F-006", "g"),
    ]
    assert buckets(*findings, probes=[probe(), canary(probeId="P-002")]) == {
        "mapped": ["F-001", "F-005"],
        "unmapped": ["F-004"],
        "dangling": ["F-002"],
        "signatureless": ["F-003"],
    }


def test_a_probe_whose_operation_is_not_declared_maps_nothing() -> None:
    given = probe(defectSignature=signature(method="DELETE"))
    assert buckets(claim("F-001", "g"), probes=[given]) == {"unmapped": ["F-001"]}


def test_of_what_repeats_the_last_counts() -> None:
    assert buckets(claim("F-001", "g"), probes=[probe(), probe(defectSignature=None)]) == {"signatureless": ["F-001"]}
    observations: Any = [seen("g", 1), seen("g", 2, operationId="other")]
    assert buckets(claim("F-001", "g"), observations=observations) == {"unmapped": ["F-001"]}


def test_findings_that_cite_no_oracle() -> None:
    findings: Any = [claim("F-003", oracleId=None), remark("F-002"), claim("F-001"), claim("F-000", oracleId=None)]
    assert uncited_finding_ids(findings) == ["F-000", "F-002", "F-003"]
    gaps = list(uncited_defect_finding_gaps(findings))
    assert [gap["findingId"] for gap in gaps] == ["F-000", "F-003"]
    assert list(gaps[0]) == ["findingId", "observationIds", "quotedEvidence", "severity"]
    assert gaps[1]["quotedEvidence"] is findings[0]["quotedEvidence"]
