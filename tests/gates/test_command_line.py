from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eval_quality.gates.arguments import usage_text
from eval_quality.gates.registry import GATES

from .repository import Repository

NAMES = (
    "lockfile-age, licences, dependency-direction, package-boundary, field-ownership, doc-invocations, doc-counts, "
    "doc-claims"
)


def test_the_gates_keep_their_published_order() -> None:
    assert ", ".join(GATES) == NAMES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), f"no gate given; expected one of {NAMES}"),
        (("licenses",), f'unknown gate "licenses"; expected one of {NAMES}'),
        (("licences", "--strict"), 'unknown flag "--strict" for licences'),
        (("licences", "--strict=1"), 'unknown flag "--strict=1" for licences'),
        (("licences", "here"), 'unknown flag "here" for licences'),
        (("licences", "--config"), "--config requires a value"),
        (("licences", "--config="), "--config was given an empty value"),
        (
            ("licences", "--config", "-x"),
            '--config requires a value, but the next token is "-x"; use --config=-x for a path that begins with "-"',
        ),
        (
            ("licences", "--config", "a", "--config=b"),
            '--config given twice with different values, "a" and "b"',
        ),
        (("licences", "--format", "xml"), 'unknown format "xml"; expected one of text, json, sarif, github'),
        (("--list", "--config=a"), 'unknown flag "--config=a" for --list'),
    ],
)
def test_a_wrong_command_line_says_so_and_shows_the_usage(
    repository: Repository, arguments: tuple[str, ...], message: str
) -> None:
    answer = repository.run(*arguments)
    assert answer.code == 64
    assert answer.out == ""
    assert answer.err == f"eval-quality-gates: usage: {message}\n{usage_text()}\n"


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("help", "x"), ("licences", "-h", "--nonsense")])
def test_help_goes_to_standard_output(repository: Repository, arguments: tuple[str, ...]) -> None:
    assert repository.run(*arguments) == (0, usage_text() + "\n", "")


def test_the_usage_text_lists_every_gate_in_a_column() -> None:
    lines = usage_text().split("\n")
    for gate in GATES.values():
        assert f"  {gate.name:<22}{gate.holds}" in lines


def test_equal_values_of_one_flag_are_one_value(repository: Repository) -> None:
    answer = repository.run("licences", "--config", "a.json", "--config=a.json")
    assert answer.code == 64
    assert "a.json does not exist" in answer.err


def test_version(repository: Repository) -> None:
    assert repository.run("--version") == (0, "eval-quality-gates 7.2.0\n", "")


def test_list_names_every_gate(repository: Repository) -> None:
    answer = repository.run("--list")
    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.splitlines()] == list(GATES)
    assert '"gate": "doc-claims"' in repository.run("--list", "--format=json").out


def test_all_runs_every_configured_gate_and_exits_with_the_worst_code(repository: Repository) -> None:
    repository.write(
        {
            "src/a.py": "# see tests/x\n",
            "eval-quality.config.json": """
                {"package-boundary": {"paths": [{"path": "src"}],
                                      "patterns": [{"name": "n", "match": "tests/", "reason": "r"}]},
                 "doc-claims": {"pages": ["docs"]},
                 "something-else": 1}
            """,
        }
    )
    answer = repository.run("--all")
    assert answer.code == 64
    assert "package-boundary: 1 violation(s) across 1 scanned entr(ies):" in answer.err
    assert "doc-claims: " in answer.err
    assert answer.err.index("package-boundary") < answer.err.index("doc-claims")


def test_all_of_nothing_is_refused(repository: Repository) -> None:
    answer = repository.run("--all")
    assert answer.code == 64
    assert "--all" in answer.err
    repository.write({"eval-quality.config.json": "{"})
    assert "is not valid JSON" in repository.run("--all").err


def test_the_module_is_the_program() -> None:
    child = subprocess.run(
        [sys.executable, "-m", "eval_quality.gates", "--version"], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout) == (0, "eval-quality-gates 7.2.0\n")


def test_naming_a_gate_imports_no_other_gate_and_no_extra(tmp_path: Path) -> None:
    script = (
        "import sys; from eval_quality.gates.main import main; main(['--list']); main(['licences']);"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('grimp', 'packaging', 'pydantic', "
        "'regress', 'click') or 'doc_' in name or 'eval_quality.cli' in name))"
    )
    child = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    assert child.stdout.splitlines()[-1] == "[]"


def test_an_unexpected_error_is_exit_1_with_its_trace(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.configure("doc-claims")

    def explode(*_: object) -> object:
        raise ZeroDivisionError("no")

    monkeypatch.setattr("eval_quality.gates.runner.run_gate", explode)
    answer = repository.run("doc-claims")
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert answer.err.rstrip().endswith("ZeroDivisionError: no")
