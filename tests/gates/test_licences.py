from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from eval_quality.gates.licence_expression import FREE_TEXT, NOT_VALID, Declaration, declared_licence, is_allowed

from .locks import DECLARED, NPM, UV
from .repository import Repository, text

GATE = "licences"
CACHE = [{"from": "cache", "path": "cache.json"}]
UNDECLARED = {
    "lockfiles": ["requirements.txt"],
    "prefix": "oldlib",
    "readAs": "MIT",
    "reason": "0.3.1 was packaged before the field was set",
    "evidence": "the sdist ships an MIT LICENSE file",
}


def write(repository: Repository, licences: dict[str, Any], **files: str) -> None:
    repository.write({"cache.json": json.dumps(licences), **files})


def test_worked_example_with_a_finding(repository: Repository) -> None:
    write(
        repository,
        {"cli-kit@1.2.0": "MIT OR GPL-2.0-only", "fusebox@2.1.0": "GPL-3.0-only", "only-extra@3": "MIT"},
        **{"uv.lock": UV},
    )
    answer = repository.check(GATE, lockfiles=["uv.lock"], allowlist=["MIT", "Apache-2.0"], metadata=CACHE)
    assert answer == (
        1,
        "",
        text("""

            licences uv.lock: 1 entrie(s) outside the allowlist:
              - fusebox@2.1.0: license="GPL-3.0-only"
                dependency path: greeter > cli-kit > fusebox
        """),
    )


def test_worked_example_read_by_evidence(repository: Repository) -> None:
    site = "env/lib/python3.12/site-packages"
    repository.write(
        {
            "requirements.txt": "oldlib==0.3.1\ncli-kit==1.2.0\n",
            f"{site}/oldlib-0.3.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: oldlib\nVersion: 0.3.1\n",
            f"{site}/cli_kit-1.2.0.dist-info/METADATA": (
                "Metadata-Version: 2.4\nName: cli-kit\nVersion: 1.2.0\nLicense-Expression: MIT\n"
            ),
        }
    )
    metadata = [{"from": "installed", "environment": "env"}]
    section = {"lockfiles": ["requirements.txt"], "allowlist": ["MIT"], "metadata": metadata}
    assert repository.check(GATE, undeclared=[UNDECLARED], **section) == (
        0,
        text("""
            licences requirements.txt: passed against the allowlist, 2 entrie(s), all allowlisted.
              read by evidence: oldlib@0.3.1 as MIT
                evidence: the sdist ships an MIT LICENSE file
                because: 0.3.1 was packaged before the field was set
        """),
        "",
    )
    answer = repository.check(GATE, undeclared=[{**UNDECLARED, "readAs": "ISC"}], **section)
    assert "license=null (read as ISC by evidence, and the allowlist does not carry it)" in answer.err
    answer = repository.check(GATE, **section)
    assert (answer.code, answer.out) == (1, "")
    assert "  - oldlib@0.3.1: license=null (declares no licence)\n    dependency path: oldlib==0.3.1\n" in answer.err


def test_a_row_nothing_needs_is_stale_unless_something_was_found(repository: Repository) -> None:
    write(repository, {"a@1": "MIT"}, **{"requirements.txt": "a==1\n", "other.txt": "a==1\n"})
    rows = [{**UNDECLARED, "lockfiles": ["requirements.txt", "other.txt"]}, {**UNDECLARED, "prefix": "b"}]
    section = {"lockfiles": ["requirements.txt", "other.txt"], "metadata": CACHE, "undeclared": rows}
    answer = repository.check(GATE, allowlist=["MIT"], **section)
    assert answer.code == 64
    assert answer.out.count("passed") == 2
    assert answer.err == (
        f'\neval-quality-gates: {repository.config}\'s "licences" section reads "oldlib" in requirements.txt, other.txt; '
        '"b" in requirements.txt by evidence, and no entry there under that prefix declares no licence; the package now '
        "declares one or the prefix is mistyped, so remove the row or narrow its lockfiles\n"
    )
    assert repository.check(GATE, allowlist=["ISC"], **section).code == 1


def test_policies_and_tolerances(repository: Repository) -> None:
    write(
        repository,
        {"cli-kit@1.2.0": "MIT", "fusebox@2.1.0": "ISC", "only-extra@3": "GPL-3.0-only"},
        **{"uv.lock": UV, "flag": "no extras are shipped"},
    )
    tolerance = {
        "reason": "never shipped",
        "lockfiles": ["uv.lock"],
        "prefix": "Only_",
        "license": "GPL-3.0-only",
        "marker": {"file": "flag", "contains": "no extras"},
    }
    section: dict[str, Any] = {
        "lockfiles": ["uv.lock"],
        "allowlist": ["MIT"],
        "metadata": CACHE,
        "index": DECLARED,
        "policies": {"uv.lock": {"label": "the wide list", "reason": "tools only", "also": ["ISC"]}},
        "tolerances": [tolerance],
    }
    assert repository.check(GATE, **section) == (
        0,
        text("""
            licences uv.lock: passed against the wide list, 3 entrie(s), all allowlisted.
              the wide list: tools only
              tolerated: only-extra@3
              because: never shipped
        """),
        "",
    )
    needed = {**tolerance, "prefix": "fusebox"}
    section |= {"policies": {}, "tolerances": [tolerance, {**needed, "license": "ISC"}]}
    assert '  - fusebox@2.1.0: license="ISC"' in repository.check(GATE, **section).err
    section["tolerances"] = [tolerance, {**needed, "license": "ISC", "optional": False}]
    assert "  tolerated: fusebox@2.1.0, only-extra@3\n" in repository.check(GATE, **section).out
    (repository.root / "flag").unlink()
    assert 'only-extra@3: license="GPL-3.0-only"\n' in repository.check(GATE, **section).err
    section["tolerances"] = [
        {**tolerance, "prefix": "fuse", "license": "ISC"} | {"marker": {"file": "x", "contains": "y"}}
    ]
    section["policies"] = {}
    assert repository.check(GATE, **section).code == 1


