from __future__ import annotations

import hashlib
import os
from typing import Any

import pytest

from eval_quality.gates.claims.declared_names import declared_names
from eval_quality.gates.hash_subject import main as hash_subject
from eval_quality.gates.hash_subject import normalise

from .repository import Repository, text

GATE = "doc-claims"
SOURCES = [{"path": "src", "extensions": [".py"]}]


@pytest.fixture(autouse=True)
def _acme(repository: Repository) -> None:
    repository.write(
        {
            "src/acme/rules.py": """
                '''Rules: `RuleBook` is only mentioned here.'''

                class RuleSet:
                    limit = 3

                    def check(self, value):
                        self.last = value
                        raise ValueError("rule-broken")
            """,
            "src/acme/render.py": """
                ACCEPTED, REFUSED = ["alpha", "beta"], ["gamma"]
                TOKENS, EMPTY, NUMBER = ["alpha", "beta", "gamma"], [], 3
                def exit_table():
                    return "| 0 | fine |\\n| 1 | broken |"
                async def later():
                    return "later"
                def three():
                    return 3
                YES, NO = True, False
                SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
                def refuse(value):
                    if value != {"id": 1}:
                        raise ValueError("is not one")
                class Parser:
                    def safe_parse(self, value):
                        ok = value == 1
                        return {"success": ok, "error": None if ok else {"issues": [{"path": ["a", 0], "message": "bad"}]}}
                PARSER = Parser()
            """,
        }
    )


def claims(repository: Repository, page: str, **section: Any) -> list[str]:
    """What disagrees on one page, without its name where the line is about it."""
    repository.write({"docs/page.md": text(page) if page.startswith("\n ") else page})
    answer = repository.check(GATE, pages=["docs"], sources=SOURCES, **section)
    assert answer.code in (0, 1), answer
    return [line.strip().removeprefix("docs/page.md:") for line in answer.err.splitlines()[2:]]


def refusal(repository: Repository, page: str, **section: Any) -> str:
    """Why the gate refused to judge."""
    repository.write({"docs/page.md": page})
    answer = repository.check(GATE, pages=["docs"], sources=SOURCES, **section)
    assert answer.code == 64, answer
    return answer.err.removeprefix("eval-quality-gates: ").rstrip("\n")


def test_worked_example_of_symbols(repository: Repository) -> None:
    repository.write({"docs/rules.md": "# Rules\n\nx\n\nA `RuleSet` is no `RuleBook`.\n"})
    assert repository.check(GATE, pages=["docs"], sources=SOURCES, symbols={}) == (
        1,
        "doc-claims: 2 backticked identifiers are declared, 1 disagreement(s)\n",
        "\ndoc-claims: 1 prose claim(s) disagree with the tree:\n"
        "  docs/rules.md:5: the page spells `RuleBook`, which nothing in the source roots declares; it was renamed, "
        "removed, or mistyped, or it belongs under symbols.foreign with its reason\n",
    )


def test_worked_example_of_transcriptions(repository: Repository) -> None:
    rows = [{"file": "docs/page.md", "claim": "the exit table", "text": "acme.render:exit_table"}]
    repository.write({"docs/page.md": "# Cli\n\n| 0 | fine |\n| 1 | broken |\n"})
    assert repository.check(GATE, pages=["docs"], transcriptions=rows) == (
        0,
        "doc-claims: 1 transcriptions match their source byte for byte, 0 disagreement(s)\n",
        "",
    )
    rows[0]["text"] = "acme.render:three"
    assert repository.check(GATE, pages=["docs"], transcriptions=rows) == (
        64,
        "",
        "eval-quality-gates: acme.render's three is a function and it returned number; a transcription source returns "
        "the text\n",
    )


def test_transcriptions(repository: Repository) -> None:
    def row(value: str, file: str = "docs/page.md") -> list[dict[str, str]]:
        return [{"file": file, "claim": "it", "text": f"acme.render:{value}"}]

    changed = "no longer matches acme.render's exit_table; a transcription and the thing it reprints have to be the same bytes"
    assert claims(repository, "a\n| 0 | fine |\n| 1 | bad |\n", transcriptions=row("exit_table")) == [
        f"2: it {changed}"
    ]
    assert claims(repository, "nothing", transcriptions=row("exit_table")) == [f" it {changed}"]
    assert claims(repository, "later", transcriptions=row("later")) == []
    assert claims(repository, "x", transcriptions=row("later", "docs/other.md")) == [
        "docs/other.md: missing, but a transcription entry names it"
    ]
    assert refusal(repository, "x", transcriptions=row("NUMBER")) == (
        "acme.render's NUMBER is number, and a string or a function returning one was expected"
    )


