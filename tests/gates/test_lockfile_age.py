from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from eval_quality.gates import lockfile_age
from eval_quality.gates.registries import FetchError, HttpsFetch
from eval_quality.gates.timestamps import iso_text, milliseconds

from .locks import DECLARED, NPM, PYLOCK, UV
from .repository import Answer, Repository, text

GATE = "lockfile-age"
NOW = 1791158400000  # 2026-10-05T00:00:00Z


class Registry:
    """Documents by URL, and what was asked for."""

    def __init__(self, documents: dict[str, Any]) -> None:
        self.documents = documents
        self.asked: list[tuple[str, str]] = []

    def __call__(self, url: str, accept: str) -> bytes:
        self.asked.append((url, accept))
        if url not in self.documents:
            raise FetchError(url)
        return json.dumps(self.documents[url]).encode()


Check = Callable[..., Answer]


@pytest.fixture
def registry() -> Registry:
    return Registry({})


@pytest.fixture
def check(repository: Repository, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Runs the gate at a fixed time, with the registry in place of the network."""
    monkeypatch.setattr(lockfile_age, "check", partial(lockfile_age.check, time=NOW, fetch=registry))
    return partial(repository.check, GATE)


def test_worked_example_with_a_finding(repository: Repository, check: Check) -> None:
    repository.write({"pylock.toml": PYLOCK})
    assert check(lockfiles=["pylock.toml"]) == (
        1,
        "Effective clock: 2026-10-05T00:00:00.000Z\n",
        text("""

            lockfile-age pylock.toml: 1 entrie(s) published inside the 7-day window (cutoff 2026-09-28T00:00:00.000Z):
              - freshly@2.0.0 published 2026-10-03T10:00:00.000Z (freshly==2.0.0)
        """),
    )


def test_worked_example_with_a_stale_row(repository: Repository, check: Check) -> None:
    repository.write(
        {
            "requirements.txt": "a==1\nB_c==2\n",
            "ages.json": '{"a@1": "2020-01-01T00:00:00Z", "b.C@2": "2020-01-01T00:00:00.5+02:00"}',
        }
    )
    exclude = [{"name": "inhouse", "reason": "ours", "lockfiles": ["requirements.txt"]}]
    assert check(lockfiles=["requirements.txt"], cache="ages.json", exclude=exclude) == (
        64,
        text("""
            Effective clock: 2026-10-05T00:00:00.000Z
            lockfile-age: 2 publication time(s) read from ages.json; only an entry absent from it is fetched.
            lockfile-age requirements.txt: passed, 2 entrie(s), all published before 2026-09-28T00:00:00.000Z.
        """),
        f"""
eval-quality-gates: {repository.config}'s "lockfile-age" section excludes "inhouse" in requirements.txt, and no entry there carries that name; the package left the lockfile or the name is mistyped, so remove the row or narrow its lockfiles
""",
    )


def test_exclusions_exempt_from_the_window(repository: Repository, check: Check) -> None:
    repository.write({"pylock.toml": PYLOCK})
    exclude = [{"name": "Freshly", "reason": "ours", "lockfiles": ["pylock.toml"]}]
    section = {"lockfiles": ["pylock.toml"], "exclude": exclude, "index": DECLARED}
    assert check(**section).out.split("\n", 1)[1] == text("""
        lockfile-age pylock.toml: passed, 2 entrie(s), 1 published before 2026-09-28T00:00:00.000Z and 1 excluded by name.
          excluded: freshly@2.0.0 (freshly==2.0.0)
            because: ours
    """)
    answer = check(**{**section, "index": [{"url": "https://none.example"}]})
    assert answer.code == 1
    assert answer.out.split("\n", 1)[1].startswith(
        "lockfile-age pylock.toml: 2 entrie(s), 1 excluded by name.\n  excluded: freshly@2.0.0"
    )
    assert answer.err == text("""

        lockfile-age pylock.toml: failed closed, 2 entrie(s) do not resolve to a declared index:
          - freshly@2.0.0 resolved="https://files.example/freshly-2.0.0-py3-none-any.whl" (freshly==2.0.0)
          - settled@1.0.0 resolved="https://index.example/simple" (settled==1.0.0)
    """)


def test_equal_to_the_cutoff_is_old_enough_and_one_millisecond_younger_is_not(
    repository: Repository, check: Check
) -> None:
    repository.write({"r.txt": "a==1\nb==1\n"})
    ages = {"a@1": "2026-10-04T00:00:00.000Z", "b@1": "2026-10-04T00:00:00.001Z"}
    repository.write({"ages.json": json.dumps(ages)})
    answer = check(lockfiles=["r.txt"], cache="ages.json", windowDays=1)
    assert answer.err.count("  - ") == 1
    assert "  - b@1 published 2026-10-04T00:00:00.001Z (b==1)" in answer.err


def test_the_youngest_file_is_the_age_and_one_without_a_time_hides_it(repository: Repository, check: Check) -> None:
    repository.write({"uv.lock": UV.replace("2020-02-01", "2026-10-01")})
    answer = check(lockfiles=["uv.lock"])
    assert "- cli-kit@1.2.0 published 2026-10-01T00:00:00Z (cli-kit==1.2.0)" in answer.err
    assert "could not fetch publish metadata for 2 entrie(s):\n  - fusebox@2.1.0 (fusebox==2.1.0)\n" in answer.err
    repository.write({"uv.lock": UV.replace(', upload-time = "2020-01-01T00:00:00Z"', "")})
    assert "for 3 entrie(s)" in check(lockfiles=["uv.lock"]).err
    repository.write({"uv.lock": UV})
    assert "for 3 entrie(s)" in check(lockfiles=["uv.lock"], lockTimes="ignore").err


def page(*files: dict[str, Any], version: str = "1.1") -> dict[str, Any]:
    return {"meta": {"api-version": version}, "files": list(files)}


def file(name: str, time: str | None = "2020-01-01T00:00:00Z", sha256: str = "") -> dict[str, Any]:
    return {"filename": name, "hashes": {"sha256": sha256}, **({} if time is None else {"upload-time": time})}


def test_an_index_is_asked_only_when_the_section_permits(
    repository: Repository, registry: Registry, check: Check
) -> None:
    repository.write({"r.txt": "a==1\nb-c==1.0 --hash=sha256:AB\n"})
    registry.documents = {
        "https://index.example/simple/a/": page(
            file("a-1.tar.gz"), file("a-1.0-py3-none-any.whl", "2026-10-04T00:00:00Z"), file("a-2.tar.gz", None)
        ),
        "https://index.example/simple/b-c/": page(file("x", sha256="ab"), file("b_c-1.0.tar.gz", None)),
    }
    assert "for 2 entrie(s)" in check(lockfiles=["r.txt"], index=DECLARED).err
    assert registry.asked == []
    permitted = [{**DECLARED[0], "fetch": True}]
    answer = check(lockfiles=["r.txt"], index=permitted)
    assert answer.err.count("  - ") == 1
    assert "- a@1 published 2026-10-04T00:00:00Z" in answer.err
    assert sorted(registry.asked) == [
        ("https://index.example/simple/a/", "application/vnd.pypi.simple.v1+json"),
        ("https://index.example/simple/b-c/", "application/vnd.pypi.simple.v1+json"),
    ]


@pytest.mark.parametrize(
    "document",
    [
        page(file("a-1.tar.gz"), version="2.0"),
        page(),
        page(file("a-1.tar.gz", None)),
        page(file("a-1.tar.gz", "yesterday")),
        page(file("a-1.tar.gz", "2020-01-01T00:00:00")),
        {"files": 1},
        [],
        None,
    ],
)
def test_an_answer_that_does_not_tell_is_a_finding(
    repository: Repository, registry: Registry, check: Check, document: Any
) -> None:
    repository.write({"r.txt": "a==1\n"})
    registry.documents = {"https://index.example/simple/a/": document}
    answer = check(lockfiles=["r.txt"], index=[{**DECLARED[0], "fetch": True}])
    assert answer.code == 1
    assert "failed closed, could not fetch publish metadata for 1 entrie(s):\n  - a@1 (a==1)" in answer.err


def test_npm(repository: Repository, registry: Registry, check: Check) -> None:
    repository.write({"package-lock.json": NPM})
    registry.documents = {
        "https://npm.example/cli-kit": {"time": {"1.2.0": "2020-01-01T00:00:00.000Z"}},
        "https://npm.example/@s%2Flint": {"time": {"3.0.0": "2026-10-04T00:00:00.000Z"}},
    }
    answer = check(lockfiles=["package-lock.json"], npmRegistry="https://npm.example/")
    assert answer.err == text("""

        lockfile-age package-lock.json: failed closed, 1 entrie(s) do not resolve to the npm registry:
          - real@1.0.0 resolved="https://elsewhere.example/real-1.0.0.tgz" (node_modules/aliased)

        lockfile-age package-lock.json: failed closed, could not fetch publish metadata for 1 entrie(s):
          - fusebox@2.1.0 (node_modules/cli-kit/node_modules/fusebox)

        lockfile-age package-lock.json: 1 entrie(s) published inside the 7-day window (cutoff 2026-09-28T00:00:00.000Z):
          - @s/lint@3.0.0 published 2026-10-04T00:00:00.000Z (node_modules/@s/lint)
    """)


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        (None, "does not exist; "),
        ("{", "could not be read: "),
        ("[]", 'is not a JSON object mapping "name@version" to a publication timestamp\n'),
        ('{"a@1": "2020-01-01"}', 'is not a JSON object mapping "name@version" to a publication timestamp: a@1\n'),
        ('{"a@1": 3}', 'is not a JSON object mapping "name@version" to a publication timestamp: a@1\n'),
    ],
)
def test_a_cache_that_cannot_be_read(repository: Repository, check: Check, cache: str | None, said: str) -> None:
    repository.write({"r.txt": "a==1\n", **({} if cache is None else {"ages.json": cache})})
    answer = check(lockfiles=["r.txt"], cache="ages.json")
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {repository.root}/ages.json {said}")


def test_sections_that_are_refused(repository: Repository) -> None:
    exclusion = {"name": "a", "reason": "r", "lockfiles": ["uv.lock", "x"]}
    assert repository.refused(
        GATE,
        lockfiles=["uv.lock"],
        windowDays=0,
        exclude=[exclusion, exclusion, {**exclusion, "name": "left-pad@1.0.0", "lockfiles": []}],
        index=[{"url": "http://index.example"}],
        timeoutMs=10,
    ) == [
        "windowDays: Too small: expected number to be >=1",
        "exclude.2.name: is not a package name: this setting takes names such as left-pad or @scope/name, and a "
        "package-and-version pin is not one",
        "exclude.2.lockfiles: Too small: expected array to have >=1 items",
        "index.0.url: is not an https URL",
        "timeoutMs: Too small: expected number to be >=1000",
        'exclude.0.lockfiles.1: names "x", which is not one of the lockfiles this section declares: uv.lock',
        'exclude.1: excludes "a" in uv.lock, which an earlier row already excludes; one exemption carries one reason',
        'exclude.1.lockfiles.1: names "x", which is not one of the lockfiles this section declares: uv.lock',
    ]


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("0657-01-02T03:04:05Z", "0657-01-02T03:04:05.000Z"),
        ("2026-10-05T00:00:00Z", "2026-10-05T00:00:00.000Z"),
        ("2026-10-05t01:00:00.1239+01:00", "2026-10-05T00:00:00.123Z"),
        ("1969-12-31T23:59:59.999z", "1969-12-31T23:59:59.999Z"),
    ],
)
def test_timestamps(written: str, iso: str) -> None:
    time = milliseconds(written)
    assert time is not None
    assert iso_text(time) == iso


@pytest.mark.parametrize(
    "written", ["2026-10-05", "2026-10-05T00:00:00", "2026-13-05T00:00:00Z", "", "2026-10-05T00:00Z"]
)
def test_texts_that_are_no_timestamp(written: str) -> None:
    assert milliseconds(written) is None


def test_nothing_but_https_is_fetched() -> None:
    with pytest.raises(FetchError, match="is not https"):
        HttpsFetch(1000)("http://index.example/simple/", "x")
