from __future__ import annotations

import io
import json
import os
import tarfile
import zipfile
from typing import Any

import pytest

from eval_quality.gates.logical_lines import logical_lines

from .repository import Repository, text

GATE = "package-boundary"
PATTERNS = [
    {"name": "unpublished-path", "match": "\\b(?:tests|docs/internal)/", "reason": "the wheel carries src only"},
    {"name": "build-machine-path", "match": "/home/", "reason": "an absolute path of the build machine"},
]
PATHS = [{"path": "src", "extensions": [".py"]}]
GREETER = '''
    """Greets people.

    The cases are listed in
    tests/test_greet.py.
    """

    # Built from
    # /home/ann/work.
    GREETING = "hello"
'''


def wheel(members: dict[str, str | bytes], **attributes: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.writestr(info, content)
    return buffer.getvalue()


def sdist(members: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), "elsewhere"
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_worked_example_with_findings(repository: Repository) -> None:
    repository.write(
        {
            "pyproject.toml": '[project]\ndescription = "Says hello; see docs/internal/plan.md"\n',
            "src/greeter/__init__.py": GREETER,
        }
    )
    answer = repository.check(
        GATE,
        paths=PATHS,
        manifest={"file": "pyproject.toml", "fields": ["project.description"]},
        patterns=PATTERNS,
    )
    assert answer == (
        1,
        "",
        text("""

            package-boundary: 3 violation(s) across 2 scanned entr(ies):
              pyproject.toml#project.description:1 [unpublished-path] Says hello; see docs/internal/plan.md
                the wheel carries src only
              src/greeter/__init__.py:3 [unpublished-path] The cases are listed in tests/test_greet.py.
                the wheel carries src only
              src/greeter/__init__.py:7 [build-machine-path] Built from /home/ann/work.
                an absolute path of the build machine
        """),
    )


def test_worked_example_of_a_wheel(repository: Repository) -> None:
    members: dict[str, str | bytes] = {f"greeter/{name}.py": "" for name in "abcd"}
    repository.write({"dist/greeter-1.0-py3-none-any.whl": wheel(members), "dist/note.txt": "/home/"})
    section = {"distribution": [{"path": "dist"}], "patterns": PATTERNS}
    assert repository.check(GATE, **section) == (
        0,
        "package-boundary: 4 entr(ies) scanned, 0 violations (4 from dist/greeter-1.0-py3-none-any.whl)\n",
        "",
    )
    (repository.root / "dist/greeter-1.0-py3-none-any.whl").unlink()
    assert repository.check(GATE, **section) == (
        64,
        "",
        'eval-quality-gates: dist holds no built distribution the "package-boundary" section asked for, so a scan of '
        "nothing would report zero violations for the wrong reason; mark it optional if it may be empty\n",
    )


def lines_of(source: str, path: str = "a.py") -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in logical_lines(path, text(source).encode()) if line.text]


def test_comment_runs_are_one_line_in_every_file_type() -> None:
    assert lines_of("# one\n#\n#   two */\nx\n// a\n/** b */\n * c\n", "a.txt") == [
        (1, "one two"),
        (4, "x"),
        (5, "a b c"),
    ]


def test_docstrings_are_joined_paragraph_by_paragraph() -> None:
    source = '''
        def f():
            r"""First
            line.

            Second."""  # see it
            x = "no docstring"
            return 1; "nor this"
        class A:
            'short'
    '''
    assert lines_of(source) == [
        (1, "def f():"),
        (2, "First line."),
        (5, "Second."),
        (5, "see it"),
        (6, '    x = "no docstring"'),
        (7, '    return 1; "nor this"'),
        (8, "class A:"),
        (9, "short"),
    ]


def test_a_file_that_does_not_parse_is_read_line_by_line() -> None:
    assert lines_of('"""a\nb"""\ndef (:\n') == [(1, '"""a'), (2, 'b"""'), (3, "def (:")]


