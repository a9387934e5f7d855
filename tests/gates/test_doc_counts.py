from __future__ import annotations

from typing import Any

import pytest

from eval_quality.gates.number_words import number_word

from .repository import Repository

GATE = "doc-counts"
RULES = {"rules": {"kind": "module", "from": "acme.rules:RULES", "take": "length"}}
ENTRY: dict[str, Any] = {
    "file": "README.md",
    "claim": "the rule count",
    "pattern": {"match": "ships ([a-z-]+) rules"},
    "counts": ["rules"],
}


@pytest.fixture(autouse=True)
def _acme(repository: Repository) -> None:
    repository.write(
        {
            "README.md": "# Acme\n\nAcme ships four rules.\n",
            "src/acme/rules.py": """
                import enum, sys
                print("imported modules may print")
                RULES = ["a", "b", "c", "d", "e"]
                TABLE = {"one": {"x": 1, "y": 2}, "list": [7]}
                class Kind(enum.Enum):
                    A = "a"
                    B = "b"
                NUMBER, FLAG, NOTHING, TEXT = 3, True, None, "abc"
                class Thing:
                    size = 4
                def function(): ...
            """,
        }
    )


def disagreements(repository: Repository, **section: Any) -> list[str]:
    answer = repository.check(GATE, **section)
    assert answer.code in (0, 1), answer
    return [line.strip() for line in answer.err.splitlines()[2:]]


def test_worked_examples(repository: Repository) -> None:
    assert repository.check(GATE, sources=RULES, entries=[ENTRY]) == (
        1,
        "doc-counts: 1 numeral(s) across 1 file(s) held against their source, plus 0 count(s) written as digits, 1 "
        "disagreement(s)\n",
        "\ndoc-counts: 1 count(s) disagree with their source:\n"
        '  README.md:3: the rule count reads "four" and is five (5)\n',
    )
    spare = {**RULES, "spare": {"kind": "module", "from": "acme.rules:RULES"}}
    assert repository.check(GATE, sources=spare, entries=[ENTRY]) == (
        64,
        "",
        f'eval-quality-gates: doc-counts: {repository.config}\'s "doc-counts" section is malformed:\n'
        "  sources.spare: is declared and no entry uses it; a source nothing reads is a count nobody holds\n",
    )