def test_an_unchecked_origin_is_said_in_the_passing_line(repository: Repository) -> None:
    licences = {"cli-kit@1.2.0": "MIT", "fusebox@2.1.0": "MIT", "only-extra@3": "MIT"}
    write(repository, licences, **{"uv.lock": UV})
    answer = repository.check(GATE, lockfiles=["uv.lock"], allowlist=["MIT"], metadata=CACHE)
    assert (
        answer.out
        == "licences uv.lock: passed against the allowlist, 3 entrie(s), all allowlisted (origin unchecked).\n"
    )


def test_a_licence_of_another_shape_is_shown_as_it_is(repository: Repository) -> None:
    """Spec 14, section 4: a text, or an object whose type is one; any other shape fails."""
    shapes = {"a": ["MIT"], "b": {"type": ["MIT"]}, "c": {"type": "MIT"}, "d": {"type": "\ufeff"}, "e": 0}
    packages = {
        f"node_modules/{name}": {
            "version": "1",
            "license": licence,
            "resolved": f"https://npm.example/{name}/-/{name}-1.tgz",
        }
        for name, licence in shapes.items()
    }
    repository.write({"package-lock.json": json.dumps({"packages": {"": {}} | packages})})
    answer = repository.check(
        GATE, lockfiles=["package-lock.json"], allowlist=["MIT"], npmRegistry="https://npm.example"
    )
    assert [line for line in answer.err.split("\n") if line.startswith("  - ")] == [
        '  - a@1: license=["MIT"]',
        '  - b@1: license={"type":["MIT"]}',
        "  - d@1: license=null (declares no licence)",
        "  - e@1: license=0",
    ]


def test_npm_licences(repository: Repository) -> None:
    repository.write({"package-lock.json": NPM})
    answer = repository.check(
        GATE, lockfiles=["package-lock.json"], allowlist=["MIT"], npmRegistry="https://npm.example"
    )
    assert answer.err == text("""

        licences package-lock.json: 3 entrie(s) outside the allowlist:
          - fusebox@2.1.0: license="ISC"
            dependency path: greeter > cli-kit > fusebox
          - @s/lint@3.0.0: license=null (declares no licence)
            dependency path: greeter > @s/lint
          - real@1.0.0: license=3 (resolved "https://elsewhere.example/real-1.0.0.tgz" is not this entry's own tarball on the npm registry)
            dependency path: greeter > own > aliased
    """)


def test_what_no_source_knows(repository: Repository) -> None:
    write(repository, {"a@2": "MIT"}, **{"r.txt": "a==1\nb==1\n"})
    answer = repository.check(GATE, lockfiles=["r.txt"], allowlist=["MIT"], metadata=CACHE)
    assert "- a@1: license=null (installed is 2)" in answer.err
    assert "- b@1: license=null (no metadata source knows this version)" in answer.err


def test_metadata_of_a_directory(repository: Repository) -> None:
    repository.write(
        {
            "r.txt": "a.b==1\nc==1\n",
            "meta/a/METADATA": "Metadata-Version: 2.1\nName: A_b\nVersion: 1\nClassifier: License :: OSI Approved :: MIT License\n",
            "meta/c-1.whl.metadata": "Metadata-Version: 2.1\nName: c\nVersion: 1\nLicense: BSD\n",
        }
    )
    answer = repository.check(
        GATE, lockfiles=["r.txt"], allowlist=["MIT"], metadata=[{"from": "directory", "path": "meta"}]
    )
    assert answer.err.count("  - ") == 1
    assert f'- c@1: license="BSD" ({FREE_TEXT})' in answer.err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"from": "cache", "path": "none.json"}, "none.json does not exist"),
        ({"from": "cache", "path": "broken.json"}, "broken.json could not be read: "),
        ({"from": "cache", "path": "list.json"}, "list.json could not be read: it is not a JSON object"),
        ({"from": "cache", "path": "odd.json"}, "odd.json could not be read: a@1 is no licence"),
        ({"from": "directory", "path": "none"}, "none does not exist"),
        ({"from": "directory", "path": "r.txt"}, "r.txt is no directory"),
        ({"from": "installed", "environment": "none"}, "none does not exist"),
        ({"from": "installed", "environment": "."}, "is no virtual environment"),
    ],
)
def test_metadata_that_cannot_be_read(repository: Repository, row: dict[str, str], said: str) -> None:
    repository.write({"r.txt": "a==1\n", "broken.json": "{", "list.json": "[]", "odd.json": '{"a@1": 3}'})
    answer = repository.check(GATE, lockfiles=["r.txt"], allowlist=["MIT"], metadata=[row])
    assert answer.code == 64
    assert said in answer.err
    assert "section names it under metadata" in answer.err


