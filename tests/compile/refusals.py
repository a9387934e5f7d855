"""How the tests of this package read a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.artifacts.eval_contract import EvalContract
from eval_quality.artifacts.schema import parse
from eval_quality.compile import compile_contract
from eval_quality.errors import StructuralFailure
from tests.contracts import Json


def compiled(contract: Json, *, strict: bool = True) -> Json:
    parsed: EvalContract = parse(EvalContract, contract, "EvalContract")
    result: Any = compile_contract(parsed, strict=strict)
    assert result is parsed
    return dict(result)


def refusal(contract: Json, *, strict: bool = True) -> tuple[str, str, str]:
    """Code, path below the contract, and detail of the failure a contract is refused for."""
    with pytest.raises(StructuralFailure) as caught:
        compiled(contract, strict=strict)
    failure = caught.value
    return failure.code, failure.artifact_path.removeprefix("EvalContract."), failure.detail
