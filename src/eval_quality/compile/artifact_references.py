"""Artifacts a contract speaks of are artifacts some operation declares that it writes (spec 05, section 5.3; AD-19,
AD-26)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from eval_quality.errors import StructuralFailure

from .paths import operation_path, oracle_path, rubric_path
from .sites import Evidence

if TYPE_CHECKING:
    from .subject import Subject
    from .surface import Surface


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
    for evidence, surface_of in _evidence(subject):
        target = evidence.target
        source = None if target.artifact_id is None else surface_of(target.step_id)
        if source is not None and target.artifact_id not in source.artifacts:
            yield StructuralFailure(
                "unresolved-artifact-reference",
                evidence.path,
                f'"{evidence.pointer}" names the "{target.artifact_id}" artifact, which {source.named} does not declare it '
                "writes (AD-26)",
            )


def _evidence(subject: Subject) -> Iterator[tuple[Evidence, Callable[[str], Surface | None]]]:
    """Every interaction-rooted pointer of the contract, with what tells the operation behind its step.

    Each oracle's check and direction, then the criteria of the rubrics, then the relations of the witnesses.
    """
    of_step = subject.surface_of_step
    for oracle, site in subject.oracles:
        yield from ((evidence, of_step) for evidence in (site.evidence if site else ()))
        path = f"{oracle_path(oracle['id'])}.direction.evidenceTargets"
        for position, pointer in enumerate(oracle["direction"]["evidenceTargets"] if oracle["direction"] else ()):
            yield Evidence.at(f"{path}[{position}]", pointer), of_step
    for rubric in subject.contract["rubrics"]:
        for criterion in rubric["criteria"]:
            path = f"{rubric_path(rubric['id'])}.criteria[id={criterion['id']}].evidence"
            yield Evidence.at(path, criterion["evidence"]), of_step
    for site in subject.witness_sites:
        yield from ((evidence, site.surface_of) for evidence in site.evidence)
