from __future__ import annotations

import pytest

from .repository import Repository

SECTION = '{"paths": [{"path": "src"}], "patterns": [{"name": "n", "match": "zzz", "reason": "r"}]}'
TOML = """
    [tool.eval-quality.gates.package-boundary]
    paths = [{ path = "src" }]
    patterns = [{ name = "n", match = "zzz", reason = "r" }]
"""
PASSED = "package-boundary: 1 entr(ies) scanned, 0 violations (1 from src)\n"


@pytest.fixture(autouse=True)
def _source(repository: Repository) -> None:
    repository.write({"src/a.py": ""})


def test_either_file_of_the_working_directory_configures_a_gate(repository: Repository) -> None:
    repository.write({"pyproject.toml": TOML})
    assert repository.run("package-boundary") == (0, PASSED, "")
    (repository.root / "pyproject.toml").unlink()
    repository.write({"eval-quality.config.json": f'{{"package-boundary": {SECTION}}}'})
    assert repository.run("package-boundary") == (0, PASSED, "")


def test_a_named_file_is_the_only_one_and_its_directory_the_root(repository: Repository) -> None:
    repository.write(
        {
            "pyproject.toml": TOML,
            "other/gates.json": f'{{"package-boundary": {SECTION}}}',
            "other/src/b.py": "",
            "gates.toml": TOML,
        }
    )
    assert repository.run("package-boundary", "--config", "other/gates.json").code == 0
    assert repository.run("package-boundary", f"--config={repository.root}/gates.toml") == (0, PASSED, "")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {},
            "{root}/eval-quality.config.json does not exist, and the package-boundary gate is configured there; write "
            "the file, or name another with --config <path>",
        ),
        (
            {"eval-quality.config.json": "{"},
            "{root}/eval-quality.config.json is not valid JSON: Expected property name or '}' in JSON at position 1 (line "
            "1 column 2)\n",
        ),
        (
            {"eval-quality.config.json": '{"a": NaN}'},
            '{root}/eval-quality.config.json is not valid JSON: Unexpected token \'N\', "{"a": NaN}" is not valid JSON',
        ),
        (
            {"eval-quality.config.json": b"\xef\xbb\xbf{}"},
            "{root}/eval-quality.config.json is not valid JSON: Unexpected token '\ufeff', \"\ufeff{}\" is not valid JSON",
        ),
        (
            {"eval-quality.config.json": "[1]"},
            "{root}/eval-quality.config.json is not a JSON object; the top level is an object keyed by gate name, and "
            'the package-boundary gate reads its "package-boundary" key',
        ),
        (
            {"eval-quality.config.json": '{"x": 1}'},
            '{root}/eval-quality.config.json declares no "package-boundary" section, and it configures no gate at all; '
            'configuring a gate is what opts into it, so add a "package-boundary" object to run this one',
        ),
        (
            {"eval-quality.config.json": '{"doc-claims": 1, "licences": null}', "pyproject.toml": ""},
            '{root}/eval-quality.config.json declares no "package-boundary" section, and it configures licences, '
            "doc-claims; configuring",
        ),
        (
            {"pyproject.toml": ""},
            "{root}/eval-quality.config.json does not exist and {root}/pyproject.toml declares no "
            '"package-boundary" section under [tool.eval-quality.gates]; write one of the two, or name another file '
            "with --config <path>",
        ),
        (
            {"pyproject.toml": TOML, "eval-quality.config.json": f'{{"package-boundary": {SECTION}}}'},
            '{root}/eval-quality.config.json and {root}/pyproject.toml both carry a "package-boundary" section; keep '
            "one, or name one with --config <path>",
        ),
        (
            {"pyproject.toml": "=", "eval-quality.config.json": f'{{"package-boundary": {SECTION}}}'},
            "{root}/pyproject.toml is not valid TOML: ",
        ),
    ],
)
def test_refusals(repository: Repository, files: dict[str, str | bytes], message: str) -> None:
    repository.write(files)
    answer = repository.run("package-boundary")
    assert answer.code == 64
    assert answer.out == ""
    assert answer.err.startswith(
        f"eval-quality-gates: package-boundary: {message}".replace("{root}", str(repository.root))
    )


def test_a_directory_is_no_configuration_file(repository: Repository) -> None:
    answer = repository.run("package-boundary", "--config", "src")
    assert answer.code == 64
    said = f"{repository.root}/src could not be read: EISDIR: illegal operation on a directory, read"
    assert answer.err == f"eval-quality-gates: package-boundary: {said}\n"


def test_a_named_file_is_resolved_by_its_spelling(repository: Repository) -> None:
    """Spec 11, section 11.2."""
    answer = repository.run("licences", "--config", "nowhere/.././x/y.json")
    assert answer.err.startswith(f"eval-quality-gates: licences: {repository.root}/x/y.json does not exist, and the ")
    repository.write({"x/y.json": '{"package-boundary": 1e999}'})
    answer = repository.run("licences", "--config", "nowhere/../x/y.json")
    assert (
        f'{repository.root}/x/y.json declares no "licences" section, and it configures package-boundary' in answer.err
    )


def test_a_configuration_is_read_whatever_its_depth_and_its_numbers(repository: Repository) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    section = '{"lockfiles": [], "windowDays": 1e999, "cache": "' + "\U0001f600" * 201 + '", "timeoutMs": 1000.0}'
    repository.write({"eval-quality.config.json": f'{{"x": {deep}, "lockfile-age": 1, "lockfile-age": {section}}}'})
    assert repository.run("lockfile-age").err.split("\n")[1:-1] == [
        "  lockfiles: Too small: expected array to have >=1 items",
        "  windowDays: Invalid input: expected int, received number",
        "  cache: Too big: expected string to have <=400 characters",
    ]
