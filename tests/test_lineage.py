"""Lineage chains: every defect, the checks it clears, and the minting of revisions (spec 03, section 6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from eval_quality.canonical import digest_artifact
from eval_quality.errors import PreconditionError, RuntimeFault
from eval_quality.lineage import CLEARED_CHECK, LineageReport, revise_artifact, validate_lineage_chain

Json = dict[str, Any]


def member(parent: Json | str | None, revision: int, tag: str = "") -> Json:
    digest = digest_artifact(parent, "Thing") if isinstance(parent, dict) else parent
    return {"schemaVersion": 3, "parentDigest": digest, "revisionCount": revision, "tag": tag}


def report(members: list[Any], declared: Any = None, cap: Any = None) -> LineageReport:
    declared = len(members) - 1 if declared is None else declared
    return validate_lineage_chain(
        members, artifact_path="Thing", accepted_schema_version=3, declared_revision_count=declared, remediation_cap=cap
    )


def digest(value: Json) -> str:
    return digest_artifact(value, "Thing")


ROOT = member(None, 0, "root")
SECOND = member(ROOT, 1)
THIRD = member(SECOND, 2)
ABSENT = "sha256:" + "0" * 64


@pytest.mark.parametrize("order", [[ROOT, SECOND, THIRD], [THIRD, ROOT, SECOND], [ROOT]])
def test_a_chain_passes_in_any_order(order: list[Json]) -> None:
    assert report(order) == {
        "artifactPath": "Thing",
        "findings": [],
        "checks": {"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        "passed": True,
    }


ORPHAN, REBEL, SKIPPED, TWIN = member(ABSENT, 1), member(ROOT, 0), member(SECOND, 5), member(ROOT, 1, "twin")
UNROOTED = member(None, 4)
CLAIMANTS = sorted([digest(SECOND), digest(TWIN)])


@pytest.mark.parametrize(
    ("members", "declared", "cap", "findings"),
    [
        (
            [ROOT, REBEL],
            1,
            None,
            [
                (
                    "lineage-root-invalid",
                    f"[digest={digest(REBEL)}]",
                    '"revisionCount" is 0 with a non-null "parentDigest" (AD-29)',
                ),
                (
                    "lineage-multiple-roots",
                    "",
                    '2 members carry "revisionCount" 0, so the presented set is more than one lineage (AD-29)',
                ),
                (
                    "lineage-revision-not-successor",
                    f"[digest={digest(REBEL)}]",
                    'carries "revisionCount" 0 where its parent carries 0 (AD-29)',
                ),
            ],
        ),
        (
            [UNROOTED],
            0,
            None,
            [
                (
                    "lineage-root-invalid",
                    f"[digest={digest(UNROOTED)}]",
                    '"revisionCount" is 4 with a null "parentDigest" (AD-29)',
                ),
                ("lineage-no-root", "", 'no member carries "revisionCount" 0, so the chain of 1 has no origin (AD-29)'),
            ],
        ),
        (
            [ROOT, SECOND, SECOND],
            2,
            None,
            [
                (
                    "lineage-duplicate-artifact",
                    f"[digest={digest(SECOND)}]",
                    "2 members share this digest, so one artifact is presented more than once (AD-12)",
                )
            ],
        ),
        (
            [ROOT, ORPHAN],
            1,
            1,
            [
                (
                    "lineage-parent-absent",
                    f"[digest={digest(ORPHAN)}]",
                    f'names parent "{ABSENT}", which no presented member digests to (AD-12)',
                )
            ],
        ),
        (
            [ROOT, SECOND, SKIPPED],
            2,
            2,
            [
                (
                    "lineage-revision-not-successor",
                    f"[digest={digest(SKIPPED)}]",
                    'carries "revisionCount" 5 where its parent carries 1 (AD-29)',
                )
            ],
        ),
        (
            [ROOT, SECOND, TWIN],
            2,
            None,
            [
                (
                    "lineage-revision-conflict",
                    f"[parent={digest(ROOT)},revision=1]",
                    f"2 differing members claim this parent and revision: {', '.join(CLAIMANTS)} (AD-29)",
                )
            ],
        ),
        (
            [],
            0,
            0,
            [
                ("lineage-no-root", "", 'no member carries "revisionCount" 0, so the chain of 0 has no origin (AD-29)'),
                (
                    "lineage-length-inconsistent",
                    "",
                    "presents 0 members against a declared revision count of 0 (AD-12)",
                ),
            ],
        ),
        (
            [ROOT, SECOND, THIRD],
            2,
            1,
            [
                (
                    "lineage-remediation-cap-exceeded",
                    "",
                    "declares 2 revisions against a caller-attested cap of 1 (AD-12)",
                )
            ],
        ),
    ],
)
def test_every_defect_is_reported_and_clears_its_check(
    members: list[Json], declared: int, cap: int | None, findings: list[tuple[str, str, str]]
) -> None:
    found = report(members, declared, cap)
    assert [(one["code"], one["artifactPath"], one["detail"]) for one in found["findings"]] == [
        (code, f"Thing{place}", detail) for code, place, detail in findings
    ]
    cleared = {CLEARED_CHECK[one["code"]] for one in found["findings"]}
    assert {check for check, holds in found["checks"].items() if not holds} == cleared - {None}
    assert not found["passed"]


def test_findings_of_one_code_are_ordered_by_place() -> None:
    orphans = [member(ABSENT, 1, tag) for tag in "abcdef"]
    places = [
        one["artifactPath"] for one in report([ROOT, *orphans])["findings"] if one["code"] == "lineage-parent-absent"
    ]
    assert places == sorted(places)
    assert len(places) == 6


@pytest.mark.parametrize(
    ("declared", "cap", "name"),
    [
        (-1, -1, "declaredRevisionCount"),
        (2**53, None, "declaredRevisionCount"),
        (True, None, "declaredRevisionCount"),
        (0, 0.5, "remediationCap"),
        (0, "1", "remediationCap"),
    ],
)
def test_figures_that_are_no_counts_are_the_callers_error(declared: Any, cap: Any, name: str) -> None:
    message = f'validateLineageChain() received a "{name}" that is not a non-negative safe integer: Thing'
    with pytest.raises(PreconditionError) as caught:
        report([ROOT], declared, cap)
    assert str(caught.value) == message


def test_members_of_another_version_are_refused_before_they_are_digested() -> None:
    with pytest.raises(RuntimeFault) as caught:
        report([ROOT | {"schemaVersion": 2, "tag": float("nan")}])
    assert caught.value.code == "schema-version-mismatch"
    assert caught.value.detail == 'chain member carries "schemaVersion" 2 where the reader accepts 3 (AD-11)'


def test_a_revision_continues_the_chain_and_shares_nothing_with_its_body() -> None:
    body: Json = {"schemaVersion": 3, "parts": [{"names": ["a"]}]}
    before = copy.deepcopy(body)
    revised = revise_artifact(ROOT, body, "Thing")
    assert list(revised) == ["schemaVersion", "parts", "parentDigest", "revisionCount"]
    assert (revised["parentDigest"], revised["revisionCount"]) == (digest(ROOT), 1)
    revised["parts"][0]["names"].append("b")
    assert body == before


def test_a_body_of_any_depth_is_revised() -> None:
    nest: list[Any] = []
    for _ in range(5000):
        nest = [nest]
    (copied,) = revise_artifact(ROOT, {"schemaVersion": 3, "nest": nest}, "Thing")["nest"]
    copied.append("more")
    assert len(nest[0]) == 1


def test_revisions_of_revisions_validate() -> None:
    chain = [ROOT]
    for number in range(4):
        chain.append(revise_artifact(chain[-1], {"schemaVersion": 3, "number": number}, "Thing"))
    assert report(chain)["passed"]


@pytest.mark.parametrize(
    ("parent", "body", "message"),
    [
        ({"revisionCount": 1}, {}, "received a parent whose parentDigest and revisionCount disagree"),
        ({"parentDigest": ABSENT}, {}, "received a parent whose parentDigest and revisionCount disagree"),
        (
            {"parentDigest": ABSENT, "revisionCount": 0.5},
            {},
            "received a parent whose revisionCount is not a non-negative safe integer",
        ),
        (
            {"parentDigest": ABSENT, "revisionCount": 2**53 - 1},
            {},
            "would mint a revisionCount outside the safe integer range",
        ),
        ({}, {"schemaVersion": 4}, "received a body at schemaVersion 4 for a parent at 3"),
        (
            {},
            {"revisionCount": 0, "parentDigest": None},
            'received a body carrying "parentDigest", which the producing stage owns',
        ),
        ({}, {"revisionCount": 0}, 'received a body carrying "revisionCount", which the producing stage owns'),
    ],
)
def test_what_cannot_be_revised_is_the_callers_error(parent: Json, body: Json, message: str) -> None:
    before = copy.deepcopy(body)
    with pytest.raises(PreconditionError) as caught:
        revise_artifact(ROOT | parent, {"schemaVersion": 3} | body, "Thing")
    assert str(caught.value) == f"reviseArtifact() {message}: Thing"
    assert body == before
