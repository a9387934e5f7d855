"""Chains of revisions: whether artifacts form one, and how the next is minted (spec 03, section 6; AD-12, AD-29).

``parentDigest`` is null exactly when ``revisionCount`` is 0; otherwise it is the digest of the parent, and the count is
the parent's plus one. No schema states that rule and no stage checks it: both functions are for callers of the library.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypedDict

from eval_quality.artifacts.evidence_artifact import LineageChain
from eval_quality.artifacts.lineage_fields import Lineage
from eval_quality.canonical import MAX_SAFE_INTEGER, digest_artifact, number_text, utf16_key
from eval_quality.errors import PreconditionError, RuntimeFault

LineageFindingCode = Literal[
    "lineage-root-invalid",
    "lineage-duplicate-artifact",
    "lineage-no-root",
    "lineage-multiple-roots",
    "lineage-parent-absent",
    "lineage-revision-not-successor",
    "lineage-revision-conflict",
    "lineage-length-inconsistent",
    "lineage-remediation-cap-exceeded",
]
LineageCheck = Literal["lengthConsistent", "noRepeatedDigest", "noGap"]

CLEARED_CHECK: Final[Mapping[LineageFindingCode, LineageCheck | None]] = {
    "lineage-root-invalid": "noGap",
    "lineage-duplicate-artifact": "noRepeatedDigest",
    "lineage-no-root": "noGap",
    "lineage-multiple-roots": "noGap",
    "lineage-parent-absent": "noGap",
    "lineage-revision-not-successor": "noGap",
    "lineage-revision-conflict": "noGap",
    "lineage-length-inconsistent": "lengthConsistent",
    "lineage-remediation-cap-exceeded": None,
}
"""Which check of the report a finding clears; the order of the codes is their rank."""
_RANK: Final[Mapping[LineageFindingCode, int]] = {code: rank for rank, code in enumerate(CLEARED_CHECK)}


class LineageFinding(TypedDict):
    """One way in which the presented artifacts are no chain."""

    code: LineageFindingCode
    artifactPath: str
    detail: str


class LineageReport(TypedDict):
    """What became of a chain; ``passed`` is that there are no findings, even such as clear no check."""

    artifactPath: str
    findings: list[LineageFinding]
    checks: LineageChain
    passed: bool


class _Member(NamedTuple):
    digest: str
    parent: str | None
    revision: int


def validate_lineage_chain(
    artifacts: Sequence[Lineage],
    *,
    artifact_path: str,
    accepted_schema_version: int,
    declared_revision_count: int,
    remediation_cap: int | None,
) -> LineageReport:
    """Report every defect of a chain of whole, parsed artifacts of one type, presented in any order.

    Raises ``PreconditionError`` for a declared count or a cap that is no non-negative safe integer, ``RuntimeFault``
    ``schema-version-mismatch`` for a member of another version, and what ``digest_artifact`` raises.
    """
    _check_figure("declaredRevisionCount", declared_revision_count, artifact_path)
    if remediation_cap is not None:
        _check_figure("remediationCap", remediation_cap, artifact_path)
    members = [_member(artifact, accepted_schema_version, artifact_path) for artifact in artifacts]
    findings = [
        *_defects_of_members(members, artifact_path),
        *_defects_of_roots(members, artifact_path),
        *_repetitions(members, artifact_path),
        *_conflicts(members, artifact_path),
        *_defects_of_length(len(members), declared_revision_count, remediation_cap, artifact_path),
    ]
    findings.sort(key=lambda finding: (_RANK[finding["code"]], utf16_key(finding["artifactPath"])))
    cleared = {CLEARED_CHECK[finding["code"]] for finding in findings}
    return {
        "artifactPath": artifact_path,
        "findings": findings,
        "checks": {
            "lengthConsistent": "lengthConsistent" not in cleared,
            "noRepeatedDigest": "noRepeatedDigest" not in cleared,
            "noGap": "noGap" not in cleared,
        },
        "passed": not findings,
    }


def revise_artifact(parent: Lineage, body: Mapping[str, Any], artifact_path: str) -> dict[str, Any]:
    """A copy of ``body`` as the next revision of ``parent``: it carries the parent's digest and its count plus one.

    Raises ``PreconditionError`` for a parent that breaks the lineage rule or cannot be counted beyond, and for a body
    of another version or with lineage of its own; and what ``digest_artifact`` raises for the parent.
    """
    revision = parent["revisionCount"]
    if (revision == 0) != (parent["parentDigest"] is None):
        raise _received(artifact_path, "a parent whose parentDigest and revisionCount disagree")
    if not _is_count(revision):
        raise _received(artifact_path, "a parent whose revisionCount is not a non-negative safe integer")
    if not _is_count(revision + 1):
        problem = "would mint a revisionCount outside the safe integer range"
        raise PreconditionError(f"reviseArtifact() {problem}: {artifact_path}")
    ours, theirs = body["schemaVersion"], parent["schemaVersion"]
    if ours != theirs:
        versions = f"a body at schemaVersion {number_text(ours)} for a parent at {number_text(theirs)}"
        raise _received(artifact_path, versions)
    for field in ("parentDigest", "revisionCount"):
        if field in body:
            raise _received(artifact_path, f'a body carrying "{field}", which the producing stage owns')
    lineage = {"parentDigest": digest_artifact(parent, artifact_path), "revisionCount": revision + 1}
    return _copy(body) | lineage


def _received(artifact_path: str, what: str) -> PreconditionError:
    return PreconditionError(f"reviseArtifact() received {what}: {artifact_path}")


def _copy(body: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that shares no container with the original, however deep it nests."""
    root = dict(body)
    copies: dict[int, Any] = {}
    pending: list[dict[str, Any] | list[Any]] = [root]
    for container in pending:  # which grows as it is walked
        places = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
        for place, member in places:
            if isinstance(member, dict | list):
                if id(member) not in copies:
                    copies[id(member)] = member.copy()
                    pending.append(copies[id(member)])
                container[place] = copies[id(member)]  # type: ignore[index]
    return root