def test_symbols(repository: Repository) -> None:
    page = "`RuleSet` `limit` `last` `acme_rules` `acme_rules` `f()` `check_it` `JavaScript`\n"
    foreign = [{"token": "JavaScript", "reason": "a language"}, {"token": "Unused", "reason": "r"}]
    assert claims(repository, page, symbols={"foreign": foreign}) == [
        *(
            f"1: the page spells `{token}`, which nothing in the source roots declares; it was renamed, removed, or "
            "mistyped, or it belongs under symbols.foreign with its reason"
            for token in ("acme_rules", "check_it")
        ),
        "symbols.foreign names `Unused`, which no page spells; drop the entry",
    ]
    assert refusal(repository, "x", symbols={"shape": {"match": "^Z"}}) == (
        "the symbols class examined no backticked identifier at all; its shape is ^Z, and a shape matching nothing "
        "switches the class off"
    )


def test_citations(repository: Repository) -> None:
    page = """
        The `RuleSet` stands at `src/acme/rules.py:3`. Then `limit` at rules.py:3-4.
        `check` is at rules.py:1 they say.
        Nothing named at `acme/render.py:2`.
        See none.py:1. See rules.py:99.
    """
    window = {"window": 2}
    found = claims(repository, page, citations=window)
    assert found == [
        "2: the citation `rules.py:1` names `check` and none of them is within 2 lines of src/acme/rules.py:1; `check` "
        "is at src/acme/rules.py:6",
        "3: the citation `acme/render.py:2` sits in a sentence naming no symbol src/acme/render.py declares, so nothing "
        "holds the line number; name one, or register it under citations.unanchored with the reason",
        "4: the citation `none.py` resolves to 0 files in the source roots; spell the path from the repository root",
        "4: the citation `rules.py:99` is past the end of src/acme/rules.py, which has 8 lines",
    ]
    rows = [
        {"file": "docs/page.md", "citation": "render.py:2", "reason": "r"},
        {"file": "docs/page.md", "citation": "render.py:7", "reason": "r"},
    ]
    page = "`RuleSet` at rules.py:3.\nNothing at `acme/render.py:2`.\n"
    assert claims(repository, page, citations={"unanchored": rows}) == [
        " citations.unanchored names `render.py:7`, which the page no longer carries unanchored; drop the entry"
    ]
    answer = repository.run(GATE)
    assert answer.out.startswith("doc-claims: 2 citations resolve (1 anchored on a symbol, 2 held by review), ")
    assert refusal(repository, "x", citations={}).startswith("the citations class examined no citation at all; ")


@pytest.mark.parametrize(("cited", "near"), [("1", False), ("2", True), ("2-3", True), ("6", True), ("7", False)])
def test_a_symbol_within_the_window_of_a_citation(repository: Repository, cited: str, near: bool) -> None:
    """Spec 14, section 10: the window ends as many lines after the citation as it begins before it."""
    repository.write({"src/window.py": "\n\n\nclass Four: ...\n\n\n\n"})
    found = claims(repository, f"`Four` is at window.py:{cited}.\n", citations={"window": 2})
    assert (found == []) == near


def test_an_ambiguous_citation_names_how_many(repository: Repository) -> None:
    repository.write({"src/b/rules.py": "", "src/c/d/rules.py": ""})
    assert claims(repository, "At rules.py:1.\n", citations={}) == [
        "1: the citation `rules.py` resolves to 3 files in the source roots; spell the path from the repository root"
    ]


LIST = {
    "file": "docs/page.md",
    "claim": "the list",
    "pattern": {"match": "accepts (.*?)\\."},
    "tokenShape": {"match": "^[a-z]+$"},
    "expected": "acme.render:ACCEPTED",
}


