"""How the assertions of one kind of probe are run (spec 13, section 4.0), and what those about processes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import ProbeObservation
from eval_quality.artifacts.schema import issues_of

from .instances import Complaint, Rejected, Resolved, build, count_complaint, disposed, settle, thrown
from .model import CommandProbeSubject, ConformanceOutcome, McpProbeSubject, PortSubject

Subject = TypeVar("Subject", bound=PortSubject)
ExpectedCode = Literal["forbidden-target", "budget-exhausted"]
_ECHOED = ("kind", "probeId", "interfaceId", "operationId")


@dataclass(frozen=True)
class ArmAssertion(Generic[Subject]):
    """One assertion: which request it makes, and how the answer is judged.

    ``rejects`` is the code the call must fail with; without one it must return an observation that ``check`` has no
    complaint about. ``calls`` gives the exact number of underlying calls, or a complaint about the subject itself.
    """

    id: str
    title: str
    request: Callable[[Subject], Any]
    rejects: ExpectedCode | None = None
    check: Callable[[Subject, Any], str | None] | None = None
    calls: Callable[[Subject], int | Complaint] | None = None


def unmapped_interface(subject: CommandProbeSubject | McpProbeSubject) -> int | Complaint:
    """No call, if the interface that is presented as unmapped is."""
    interface = subject.unmapped_interface_request["interfaceId"]
    if any(each["interfaceId"] == interface for each in subject.policy["authorizations"]):
        return Complaint(
            "the subject's policy names an authorization for unmappedInterfaceRequest.interfaceId, so the request it "
            "presents as unmapped is mapped"
        )
    return 0


def nothing_to_refuse(field: str, request: Any, what: str) -> Complaint:
    """Of a request of another kind, which has nothing of the sort that is to be refused."""
    told = f'{field} declares a "{request["kind"]}" request, which names no {what} for the policy to refuse'
    return Complaint(told)


async def run_arm(subject: Subject, assertions: Sequence[ArmAssertion[Subject]]) -> list[ConformanceOutcome]:
    """One outcome an assertion, each on a build of its own."""
    return [await _run(subject, assertion) for assertion in assertions]


async def _run(subject: Subject, assertion: ArmAssertion[Subject]) -> ConformanceOutcome:
    built = await build(subject, "resolves")
    if isinstance(built, Complaint):
        return ConformanceOutcome(assertion.id, assertion.title, False, built.text)
    request = assertion.request(subject)
    answer = await settle(built.port(request, AbortSignal()))
    passed, detail = _judge(subject, assertion, request, answer)
    outcome = ConformanceOutcome(assertion.id, assertion.title, passed, detail)
    if assertion.calls is not None:
        expected = assertion.calls(subject)
        complaint = expected if isinstance(expected, Complaint) else count_complaint(built, expected)
        if complaint is not None:
            detail = complaint.text if outcome.passed else f"{outcome.detail}; {complaint.text}"
            outcome = replace(outcome, passed=False, detail=detail)
    (outcome,) = await disposed(built, outcome)
    return outcome


def _judge(
    subject: Subject, assertion: ArmAssertion[Subject], request: Any, answer: Resolved | Rejected
) -> tuple[bool, str]:
    wanted = assertion.rejects
    if wanted is not None:
        if isinstance(answer, Resolved):
            return False, f'resolved instead of rejecting with "{wanted}"'
        if answer.fault is None:
            return False, answer.undeclared
        return answer.fault.code == wanted, f'rejected with code "{answer.fault.code}", expected "{wanted}"'
    if isinstance(answer, Rejected):
        return False, f"rejected with {thrown(answer.error)} instead of returning an observation"
    observation, issues = issues_of(ProbeObservation, answer.value)
    if issues:
        return False, "the resolved value is not a schema-valid ProbeObservation"
    for name in _ECHOED:
        if observation[name] != request[name]:
            return False, (
                f'observed {name} "{observation[name]}" for a request carrying "{request[name]}", so the answer does '
                "not correlate with the question"
            )
    complaint = None if assertion.check is None else assertion.check(subject, observation)
    return complaint is None, complaint or ""