def test_lines_break_at_line_feeds_alone() -> None:
    assert lines_of("a\x0cb\u2028c\x85d\n# x\r\n# y\r\n", "a.txt") == [(1, "a\x0cb\u2028c\x85d"), (2, "x y")]


def test_a_path_broken_over_two_comment_lines_is_found(repository: Repository) -> None:
    repository.write({"src/a.py": "# see /ho\n# me/ann\n"})
    assert (
        "src/a.py:1 [build-machine-path] see /ho me/ann" in repository.check(GATE, paths=PATHS, patterns=PATTERNS).err
    )


def test_a_line_past_the_bound_is_a_violation(repository: Repository) -> None:
    repository.write({"src/a.py": "x" * 65537})
    answer = repository.check(GATE, paths=PATHS, patterns=PATTERNS)
    assert answer.code == 1
    assert f"  src/a.py:1 [line-exceeds-scan-bound] {'x' * 120}...\n" in answer.err
    assert "    a logical line of 65537 characters is past the 65536-character bound a pattern is matched" in answer.err


def test_the_first_pattern_names_the_one_violation_of_a_line(repository: Repository) -> None:
    repository.write({"src/a.py": "x = 'tests/' '/home/'\n", "src/b.py": "/home/\n"})
    answer = repository.check(GATE, paths=PATHS, patterns=PATTERNS)
    assert answer.err.count("[unpublished-path]") == 1
    assert answer.err.count("[build-machine-path]") == 1


def test_manifest_fields_are_flattened(repository: Repository) -> None:
    manifest = {
        "a": {"b": {"x": "/home/1", "empty": {}}, "list": ["one", "/home/2", 3, True], "n": 1.0},
        "tables": [{"path": "/home/3"}, ["/home/4"]],
    }
    repository.write({"package.json": json.dumps(manifest)})
    answer = repository.check(
        GATE, paths=[{"path": "package.json"}], manifest={"fields": ["a", "tables"]}, patterns=PATTERNS[1:]
    )
    found = [line.split(" [")[0].strip() for line in answer.err.splitlines() if "[build" in line]
    assert found == [
        "package.json:1",
        "package.json#a.b.x:1",
        "package.json#a.list:1",
        "package.json#tables.0.path:1",
        "package.json#tables.1:1",
    ]
    assert "a.list:1 [build-machine-path] one /home/2 3 true" in answer.err


@pytest.mark.parametrize(
    ("files", "manifest", "message"),
    [
        (
            {},
            {"file": "x.json", "fields": ["a"]},
            "x.json could not be read: ENOENT: no such file or directory, open '{root}/x.json'; the "
            '"package-boundary" section names it under manifest.file',
        ),
        ({"x.json": "{"}, {"file": "x.json", "fields": ["a"]}, "x.json is not valid JSON: "),
        ({"x.toml": "="}, {"file": "x.toml", "fields": ["a"]}, "x.toml is not valid TOML: "),
        (
            {"pyproject.toml": ""},
            {"fields": ["project.name"]},
            'pyproject.toml carries no "project.name", and the "package-boundary" section names it under '
            "manifest.fields; a field that is not there would otherwise read as a field with nothing in it",
        ),
        (
            {"pyproject.toml": '[project]\ndynamic = ["readme"]\n'},
            {"fields": ["project.readme"]},
            'pyproject.toml declares "project.readme" dynamic, so it carries no text to scan; build the distribution '
            "and name it under distribution",
        ),
        (
            {"package.json": '{"a": {"b": null}}'},
            {"fields": ["a"]},
            "package.json#a.b is null, so there is nothing to scan",
        ),
    ],
)
def test_a_manifest_that_cannot_be_scanned(
    repository: Repository, files: dict[str, str], manifest: dict[str, Any], message: str
) -> None:
    repository.write({"src/a.py": "", **files})
    answer = repository.check(GATE, paths=PATHS, manifest=manifest, patterns=PATTERNS)
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {message}".replace("{root}", str(repository.root)))


