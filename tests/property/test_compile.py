"""What holds of compilation for contracts no author would write."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import pytest
import regress
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from eval_quality import stages
from eval_quality.canonical import serialize
from eval_quality.compile.patterns import carries_backreference
from eval_quality.compile.surface import TailTree
from eval_quality.errors import EvalQualityError, PreconditionError
from eval_quality.evaluate.regex_syntax import is_valid_pattern
from eval_quality.excluded_content import VALUE_PATTERNS, scan_excluded_content
from tests.contracts import minimal_contract

THOROUGH = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**53 + 2),
    st.floats(allow_nan=False),
    st.text(max_size=4),
    st.lists(st.integers(0, 1), max_size=2),
    st.dictionaries(st.sampled_from(["op", "pointer", "1", "a"]), st.none(), max_size=2),
)
POINTERS = st.sampled_from(
    [
        "@/",
        "@/x",
        "/interactions/place/response-body/id",
        "/interactions/place/response-status",
        "/interactions/place/response-body/toString",
        "/interactions/list/call-inputs/query/limit",
        "/interactions/list/response-body/orders/0",
        "/interactions/export/artifact/log",
        "/interactions/order-oolong/exit-code",
        "/interactions/order-oolong/response-body/tea",
        "/interactions/reset/response-body/done",
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a JSON value, but for the root."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, member in members for found in [(*path, key), *places(member, (*path, key))]]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def name_of(path: tuple[Any, ...]) -> str:
    """The key a value stands under, directly or as an item of a list."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


SOURCE = minimal_contract()
PLACES_BY_NAME: dict[str, list[tuple[Any, ...]]] = {}
for place in places(SOURCE):
    PLACES_BY_NAME.setdefault(name_of(place), []).append(place)


@st.composite
def mutated_contracts(draw: st.DrawFn) -> Any:
    """The small contract after a few changes, most of which leave it a contract.

    A value becomes what stands under the same key elsewhere, null, nothing, or anything; a list loses or repeats an
    item; an expression is negated; a pointer addresses something else.
    """
    contract = minimal_contract()
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(sorted(PLACES_BY_NAME)))
        path = draw(st.sampled_from(PLACES_BY_NAME[name]))
        try:
            parent = at(contract, path[:-1])
            here = parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        if not isinstance(parent, dict | list):
            continue
        match draw(st.sampled_from(["swap", "swap", "null", "any", "item", "item", "not", "pointer", "empty"])):
            case "swap":
                parent[path[-1]] = copy.deepcopy(at(SOURCE, draw(st.sampled_from(PLACES_BY_NAME[name]))))
            case "null":
                parent[path[-1]] = None
            case "any":
                parent[path[-1]] = draw(VALUES)
            case "item" if isinstance(here, list) and here and draw(st.booleans()):
                here.pop(draw(st.integers(0, len(here) - 1)))
            case "item" if isinstance(here, list) and here:
                here.append(copy.deepcopy(draw(st.sampled_from(here))))
            case "not" if isinstance(here, dict) and "op" in here:
                parent[path[-1]] = {"op": "not", "operands": [here]}
            case "pointer" if isinstance(here, str) and here.startswith(("/interactions", "@")):
                parent[path[-1]] = draw(POINTERS)
            case "empty" if isinstance(here, str | list | dict):
                parent[path[-1]] = type(here)()
            case _:
                continue
    return contract


def outcome(contract: Any, *, strict: bool) -> str:
    """The text of the compiled contract, or of the refusal."""
    try:
        return serialize(stages.compile(contract, strict=strict), "EvalContract")
    except (EvalQualityError, PreconditionError) as refusal:
        return f"{type(refusal).__name__}: {refusal}"


@THOROUGH
@given(mutated_contracts(), st.booleans())
def test_any_contract_is_compiled_or_refused_and_never_changed(contract: Any, strict: bool) -> None:
    before = copy.deepcopy(contract)
    first = outcome(contract, strict=strict)
    assert contract == before
    assert outcome(contract, strict=strict) == first
    if first.startswith("{"):
        compiled = stages.compile(contract, strict=strict)
        assert outcome(compiled, strict=strict) == first


@THOROUGH
@given(mutated_contracts())
def test_what_compiles_strictly_compiles(contract: Any) -> None:
    strictly = outcome(contract, strict=True)
    if strictly.startswith("{"):
        assert outcome(contract, strict=False) == strictly


def shuffled(value: Any, source: random.Random) -> Any:
    """A JSON value with the keys of every object in another order."""
    match value:
        case dict():
            keys = list(value)
            source.shuffle(keys)
            return {key: shuffled(value[key], source) for key in keys}
        case list():
            return [shuffled(item, source) for item in value]
        case _:
            return value