def source_of(repository: Repository, source: dict[str, Any], said: str) -> str | None:
    """What is said of a page that writes ``said`` for this source; ``None`` when they agree."""
    repository.write({"page.md": f"It has {said} of them.\n"})
    entry = {"file": "page.md", "claim": "x", "pattern": {"match": "has (\\S+) of"}, "counts": ["s"]}
    found = disagreements(repository, sources={"s": source}, entries=[{**entry, "rendering": "digits"}])
    return found[0].removeprefix("page.md:1: x ") if found else None


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ({"kind": "module", "from": "acme.rules:NUMBER"}, 3),
        ({"kind": "module", "from": "acme.rules:Thing.size"}, 4),
        ({"kind": "module", "from": {"module": "src/acme/rules.py", "export": "TABLE", "path": ["one", "y"]}}, 2),
        ({"kind": "module", "from": {"module": "acme.rules", "export": "TABLE", "take": "keys"}}, 2),
        ({"kind": "module", "from": {"module": "acme.rules", "export": "TABLE", "path": ["list", "0"]}}, 7),
        ({"kind": "module", "from": "acme.rules:Kind", "take": "keys"}, 2),
        ({"kind": "module", "from": "acme.rules:Kind", "take": "length"}, 2),
        ({"kind": "json", "file": "d.json", "path": ["a", "0", "b"]}, 5),
        ({"kind": "json", "file": "d.json", "path": ["a"], "take": "length"}, 1),
        ({"kind": "toml", "file": "d.toml", "path": ["t"], "take": "keys"}, 2),
        ({"kind": "files", "paths": [{"path": "src", "extensions": [".py"]}]}, 1),
        ({"kind": "matches", "paths": [{"path": "d.txt"}], "pattern": {"match": "x(\\d)?"}}, 4),
        ({"kind": "matches", "paths": [{"path": "d.txt"}], "pattern": {"match": "x(\\d)?"}, "distinct": True}, 2),
    ],
)
def test_sources(repository: Repository, source: dict[str, Any], count: int) -> None:
    repository.write({"d.json": '{"a": [{"b": 5.0}]}', "d.toml": "[t]\na = 1\nb = 2\n", "d.txt": "x1 x2 x1 x"})
    assert source_of(repository, source, str(count)) is None
    assert source_of(repository, source, "99") == f'reads "99" and is {count} ({count})'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("acme.none:X", "acme.none could not be imported: ModuleNotFoundError: No module named 'acme.none'"),
        ("acme.rules:NONE", 'acme.rules exports no "NONE"; it exports FLAG, '),
        (
            "acme.rules:RULES",
            'acme.rules\'s RULES is an array and take is "value", so a count was expected; a list takes',
        ),
        ("acme.rules:FLAG", 'acme.rules\'s FLAG is boolean and take is "value", so a count was expected'),
        ("acme.rules:TABLE.two", 'acme.rules\'s TABLE.two: "two" is absent; the keys there are list, one'),
        ("acme.rules:NOTHING.x", 'acme.rules\'s NOTHING.x: "x" was reached on null, which has no properties'),
        (
            {"module": "acme.rules", "export": "TEXT", "take": "length"},
            'acme.rules\'s TEXT is a string and take is "length", which would count its characters; a page counts '
            "members, so name a list",
        ),
        (
            {"module": "acme.rules", "export": "NUMBER", "take": "length"},
            'acme.rules\'s NUMBER is number and take is "length", which it has none of',
        ),
        (
            {"module": "acme.rules", "export": "function", "take": "keys"},
            'acme.rules\'s function is function and take is "keys", which only an object has',
        ),
    ],
)
def test_values_that_are_no_count(repository: Repository, source: Any, message: str) -> None:
    answer = repository.check(GATE, sources={"rules": {"kind": "module", "from": source}}, entries=[ENTRY])
    assert answer.code == 64
    assert answer.out == ""
    assert answer.err.startswith(f"eval-quality-gates: {message}")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"kind": "json", "file": "none.json"}, "none.json could not be read as JSON: ENOENT"),
        ({"kind": "json", "file": "d.json", "path": ["b"]}, 'd.json: "b" is absent; the keys there are a'),
        (
            {"kind": "json", "file": "d.json", "path": ["a", "c"]},
            'd.json: "c" was reached on a value with no properties',
        ),
        ({"kind": "json", "file": "d.json"}, 'd.json is object and take is "value"'),
        ({"kind": "toml", "file": "d.json"}, "d.json could not be read as TOML: "),
    ],
)
def test_documents_that_hold_no_count(repository: Repository, source: dict[str, Any], message: str) -> None:
    repository.write({"d.json": '{"a": "x"}'})
    answer = repository.check(GATE, sources={"rules": source}, entries=[ENTRY])
    assert answer.code == 64
    assert answer.err.startswith(f'eval-quality-gates: the source "rules": {message}')


def test_a_module_that_ends_the_process_or_never_answers(repository: Repository) -> None:
    repository.write(
        {"src/acme/bad.py": "import os, sys\nsys.stderr.write('last words')\nsys.stderr.flush()\nos._exit(5)\n"}
    )
    section = {"sources": {"rules": {"kind": "module", "from": "acme.bad:X"}}, "entries": [ENTRY]}
    answer = repository.check(GATE, **section)
    assert (answer.code, answer.out) == (64, "")
    assert answer.err == "eval-quality-gates: the module reader exited 5 and answered nothing\nlast words\n"
    repository.write({"src/acme/bad.py": "import time\ntime.sleep(30)\n"})
    answer = repository.check(GATE, **section, moduleTimeoutMs=1000)
    assert answer.err == "eval-quality-gates: the module reader timed out after 1000ms\n"


def test_python_path_and_interpreter(repository: Repository) -> None:
    repository.write({"lib/other.py": "X = 4\n"})
    section = {"sources": {"rules": {"kind": "module", "from": "other:X"}}, "entries": [ENTRY]}
    assert disagreements(repository, **section, pythonPath=["lib"]) == []
    answer = repository.check(GATE, **section, python="none")
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {repository.root}/none does not exist; ")


