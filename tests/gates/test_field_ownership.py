from __future__ import annotations

from typing import Any

import pytest

from .repository import Repository, text

GATE = "field-ownership"
SECTION: dict[str, Any] = {
    "paths": [{"path": "src", "extensions": [".py", ".pyi"]}],
    "fields": ["tenant_id"],
    "writers": ["src/acme/authorize.py"],
}
AUTHORIZE = {"src/acme/authorize.py": 'def f(u):\n    return Record(user=u, tenant_id="acme")\n'}
POSITION = "only a declared path or a declared writer may set this field; this is a {} position"
STRING = "names an owned field as a string, which reaches it through a computed key or a reflective set"


def kinds(repository: Repository, source: str, name: str = "a.py", **section: Any) -> list[tuple[int, str]]:
    """The lines and kinds of what one more file does."""
    repository.write({**AUTHORIZE, f"src/{name}": source})
    answer = repository.check(GATE, **{**SECTION, **section})
    found = []
    for line in answer.err.splitlines()[2:]:
        where, _, said = line.partition(" tenant_id: ")
        kind = next((word for word in ("assignment", "literal", "type") if POSITION.format(word) == said), None)
        found.append((int(where.rpartition(":")[2]), kind or ("string" if said == STRING else said)))
    return found


def test_worked_examples(repository: Repository) -> None:
    report = """
        def a(row):
            return row.model_copy(update={"tenant_id": "unknown"})

        def b(row):
            setattr(row, "tenant_id", None)
    """
    repository.write({**AUTHORIZE, "src/acme/report.py": report})
    assert repository.check(GATE, **SECTION) == (
        1,
        "",
        text("""

            field-ownership: 2 violation(s) across 2 scanned file(s):
              src/acme/report.py:2 tenant_id: only a declared path or a declared writer may set this field; this is a literal position
              src/acme/report.py:5 tenant_id: names an owned field as a string, which reaches it through a computed key or a reflective set
        """),
    )
    repository.write({"src/acme/authorize.py": report, "src/acme/report.py": ""})
    assert repository.run(GATE) == (0, "field-ownership: 2 file(s) scanned, 0 violations\n", "")
    repository.write({"src/acme/authorize.py": "def f(u):\n    return Record(user=u, tenant='acme')\n"})
    assert repository.run(GATE) == (
        1,
        "",
        text("""

            field-ownership: 1 violation(s) across 2 scanned file(s):
              src/acme/authorize.py:1 tenant_id: the configuration names this module as a writer of this field and it writes none
        """),
    )


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x.tenant_id = 1", "assignment"),
        ("x.tenant_id += 1", "assignment"),
        ("x.tenant_id: int = 1", "assignment"),
        ("del x.tenant_id", "assignment"),
        ("for x.tenant_id in y: pass", "assignment"),
        ("with y as x.tenant_id: pass", "assignment"),
        ("a, (x.tenant_id, *b) = y", "assignment"),
        ('x["tenant_id"] = 1', "assignment"),
        ('x["tenant_id"] += 1', "assignment"),
        ("class A: tenant_id: int = 1", "assignment"),
        ("class A: tenant_id = 1", "assignment"),
        ("tenant_id = 1", "assignment"),
        ("tenant_id: int = 1", "assignment"),
        ("(tenant_id := 1)", "assignment"),
        ("C(tenant_id=1)", "literal"),
        ("replace(x, tenant_id=1)", "literal"),
        ('{"tenant_id": 1}', "literal"),
        ('x |= {"tenant_id": 1}', "literal"),
        ('{"tenant_id": v for v in y}', "literal"),
        ("class A: tenant_id: int", "type"),
        ("x.tenant_id: int", "type"),
        ('T = TypedDict("T", {"tenant_id": int})', "type"),
        ('T = NamedTuple("T", [("tenant_id", int)])', "type"),
        ('T = typing.TypedDict("T", tenant_id=int)', "type"),
        ('setattr(x, "tenant_id", 1)', "string"),
        ('x.pop("tenant_id")', "string"),
        ('del x["tenant_id"]', "string"),
        ('__slots__ = ("tenant_id",)', "string"),
        ('"tenant" "_id"', "string"),
        ('x["tenant_id"]', None),
        ('getattr(x, "tenant_id")', None),
        ('hasattr(x, "tenant_id")', None),
        ('x.get("tenant_id", 1)', None),
        ('"tenant_id" in x', None),
        ('x in ("tenant_id", "y")', None),
        ('x == "tenant_id"', None),
        ('match x:\n    case {"tenant_id": 1} | "tenant_id": pass', None),
        ('f"{x}tenant_id"', None),
        ("x.tenant_id", None),
        ("def f(tenant_id): return tenant_id", None),
        ("import tenant_id", None),
        ("def f():\n    global tenant_id", None),
        ("tenant_id_2 = 1", None),
    ],
)
def test_positions(repository: Repository, source: str, kind: str | None) -> None:
    assert kinds(repository, source) == ([] if kind is None else [(1, kind)])


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("x.tenant_id = 1", True),
        ('x["tenant_id"] = 1', True),
        ("class A: tenant_id = 1", True),
        ("C(tenant_id=1)", True),
        ("del x.tenant_id", False),
        ("tenant_id = 1", False),
        ("class A: tenant_id: int", False),
        ('setattr(x, "tenant_id", 1)', False),
    ],
)
def test_what_a_writer_owes(repository: Repository, source: str, counts: bool) -> None:
    repository.write({"src/acme/authorize.py": source})
    assert repository.check(GATE, **SECTION).code == (0 if counts else 1)


