"""The five commands: read every input, call the application once, say what there is to say, put out the artifact."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from .exit_codes import EXIT_INVALID, EXIT_OK, EXIT_STRICT_CONCERNS
from .files import output_target, read_input, refuse_collision, write_file, write_stderr, write_stdout
from .grammar import InputFlag, Invocation, UsageError
from .inputs import parse_input, read_digested, read_value
from .render import diagnostic_line

if TYPE_CHECKING:
    from eval_quality.scoring import ScoreResult


def run_command(invocation: Invocation) -> int:
    """Run a command that was understood; returns its exit code."""
    command = invocation.command
    out = invocation.values.get("out")
    target = None if out is None else output_target(out, command.kind)
    if target is not None:
        refuse_collision(invocation, target)
    artifact, code = _RUNNERS[command.name](invocation)
    if artifact is not None:
        from eval_quality.canonical import artifact_pieces

        content = artifact_pieces(artifact, command.artifact_path)
        if target is None:
            write_stdout(*content)
        else:
            write_file(target, *content)
    return code


def _value(invocation: Invocation, key: str, default: str | None = None) -> Any:
    """The JSON value of a single input; ``None`` when an optional one was left out."""
    value = invocation.values.get(key, default)
    return None if value is None else read_value(_flag(invocation, key), value)


def _flag(invocation: Invocation, key: str) -> InputFlag:
    return next(flag for flag in invocation.command.inputs if flag.key == key)


def _compile(invocation: Invocation) -> tuple[Any, int]:
    from eval_quality.stages import compile

    return compile(_value(invocation, "in", "-"), strict=invocation.strict_inputs), EXIT_OK


def _seal(invocation: Invocation) -> tuple[Any, int]:
    from eval_quality.stages import seal

    return seal(_value(invocation, "in", "-"), strict=invocation.strict_inputs), EXIT_OK


def _preflight(invocation: Invocation) -> tuple[Any, int]:
    contract, probes, observations = (_value(invocation, flag.key) for flag in invocation.command.inputs)
    from eval_quality.canonical import well_formed
    from eval_quality.stages import preflight

    verdict = preflight(
        contract=contract,
        probes=probes,
        observations=observations,
        run_id=well_formed(invocation.values["run-id"]),
        sink=lambda line: write_stderr(diagnostic_line(line.stage, line.run_id, line.message)),
    )
    return verdict, EXIT_OK if verdict["passed"] else EXIT_INVALID


def _score(invocation: Invocation) -> tuple[Any, int]:
    from eval_quality.sealed_records import SealedRecords

    flag = _flag(invocation, "record")
    records = SealedRecords(_parsed_in_turn(flag, invocation.repeated["record"]), packed=True)
    others = {each.key: _value(invocation, each.key) for each in invocation.command.inputs if each is not flag}
    root = invocation.values.get("corpus-root")
    if root is None and (records.names_private_storage or _has_entries(others["private-manifest"])):
        raise UsageError(
            "--corpus-root is required to resolve a --private-manifest entry or a private-storage "
            "isolationManifestArtifact reference"
        )
    result = _scored(
        root,
        record=records,
        manifest=others["isolation-manifest"],
        configuration=others["evaluator-configuration"],
        contract=others["contract"],
        probe=others["probe"],
        preflight_verdict=others["preflight-verdict"],
        policy=others["policy"],
        private_manifest=others["private-manifest"],
        corpus_digest=invocation.values["corpus-digest"],
        designated_oracle_id=invocation.values.get("designated-oracle"),
    )
    for failure in result.qualification.failures:
        write_stderr(diagnostic_line(failure.code, failure.artifact_path, failure.detail))
    ladder = result.ladder
    if ladder.verdict is None:
        for reason in ladder.basis:
            write_stderr(diagnostic_line("invalid", reason))
    promoted = ladder.verdict == "CONCERNS" and invocation.strict and ladder.strict_promotable
    return result.artifact, EXIT_STRICT_CONCERNS if promoted else ladder.exit_code


def _scored(corpus_root: str | None, **inputs: Any) -> ScoreResult:
    """Score with what is private resolved under a directory; without one there is nothing to wait for."""
    from eval_quality.stages import run_score, score

    if corpus_root is None:
        return score(**inputs)
    import asyncio

    from eval_quality.adapters import create_local_corpus_adapter

    return asyncio.run(run_score(**inputs, port=create_local_corpus_adapter(corpus_root)))


def _parsed_in_turn(flag: InputFlag, values: Iterable[str]) -> Iterator[Any]:
    """The JSON values of a repeatable input, all of which is read first; each is let go when it is parsed."""
    contents = deque((value, read_input(value)) for value in values)
    while contents:
        yield parse_input(flag, *contents.popleft())


def _has_entries(private_manifest: Any) -> bool:
    """Whether a manifest lists anything to be resolved, judged before its parse; what is malformed is left to it."""
    match private_manifest:
        case {"entries": list() | str() as entries} if entries:
            return True
    return False


def _aggregate_strength(invocation: Invocation) -> tuple[Any, int]:
    from eval_quality.aggregate import aggregate_digested

    flag = _flag(invocation, "evidence")

    def evidence() -> Iterator[tuple[Any, str]]:
        for value in invocation.repeated["evidence"]:
            yield read_digested(flag, value)

    aggregate = aggregate_digested(
        evidence(), floors=lambda: _value(invocation, "floors"), policy=lambda: _value(invocation, "policy")
    )
    return aggregate, EXIT_OK


_RUNNERS: Final[dict[str, Callable[[Invocation], tuple[Any, int]]]] = {
    "compile": _compile,
    "seal": _seal,
    "preflight": _preflight,
    "score": _score,
    "aggregate-strength": _aggregate_strength,
}
