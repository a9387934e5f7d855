"""The quotation audit: do quoted words occur in the evidence a finding cites? (spec 09, section 6)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.bodies import ProbeObservedBody
from eval_quality.artifacts.pointers import EvidenceChannelName
from eval_quality.artifacts.sealed_run_record import DefectFinding, Finding, Observation, QuotedEvidence
from eval_quality.canonical import number_text, serialize, utf16_key, utf16_units
from eval_quality.canonical.domain import is_well_formed

_FIELDS: Final[Mapping[EvidenceChannelName, str]] = {
    "response-body": "responseBody",
    "response-headers": "responseHeaders",
    "response-status": "responseStatus",
    "exit-code": "exitCode",
    "call-inputs": "callInputs",
}


class UnwitnessedQuotation(NamedTuple):
    """Quoted words that none of the cited observations holds on the channel they were quoted from."""

    finding_id: str
    quote_index: int
    channel: EvidenceChannelName
    quote: str
    cited_observation_ids: tuple[str, ...]


def project_channel(
    observation: Observation, channel: EvidenceChannelName, artifact_path: str, artifact_id: str | None = None
) -> str | None:
    """What a channel recorded, as the text that quotations are looked for in; ``None`` where nothing was recorded.

    JSON is projected as its canonical text. Raises ``RuntimeFault`` ``non-canonicalizable-value`` at ``artifact_path``.
    """
    recorded = cast(Mapping[str, Any], observation)
    if channel in ("stdout", "stderr"):
        return _body_text(recorded[channel], artifact_path)
    if channel == "artifact":
        body = None if artifact_id is None else observation["artifacts"].get(artifact_id)
        return None if body is None else _body_text(body, artifact_path)
    value = recorded[_FIELDS[channel]]
    if value is None:
        return None
    return number_text(value) if channel in ("response-status", "exit-code") else serialize(value, artifact_path)


def _body_text(body: ProbeObservedBody, artifact_path: str) -> str | None:
    match body:
        case {"kind": "text", "value": str(text)}:
            return text
        case {"kind": "json", "value": value}:
            return serialize(value, artifact_path)
    return None


def audit_quotation(observations: Sequence[Observation], findings: Sequence[Finding]) -> list[UnwitnessedQuotation]:
    """Every quotation of a defect finding that no observation it cites bears out, sorted.

    Observations that share an identifier all count. Raises ``RuntimeFault`` ``non-canonicalizable-value`` at the first
    finding for which evidence has to be read that is outside the domain.
    """
    evidence = _Evidence(observations)
    unwitnessed = [
        quotation
        for finding in findings
        if finding["findingType"] == "defect"
        for quotation in _unwitnessed(finding, evidence)
    ]
    unwitnessed.sort(
        key=lambda each: (
            utf16_key(each.finding_id),
            each.quote_index,
            each.channel,
            utf16_key(each.quote),
            utf16_key("\0".join(each.cited_observation_ids)),
        )
    )
    return unwitnessed


class _Evidence:
    """The observations of a record by identifier, each channel of them projected once."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        self._observations = observations
        self._texts: dict[tuple[int, EvidenceChannelName, str | None], str | None] = {}
        self.positions: dict[str, list[int]] = defaultdict(list)
        for position, observation in enumerate(observations):
            self.positions[observation["observationId"]].append(position)

    def text(self, position: int, quoted: QuotedEvidence, artifact_path: str) -> str | None:
        key = (position, quoted["channel"], quoted["artifactId"])
        if key not in self._texts:
            observation = self._observations[position]
            self._texts[key] = project_channel(observation, quoted["channel"], artifact_path, quoted["artifactId"])
        return self._texts[key]


def _unwitnessed(finding: DefectFinding, evidence: _Evidence) -> Iterator[UnwitnessedQuotation]:
    cited = tuple(each for each in sorted(set(finding["observationIds"]), key=utf16_key) if each in evidence.positions)
    positions = [position for observation_id in cited for position in evidence.positions[observation_id]]
    path = f"SealedRunRecord.findings[findingId={finding['findingId']}]"
    for index, quoted in enumerate(finding["quotedEvidence"]):
        texts = (evidence.text(position, quoted, path) for position in positions)
        if not any(text is not None and _occurs(quoted["quote"], text) for text in texts):
            yield UnwitnessedQuotation(finding["findingId"], index, quoted["channel"], quoted["quote"], cited)


def _occurs(quote: str, text: str) -> bool:
    """Whether a quotation is part of a text, unit by UTF-16 unit: a lone surrogate is found in half of a pair."""
    if quote in text:
        return True
    holds_a_half = not (is_well_formed(quote) and is_well_formed(text))
    return holds_a_half and utf16_units(quote) in utf16_units(text)