def test_helpers_are_reported_by_mention(repository: Repository) -> None:
    source = """
        from acme import stamp
        import acme.stamp as s
        def stamp(): pass
        stamp(x)
        acme.stamp
        "stamp"
    """
    repository.write({**AUTHORIZE, "src/a.py": source})
    answer = repository.check(GATE, **SECTION, helpers=["stamp"])
    found = [line.split()[0] for line in answer.err.splitlines()[2:]]
    assert found == [f"src/a.py:{line}" for line in (1, 2, 3, 4, 5)]
    assert (
        "stamp: stamp() sets the owned fields, so naming it outside the writer list is the same write one line further "
        "out" in answer.err
    )


def test_declarations_are_exempt(repository: Repository) -> None:
    assert kinds(repository, "class A: tenant_id: int", "models/a.pyi", declarations=["src/models/"]) == []


def test_a_file_that_does_not_parse_is_a_violation(repository: Repository) -> None:
    repository.write({**AUTHORIZE, "src/a.py": "\ndef f(:\n"})
    answer = repository.check(GATE, **SECTION)
    assert answer.code == 1
    assert "  src/a.py:2 src/a.py: could not be parsed as Python 3." in answer.err
    assert answer.err.endswith("; the ownership rules could not be applied to it\n")


def test_a_writer_that_is_gone(repository: Repository) -> None:
    repository.write({"src/a.py": ""})
    assert repository.check(GATE, **SECTION).err.endswith(
        "  src/acme/authorize.py:1 src/acme/authorize.py: the configuration names this module as a writer and no such "
        "file was scanned; a rename emptied the writer list\n"
    )


def test_sections_that_are_refused(repository: Repository) -> None:
    identifier = (
        "is not an identifier; the scan matches a name as the tokenizer sees it, so a member expression or a quoted key "
        "cannot be written here"
    )
    assert repository.refused(
        GATE, paths=SECTION["paths"], fields=["a.b", "c", "d"], writers=[], helpers=["d", "c", "1"]
    ) == [
        f"fields.0: {identifier}",
        "writers: Too small: expected array to have >=1 items",
        f"helpers.2: {identifier}",
        "helpers: names d, c, which is also a field; one name cannot be both, since a field is reported by position and "
        "a helper by mention",
    ]


def test_other_languages_are_refused(repository: Repository) -> None:
    repository.write({**AUTHORIZE, "src/a.tsx": ""})
    answer = repository.check(GATE, **{**SECTION, "paths": [{"path": "src"}]})
    assert answer.code == 64
    assert answer.err.startswith("eval-quality-gates: src/a.tsx is not source this gate reads: ")
