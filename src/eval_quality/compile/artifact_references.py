"""Artifacts a contract speaks of are artifacts some operation declares that it writes (spec 05, section 5.3; AD-19, AD-26)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from eval_quality.errors import StructuralFailure
from eval_quality.plan_index import parse_evidence_target

from .paths import operation_path, oracle_path, rubric_path
from .reachability import Surface
from .sites import Evidence, Site

if TYPE_CHECKING:
    from .subject import Subject


class Mention(NamedTuple):
    """A pointer somewhere in the contract that names an artifact, and the operation whose output it reads, if any."""

    evidence: Evidence
    surface: Surface | None


def check_artifact_references(subject: Subject) -> Iterator[StructuralFailure]:
    """An artifact a response descriptor nominates, or a pointer names, is one its operation writes (row 5)."""
    for logical_id, operation, _ in subject.operations:
        surface = subject.surface(operation)
        if surface.artifact is not None and surface.artifact not in surface.artifacts:
            yield StructuralFailure(
                "unresolved-artifact-reference",
                f"{operation_path(logical_id, operation['operationId'])}.descriptorChannel.artifactId",
                f'nominates "{surface.artifact}", which this operation does not declare it writes (AD-19, AD-26)',
            )
    for (path, pointer, target), surface in _mentions(subject):
        if surface is not None and target.artifact_id not in surface.artifacts:
            yield StructuralFailure(
                "unresolved-artifact-reference",
                path,
                f'"{pointer}" names the "{target.artifact_id}" artifact, which {surface.named} does not declare it writes '
                "(AD-26)",
            )


def _mentions(subject: Subject) -> Iterator[Mention]:
    """Pointers that name an artifact: each oracle's check and direction, then rubric criteria, then relations."""
    for oracle, site in subject.oracles:
        yield from _in_expression(site)
        path = f"{oracle_path(oracle['id'])}.direction.evidenceTargets"
        for position, pointer in enumerate(oracle["direction"]["evidenceTargets"] if oracle["direction"] else ()):
            yield from _alone(f"{path}[{position}]", pointer, subject)
    for rubric in subject.contract["rubrics"]:
        for criterion in rubric["criteria"]:
            path = f"{rubric_path(rubric['id'])}.criteria[id={criterion['id']}].evidence"
            yield from _alone(path, criterion["evidence"], subject)
    for site in subject.witness_sites:
        yield from _in_expression(site)


def _in_expression(site: Site | None) -> Iterator[Mention]:
    for evidence in site.evidence if site else ():
        if evidence.target.artifact_id is not None:
            assert site is not None
            yield Mention(evidence, site.surface_of(evidence.target.step_id))


def _alone(path: str, pointer: str, subject: Subject) -> Iterator[Mention]:
    target = parse_evidence_target(pointer)
    if target.artifact_id is not None:
        yield Mention(Evidence(path, pointer, target), subject.surface_of_step(target.step_id))
