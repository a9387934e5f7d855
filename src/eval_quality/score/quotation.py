"""The quotation audit: do quoted words occur in the evidence a finding cites? (spec 09, section 6)

Part of judging a record, so ingest runs it; it lives with scoring because what counts as witnessed is scoring's word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from struct import unpack
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.bodies import ProbeObservedBody
from eval_quality.artifacts.pointers import EvidenceChannelName
from eval_quality.artifacts.sealed_run_record import DefectFinding, Finding, Observation
from eval_quality.canonical import number_text, serialize, utf16_key

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
    """Every quotation of a defect finding that no observation it cites bears out, sorted."""
    by_id: dict[str, list[Observation]] = defaultdict(list)
    for observation in observations:
        by_id[observation["observationId"]].append(observation)
    unwitnessed = [
        quotation
        for finding in findings
        if finding["findingType"] == "defect"
        for quotation in _unwitnessed(finding, by_id)
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


def _unwitnessed(finding: DefectFinding, by_id: Mapping[str, Sequence[Observation]]) -> list[UnwitnessedQuotation]:
    cited = tuple(each for each in sorted(set(finding["observationIds"]), key=utf16_key) if each in by_id)
    path = f"SealedRunRecord.findings[findingId={finding['findingId']}]"
    texts: dict[tuple[int, str, str | None], str | None] = {}

    def text_of(observation: Observation, channel: EvidenceChannelName, artifact_id: str | None) -> str | None:
        key = (id(observation), channel, artifact_id)
        if key not in texts:
            texts[key] = project_channel(observation, channel, path, artifact_id)
        return texts[key]

    return [
        UnwitnessedQuotation(finding["findingId"], position, quoted["channel"], quoted["quote"], cited)
        for position, quoted in enumerate(finding["quotedEvidence"])
        if not any(
            (text := text_of(observation, quoted["channel"], quoted["artifactId"])) is not None
            and _occurs(quoted["quote"], text)
            for observation_id in cited
            for observation in by_id[observation_id]
        )
    ]


def _occurs(quote: str, text: str) -> bool:
    """Whether a quotation is part of a text, unit by UTF-16 unit: a lone surrogate is found in half of a pair."""
    if quote in text:
        return True
    cuts_a_pair = "\udc00" <= quote[0] <= "\udfff" or "\ud800" <= quote[-1] <= "\udbff"
    return cuts_a_pair and _units(quote) in _units(text)


def _units(text: str) -> str:
    """A text with one character for each UTF-16 unit."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(map(chr, unpack(f">{len(units) // 2}H", units)))