@settings(max_examples=50, deadline=None)
@given(st.integers(), st.booleans())
def test_key_order_does_not_matter(seed: int, strict: bool) -> None:
    contract = minimal_contract(safetyLimits=["a@b.co"] if seed % 3 == 0 else [])
    contract["behaviors"][0]["description"] = "b@c.co" if seed % 2 else "plain"
    assert outcome(shuffled(contract, random.Random(seed)), strict=strict) == outcome(contract, strict=strict)


PATTERN_PARTS = st.sampled_from(
    [
        *["a", "b", "z", "0", "9", "-", "]", "}", "{", "{1}", "{2,1}", "{1,2}", "*", "+", "?", "^", "$", "|", "(", ")"],
        *["(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>", "(?i:", "(?i-s:", "(?-:", "[", "[^"],
        *[r"\b", r"\d", r"\w", r"\k<n>", r"\1", r"\0", r"\7", r"\c", r"\cA", r"\x", r"\x41", r"\u", r"\u0041", r"\-"],
        *[",", "<", ">", ":", "=", "!", ".", r"\]"],
    ]
)


@settings(max_examples=1500, deadline=None)
@given(st.lists(PATTERN_PARTS, max_size=7).map("".join))
@example(r"\u{1}{1}")
def test_pattern_syntax_agrees_with_a_matching_engine(pattern: str) -> None:
    r"""But for a quantified word boundary, which the engine lets pass and the grammar does not.

    Without the flag ``u``, ``\u`` before a brace is the letter. The engine takes ``\u{1}`` for a code point under any
    flags, so it is asked about the letter.
    """
    if re.search(r"\\b(?:[*+?]|\{\d)", pattern):
        return
    try:
        regress.Regex(pattern.replace(r"\u{", "u{"))
        expected = True
    except regress.RegressError:
        expected = False
    assert is_valid_pattern(pattern) == expected


@settings(max_examples=300, deadline=None)
@given(st.text("aB1.-_%@ /=eyJsk\0\n\u00e9", max_size=60))
def test_the_address_pattern_matches_what_the_published_one_does(text: str) -> None:
    published = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}", re.ASCII).search(text)
    ours = re.compile(VALUE_PATTERNS["email addresses"], re.ASCII).search(text)
    assert (published and published.span()) == (ours and ours.span())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["eyJ", "-", ".", "a", " ", "abcdefgh", "sk-", "Bearer ", "0" * 16]), max_size=12))
def test_a_token_is_the_first_that_the_published_pattern_matches(pieces: list[str]) -> None:
    text = "".join(pieces)
    published = re.compile(
        r"(?<![A-Za-z])(?:[Bb]earer\s+[\w.~+/-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}|sk-[A-Za-z0-9]{16,}"
        r"|gh[pousr]_[A-Za-z0-9]{16,}|AKIA[0-9A-Z]{16})",
        re.ASCII,
    ).search(text)
    found = [hit.match for hit in scan_excluded_content(text, "") if hit.category == "tokens"]
    assert found == ([] if published is None else [published[0]])


@given(st.text("\\k<>a1", max_size=12))
def test_a_backreference_is_what_the_published_pattern_finds(text: str) -> None:
    published = re.search(r"\\(?:[1-9][0-9]*|k<[^>]+>)", text)
    assert carries_backreference(text) == (published is not None)


_TAILS = st.lists(st.sampled_from(["a", "b", "*"]), max_size=4).map(tuple)


@given(st.lists(_TAILS, max_size=8), st.lists(st.sampled_from(["a", "b", "*"]), max_size=5))
def test_the_tails_above_a_pointer_are_found(tails: list[tuple[str, ...]], tail: list[str]) -> None:
    above = [
        position
        for position, each in enumerate(tails)
        if len(each) <= len(tail) and all(token in ("*", read) for token, read in zip(each, tail, strict=False))
    ]
    assert TailTree.of(tails).covering(tail) == above


@pytest.mark.parametrize("separator", ["", " ", "\0", "\n", "x"])
def test_a_scan_of_many_texts_finds_what_a_scan_of_each_does(separator: str) -> None:
    source = random.Random(separator)
    parts = ["a@b.co", "4111 1111", "1111 1111", "-----BEGIN ", "PRIVATE KEY-----", "Bearer", "x" * 16, "12", "GB29"]
    for _ in range(200):
        texts = [separator.join(source.choices(parts, k=3)) for _ in range(4)]
        together = [(hit.category, hit.match) for hit in scan_excluded_content(texts, "")]
        assert together == [(hit.category, hit.match) for text in texts for hit in scan_excluded_content(text, "")]