def test_sections_that_are_refused(repository: Repository) -> None:
    assert repository.refused(
        GATE,
        lockfiles=["uv.lock", "package-lock.json"],
        allowlist=["left-pad@1", ""],
        policies={"x": {"label": "l", "reason": "r", "also": ["MIT"]}},
        tolerances=[{"reason": "r", "lockfiles": ["y"], "prefix": "p", "license": "MIT"}],
        undeclared=[{**UNDECLARED, "lockfiles": ["z", "uv.lock"]}, {**UNDECLARED, "lockfiles": ["uv.lock"]}],
        metadata=[{"from": "somewhere"}],
    ) == [
        "allowlist.0: is not an SPDX short identifier: this setting takes identifiers such as MIT or Apache-2.0, and a "
        "package-and-version pin is not one",
        "allowlist.1: Too small: expected string to have >=1 characters",
        "allowlist.1: is not an SPDX short identifier: this setting takes identifiers such as MIT or Apache-2.0, and a "
        "package-and-version pin is not one",
        "metadata.0.from: Invalid discriminator value. Expected 'installed' | 'directory' | 'cache'",
    ]
    named = "which is not one of the lockfiles this section declares: uv.lock, package-lock.json"
    assert repository.refused(
        GATE,
        lockfiles=["uv.lock", "package-lock.json"],
        allowlist=["MIT"],
        policies={"x": {"label": "l", "reason": "r", "also": ["MIT"]}},
        tolerances=[{"reason": "r", "lockfiles": ["y"], "prefix": "p", "license": "MIT"}],
        undeclared=[{**UNDECLARED, "lockfiles": ["z", "uv.lock"]}, {**UNDECLARED, "lockfiles": ["uv.lock"]}],
    ) == [
        f'policies.x: names "x", {named}',
        f'tolerances.0.lockfiles.0: names "y", {named}',
        f'undeclared.0.lockfiles.0: names "z", {named}',
        'undeclared.1: reads "oldlib" in uv.lock, which an earlier row already reads; one package is read as one licence',
        "npmRegistry: is absent, and package-lock.json is an npm lockfile; name the registry its entries have to resolve "
        "to",
    ]


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        (" ( (MIT) ) ", True),
        ("mit", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND ISC", True),
        ("(MIT AND GPL-3.0-only) OR (ISC)", True),
        ("(MIT) AND (GPL-3.0-only)", False),
        ("MIT WITH x", False),
        ("", False),
        (None, False),
        ("(MIT", False),
    ],
)
def test_expressions(expression: str | None, allowed: bool) -> None:
    assert is_allowed(expression, {"MIT", "ISC"}) is allowed


@pytest.mark.parametrize(
    ("expression", "licence", "classifiers", "declared"),
    [
        ("mit or apache-2.0", "ISC", [], Declaration("MIT OR Apache-2.0")),
        ("MIT or Nonsense", None, [], Declaration("MIT or Nonsense", NOT_VALID)),
        (None, "bsd-3-clause", [], Declaration("BSD-3-Clause")),
        (None, "The  MIT\nLicense", [], Declaration("MIT")),
        (None, "BSD", ["License :: OSI Approved :: MIT License", "License :: OSI Approved"], Declaration("MIT")),
        (
            None,
            None,
            ["License :: OSI Approved :: MIT License", "License :: OSI Approved :: ISC License (ISCL)"],
            Declaration("MIT AND ISC"),
        ),
        (
            None,
            "UNKNOWN",
            ["License :: OSI Approved :: MIT License", "License :: OSI Approved :: BSD License"],
            Declaration("License :: OSI Approved :: BSD License", FREE_TEXT),
        ),
        (None, "All rights\nreserved", [], Declaration("All rights", FREE_TEXT)),
        (None, "x" * 80, [], Declaration("x" * 64, FREE_TEXT)),
        (None, " ", ["Topic :: Software"], Declaration(None)),
    ],
)
def test_declarations(
    expression: str | None, licence: str | None, classifiers: list[str], declared: Declaration
) -> None:
    assert declared_licence(expression, licence, classifiers) == declared


def test_a_missing_extra_is_refused_by_name(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "packaging.licenses", None)
    write(repository, {"a@1": "MIT"}, **{"r.txt": "a==1\n"})
    answer = repository.check(GATE, lockfiles=["r.txt"], allowlist=["MIT"], metadata=CACHE)
    assert answer.code == 64
    assert 'Install it (pip install "eval-quality[gates]")' in answer.err
