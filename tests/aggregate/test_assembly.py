"""An aggregate put together from what the checks would have refused."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.aggregate.agreement import Terms
from eval_quality.aggregate.assembly import assemble
from eval_quality.aggregate.evidence import Member
from eval_quality.errors import PreconditionError
from tests.scored_runs import A, B


def test_an_aggregate_that_is_none_is_a_defect() -> None:
    terms: Any = Terms(A, 1, 0.5, B, "measured", ("mode",), "production")
    member = Member(0, "defect", run_id="", artifact_digest="none", exercised=True, caught=True, comparable=True)
    with pytest.raises(PreconditionError) as raised:
        assemble({"P-001": member}, terms, {}, A)
    assert str(raised.value) == (
        "aggregateStrength(): assembled an aggregate that failed StrengthAggregate validation, "
        'first at "inputs.0.runId"'
    )
    assert [issue.pointer for issue in raised.value.issues] == ["/inputs/0/runId", "/inputs/0/artifactDigest"]
