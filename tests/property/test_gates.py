"""What holds for every input of the gates' readers."""

from __future__ import annotations

import ast
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_quality.gates import (
    dependency_direction,
    doc_claims,
    doc_counts,
    doc_invocations,
    field_ownership,
    licences,
    lockfile_age,
    package_boundary,
)
from eval_quality.gates.fenced_commands import actions_of
from eval_quality.gates.hash_subject import normalise
from eval_quality.gates.licence_expression import is_allowed
from eval_quality.gates.logical_lines import logical_lines
from eval_quality.gates.number_words import LARGEST_WORD, number_word
from eval_quality.gates.pattern import Matcher
from eval_quality.gates.python_writes import positions
from eval_quality.gates.refusals import MalformedSection
from eval_quality.gates.sections import key_of, read_section
from eval_quality.gates.timestamps import iso_text, milliseconds
from eval_quality.gates.wrapping import widen_spaces

MODELS: tuple[Any, ...] = tuple(
    module.Section
    for module in (
        dependency_direction,
        doc_claims,
        doc_counts,
        doc_invocations,
        field_ownership,
        licences,
        lockfile_age,
        package_boundary,
    )
)
KEYS = sorted({key_of(name) for model in MODELS for name in model.__dataclass_fields__})
WORDS = ("module", "name", "path", "file", "match", "reason", "kind", "from", "patterns", "lockfiles", "policy", "rule")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from((*WORDS, *KEYS)) | st.text(max_size=4), children, max_size=5)
    ),
    max_leaves=15,
)
lines = st.lists(st.sampled_from(["", " a", "b ", "# c", "\t- d", "```", "~~~", "x  y", '"""e', 'f"""']), max_size=12)


@given(st.sampled_from(MODELS), st.dictionaries(st.sampled_from(KEYS), json_values, max_size=6))
def test_a_section_is_read_or_refused_with_its_issues(model: Any, value: dict[str, Any]) -> None:
    try:
        read_section(model, value, "head")
    except MalformedSection as error:
        head, *issues = str(error).split("\n")
        assert head == "head"
        assert issues


@given(lines)
def test_no_word_of_a_file_is_lost_by_joining_its_lines(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = " ".join(line.text for line in logical_lines("a.py", text.encode()))
    words = re.findall(r"\w+", re.sub(r'"""', " ", text))
    assert sorted(re.findall(r"\w+", re.sub(r'"""', " ", found))) == sorted(words)


@given(lines)
def test_numbers_of_logical_lines_are_of_the_file(parts: list[str]) -> None:
    text = "\n".join(parts)
    assert all(1 <= line.number <= len(parts) or not parts for line in logical_lines("a.txt", text.encode()))


@given(lines)
def test_normalising_twice_is_normalising_once(parts: list[str]) -> None:
    once = normalise("\n".join(parts))
    assert normalise(once) == once


identifiers = st.sampled_from(["MIT", "ISC", "GPL-3.0-only"])
expressions = st.recursive(
    identifiers,
    lambda inner: st.tuples(inner, st.sampled_from(["OR", "AND"]), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=8,
)


@given(expressions, st.sets(identifiers))
def test_an_expression_is_allowed_as_its_boolean_value_says(expression: str, allowed: set[str]) -> None:
    python = re.sub(r"[A-Z][\w.-]*\d[\w.-]*|MIT|ISC", lambda match: str(match[0] in allowed), expression)
    expected = eval(compile(ast.parse(python.replace("OR", "or").replace("AND", "and"), mode="eval"), "", "eval"))
    assert is_allowed(expression, allowed) is expected


@given(st.integers(0, LARGEST_WORD))
def test_number_words_are_distinct_and_spelled_in_letters(number: int) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)?", number_word(number))
    assert [number_word(other) for other in range(LARGEST_WORD + 1)].count(number_word(number)) == 1


@given(st.integers(-(10**12), 10**13))
def test_times_survive_being_written(time: int) -> None:
    assert milliseconds(iso_text(time)) == time


@given(st.lists(st.sampled_from(["one", "two", "three"]), min_size=2, max_size=5), st.data())
def test_a_widened_sentence_is_found_however_it_is_wrapped(words: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.sampled_from([" ", "\n", "  \n ", "\t"])) for _ in words[1:]]
    wrapped = words[0] + "".join(gap + word for gap, word in zip(gaps, words[1:], strict=True))
    assert Matcher(widen_spaces(" ".join(words))).matches(wrapped)


@given(st.text(alphabet="`ab \n$'\"<>|\\#:U", max_size=60))
def test_any_page_can_be_read(page: str) -> None:
    for action in actions_of(page, ["a b"]):
        assert action is not None


@given(st.sampled_from(["x.f = 1", "f = 1", "C(f=1)", 'd["f"]', '"f"', "del x.f", "x.g = 1"]), st.integers(0, 3))
def test_a_position_is_found_however_deep_it_is_nested(statement: str, depth: int) -> None:
    def found(source: str) -> list[tuple[str, bool]]:
        return [(position.kind, position.writes) for position in positions(ast.parse(source), {"f"}, ())]

    nested = statement
    for _ in range(depth):
        nested = "if y:\n" + "\n".join(f"    {line}" for line in nested.split("\n"))
    assert found(nested) == found(statement)
