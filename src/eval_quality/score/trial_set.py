"""Are the trials of a set trials of one run? (spec 09, section 17.5)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.canonical import digest_artifact
from eval_quality.ingest import ValidatedObservations

_SHARED: Final = (
    ("evaluatorConfigurationDigest", "evaluator_configuration_digest"),
    ("mode", "mode"),
    ("evaluatorRecommendation", "evaluator_recommendation"),
    ("runId", "run_id"),
)
"""What every trial has in common with the first."""


def trial_set_disagreements(contract: EvalContract, trials: Sequence[ValidatedObservations]) -> list[str]:
    """Every way in which trials are not of one run; nothing for no trials.

    Raises ``RuntimeFault`` ``non-canonicalizable-value`` for a contract that has no digest.
    """
    return list(_disagreements(contract, trials)) if trials else []


def _disagreements(contract: EvalContract, trials: Sequence[ValidatedObservations]) -> Iterator[str]:
    computed = digest_artifact(contract, "EvalContract")
    first = trials[0]
    for trial in trials:
        if trial.contract_digest != computed:
            yield (
                f'contractDigest: trial {trial.trial_index} = "{trial.contract_digest}", supplied EvalContract = '
                f'"{computed}"'
            )
        for name, attribute in _SHARED if trial is not first else ():
            ours, theirs = getattr(first, attribute), getattr(trial, attribute)
            if ours != theirs:
                yield f'{name}: trial {first.trial_index} = "{ours}", trial {trial.trial_index} = "{theirs}"'
    seen: set[int] = set()
    for trial in trials:
        if trial.trial_index in seen:
            yield f"trialIndex: duplicate value {trial.trial_index}"
        seen.add(trial.trial_index)
