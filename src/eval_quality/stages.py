"""The entry points a caller uses: stamp check, parse, stage, artifact (spec 08). They make no decision of their own.

Every function takes untrusted JSON values and returns an artifact as a JSON value; ``eval_quality`` wraps the same
functions with typed models. Stages are imported when called, so that a process pays only for what it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from eval_quality.errors import PreconditionError, RuntimeFault

if TYPE_CHECKING:
    from eval_quality.abort import AbortSignal
    from eval_quality.artifacts.eval_contract import EvalContract
    from eval_quality.artifacts.port_messages import ProbeObservation
    from eval_quality.artifacts.preflight_verdict import PreflightVerdict
    from eval_quality.artifacts.probe import Probe
    from eval_quality.artifacts.sealed_evaluator_brief import SealedEvaluatorBrief
    from eval_quality.ports import CorpusPort, EnvironmentProbePort
    from eval_quality.preflight import PreflightPlan
    from eval_quality.scoring import ScoreResult

__all__ = [
    "Diagnostic",
    "DiagnosticSink",
    "compile",
    "preflight",
    "run_preflight",
    "run_score",
    "score",
    "seal",
]


class Diagnostic(NamedTuple):
    """One line about the progress of a run."""

    run_id: str
    stage: str
    message: str


DiagnosticSink = Callable[[Diagnostic], None]


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
    ``RuntimeFault`` ``schema-parse-failure``. Whether a brief scripts the evaluator is a check of its own
    (``eval_quality.seal.audit_brief_scripting``).
    """
    from eval_quality.seal import seal_contract

    compiled = compile(contract, strict=strict)
    try:
        return seal_contract(compiled)
    except PreconditionError as error:
        detail = f"the contract compiles but cannot be sealed: {error}"
        raise RuntimeFault("schema-parse-failure", "EvalContract", detail) from error


def preflight(
    *, contract: object, probes: object, observations: object, run_id: str, sink: DiagnosticSink | None = None
) -> PreflightVerdict:
    """Judge an environment from observations somebody made (spec 08, section 6).

    ``observations`` are probe observations labelled with the planned leg they answer. A pre-flight that does not pass
    is a returned verdict. Raises ``RuntimeFault`` and ``StructuralFailure`` for inputs that nothing can be planned
    from.
    """
    from eval_quality.artifacts.port_messages import ProbeObservation
    from eval_quality.artifacts.schema import parse
    from eval_quality.preflight import plan_preflight

    parsed = _preflight_inputs(contract, probes)
    answers: list[ProbeObservation] = parse(list[ProbeObservation], observations, "ProbeObservation")
    plan = plan_preflight(*parsed, run_id)
    labels = {answer["probeId"] for answer in answers}
    for leg in plan.legs:
        _tell(sink, run_id, f'leg "{leg.leg_id}": planned')
        _tell(sink, run_id, f'leg "{leg.leg_id}": {"observed" if leg.leg_id in labels else "no observation"}')
    return _reduced(plan, answers, sink)


async def run_preflight(
    *,
    contract: object,
    probes: object,
    run_id: str,
    port: EnvironmentProbePort,
    signal: AbortSignal,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Judge an environment by probing it, one leg after the other (spec 08, section 6).

    A fault of the port stops the run: no later leg is issued. Raises what ``preflight`` raises and the port's faults.
    """
    from eval_quality.ports import invoke_port, probe_parsers
    from eval_quality.preflight import plan_preflight

    plan = plan_preflight(*_preflight_inputs(contract, probes), run_id)
    answers: list[ProbeObservation] = []
    for leg in plan.legs:
        _tell(sink, run_id, f'leg "{leg.leg_id}": planned')
        answer = await invoke_port(
            port.probe,
            leg.request,
            probe_parsers,
            signal,
            request_path="ProbeRequest",
            response_path="ProbeObservation",
        )
        answers.append(answer)
        _tell(sink, run_id, f'leg "{leg.leg_id}": observed')
    return _reduced(plan, answers, sink)


def _tell(sink: DiagnosticSink | None, run_id: str, message: str) -> None:
    if sink is not None:
        sink(Diagnostic(run_id, "preflight", message))


def _preflight_inputs(contract: object, probes: object) -> tuple[EvalContract, list[Probe]]:
    from eval_quality.artifacts.eval_contract import EvalContract
    from eval_quality.artifacts.probe import Probe
    from eval_quality.artifacts.schema import parse
    from eval_quality.stamps import check_contract_stamp, check_probe_stamp

    check_contract_stamp(contract)
    parsed: EvalContract = parse(EvalContract, contract, "EvalContract")
    for probe in probes if isinstance(probes, list) else ():
        check_probe_stamp(probe)
    return parsed, parse(list[Probe], probes, "Probe")


def _reduced(plan: PreflightPlan, answers: list[ProbeObservation], sink: DiagnosticSink | None) -> PreflightVerdict:
    from eval_quality.artifacts.preflight_verdict import PreflightVerdict
    from eval_quality.artifacts.schema import parse
    from eval_quality.preflight import reduce_preflight

    verdict: PreflightVerdict = parse(
        PreflightVerdict,
        reduce_preflight(plan, answers),
        "PreflightVerdict",
        detail="the reduced verdict does not conform to the PreflightVerdict schema",
    )
    ending = "passed" if verdict["passed"] else "failed"
    _tell(sink, plan.run_id, f"reduced {len(plan.legs)} leg(s): {ending}")
    return verdict


def score(
    *,
    record: object,
    manifest: object,
    configuration: object,
    contract: object,
    probe: object,
    preflight_verdict: object,
    policy: object,
    private_manifest: object,
    corpus_digest: object,
    designated_oracle_id: str | None = None,
) -> ScoreResult:
    """Score the sealed records of one probe; nothing private is resolved (spec 08, section 7).

    ``record`` is one record or a list of trials. Raises ``RuntimeFault``, ``DesignatedOracleRefusal``, and
    ``PreconditionError`` for inputs that name a private reference.
    """
    from eval_quality.scoring import ScoringInputs

    inputs = ScoringInputs.read(
        record=record,
        manifest=manifest,
        configuration=configuration,
        contract=contract,
        probe=probe,
        preflight_verdict=preflight_verdict,
        policy=policy,
        private_manifest=private_manifest,
        corpus_digest=corpus_digest,
        designated_oracle_id=designated_oracle_id,
    )
    inputs.refuse_private_references()
    return inputs.score()


async def run_score(
    *,
    record: object,
    manifest: object,
    configuration: object,
    contract: object,
    probe: object,
    preflight_verdict: object,
    policy: object,
    private_manifest: object,
    corpus_digest: object,
    designated_oracle_id: str | None = None,
    port: CorpusPort | None = None,
    signal: AbortSignal | None = None,
) -> ScoreResult:
    """Score as ``score`` does, with a corpus that private references are resolved from and checked against.

    Raises ``RuntimeFault`` ``digest-mismatch`` for bytes that are not what was declared, and the port's own faults.
    """
    from eval_quality.abort import AbortSignal
    from eval_quality.scoring import ScoringInputs

    inputs = ScoringInputs.read(
        record=record,
        manifest=manifest,
        configuration=configuration,
        contract=contract,
        probe=probe,
        preflight_verdict=preflight_verdict,
        policy=policy,
        private_manifest=private_manifest,
        corpus_digest=corpus_digest,
        designated_oracle_id=designated_oracle_id,
    )
    await inputs.check_private_references(port, signal or AbortSignal())
    return inputs.score()