def test_lists(repository: Repository) -> None:
    assert claims(repository, "It accepts `alpha`,\n`beta` and `Other`.\n", lists=[LIST]) == []
    assert claims(repository, "\n\nIt accepts `alpha` and `delta`.\n", lists=[LIST]) == [
        "3: the list omits beta and adds delta; acme.render's ACCEPTED has alpha, beta"
    ]
    assert claims(repository, "It accepts `alpha`.", lists=[{**LIST, "tokenShape": "acme.render:TOKENS"}]) == [
        "1: the list omits beta; acme.render's ACCEPTED has alpha, beta"
    ]
    assert claims(repository, "x", lists=[LIST, {**LIST, "file": "docs/none.md"}]) == [
        " 0 sentences match the pattern for the list; a list entry names exactly one, so either the sentence or the entry "
        "has to move",
        "docs/none.md: missing, but a list entry names it",
    ]
    assert refusal(repository, "accepts x.", lists=[{**LIST, "expected": "acme.render:NUMBER"}]) == (
        "acme.render's NUMBER is number, and a list of strings was expected"
    )


def dated(**change: Any) -> dict[str, Any]:
    claim = {"file": "docs/page.md", "key": "not yet", "settles": "read", "reason": "someone looked", **change}
    return {"triggers": [{"match": "yet|today"}], "headings": {"match": "Status"}, "claims": [claim]}


def test_dated_claims(repository: Repository) -> None:
    page = "# A today\n\nIt is not yet done.\nOwed today.\n\n## Status\n\n- fine\n\n## Other\n- fine\n"
    unregistered = (
        "this sentence claims something is true as of now, or not yet true, and no dated.claims entry holds it; register "
        "it with how it is settled"
    )
    assert claims(repository, page, dated=dated()) == [f"4: {unregistered}", f"8: {unregistered}"]
    assert "1 time-sensitive claims registered (0 settled by a predicate, 1 by review)" in repository.run(GATE).out
    page = "It is not yet done.\n"
    assert claims(repository, page, dated=dated(settles="acme.render:YES")) == []
    assert claims(repository, page, dated=dated(settles="acme.render:NO")) == [
        ' "not yet" is no longer true; the check that settles it (someone looked) now answers no'
    ]
    assert claims(repository, "Done.", dated=dated()) == [
        ' dated.claims holds "not yet", which the page no longer carries; the sentence was rewritten, so re-read the '
        "claim and move the entry"
    ]
    assert claims(repository, "not yet\nnot yet\n", dated=dated()) == [
        ' 2 sentences carry "not yet"; a dated.claims entry names one, so either the new sentence needs its own entry or '
        "the key needs to be longer"
    ]
    assert claims(repository, "It works, Done.", dated=dated(key="Done")) == [
        ' dated.claims holds "Done", and the sentence carrying it no longer reads as a dated claim; re-read it and move '
        "the entry"
    ]
    assert refusal(repository, page, dated=dated(settles="acme.render:three")) == (
        "acme.render's three is a function and it returned number; a predicate answers true or false"
    )


def test_dated_claims_are_pinned_to_what_was_read(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    page = "It is not yet done.\n"
    digest = hashlib.sha256(page.encode()).hexdigest()
    assert claims(repository, page, dated=dated(asOf={"hash": digest})) == []
    assert hash_subject(["docs/page.md"]) == 0
    assert capsys.readouterr().out == f"{digest}\n"
    repository.write({"subject.md": "x\n"})
    (found,) = claims(repository, page, dated=dated(asOf={"hash": digest, "subject": "subject.md"}))
    computed = hashlib.sha256(b"x\n").hexdigest()
    assert found == (
        f' "not yet" was confirmed against subject.md at {digest}, and its content now hashes to {computed}; read it '
        "again, and if the claim still holds pin the new digest (python -m eval_quality.gates.hash_subject subject.md)"
    )
    (found,) = claims(repository, page, dated=dated(asOf={"hash": digest, "subject": "none.md"}))
    assert found == ' "not yet" is pinned to none.md, which could not be read: no such file or directory'
    assert hash_subject(["none.md"]) == 64
    assert hash_subject([]) == 64


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("a  b \r\nc\r", "a b\nc\n"),
        ("a\n\n\n\nb\n\n\n", "a\n\nb\n"),
        ("- a\n    - b\n\n    - c\n  - d\n", "- a\n  - b\n\n  - c\n  - d\n"),
        ("```\n  x  y \n\n\n```\nz  z", "```\n  x  y \n\n\n```\nz z\n"),
        ("~~~~\n```\n~~~\n a  b\n~~~~\n  c\n", "~~~~\n```\n~~~\n a  b\n~~~~\n  c\n"),
        ("a\n\tb\n    c\n", "a\n  b\n  c\n"),
    ],
)
def test_normalised_text(written: str, normal: str) -> None:
    assert normalise(written) == normal


