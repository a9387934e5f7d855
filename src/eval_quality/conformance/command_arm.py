"""What an environment probe over commands is held to (spec 13, section 5)."""

from __future__ import annotations

from typing import Any, Final

from eval_quality.artifacts.target_policies import CommandTargetAuthorization
from eval_quality.json_text import json_text

from .arms import ArmAssertion, nothing_to_refuse, unmapped_interface
from .instances import Complaint
from .model import CommandProbeSubject


def _authorization(subject: CommandProbeSubject, request: Any) -> CommandTargetAuthorization | None:
    wanted = (request["interfaceId"], request["executable"])
    authorizations = subject.policy["authorizations"]
    return next((each for each in authorizations if (each["interfaceId"], each["executable"]) == wanted), None)


def _unmapped_executable(subject: CommandProbeSubject) -> int | Complaint:
    request = subject.unmapped_executable_request
    if request["kind"] != "cli":
        return nothing_to_refuse("unmappedExecutableRequest", request, "executable")
    if _authorization(subject, request) is not None:
        return Complaint(
            "the subject's policy pairs unmappedExecutableRequest's interface with its executable, so the pair it "
            "presents as unmapped is mapped"
        )
    return 0


def _unauthorized_subcommand(subject: CommandProbeSubject) -> int | Complaint:
    request = subject.unauthorized_subcommand_request
    if request["kind"] != "cli":
        return nothing_to_refuse("unauthorizedSubcommandRequest", request, "subcommand path")
    authorization = _authorization(subject, request)
    if authorization is None:
        return Complaint(
            "the subject's policy names no authorization for unauthorizedSubcommandRequest's interface and "
            "executable, so this case cannot tell an unmapped pair from an unauthorized subcommand"
        )
    if request["subcommandPath"] in authorization["permittedSubcommandPaths"]:
        return Complaint(
            f"the subject's policy permits subcommand path {json_text(request['subcommandPath'])}, so the request "
            "it presents as unauthorized is authorized"
        )
    return 0


def _unauthorized_environment_key(subject: CommandProbeSubject) -> int | Complaint:
    request = subject.unauthorized_environment_key_request
    if request["kind"] != "cli":
        return nothing_to_refuse("unauthorizedEnvironmentKeyRequest", request, "environment key")
    authorization = _authorization(subject, request)
    if authorization is None:
        return Complaint(
            "the subject's policy names no authorization for unauthorizedEnvironmentKeyRequest's interface and "
            "executable, so this case cannot tell an unmapped pair from an unauthorized environment key"
        )
    declared = request["channels"]["environment"]
    if not declared:
        return Complaint(
            "unauthorizedEnvironmentKeyRequest declares no environment key, so the policy has none to refuse"
        )
    if all(key in authorization["permittedEnvironmentKeys"] for key in declared):
        return Complaint(
            "the subject's policy permits every environment key unauthorizedEnvironmentKeyRequest declares, so the "
            "request it presents as unauthorized is authorized"
        )
    return 0


def _exits_non_zero(subject: CommandProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "cli":
        return f'observed an observation of kind "{observation["kind"]}", expected a non-zero exit'
    return "observed exit code 0, expected a non-zero exit" if observation["exitCode"] == 0 else None


def _argument_is_literal(subject: CommandProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "cli" or observation["stdout"]["kind"] != "json":
        return "the observation carries no parsed stdout to check the received argument against"
    parsed = observation["stdout"]["value"]
    argv = parsed.get("argv") if isinstance(parsed, dict) else None
    received = argv if isinstance(argv, list) else []
    if received == [subject.injection_argument_value]:
        return None
    wanted = "expected exactly one element equal to the declared literal"
    return f"the process observed argv {json_text(received)}, {wanted}"


def _artifact_is_captured(subject: CommandProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "cli":
        return "the observation is not a command observation"
    body = observation["artifacts"].get(subject.artifact_id)
    if body == {"kind": "text", "value": subject.artifact_expected_text}:
        return None
    told = "undefined" if body is None else json_text(body)
    return f'artifacts["{subject.artifact_id}"] was {told}, expected the fixture\'s declared text'


COMMAND_ASSERTIONS: Final[tuple[ArmAssertion[CommandProbeSubject], ...]] = (
    ArmAssertion(
        "command/allow-authorized-invocation",
        "an explicitly authorized command runs and is observed",
        lambda subject: subject.authorized_request,
    ),
    ArmAssertion(
        "command/observe-nonzero-exit",
        "a non-zero exit from an authorized command is an observation, not a fault",
        lambda subject: subject.non_zero_exit_request,
        check=_exits_non_zero,
    ),
    ArmAssertion(
        "command/deny-unmapped-interface",
        "an interface no authorization names is refused before a process spawns",
        lambda subject: subject.unmapped_interface_request,
        rejects="forbidden-target",
        calls=unmapped_interface,
    ),
    ArmAssertion(
        "command/deny-unmapped-executable",
        "an executable the interface is never paired with is refused before a process spawns",
        lambda subject: subject.unmapped_executable_request,
        rejects="forbidden-target",
        calls=_unmapped_executable,
    ),
    ArmAssertion(
        "command/deny-unauthorized-subcommand",
        "a subcommand path outside the authorized set is refused before a process spawns",
        lambda subject: subject.unauthorized_subcommand_request,
        rejects="forbidden-target",
        calls=_unauthorized_subcommand,
    ),
    ArmAssertion(
        "command/deny-unauthorized-environment-key",
        "an environment key outside the authorized set is refused before a process spawns",
        lambda subject: subject.unauthorized_environment_key_request,
        rejects="forbidden-target",
        calls=_unauthorized_environment_key,
    ),
    ArmAssertion(
        "command/argument-passed-literally",
        "a shell-metacharacter argument reaches the process as one unmodified literal token, never a shell expansion",
        lambda subject: subject.injection_request,
        check=_argument_is_literal,
    ),
    ArmAssertion(
        "command/capture-declared-artifact",
        "a declared artifact identifier reads the file the run wrote, keyed by the operation's own identifier",
        lambda subject: subject.artifact_request,
        check=_artifact_is_captured,
    ),
    ArmAssertion(
        "command/cap-elapsed",
        "a process past maxElapsedMs is capped, not left to finish",
        lambda subject: subject.over_elapsed_request,
        rejects="budget-exhausted",
    ),
    ArmAssertion(
        "command/cap-output-bytes",
        "output past maxOutputBytes is capped, not silently truncated and returned",
        lambda subject: subject.over_output_request,
        rejects="budget-exhausted",
    ),
)
