"""What an environment probe over MCP tools is held to (spec 13, section 6)."""

from __future__ import annotations

from typing import Any, Final

from eval_quality.artifacts.target_policies import McpTargetAuthorization
from eval_quality.json_text import json_text

from .arms import ArmAssertion, nothing_to_refuse, unmapped_interface
from .instances import Complaint
from .model import McpProbeSubject


def _authorization(subject: McpProbeSubject, request: Any) -> McpTargetAuthorization | None:
    interface = request["interfaceId"]
    return next((each for each in subject.policy["authorizations"] if each["interfaceId"] == interface), None)


def _unauthorized_tool(subject: McpProbeSubject) -> int | Complaint:
    request = subject.unauthorized_tool_request
    if request["kind"] != "mcp":
        return nothing_to_refuse("unauthorizedToolRequest", request, "tool")
    authorization = _authorization(subject, request)
    if authorization is None:
        return Complaint(
            "the subject's policy names no authorization for unauthorizedToolRequest.interfaceId, so this case cannot "
            "tell an unmapped interface from an unauthorized tool"
        )
    if request["toolName"] in authorization["tools"]:
        return Complaint(
            f'the subject\'s policy permits tool "{request["toolName"]}" on interface '
            f'"{request["interfaceId"]}", so the request it presents as unauthorized is authorized'
        )
    return 0


def _structured(observation: Any) -> dict[str, Any] | None:
    result = observation["result"]
    value = result.get("value") if result["kind"] == "json" else None
    return value if isinstance(value, dict) else None


def _reports_an_error(subject: McpProbeSubject, observation: Any) -> str | None:
    wanted = "expected the envelope's error flag set"
    if observation["kind"] != "mcp":
        return f'observed an observation of kind "{observation["kind"]}", {wanted}'
    if not observation["isError"]:
        return f"observed a tool call reporting no error, {wanted}"
    if observation["result"]["kind"] == "absent":
        return (
            "the error came back on an absent result channel; errorResultRequest has to name a tool whose failure "
            "carries structured content, since a tool that publishes none looks the same here as an adapter that "
            "dropped it"
        )
    return None


def _echoes_the_argument(subject: McpProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "mcp":
        return f'observed an observation of kind "{observation["kind"]}", expected a tool call'
    structured = _structured(observation)
    if structured is None:
        return "the observation carries no structured result to read the received argument from"
    key = subject.argument_echo_result_key
    if key in structured and structured[key] == subject.argument_echo_value:
        return None
    told = json_text(structured[key]) if key in structured else "undefined"
    return f'the tool reported receiving {told} on "{key}", expected the declared literal'


def _carries_the_result(subject: McpProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "mcp":
        return f'observed an observation of kind "{observation["kind"]}", expected a tool call'
    structured = _structured(observation)
    if structured is None:
        return (
            f"the result channel carried {json_text(observation['result'])}, expected the structured result "
            f"carrying {json_text(list(subject.structured_result_keys))}"
        )
    missing = [key for key in subject.structured_result_keys if key not in structured]
    return f"the result channel is missing {json_text(missing)}" if missing else None


MCP_ASSERTIONS: Final[tuple[ArmAssertion[McpProbeSubject], ...]] = (
    ArmAssertion(
        "mcp/allow-authorized-tool-call",
        "an explicitly authorized tool call reaches its server and is observed",
        lambda subject: subject.authorized_request,
    ),
    ArmAssertion(
        "mcp/observe-error-result",
        "a tool-reported error from an authorized server is an observation, not a fault",
        lambda subject: subject.error_result_request,
        check=_reports_an_error,
    ),
    ArmAssertion(
        "mcp/deny-unmapped-interface",
        "an interface no authorization names is refused before a server process starts",
        lambda subject: subject.unmapped_interface_request,
        rejects="forbidden-target",
        calls=unmapped_interface,
    ),
    ArmAssertion(
        "mcp/deny-unauthorized-tool",
        "a tool outside the authorized list is refused before a server process starts",
        lambda subject: subject.unauthorized_tool_request,
        rejects="forbidden-target",
        calls=_unauthorized_tool,
    ),
    ArmAssertion(
        "mcp/arguments-passed-as-declared",
        "a declared argument value reaches the tool byte for byte",
        lambda subject: subject.argument_echo_request,
        check=_echoes_the_argument,
    ),
    ArmAssertion(
        "mcp/observe-declared-result-channel",
        "the tool's structured result is carried on the channel its descriptor describes",
        lambda subject: subject.structured_result_request,
        check=_carries_the_result,
    ),
    ArmAssertion(
        "mcp/cap-elapsed",
        "a session past maxElapsedMs is capped, not left running for the caller",
        lambda subject: subject.over_elapsed_request,
        rejects="budget-exhausted",
    ),
    ArmAssertion(
        "mcp/cap-result-bytes",
        "a result past maxOutputBytes is capped, not returned in part",
        lambda subject: subject.over_result_bytes_request,
        rejects="budget-exhausted",
    ),
)