def test_codes(repository: Repository) -> None:
    codes = {"pattern": {"match": "raises `([a-z-]+)`"}, "registries": ["acme.render:ACCEPTED"]}
    page = "It raises `alpha`, raises `rule-broken`, raises `gone`.\nIt raises `gone`.\n"
    assert claims(repository, page, codes=codes) == [
        "1: the page says `gone` is raised, and no registry this section names carries it and nothing in the source roots "
        "spells it as a string literal; it was renamed, removed, or mistyped"
    ]
    assert len(claims(repository, page, codes={**codes, "literalInSources": False})) == 2
    assert refusal(repository, "x", codes=codes) == (
        "the codes class examined no code at all; nothing on 1 page(s) matched raises `([a-z-]+)`"
    )


def fence(**change: Any) -> list[dict[str, Any]]:
    row = {"file": "docs/page.md", "claim": "the example", "intro": {"match": "^Here"}, "schema": "acme.render:SCHEMA"}
    return [{**row, **change}]


def test_fences(repository: Repository) -> None:
    page = "Here it is:\n\n```json\n{}\n```\n"
    assert claims(repository, page.replace("{}", '{"id": 1}'), fences=fence()) == []
    assert claims(repository, page, fences=fence()) == [
        "4: the example does not parse against acme.render's SCHEMA (<root>: 'id' is a required property)"
    ]
    assert claims(repository, page, fences=fence(schema="acme.render:refuse")) == [
        "4: the example does not parse against acme.render's refuse (<root>: is not one)"
    ]
    assert claims(
        repository, page.replace("{}", "[1, 2]"), fences=fence(schema="acme.render:PARSER", shape="each")
    ) == ["4: the example member 1 does not parse against acme.render's PARSER (a.0: bad)"]
    assert claims(repository, page, fences=fence(shape="each")) == [
        "4: the example is declared as an array and is not one"
    ]
    assert claims(repository, page.replace("{}", "{"), fences=fence())[0].startswith(
        "4: the example is not valid JSON ("
    )
    assert claims(repository, "x", fences=fence(file="docs/none.md")) == [
        "docs/none.md: missing, but a fence entry names it"
    ]
    assert claims(repository, "x", fences=fence()) == [
        " no sentence introduces the example; the entry is dead and either the sentence or the entry has to move"
    ]
    assert claims(repository, page, fences=fence(lookahead=1)) == [
        "1: the example is introduced with no json fence after it"
    ]
    assert claims(repository, "Here\n```json\n{}\n", fences=fence()) == [
        "2: the json fence for the example is never closed"
    ]
    assert refusal(repository, page, fences=fence(schema="acme.render:NUMBER")).startswith(
        "acme.render's NUMBER is number and is no schema; a schema source names a pydantic model, "
    )


VOCABULARY: dict[str, Any] = {
    "tokens": "acme.render:TOKENS",
    "accepted": "acme.render:ACCEPTED",
    "refused": "acme.render:REFUSED",
}


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ("It accepts `alpha` and `beta`.", []),
        ("It accepts `gamma`.", ["accepts"]),
        ("It rejects `alpha`. It accepts `beta`.", ["rejects"]),
        ("It rejects `gamma`, `alpha` is accepted.", []),
        ("`gamma` is still rejected.", []),
        ("`alpha` is now already rejected.", ["rejected"]),
        ("It accepts `alpha`; it does not accept `gamma`.", ["accepts"]),
        ("The `rejects` key and accepts `alpha`.", []),
        ("It accepts `alpha`, and `gamma` stops at compilation.", []),
        ("It accepts `alpha`, and `gamma` is rejected.", []),
        ("It accepts `alpha`, and later `gamma` is rejected by some.", []),
    ],
)
def test_vocabulary(repository: Repository, sentence: str, verbs: list[str]) -> None:
    found = claims(repository, f"{sentence}\n", vocabulary=VOCABULARY)
    assert [line.split('"')[1] for line in found] == verbs


