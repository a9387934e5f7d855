"""The sealed run records of a score, taken in one at a time (spec 08, section 7).

A record is checked when it is taken in and gone through again when it is scored. In between it may be kept packed, which
is a tenth of what it takes as a value. What is wrong with a record cannot be raised when it is met, because a stale stamp
of any record is told before one that does not parse. So it is kept until its turn comes.
"""

from __future__ import annotations

import marshal  # packs what this very process will unpack
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, NamedTuple, cast

from eval_quality.artifacts.artifact_reference import ArtifactReference
from eval_quality.artifacts.constraints import NON_EMPTY
from eval_quality.artifacts.schema import issues_of
from eval_quality.artifacts.sealed_run_record import SealedRunRecord
from eval_quality.errors import Issue, RuntimeFault
from eval_quality.ingest import unscored_judge_results
from eval_quality.stamps import check_record_stamp

_Records: Final = Annotated[list[SealedRunRecord], NON_EMPTY]


class SealedTrial(NamedTuple):
    """What is known of a record that conforms before it is scored."""

    trial_index: int
    evaluator_configuration_digest: str
    isolation_manifest: ArtifactReference
    has_unscored_judge_result: bool
    kept: SealedRunRecord | bytes


class SealedRecords:
    """Records of the trials of a run. Going through them gives each in normal form, by ascending trial."""

    def __init__(self, records: Iterable[object], *, packed: bool = False, listed: bool = True) -> None:
        """Take in raw records, once and in order; what their source raises passes through.

        ``packed`` keeps them so until they are asked for. One that is not ``listed`` is told without its position.
        """
        self._packed = packed
        self._listed = listed
        self._stale: RuntimeFault | None = None
        self._issues: list[Issue] = []
        self.trials: list[SealedTrial] = []
        """By ascending trial, those of one trial in the order given."""
        self.names_private_storage = False
        """Whether any raw record, conforming or not, says that its isolation manifest is kept elsewhere."""
        count = 0
        for count, record in enumerate(records, start=1):
            self._take(record, count - 1)
        if not count:
            self._issues += issues_of(_Records, [])[1]
        self.trials.sort(key=lambda trial: trial.trial_index)

    @classmethod
    def of(cls, record: object) -> SealedRecords:
        """The records that an argument stands for: a list of trials, or anything else for the only one."""
        match record:
            case SealedRecords():
                return record
            case list():
                return cls(record)
            case _:
                return cls([record], listed=False)

    def _take(self, record: Any, position: int) -> None:
        self.names_private_storage |= _names_private_storage(record)
        if self._stale is not None:
            return
        try:
            check_record_stamp(record, position)
        except RuntimeFault as fault:
            self._stale = fault
            return
        conforming, issues = issues_of(SealedRunRecord, record)
        place = f"/{position}" if self._listed else ""
        self._issues += (Issue(place + issue.pointer, issue.message) for issue in issues)
        if not self._issues:
            self.trials.append(
                SealedTrial(
                    conforming["trialIndex"],
                    conforming["evaluatorConfigurationDigest"],
                    conforming["isolationManifestArtifact"],
                    bool(unscored_judge_results(conforming)),
                    _pack(conforming) if self._packed else conforming,
                )
            )

    def check(self) -> None:
        """Raise ``RuntimeFault`` (``schema-version-mismatch``, then ``schema-parse-failure``) for what is wrong."""
        if self._stale is not None:
            raise self._stale
        if self._issues:
            path = "SealedRunRecord[]" if self._listed else "SealedRunRecord"
            detail = f"input does not conform to the {path} schema"
            raise RuntimeFault("schema-parse-failure", path, detail, issues=tuple(self._issues))

    def __iter__(self) -> Iterator[SealedRunRecord]:
        for trial in self.trials:
            yield marshal.loads(trial.kept) if isinstance(trial.kept, bytes) else trial.kept


def _pack(record: Any) -> SealedRunRecord | bytes:
    try:
        return marshal.dumps(record)
    except ValueError:  # nested deeper than it can pack
        return cast(SealedRunRecord, record)


def _names_private_storage(record: Any) -> bool:
    reference = record.get("isolationManifestArtifact") if isinstance(record, dict) else None
    return isinstance(reference, dict) and reference.get("storage") == "private"
