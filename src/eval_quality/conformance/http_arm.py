"""What an environment probe over HTTP is held to (spec 13, section 4)."""

from __future__ import annotations

from typing import Any, Final

from .arms import ArmAssertion
from .instances import Complaint
from .model import ProbeSubject


def _no_calls(subject: ProbeSubject) -> int:
    return 0


def _redirects_allowed(subject: ProbeSubject) -> int | Complaint:
    interface = subject.over_redirect_request["interfaceId"]
    for authorization in subject.policy["authorizations"]:
        if authorization["interfaceId"] == interface:
            return authorization["maxRedirects"] + 1
    return Complaint(
        "the subject's policy names no authorization for overRedirectRequest.interfaceId, so maxRedirects is unknown"
    )


def _is_status_500(subject: ProbeSubject, observation: Any) -> str | None:
    if observation["kind"] != "api":
        return f'observed an observation of kind "{observation["kind"]}", expected status 500'
    return None if observation["status"] == 500 else f"observed status {observation['status']}, expected status 500"


HTTP_ASSERTIONS: Final[tuple[ArmAssertion[ProbeSubject], ...]] = (
    ArmAssertion(
        "probe/allow-authorized-loopback",
        "an explicitly authorized target is reached and observed",
        lambda subject: subject.authorized_request,
    ),
    ArmAssertion(
        "probe/observe-anomalous-status",
        "a 500 from an authorized target is an observation, not a fault",
        lambda subject: subject.faulting_request,
        check=_is_status_500,
    ),
    ArmAssertion(
        "probe/deny-unmapped-interface",
        "an interface the mapping does not name is refused before a packet leaves",
        lambda subject: subject.unmapped_request,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-unauthorized-loopback",
        "a loopback address no authorization names is denied",
        lambda subject: subject.denied_address_requests.loopback,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-private",
        "a private RFC 1918 address is denied",
        lambda subject: subject.denied_address_requests.private,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-link-local",
        "a link-local address is denied",
        lambda subject: subject.denied_address_requests.link_local,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-metadata",
        "a cloud metadata address is denied",
        lambda subject: subject.denied_address_requests.metadata,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-unauthorized-method",
        "a method the authorization does not list is denied",
        lambda subject: subject.unauthorized_method_request,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-unauthorized-scheme",
        "a scheme the authorization does not name is denied",
        lambda subject: subject.unauthorized_scheme_request,
        rejects="forbidden-target",
        calls=_no_calls,
    ),
    ArmAssertion(
        "probe/deny-on-redirect",
        "a redirect to a denied target is revalidated and refused",
        lambda subject: subject.redirecting_request,
        rejects="forbidden-target",
        calls=lambda subject: 1,
    ),
    ArmAssertion(
        "probe/cap-redirects",
        "a chain of authorized redirects past maxRedirects is capped",
        lambda subject: subject.over_redirect_request,
        rejects="budget-exhausted",
        calls=_redirects_allowed,
    ),
    ArmAssertion(
        "probe/cap-response-bytes",
        "a response past maxResponseBytes is a cap, not a policy denial",
        lambda subject: subject.oversize_response_request,
        rejects="budget-exhausted",
    ),
    ArmAssertion(
        "probe/cap-elapsed",
        "a response past maxElapsedMs is a cap, not an abort",
        lambda subject: subject.slow_request,
        rejects="budget-exhausted",
    ),
)