def _is_count(value: object) -> bool:
    """Whether a value is a non-negative safe integer, be it an ``int`` or an integral ``float``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MAX_SAFE_INTEGER and value == int(value)


def _check_figure(name: str, value: int, artifact_path: str) -> None:
    if not _is_count(value):
        problem = f'received a "{name}" that is not a non-negative safe integer'
        raise PreconditionError(f"validateLineageChain() {problem}: {artifact_path}")


def _member(artifact: Lineage, accepted_version: int, artifact_path: str) -> _Member:
    version = artifact["schemaVersion"]
    if version != accepted_version:
        versions = f"{number_text(version)} where the reader accepts {number_text(accepted_version)}"
        detail = f'chain member carries "schemaVersion" {versions} (AD-11)'
        raise RuntimeFault("schema-version-mismatch", artifact_path, detail)
    return _Member(digest_artifact(artifact, artifact_path), artifact["parentDigest"], artifact["revisionCount"])


def _finding(code: LineageFindingCode, artifact_path: str, detail: str) -> LineageFinding:
    return {"code": code, "artifactPath": artifact_path, "detail": detail}


def _defects_of_members(members: Sequence[_Member], path: str) -> Iterator[LineageFinding]:
    """Members that break the rule by themselves, or against the parent they name."""
    by_digest = {member.digest: member for member in members}
    for member in members:
        at, revision = f"{path}[digest={member.digest}]", number_text(member.revision)
        if (member.revision == 0) != (member.parent is None):
            parent_found = "null" if member.parent is None else "non-null"
            detail = f'"revisionCount" is {revision} with a {parent_found} "parentDigest" (AD-29)'
            yield _finding("lineage-root-invalid", at, detail)
        if member.parent is None:
            continue
        parent = by_digest.get(member.parent)
        if parent is None:
            detail = f'names parent "{member.parent}", which no presented member digests to (AD-12)'
            yield _finding("lineage-parent-absent", at, detail)
        elif member.revision != parent.revision + 1:
            detail = (
                f'carries "revisionCount" {revision} where its parent carries {number_text(parent.revision)} (AD-29)'
            )
            yield _finding("lineage-revision-not-successor", at, detail)


def _defects_of_roots(members: Sequence[_Member], path: str) -> Iterator[LineageFinding]:
    match sum(member.revision == 0 for member in members):
        case 0:
            detail = f'no member carries "revisionCount" 0, so the chain of {len(members)} has no origin (AD-29)'
            yield _finding("lineage-no-root", path, detail)
        case roots if roots > 1:
            detail = f'{roots} members carry "revisionCount" 0, so the presented set is more than one lineage (AD-29)'
            yield _finding("lineage-multiple-roots", path, detail)


def _repetitions(members: Sequence[_Member], path: str) -> Iterator[LineageFinding]:
    for digest, times in Counter(member.digest for member in members).items():
        if times > 1:
            detail = f"{times} members share this digest, so one artifact is presented more than once (AD-12)"
            yield _finding("lineage-duplicate-artifact", f"{path}[digest={digest}]", detail)


def _conflicts(members: Sequence[_Member], path: str) -> Iterator[LineageFinding]:
    claims: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for member in members:
        if member.parent is not None:
            claims[member.parent, member.revision].add(member.digest)
    for (parent, revision), digests in claims.items():
        if len(digests) > 1:
            listed = ", ".join(sorted(digests))
            detail = f"{len(digests)} differing members claim this parent and revision: {listed} (AD-29)"
            at = f"{path}[parent={parent},revision={number_text(revision)}]"
            yield _finding("lineage-revision-conflict", at, detail)


def _defects_of_length(length: int, declared: int, cap: int | None, path: str) -> Iterator[LineageFinding]:
    if length != declared + 1:
        detail = f"presents {length} members against a declared revision count of {number_text(declared)} (AD-12)"
        yield _finding("lineage-length-inconsistent", path, detail)
    if cap is not None and declared > cap:
        figures = f"{number_text(declared)} revisions against a caller-attested cap of {number_text(cap)}"
        yield _finding("lineage-remediation-cap-exceeded", path, f"declares {figures} (AD-12)")
