"""Reading lock files of every format: entries, origins, graph, and what is no lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_quality.gates.gate import Place
from eval_quality.gates.locks import Lock, read_lock
from eval_quality.gates.origins import Index, Origins

from .locks import INDEX, NPM, POETRY, PYLOCK, REQUIREMENTS, UV
from .repository import Repository


def read(repository: Repository, name: str, content: str, **more: str) -> Lock:
    repository.write({name: content, **more})
    return read_lock(Place("licences", repository.root, Path("/c.json")), name)


def summary(lock: Lock) -> list[tuple[str, bool, str]]:
    return [(entry.label, entry.optional, lock.dependency_path(entry)) for entry in lock.entries]


def test_uv(repository: Repository) -> None:
    lock = read(repository, "uv.lock", UV)
    assert summary(lock) == [
        ("cli-kit@1.2.0", False, "greeter > cli-kit"),
        ("fusebox@2.1.0", False, "greeter > cli-kit > fusebox"),
        ("only-extra@3", True, "greeter > only-extra"),
    ]
    assert [entry.line for entry in lock.entries] == [4, 14, 28]
    assert [artifact.file for artifact in lock.entries[0].artifacts] == [
        "cli_kit-1.2.0.tar.gz",
        "cli_kit-1.2.0-py3-none-any.whl",
    ]


def test_pylock(repository: Repository) -> None:
    pyproject = '[project]\nname = "greeter"\n[dependency-groups]\ntest = ["Settled>=1"]\n'
    lock = read(repository, "pylock.test.toml", PYLOCK, **{"pyproject.toml": pyproject})
    assert summary(lock) == [
        ("freshly@2.0.0", False, "greeter > Settled > freshly"),
        ("settled@1.0.0", True, "greeter > Settled"),
    ]
    assert lock.entries[0].artifacts[0].uploaded == "2026-10-03T10:00:00.000Z"


def test_poetry(repository: Repository) -> None:
    pyproject = '[tool.poetry]\nname = "greeter"\n[tool.poetry.group.x.dependencies]\ncli-kit = "*"\n'
    lock = read(repository, "poetry.lock", POETRY, **{"pyproject.toml": pyproject})
    assert summary(lock) == [
        ("cli-kit@1.2.0", True, "greeter > cli-kit"),
        ("fusebox@2.1.0", False, "greeter > cli-kit > Fusebox"),
    ]
    assert lock.entries[1].direct == "https://code.example/fusebox"


def test_requirements(repository: Repository) -> None:
    more = "--index-url https://index.example/simple\nlone==1\n./outside/../lib\n"
    lock = read(repository, "requirements.txt", REQUIREMENTS, **{"more.txt": more})
    assert summary(lock) == [
        ("lone@1", False, "lone==1"),
        ("cli-kit@1.2.0", False, "(root) > cli-kit"),
        ("fusebox@2.1.0", False, "(root) > fusebox"),
    ]
    assert [artifact.sha256 for artifact in lock.entries[1].artifacts] == ["aa", "bb"]
    assert lock.entries[0].indexes == ("https://index.example/simple",)
    assert lock.entries[1].line == 3


def test_npm(repository: Repository) -> None:
    lock = read(repository, "package-lock.json", NPM)
    assert summary(lock) == [
        ("cli-kit@1.2.0", False, "greeter > cli-kit"),
        ("fusebox@2.1.0", True, "greeter > cli-kit > fusebox"),
        ("@s/lint@3.0.0", False, "greeter > @s/lint"),
        ("real@1.0.0", False, "greeter > own > aliased"),
    ]
    faults = [Origins("https://npm.example/", None).fault(lock, entry) for entry in lock.entries]
    assert [fault and fault.as_json for fault in faults] == [
        None,
        None,
        None,
        '"https://elsewhere.example/real-1.0.0.tgz"',
    ]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("", ""), None),
        ((INDEX, "https://other.example/simple"), "https://other.example/simple"),
        (("https://files.example/a", "http://files.example/a"), "http://files.example/a/cli_kit-1.2.0.tar.gz"),
        (("https://files.example/a", "https://evil.example/a"), "https://evil.example/a/cli_kit-1.2.0.tar.gz"),
        (("cli_kit-1.2.0.tar.gz", "cli_kit-1.2.1.tar.gz"), "https://files.example/a/cli_kit-1.2.1.tar.gz"),
        (("cli_kit-1.2.0.tar.gz", "other-1.2.0.tar.gz"), "https://files.example/a/other-1.2.0.tar.gz"),
        (("cli_kit-1.2.0.tar.gz", "cli_kit.exe"), "https://files.example/a/cli_kit.exe"),
        (('source = { registry = "https://index.example/simple" }', 'source = { git = "https://g" }'), "https://g"),
        (('source = { registry = "https://index.example/simple" }', 'source = { editable = "../x" }'), "../x"),
    ],
)
def test_the_first_thing_wrong_with_an_origin(
    repository: Repository, change: tuple[str, str], fault: str | None
) -> None:
    lock = read(repository, "uv.lock", UV.replace(*change))
    found = Origins(None, (Index(INDEX, ("files.example",)),)).fault(lock, lock.entries[0])
    assert (None if found is None else found.found) == fault


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "Pipfile.lock",
            "{}",
            "Pipfile.lock is not a lockfile this gate reads; it reads package-lock.json, uv.lock, pylock.toml, "
            "poetry.lock and a pinned requirements.txt",
        ),
        ("uv.lock", "version = 2", "uv.lock is not in a lock format this gate reads: version is 2, and 1 is what it"),
        ("uv.lock", "version = 1\n[[package]]\nx = 1\n", "uv.lock is not in a lock format this gate reads: a package"),
        ("uv.lock", "version = 1", "uv.lock locks no entry, so the gate would report a pass over nothing"),
        ("pylock.toml", 'lock-version = "2.0"', "pylock.toml is not in a lock format this gate reads: "),
        ("poetry.lock", '[metadata]\nlock-version = "3.0"', "poetry.lock is not in a lock format this gate reads: "),
        (
            "package-lock.json",
            '{"lockfileVersion": 1, "dependencies": {}}',
            "package-lock.json carries no packages map, so it is not a version 2 or 3 npm lockfile and there is nothing "
            "to audit",
        ),
        ("package-lock.json", '{"packages": {"": 1}}', "package-lock.json is not in a lock format this gate reads: "),
        ("r.txt", "a==1\nb>=2\n", "r.txt:2 is not pinned to one version, so it is not a lock: b>=2"),
        ("r.txt", "a==1.*\n", "r.txt:1 is not pinned to one version, so it is not a lock: a==1.*"),
        ("r.txt", "-r r.txt\n", "r.txt includes r.txt, which includes itself"),
        ("r.txt", "-r ../r.txt\n", "r.txt includes ../r.txt, which lies outside the directory of the configuration"),
        ("r.txt", "-c none.txt\n", "r.txt includes none.txt: ENOENT"),
        ("r.txt", "a==1\n-rnone.txt\n", "r.txt includes none.txt: ENOENT"),
        (
            "package-lock.json",
            '{"packages": NaN}',
            "{root}/package-lock.json could not be read: Unexpected token 'N', ",
        ),
    ],
)
def test_what_is_no_lock_is_refused(repository: Repository, name: str, content: str, message: str) -> None:
    repository.write({name: content})
    registry = {"npmRegistry": "https://npm.example"} if name.endswith("json") else {}
    answer = repository.check("licences", lockfiles=[name], allowlist=["MIT"], **registry)
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {message.replace('{root}', str(repository.root))}")


@pytest.mark.parametrize(
    ("files", "said"), [({}, "does not exist"), ({"uv.lock": "="}, "could not be read: Invalid statement")]
)
def test_a_lock_that_cannot_be_read_names_who_names_it(
    repository: Repository, files: dict[str, str], said: str
) -> None:
    repository.write(files)
    answer = repository.check("lockfile-age", lockfiles=["uv.lock"])
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {repository.root}/uv.lock {said}")
    assert answer.err.endswith(f'; {repository.config}\'s "lockfile-age" section names it under lockfiles\n')


def test_off_index_sources_of_requirements(repository: Repository) -> None:
    lock = read(repository, "r.txt", "a==1\nb @ https://x.example/b-1.tar.gz\n../lib\n")
    origins = Origins(None, (Index(INDEX),))
    faults = [origins.fault(lock, entry) for entry in lock.entries]
    assert [fault and fault.found for fault in faults] == [None, "https://x.example/b-1.tar.gz", "../lib"]
    lock = read(repository, "r.txt", "-f https://links.example\n-i https://other.example\na==1\n")
    found = origins.fault(lock, lock.entries[0])
    assert found is not None
    assert found.found == "https://other.example"
