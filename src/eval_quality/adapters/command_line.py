"""The command-line adapter: an environment probe that runs authorised commands (spec 12, section 4).

Order: only ``cli`` requests; the policy's decision; the environment, key by key; then, and only then, the launch.
A target that ends by itself is observed, whatever its exit code; a cap is ``budget-exhausted``.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Iterator
from typing import Any, Final

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.bodies import ProbeRequestStdin
from eval_quality.artifacts.port_messages import CommandProbeRequest, ProbeObservation, ProbeRequest
from eval_quality.artifacts.target_policies import CommandTargetAuthorization, CommandTargetPolicy
from eval_quality.canonical import JsonSyntaxError, read_json
from eval_quality.errors import ForbiddenTargetReason, RuntimeFault
from eval_quality.json_text import json_text, plain_text, utf8

from .mechanisms import ArtifactText, CommandMechanism, CommandRunRequest, CommandRunResult
from .opening import without_waiting
from .probing import forbidden, host_path, probe_method

_CHUNK: Final = 1 << 20


class _SubprocessMechanism:
    """The real thing; ``command_run`` is imported when the first command runs."""

    async def run(self, request: CommandRunRequest, signal: AbortSignal) -> CommandRunResult:
        from .command_run import run_command

        return await run_command(request, signal)

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactText:
        return await asyncio.to_thread(_read_artifact, path, max_bytes)


def _read_artifact(path: str, max_bytes: int) -> ArtifactText:
    content = bytearray()
    try:
        with open(path, "rb", buffering=0, opener=without_waiting) as file:
            while len(content) <= max_bytes and (chunk := file.read(min(_CHUNK, max_bytes + 1 - len(content)))):
                content += chunk
    except FileNotFoundError:
        return ArtifactText(present=False)
    if len(content) > max_bytes:
        return ArtifactText(present=True, truncated=True)
    return ArtifactText(present=True, text=content.decode("utf-8", "replace"))


subprocess_mechanism: CommandMechanism = _SubprocessMechanism()


class CommandLineAdapter:
    """An ``EnvironmentProbePort`` over commands."""

    def __init__(self, policy: CommandTargetPolicy, mechanism: CommandMechanism) -> None:
        self._policy = policy
        self._mechanism = mechanism
        self._probe = probe_method("cli", self._run, _observed)

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """Run the requested command; raises ``RuntimeFault`` (see the module's docstring)."""
        observation: ProbeObservation = await self._probe(request, signal)
        return observation

    async def _run(
        self, request: CommandProbeRequest, signal: AbortSignal
    ) -> tuple[CommandRunResult, dict[str, ArtifactText]]:
        authorization = authorize_command(self._policy, request)
        channels = request["channels"]
        run = CommandRunRequest(
            target=authorization["target"],
            subcommand_path=tuple(request["subcommandPath"]),
            argv=(*option_words(channels["option"]), *argument_words(channels["argument"])),
            env=_environment(channels["environment"], authorization),
            stdin=_stdin(channels["stdin"]),
            cwd=authorization["cwd"],
            max_elapsed_ms=authorization["maxElapsedMs"],
            max_output_bytes=authorization["maxOutputBytes"],
        )
        try:
            result = await self._mechanism.run(run, signal)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            raise RuntimeFault(
                "port-failure",
                "ProbeObservation",
                "the operating system refused the launch for the size of its arguments and environment (E2BIG)",
                port_failure_reason="launch-too-large",
            ) from error
        return result, await self._artifacts(authorization)

    async def _artifacts(self, authorization: CommandTargetAuthorization) -> dict[str, ArtifactText]:
        limit = authorization["maxOutputBytes"]

        async def read(name: str, path: str) -> ArtifactText:
            place = os.path.normpath(os.path.join(os.path.abspath(authorization["cwd"]), path))
            artifact = await self._mechanism.read_artifact(place, limit)
            if artifact.truncated:
                detail = f'artifact "{name}" exceeded maxOutputBytes ({limit})'
                raise RuntimeFault("budget-exhausted", "CommandProbeRequest", detail)
            return artifact

        try:
            async with asyncio.TaskGroup() as group:
                reading = {
                    name: group.create_task(read(name, path)) for name, path in authorization["artifacts"].items()
                }
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return {name: task.result() for name, task in reading.items()}


def create_command_line_adapter(
    policy: CommandTargetPolicy, mechanism: CommandMechanism = subprocess_mechanism
) -> CommandLineAdapter:
    """An environment probe that runs the commands a policy authorises, and no others.

    ``policy`` is taken as it is: read one from disk with ``parse_command_target_policy``. Every call runs in a session
    of its own, without a shell, with the host's ``PATH`` and the authorised environment only, and leaves nothing behind
    when it is cut short.
    """
    return CommandLineAdapter(policy, mechanism)


def authorize_command(policy: CommandTargetPolicy, request: CommandProbeRequest) -> CommandTargetAuthorization:
    """The first authorization that lets this command run; raises ``forbidden-target`` with its reason otherwise."""
    interface, executable = request["interfaceId"], request["executable"]
    of_interface = [each for each in policy["authorizations"] if each["interfaceId"] == interface]
    of_both = [each for each in of_interface if each["executable"] == executable]
    if not of_both:
        reason: ForbiddenTargetReason = "executable-not-authorized" if of_interface else "interface-not-authorized"
        detail = f'no authorization names interface "{interface}" and executable "{executable}" together'
        raise forbidden(reason, detail)
    wanted = request["subcommandPath"]
    for authorization in of_both:
        if wanted in authorization["permittedSubcommandPaths"]:
            return authorization
    raise forbidden(
        "subcommand-not-authorized",
        f"subcommand path [{', '.join(wanted)}] is not among the authorized paths for interface "
        f'"{interface}" and executable "{executable}"',
    )


def option_words(options: dict[str, Any]) -> Iterator[str]:
    """``--key value`` words: false says nothing, true only the key, an array repeats the key."""
    for key, value in options.items():
        if isinstance(value, list):
            for each in value:
                yield f"--{key}"
                yield plain_text(each)
        elif value is not False:
            yield f"--{key}"
            if value is not True:
                yield plain_text(value)


def argument_words(arguments: dict[str, Any]) -> Iterator[str]:
    """Positional words; an array gives one word an element."""
    for value in arguments.values():
        yield from map(plain_text, value if isinstance(value, list) else [value])


def _environment(declared: dict[str, str], authorization: CommandTargetAuthorization) -> dict[str, str]:
    for key in declared:
        if key.upper() == "PATH":
            detail = 'environment key "PATH" is never permitted: it would choose which binary runs'
            raise forbidden("environment-key-not-authorized", detail)
        if key not in authorization["permittedEnvironmentKeys"]:
            detail = f'environment key "{key}" is not permitted by this authorization'
            raise forbidden("environment-key-not-authorized", detail)
    return host_path() | declared


def _stdin(body: ProbeRequestStdin) -> bytes:
    match body:
        case {"kind": "json", "value": value}:
            return utf8(json_text(value))
        case {"kind": "text", "value": str(text)}:
            return utf8(text)
        case _:
            return b""


def _observed(raw: tuple[CommandRunResult, dict[str, ArtifactText]]) -> dict[str, Any]:
    result, artifacts = raw
    return {
        "exitCode": result.exit_code,
        "stdout": observed_body(result.stdout),
        "stderr": observed_body(result.stderr),
        "artifacts": {
            name: observed_body(artifact.text) if artifact.present else {"kind": "absent"}
            for name, artifact in artifacts.items()
        },
    }


def observed_body(text: str) -> dict[str, Any]:
    """Text as a body: JSON when it is a JSON document, else text as it came."""
    try:
        return {"kind": "json", "value": read_json(text)}
    except JsonSyntaxError:
        return {"kind": "text", "value": text}