def test_vocabulary_messages(repository: Repository) -> None:
    assert claims(repository, "It accepts `gamma`.\n", vocabulary=VOCABULARY) == [
        '1: the sentence has "accepts" governing `gamma`, and acme.render\'s ACCEPTED is alpha, beta'
    ]
    assert refusal(repository, "`alpha` alone", vocabulary=VOCABULARY) == (
        "the vocabulary class classified no mention at all; acme.render's TOKENS is alpha, beta, gamma, and no page "
        "spells any of them beside a verb the section names"
    )
    assert refusal(repository, "x", vocabulary={**VOCABULARY, "tokens": "acme.render:EMPTY"}) == (
        "acme.render's EMPTY is empty, so the vocabulary class would hold no sentence at all"
    )


def test_generated_pages_are_skipped_by_the_classes_that_read_authored_ones(repository: Repository) -> None:
    repository.write({"docs/cli.gen.md": "It accepts `gamma`."})
    assert claims(repository, "It accepts `alpha`.", vocabulary=VOCABULARY, generated=[".gen.md"]) == []
    assert refusal(repository, "x", vocabulary=VOCABULARY, generated=[".md"]) == (
        "every one of the 2 page(s) matches a suffix under generated (.md); the classes that read authored pages would "
        "hold nothing"
    )


def test_pages_that_are_refused(repository: Repository) -> None:
    repository.write({"docs/a.md": "`RuleSet`", "empty/a.txt": ""})
    section: dict[str, Any] = {"sources": SOURCES, "symbols": {}}
    assert 'the "doc-claims" section names "." under pages, and that encloses the directory' in (
        repository.check(GATE, pages=["."], **section).err
    )
    assert '"empty" holds no markdown, and the "doc-claims" section names it under pages; a root' in (
        repository.check(GATE, pages=["docs", "empty"], **section).err
    )
    os.symlink("a.md", repository.root / "docs/b.md")
    answer = repository.check(GATE, pages=["docs"], **section)
    assert (answer.code, answer.err) == (
        64,
        "eval-quality-gates: docs/b.md is a symbolic link, and this walk does not follow links; name the directory "
        "itself under pages\n",
    )


def test_sections_that_are_refused(repository: Repository) -> None:
    assert repository.refused(GATE, pages=["docs"]) == [
        "(the section itself): declares no class of claim, so the gate would report a pass over nothing; add at least one "
        "of citations, symbols, lists, codes, fences, vocabulary, dated or transcriptions"
    ]
    verbs = {"accepts": ["take", "both"], "refuses": ["both"], "participles": ["taken"]}
    assert repository.refused(
        GATE,
        pages=["docs"],
        citations={},
        symbols={},
        lists=[{**LIST, "pattern": {"match": "x"}}],
        codes={"pattern": {"match": "x"}, "registries": ["acme.render:TOKENS"]},
        vocabulary={**VOCABULARY, "verbs": verbs},
        dated=dated(settles="acme.render:YES", asOf={"hash": "0" * 64}),
    ) == [
        "lists.0.pattern.match: has no capture group, and the stretch of prose that spells the list is read out of the "
        "first one",
        "codes.pattern.match: has no capture group, and the code the page names is read out of the first one",
        "vocabulary.verbs: carries both in both lists, and a verb in both is read as a refusal",
        "vocabulary.verbs.participles: names taken, which neither verb list carries, so nothing would ever be tested "
        "against it",
        "dated.claims.0.asOf: pins content beside a predicate, which already re-runs on every check",
        "sources: is absent, and citations, symbols, codes resolve against it",
    ]


def test_declared_names_of_python() -> None:
    source = text("""
        import os
        from x import y
        A: int = 1
        b = c, (d, *e) = 1
        try:
            inside = 1
        except E as f: pass
        def function(p, /, q, *r, s, **t):
            local = 1
            def nested(): pass
        class Class:
            field: str
            other = 2
            async def method(self):
                self.attribute = 3
    """)
    names = declared_names("pkg/mod/__init__.py", source.encode())
    assert set(names) == {
        *("A", "b", "c", "d", "e", "inside", "function", "p", "q", "r", "s", "t", "nested", "Class", "field", "other"),
        *("method", "self", "attribute", "__init__", "mod"),
    }
    assert (names["field"], names["mod"]) == (12, 1)


def test_declared_names_of_other_texts() -> None:
    assert set(
        declared_names("a.ts", b"export async function f() {}\nclass B {\n  readonly c?: number;\n}\n// d e\n")
    ) == {
        "f",
        "B",
        "c",
    }
    assert set(declared_names("a.py", b"def f(:\nclass B\nx = 1\ny: int\n")) == {"f", "B", "x", "y"}
