"""What holds of adapters whatever they are given: no octet is lost, nothing but a fault comes out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_quality.adapters import parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy
from eval_quality.adapters.command_line import argument_words, observed_body, option_words
from eval_quality.adapters.command_run import _drain
from eval_quality.adapters.mcp_session import _CappedStream, _Messages
from eval_quality.adapters.watchdog import _encoded
from eval_quality.canonical import read_json
from eval_quality.errors import RuntimeFault
from eval_quality.json_text import json_text, utf8
from tests.adapters.messages import command_policy, mcp_policy

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OCTETS = st.lists(
    st.sampled_from([b"\xe2", b"\x82", b"\xac", b"\xf0\x9f", b"\x98\x80", b"a", b"\n", b"\xff", b"\xef\xbb\xbf"])
)
CHUNKS = OCTETS | st.lists(st.binary(max_size=6))
PARSERS: tuple[Callable[[object], Any], ...] = (
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


class SmallReads(asyncio.StreamReader):
    """A stream that hands out its content a few octets at a time."""

    size = 1

    async def read(self, n: int = -1) -> bytes:
        return await super().read(self.size)


def fed(content: bytes, size: int) -> SmallReads:
    reader = SmallReads()
    reader.size = size
    reader.feed_data(content)
    reader.feed_eof()
    return reader


def refused(parse: Callable[[object], Any], value: object) -> bool:
    """Whether a policy is refused, with its reasons."""
    try:
        parse(value)
    except RuntimeFault as fault:
        return fault.code == "schema-parse-failure" and bool(fault.issues)
    return False


@given(CHUNKS, st.integers(1, 4))
def test_output_is_what_was_written(chunks: list[bytes], size: int) -> None:
    """However the octets come in, the text is that of all of them at once."""

    content = b"".join(chunks)

    async def main() -> str:
        return await _drain(fed(content, size), 1000)

    assert asyncio.run(main()) == content.decode("utf-8", "replace")


@given(st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=5), st.integers(1, 9), st.booleans())
def test_messages_survive_any_cut(members: list[dict[str, Any]], size: int, closed: bool) -> None:
    messages = [{**each, "jsonrpc": "2.0", "id": number} for number, each in enumerate(members)]
    octets = b"\r\n".join(utf8(json_text(message)) for message in messages) + (b"\n" if closed else b"")

    async def main() -> list[Any]:
        stream = _Messages(_CappedStream(fed(octets, size), "stdout", len(octets)))
        found = []
        while (message := await stream.next()) is not None:
            found.append(message)
        return found

    assert asyncio.run(main()) == [read_json(json_text(message)) for message in messages]


@given(ANY_TEXT)
def test_the_watchdog_encodes_as_the_package_does(text: str) -> None:
    assert _encoded(text) == utf8(text)


@given(ANY_TEXT)
def test_a_body_is_the_text_or_what_it_says(output: str) -> None:
    body = observed_body(output)
    assert body == {"kind": "text", "value": output} or body == {"kind": "json", "value": read_json(output)}


@given(JSON)
def test_a_body_reads_back_what_was_printed(value: Any) -> None:
    assert observed_body(json_text(value)) == {"kind": "json", "value": read_json(json_text(value))}


@given(st.dictionaries(st.text(), JSON))
def test_words_are_texts_and_options_are_named(values: dict[str, Any]) -> None:
    words = list(option_words(values))
    assert all(isinstance(word, str) for word in (*words, *argument_words(values)))
    named = {f"--{key}" for key, value in values.items() if value is not False and value != []}
    assert named <= set(words)


def altered(policy: Any, field: str, value: Any) -> Any:
    return {"authorizations": [{**policy["authorizations"][0], field: value}]}


@given(st.sampled_from([command_policy(), mcp_policy("server")]), st.data())
def test_policies_parse_or_say_why_not(policy: Any, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from([*policy["authorizations"][0], "unknown"]))
    given_policy = altered(policy, field, data.draw(JSON))
    for parse in PARSERS:
        if not refused(parse, given_policy):
            assert parse(given_policy) == given_policy


@given(JSON)
def test_nothing_is_a_policy_by_chance(value: Any) -> None:
    assert all(refused(parse, value) or value == {"authorizations": []} for parse in PARSERS)