def test_members_of_archives(repository: Repository) -> None:
    repository.write(
        {
            "dist/a-1.0.tar.gz": sdist({"a-1.0/x.py": b"# /home/\n", "a-1.0/y.txt": b"fine"}),
            "dist/a-1.0-py3-none-any.whl": wheel({"a/lib.so": b"\0\x01/home/ann/x\0/hom", "tests/z.py": ""}),
        }
    )
    rows: list[dict[str, Any]] = [{"path": "dist", "names": True}]
    answer = repository.check(GATE, distribution=rows, patterns=PATTERNS)
    found = [line.strip() for line in answer.err.splitlines() if "[" in line]
    assert found == [
        "dist/a-1.0-py3-none-any.whl!a/lib.so:1 [build-machine-path] /home/ann/x",
        "dist/a-1.0-py3-none-any.whl!tests/z.py:1 [unpublished-path] tests/z.py",
        "dist/a-1.0.tar.gz!a-1.0/x.py:1 [build-machine-path] /home/",
    ]
    rows = [{"path": "dist", "kind": "wheel", "binary": "skip"}]
    assert repository.check(GATE, distribution=rows, patterns=PATTERNS).out == (
        "package-boundary: 1 entr(ies) scanned, 0 violations (1 from dist/a-1.0-py3-none-any.whl, 1 binary member(s) "
        "not read)\n"
    )
    rows = [{"path": "dist/a-1.0.tar.gz", "extensions": [".txt"]}, {"path": "none", "optional": True}]
    assert repository.check(GATE, distribution=rows, patterns=PATTERNS).out == (
        "package-boundary: 1 entr(ies) scanned, 0 violations (1 from dist/a-1.0.tar.gz)\n"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.whl", b"no archive", "dist/a.whl could not be read: "),
        ("a.tar.gz", b"no archive", "dist/a.tar.gz could not be read: "),
        ("a.whl", wheel({"/etc/x": ""}), "dist/a.whl!/etc/x could not be read: its path leads out of the archive"),
        ("a.tar.gz", sdist({"a/../../x": b""}), "dist/a.tar.gz!a/../../x could not be read: its path leads"),
        ("a.tar.gz", sdist({"a/x": b""}, tarfile.SYMTYPE), "dist/a.tar.gz!a/x could not be read: it is no plain file"),
        ("a.whl", wheel({"a": "elsewhere"}, external_attr=0o120777 << 16), "dist/a.whl!a could not be read: it is no"),
        ("a.tar.gz", sdist({"a": b"x"})[:40], "dist/a.tar.gz could not be read: "),
    ],
    ids=["no wheel", "no sdist", "absolute path", "path upwards", "link", "link in a wheel", "cut short"],
)
def test_an_archive_that_cannot_be_trusted_is_exit_1(
    repository: Repository, name: str, content: bytes, message: str
) -> None:
    repository.write({f"dist/{name}": content})
    answer = repository.check(GATE, distribution=[{"path": "dist"}], patterns=PATTERNS)
    assert answer.code == 1
    assert answer.err.startswith(f"eval-quality-gates: {message}")


def test_sections_that_are_refused(repository: Repository) -> None:
    row = PATTERNS[0]
    assert repository.refused(GATE, patterns=[row]) == ["paths: Invalid input: expected array, received undefined"]
    assert repository.refused(
        GATE,
        paths=[{"path": "../x", "extensions": ["py"]}],
        manifest={"fields": ["a..b"]},
        patterns=[row, {**row}, {**row, "name": "line-exceeds-scan-bound", "reason": ""}],
    ) == [
        "paths.0.path: is not a repository-relative path: write it with forward slashes, no leading slash, no drive "
        'letter, and no ".." segment, so a configuration can only name files beneath itself',
        'paths.0.extensions.0: is not a file extension; write it with its leading dot, as ".ts"',
        "manifest.fields.0: is not a manifest field path; write one key, or several joined by dots",
        "patterns.2.reason: Too small: expected string to have >=1 characters",
        'patterns.1.name: repeats "unpublished-path"; a violation is reported under this name, so two patterns cannot '
        "share one",
        "patterns.2.name: is reserved: the gate reports a line past its own matching bound under "
        '"line-exceeds-scan-bound"',
    ]


