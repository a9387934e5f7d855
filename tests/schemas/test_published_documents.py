"""The published JSON Schema documents: well formed, up to date, described, and of one mind with the declarations."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from eval_quality import corpus, schemas
from eval_quality.artifacts import publish
from eval_quality.artifacts.registry import ARTIFACT_REGISTRY
from eval_quality.artifacts.schema import issues_of
from eval_quality.canonical import read_json
from tests.conformance.runner import read_vectors
from tests.conformance.sample import SAMPLE
from tests.schemas.validators import validator_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "schemas.md"
SHARED = ROOT.parent / "shared"
FULL = SHARED / "vectors" / "schema.jsonl.gz"
DEEPEST = 60
"""Levels of nesting past which the validator, which recurses, would run out of stack."""
PARTS = 4


def inexpressible(key: str, value: Any) -> str | None:
    """The rule of ``docs/reference/schemas.md`` that no document states and this value turns on, if any."""
    for each in every_value(value):
        match each:
            case {"__proto__": _}:
                return "a member named `__proto__`"
            case float() if math.isinf(each):
                return "a number too large for a double"
    if key == "sealed-run-record" and isinstance(value, dict):
        observations = value.get("observations")
        if isinstance(observations, list):
            sequences = [json.dumps(each.get("sequence")) for each in observations if isinstance(each, dict)]
            if len(set(sequences)) < len(sequences):
                return "two observations of one `sequence`"
    return None


def every_value(value: Any) -> Iterator[Any]:
    work = [value]
    while work:
        each = work.pop()
        yield each
        work.extend(each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())


def depth(value: Any) -> int:
    level, deepest = [value], 0
    while level:
        deepest += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return deepest


@pytest.mark.parametrize("key", schemas.KEYS)
def test_a_document_is_valid_and_says_which_it_is(key: str) -> None:
    document = schemas.load(key)
    Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"urn:eval-quality:schema:{key}"
    assert schemas.text(key).isascii()
    assert schemas.text(key) == json.dumps(document, indent=2) + "\n"


def test_documents_are_what_the_declarations_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish.main([str(ROOT / "schemas"), "--check"]) == 0
    assert publish.main([str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{key}.schema.json" for key in schemas.KEYS}
    (tmp_path / "rubric.schema.json").write_text("{}\n", encoding="utf-8")
    (tmp_path / "other.schema.json").write_text("{}\n", encoding="utf-8")
    assert publish.main([str(tmp_path), "--check"]) == 1
    stale = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in stale] == [
        str(tmp_path / "other.schema.json"),
        str(tmp_path / "rubric.schema.json"),
    ]
    assert publish.main([str(tmp_path)]) == 0
    assert publish.main([str(tmp_path), "--check"]) == 0


def undescribed(node: Any, path: str) -> Iterator[str]:
    match node:
        case {"type": "object", "properties": dict(properties)}:
            yield from (f"{path}/{name}" for name, field in properties.items() if "description" not in field)
    match node:
        case dict():
            for name, inner in node.items():
                yield from undescribed(inner, f"{path}/{name}")
        case list():
            for position, inner in enumerate(node):
                yield from undescribed(inner, f"{path}/{position}")


@pytest.mark.parametrize("key", schemas.KEYS)
def test_every_field_and_definition_is_described_in_one_line(key: str) -> None:
    document = schemas.load(key)
    assert list(undescribed(document, "")) == []
    assert [name for name, node in document.get("$defs", {}).items() if "description" not in node] == []
    descriptions = [
        each["description"]
        for each in every_value(document)
        if isinstance(each, dict) and "$id" not in each and isinstance(each.get("description"), str)
    ]
    assert [text for text in descriptions if "\n" in text or not text.endswith((".", ")"))] == []


def structure(node: Any) -> Any:
    """A document without its prose."""
    match node:
        case dict():
            return {
                name: structure(inner)
                for name, inner in node.items()
                if not (name == "description" and isinstance(inner, str))
            }
        case list():
            return [structure(inner) for inner in node]
        case _:
            return node


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference's documents lie beside the checkout, and are not here")
@pytest.mark.parametrize("key", schemas.KEYS)
def test_a_document_has_the_structure_of_the_reference(key: str) -> None:
    reference = json.loads((SHARED / "reference-schemas" / f"{key}.schema.json").read_text(encoding="utf-8"))
    if key == "eval-contract":  # a timestamp without seconds, which the parse refuses, is refused by our document too
        waiver = reference["properties"]["waivers"]["items"]["properties"]["expiresAt"]["anyOf"][0]
        assert "(?::[0-5]" in waiver["pattern"]
        waiver["pattern"] = schemas.load(key)["properties"]["waivers"]["items"]["properties"]["expiresAt"]["anyOf"][0][
            "pattern"
        ]
    assert json.dumps(structure(schemas.load(key))) == json.dumps(structure(reference))


def judged_alike(path: Path, part: int = 0, parts: int = 1) -> int:
    """How many documents of a vector file were judged, each of one mind; documents that turn on code are left out."""
    judged = 0
    for position, vector in enumerate(read_vectors(path)):
        key = vector["input"]["artifact"]
        if position % parts != part or key not in schemas.KEYS:
            continue
        value = read_json(vector["input"]["text"])
        if inexpressible(key, value) or depth(value) > DEEPEST:
            continue
        _, issues = issues_of(ARTIFACT_REGISTRY[key].load(), value)
        assert validator_of(key).is_valid(value) == (not issues), (vector["id"], issues)
        judged += 1
    return judged


def test_documents_and_declarations_judge_the_sample_alike() -> None:
    assert judged_alike(SAMPLE / "schema.jsonl.gz") > 100


@pytest.mark.skipif(not FULL.is_file(), reason="the full set of vectors lies beside the checkout, and is not here")
@pytest.mark.parametrize("part", range(PARTS))
def test_documents_and_declarations_judge_the_full_set_alike(part: int) -> None:
    assert judged_alike(FULL, part, PARTS) > 400


@pytest.mark.parametrize("name", corpus.names())
def test_corpus_contracts_fit_their_document(name: str) -> None:
    assert validator_of("eval-contract").is_valid(corpus.load(name))


def record() -> dict[str, Any]:
    value: dict[str, Any] = read_json((ROOT / "examples" / "refund-api" / "record-P-001-1.json").read_bytes())
    return value


def with_one_sequence_twice() -> tuple[str, Any]:
    value = record()
    value["observations"] = [value["observations"][0] | {"observationId": f"again-{turn}"} for turn in (1, 2)]
    return "sealed-run-record", value


def with_a_number_too_large() -> tuple[str, Any]:
    value = record()
    value["observations"][0]["responseBody"] = read_json("1e400")
    return "sealed-run-record", value


def with_a_prototype_in_a_map() -> tuple[str, Any]:
    value = corpus.load("checklist-selection")
    value["referenceSets"]["__proto__"] = "of no form"
    return "eval-contract", value


def with_nothing_but_a_prototype_in_a_channel() -> tuple[str, Any]:
    value = corpus.load("absent-collection-locations")
    value["interactionPlan"][0]["inputBinding"]["query"] = {"__proto__": {"literal": 1}}
    return "eval-contract", value


@pytest.mark.parametrize(
    ("made", "document_accepts"),
    [
        (with_one_sequence_twice, True),
        (with_a_number_too_large, True),
        (with_a_prototype_in_a_map, False),
        (with_nothing_but_a_prototype_in_a_channel, True),
    ],
)
def test_what_no_document_states_is_listed(made: Any, document_accepts: bool) -> None:
    key, value = made()
    _, issues = issues_of(ARTIFACT_REGISTRY[key].load(), value)
    assert validator_of(key).is_valid(value) == document_accepts
    assert bool(issues) == document_accepts
    rule = inexpressible(key, value)
    assert rule is not None
    assert rule in PAGE.read_text(encoding="utf-8").lower()


def test_the_page_names_every_document() -> None:
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == list(schemas.KEYS)


def test_the_door_refuses_keys_it_does_not_have() -> None:
    for key in ("probes", "../corpus", ""):
        with pytest.raises(KeyError, match="no schema document"):
            schemas.load(key)
