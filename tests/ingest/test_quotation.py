"""Quoted words against the evidence a finding cites."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_quality.errors import RuntimeFault
from eval_quality.ingest.quotation import audit_quotation, project_channel
from tests.run_records import ABSENT, CHANNELS, defect, observation, quote, remark
from tests.scored_runs import Json


def text(value: str) -> Json:
    return {"kind": "text", "value": value}


def json_body(value: Any) -> Json:
    return {"kind": "json", "value": value}


NO_INPUTS = dict.fromkeys(CHANNELS) | {"bodyEncoding": None}


@pytest.mark.parametrize(
    ("recorded", "channel", "artifact_id", "projected"),
    [
        ({}, "response-body", None, None),
        ({"responseBody": {"b": 1.0, "a": [None, "\u00e9"]}}, "response-body", None, '{"a":[null,"\u00e9"],"b":1}'),
        ({"responseBody": ""}, "response-body", None, '""'),
        ({"responseHeaders": {"x": "1"}}, "response-headers", None, '{"x":"1"}'),
        ({"responseStatus": 0}, "response-status", None, "0"),
        ({"exitCode": -15}, "exit-code", None, "-15"),
        ({"exitCode": -0.0}, "exit-code", None, "0"),
        ({}, "stdout", None, None),
        ({"stdout": text("")}, "stdout", None, ""),
        ({"stdout": text("a  b\n")}, "stdout", None, "a  b\n"),
        ({"stderr": json_body({"b": 0, "a": 1})}, "stderr", None, '{"a":1,"b":0}'),
        ({"artifacts": {"log": text("done")}}, "artifact", "log", "done"),
        ({"artifacts": {"log": ABSENT}}, "artifact", "log", None),
        ({"artifacts": {"log": text("done")}}, "artifact", "toString", None),
        ({"artifacts": {"log": text("done")}}, "artifact", None, None),
        (
            {"callInputs": NO_INPUTS | {"query": {"limit": 3}}},
            "call-inputs",
            None,
            '{"argument":null,"arguments":null,"body":null,"bodyEncoding":null,"environment":null,"header":null,'
            '"option":null,"path":null,"query":{"limit":3},"stdin":null}',
        ),
    ],
)
def test_a_channel_is_read_as_text(
    recorded: Json, channel: Any, artifact_id: str | None, projected: str | None
) -> None:
    each: Any = observation("o", 1, **recorded)
    assert project_channel(each, channel, "path", artifact_id) == projected


def unwitnessed(observations: list[Json], *findings: Json) -> list[tuple[str, int, tuple[str, ...]]]:
    audited: Any = (observations, findings)
    return [(each.finding_id, each.quote_index, each.cited_observation_ids) for each in audit_quotation(*audited)]


def test_one_cited_observation_that_holds_the_words_is_enough() -> None:
    seen = [observation("a", 1, stdout=text("nothing")), observation("b", 2, stdout=text("it is done"))]
    assert unwitnessed(seen, defect("F-001", "a", "b", quotes=[quote("is done", "stdout")])) == []
    assert unwitnessed(seen, defect("F-001", "a", quotes=[quote("is done", "stdout")])) == [("F-001", 0, ("a",))]
    assert unwitnessed(seen, defect("F-001", "b", quotes=[quote("Is done", "stdout")])) == [("F-001", 0, ("b",))]
    assert unwitnessed(seen, defect("F-001", "b", quotes=[quote("is done", "stderr")])) == [("F-001", 0, ("b",))]


def test_observations_that_share_an_identifier_all_count() -> None:
    seen = [observation("a", 1, stdout=text("one")), observation("a", 2, stdout=text("two"))]
    assert unwitnessed(seen, defect("F-001", "a", quotes=[quote("one", "stdout"), quote("two", "stdout")])) == []


def test_every_written_file_is_read_for_itself() -> None:
    """Spec 09, section 6.1: a quotation is looked for in the file it names and in no other."""
    seen = [observation("a", 1, artifacts={"log": text("one"), "constructor": text("two")})]
    quotes = [
        quote("one", "artifact", "log"),
        quote("two", "artifact", "constructor"),
        quote("one", "artifact", "toString"),
    ]
    assert unwitnessed(seen, defect("F-001", "a", quotes=quotes)) == [("F-001", 2, ("a",))]


def test_what_is_cited_is_told_sorted_without_repeats_and_without_what_is_not_there() -> None:
    seen = [observation("b", 1), observation("a", 2)]
    assert unwitnessed(seen, defect("F-001", "b", "gone", "a", "b", quotes=[quote("x")])) == [("F-001", 0, ("a", "b"))]
    assert unwitnessed([], defect("F-001", "gone", quotes=[quote("x")])) == [("F-001", 0, ())]


def test_only_defects_are_audited_and_the_rest_is_sorted() -> None:
    findings = [defect("F-1000", "a", quotes=[quote("x"), quote("y")]), defect("F-200", "a", quotes=[quote("z")])]
    assert unwitnessed([], remark("F-001", "a"), *findings) == [("F-1000", 0, ()), ("F-1000", 1, ()), ("F-200", 0, ())]


def test_looking_stops_at_the_first_witness() -> None:
    unspeakable = observation("b", 2, responseBody="\ud800")
    seen = [observation("a", 1, responseBody="done"), unspeakable]
    assert unwitnessed(seen, defect("F-001", "a", "b", quotes=[quote("done")])) == []
    with pytest.raises(RuntimeFault) as raised:
        unwitnessed(seen, defect("F-001", "a", "b", quotes=[quote("done"), quote("other")]))
    assert raised.value.code == "non-canonicalizable-value"
    assert raised.value.artifact_path.startswith("SealedRunRecord.findings[findingId=F-001]")


UNITS = st.text(alphabet=["a", "\ud83d", "\ude00", "\U0001f600", "\u00e9", "\uffff"], max_size=6)


def units(value: str) -> tuple[int, ...]:
    return tuple(value.encode("utf-16-be", "surrogatepass"))


@given(UNITS.filter(bool), UNITS)
def test_words_are_found_unit_by_unit(words: str, said: str) -> None:
    """As in UTF-16: a lone surrogate is found in half of a character beyond U+FFFF."""
    needle, hay = units(words), units(said)
    starts = range(0, len(hay) - len(needle) + 1, 2)
    occurs = any(hay[start : start + len(needle)] == needle for start in starts)
    seen = [observation("a", 1, stdout=text(said))]
    assert bool(unwitnessed(seen, defect("F-001", "a", quotes=[quote(words, "stdout")]))) is not occurs
