"""The entry points a caller uses: stamp check, parse, stage, artifact (spec 08). They make no decision of their own.

Every function takes untrusted JSON values and returns an artifact as a JSON value; ``eval_quality`` wraps the same
functions with typed models. Stages are imported when called, so that a process pays only for what it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval_quality.errors import PreconditionError, RuntimeFault

if TYPE_CHECKING:
    from eval_quality.artifacts.eval_contract import EvalContract
    from eval_quality.artifacts.sealed_evaluator_brief import SealedEvaluatorBrief

__all__ = ["compile", "seal"]


def compile(contract: object, *, strict: bool = True) -> EvalContract:
    """Check a contract against the schema and every discipline rule; returns it in normal form (spec 08, section 5).

    ``strict`` adds the rules on undeclared inputs. Raises ``RuntimeFault`` (``schema-version-mismatch``,
    ``schema-parse-failure``) for what is no contract and ``StructuralFailure`` for one that breaks a rule.
    """
    from eval_quality.artifacts.eval_contract import EvalContract
    from eval_quality.artifacts.schema import parse
    from eval_quality.compile import compile_contract
    from eval_quality.stamps import check_contract_stamp

    check_contract_stamp(contract)
    parsed: EvalContract = parse(EvalContract, contract, "EvalContract")
    return compile_contract(parsed, strict=strict)


def seal(contract: object, *, strict: bool = True) -> SealedEvaluatorBrief:
    """Compile a contract and seal it into the brief an evaluator is given (spec 08, section 5).

    Raises what ``compile`` raises; a contract that compiles and still cannot be told without its answers is a
    ``RuntimeFault`` ``schema-parse-failure``, and a brief that scripts the evaluator a ``StructuralFailure``.
    """
    from eval_quality.seal import seal_contract

    compiled = compile(contract, strict=strict)
    try:
        return seal_contract(compiled)
    except PreconditionError as error:
        detail = f"the contract compiles but cannot be sealed: {error}"
        raise RuntimeFault("schema-parse-failure", "EvalContract", detail) from error