def test_archives_that_are_absent_or_past_their_bounds(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = repository.check(GATE, distribution=[{"path": "dist"}], patterns=PATTERNS)
    assert (answer.code, answer.err) == (
        64,
        'eval-quality-gates: dist does not exist, and the "package-boundary" section names it under distribution; mark it '
        "optional if it may be absent\n",
    )
    repository.write({"dist/a.whl": wheel({"a": "1234", "b": "5678"})})
    monkeypatch.setattr("eval_quality.gates.archives._LARGEST_ARCHIVE", 7)
    answer = repository.run(GATE)
    assert (answer.code, answer.err) == (
        1,
        "eval-quality-gates: dist/a.whl!b could not be read: the archive holds more than 7 bytes\n",
    )
    monkeypatch.setattr("eval_quality.gates.archives._LARGEST_MEMBER", 3)
    assert "dist/a.whl!a could not be read: it is larger than 3 bytes" in repository.run(GATE).err


def test_names_and_texts_that_are_not_utf_8(repository: Repository) -> None:
    """What cannot be spelled is U+FFFD, in what is matched and in what is printed."""
    repository.write({os.fsdecode(b"src/\xff.py"): "/home/a", "package.json": '{"a": "\\ud800/home/b"}'})
    repository.write({"dist/x.tar.gz": sdist({"\udcff/home/c": b"d"})})
    section = {
        "paths": PATHS,
        "manifest": {"file": "package.json", "fields": ["a"]},
        "distribution": [{"path": "dist", "names": True}],
        "patterns": PATTERNS[1:],
    }
    answer = repository.check(GATE, **section)
    assert answer.code == 1
    assert [line for line in answer.err.split("\n") if line.endswith(("a", "b", "c"))] == [
        "  dist/x.tar.gz!\ufffd/home/c:1 [build-machine-path] \ufffd/home/c",
        "  package.json#a:1 [build-machine-path] \ufffd/home/b",
        "  src/\ufffd.py:1 [build-machine-path] /home/a",
    ]
    sarif = json.loads(repository.run(GATE, "--format", "sarif").out)
    places = [result["locations"][0]["physicalLocation"] for result in sarif["runs"][0]["results"]]
    assert places[2]["artifactLocation"]["uri"] == "src/%EF%BF%BD.py"


def test_numbers_of_a_manifest_are_spelled_as_in_javascript(repository: Repository) -> None:
    numbers = f"[1.0, 1e-7, 1e21, 12345678901234567890, -0.0, {'9' * 400}]"
    repository.write({"package.json": f'{{"n": {numbers}}}'})
    spelled = "^1 1e-7 1e\\+21 12345678901234567000 0 Infinity$"
    patterns = [{"name": "numbers", "match": spelled, "reason": "r"}]
    answer = repository.check(
        GATE, paths=[{"path": "package.json"}], manifest={"file": "package.json", "fields": ["n"]}, patterns=patterns
    )
    assert "package.json#n:1 [numbers]" in answer.err


def test_a_directory_of_archives_that_cannot_be_listed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write({"dist/a.whl": wheel({"a": ""})})

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("eval_quality.gates.scanned_paths.os.scandir", refuse)
    answer = repository.check(GATE, distribution=[{"path": "dist"}], patterns=PATTERNS)
    detail = f"EACCES: permission denied, scandir '{repository.root}/dist'"
    assert (answer.code, answer.err) == (1, f"eval-quality-gates: dist could not be read: {detail}\n")