@pytest.mark.parametrize(
    ("page", "entry", "message"),
    [
        ("ships five rules", {}, None),
        ("ships Five rules", {"pattern": {"match": "ships ([A-Za-z]+) rules"}}, None),
        ("ships FIVE rules", {"pattern": {"match": "ships ([A-Z]+) rules"}}, ':1: c reads "FIVE" and is Five (5)'),
        ("ships 5 rules", {"pattern": {"match": "ships (\\d) rules"}, "rendering": "digits"}, None),
        ("ships\nfive rules", {"wrap": True}, None),
        (
            "nothing",
            {},
            ": no sentence matches the pattern for c; the entry is dead and either the sentence or the entry has to move",
        ),
        (
            "ships five rules\nships five rules",
            {},
            ": 2 sentences match the pattern for c (lines 1, 2); a count entry names one sentence",
        ),
        (
            "ships  rules",
            {"pattern": {"match": "ships ([a-z]*) rules"}},
            ":1: c matched, and capture group 1 took no text; a group a match can skip holds no number",
        ),
        (None, {}, ": missing, but a count entry names it"),
    ],
)
def test_sentences(repository: Repository, page: str | None, entry: dict[str, Any], message: str | None) -> None:
    if page is not None:
        repository.write({"page.md": page})
    row = {**ENTRY, "file": "page.md", "claim": "c", **entry}
    assert disagreements(repository, sources=RULES, entries=[row]) == ([] if message is None else [f"page.md{message}"])


def test_numbers_without_a_word(repository: Repository) -> None:
    repository.write({"src/acme/rules.py": "RULES = [0] * 100\n"})
    assert disagreements(repository, sources=RULES, entries=[ENTRY]) == [
        "README.md:3: the rule count is 100, outside the word table's range (0-99); write this one as digits"
    ]


def test_number_words() -> None:
    words = [number_word(number) for number in (0, 9, 10, 13, 19, 20, 21, 45, 99)]
    assert words == ["zero", "nine", "ten", "thirteen", "nineteen", "twenty", "twenty-one", "forty-five", "ninety-nine"]


def test_sections_that_are_refused(repository: Repository) -> None:
    matches = {"kind": "matches", "paths": [{"path": "src"}], "pattern": {"match": "x"}, "distinct": True}
    assert repository.refused(
        GATE,
        sources={**RULES, "m": matches},
        entries=[
            {**ENTRY, "counts": ["nope"]},
            {**ENTRY, "counts": ["rules", "rules"]},
            {**ENTRY, "pattern": {"match": "a *(b)"}, "wrap": True},
        ],
    ) == [
        'entries.0.counts.0: names "nope", which this section declares no source for; it declares rules, m',
        "entries.1.pattern.match: has 1 capture group(s) and the entry names 2 count(s); one group holds one number",
        'entries.2.pattern.match: a space followed by "*" cannot be widened into a wrap gap; write it as \\s* or drop '
        "wrap",
        "sources.m: is declared and no entry uses it; a source nothing reads is a count nobody holds",
        "sources.m.pattern.match: counts distinct values and has no capture group; the first group is what the distinct "
        "values are read from",
    ]
    assert repository.refused(GATE, sources={}, entries=[{**ENTRY, "counts": ["x"]}])[0] == (
        "sources: declares no source, so every entry would be held against nothing"
    )
    assert repository.refused(GATE, sources={"rules": {"kind": "module", "from": "rules"}}, entries=[ENTRY]) == [
        'sources.rules.from: is not a module value; write it as "package.module:name", or as an object with "module" '
        'and "export"'
    ]


def test_groups_are_counted_whatever_the_flags(repository: Repository) -> None:
    """Spec 14, section 9: a pattern that only its flags make one is held to the number of its groups too."""
    repository.write({"p.md": "has six x", "d.json": "6"})
    source = {"kind": "json", "file": "d.json"}

    def section(match: str, flags: str) -> dict[str, Any]:
        pattern = {"match": match, "flags": flags}
        return {
            "sources": {"a": source},
            "entries": [{"file": "p.md", "claim": "c", "pattern": pattern, "counts": ["a"]}],
        }

    few = "entries.0.pattern.match: has 0 capture group(s) and the entry names 1 count(s); one group holds one number"
    assert repository.refused(GATE, **section(r"has [\p{L}--[y]]+ x", "v")) == [few]
    assert repository.check(GATE, **section(r"has ([\p{L}--[y]]+) x", "v")).code == 0
    assert repository.refused(GATE, **section("has x", "ii")) == [
        "entries.0.pattern.match: is not a regular expression: Invalid flags 'ii'"
    ]
