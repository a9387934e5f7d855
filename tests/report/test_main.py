"""The command line: what it writes, what it refuses, how it exits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eval_quality.report import main as module
from eval_quality.report.main import main

from .runs import CAUGHT, EXAMPLE, ROOT, WEAKER, copied

OVERLOOKED = str(EXAMPLE / "expected/evidence-artifact-P-001-overlooked.json")
P001 = str(EXAMPLE / "expected/evidence-artifact-P-001.json")


def test_the_terminal_is_the_default(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*CAUGHT]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("refund-api, run run-refund-2026-04\n\n PASS  ")
    assert err == ""


def test_outputs_are_written_and_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page, text, cases = tmp_path / "new" / "r.html", tmp_path / "r.md", tmp_path / "r.xml"
    assert main([*WEAKER, "--html", str(page), f"--markdown={text}", "--junit", str(cases)]) == 0
    assert capfd.readouterr() == ("", "")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert text.read_text("utf-8").startswith("## ❌ refund-api: FAIL\n")
    assert cases.read_text("utf-8").startswith("<?xml ")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new", "r.md", "r.xml"]


def test_an_output_may_go_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([P001, "--markdown", "-"]) == 0
    assert capfd.readouterr().out.startswith("## ")


def test_terminal_and_file_together(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([P001, "--terminal", "--junit", str(tmp_path / "r.xml")]) == 0
    assert " PASS " in capfd.readouterr().out


def test_a_regression_fails_only_when_asked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    baseline = str(copied(CAUGHT, tmp_path / "baseline"))
    assert main([*WEAKER, "--baseline", baseline]) == 0
    assert "4 regressions against the baseline." in capfd.readouterr().out
    assert main([*WEAKER, "--baseline", baseline, "--fail-on-regression"]) == 1
    assert main([*CAUGHT, "--baseline", baseline, "--fail-on-regression"]) == 0


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "the following arguments are required: PATH"),
        ([P001, "--fail-on-regression"], "--fail-on-regression needs --baseline"),
        ([P001, "--markdown", "-", "--junit", "-"], "only one output fits on standard output"),
        ([P001, "--terminal", "--markdown", "-"], "only one output fits on standard output"),
        ([P001, "--markdown", "x", "--junit", "x"], "two outputs name one file"),
        ([P001, "--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 64
    assert capfd.readouterr() == ("", f"eval-quality-report: usage: {line}\n")


@pytest.mark.parametrize(
    ("arguments", "missing", "line"),
    [
        ([P001], "rich", "the terminal report needs rich: pip install 'eval-quality[report]'"),
        ([P001, "--html", "x"], "jinja2", "--html needs jinja2: pip install 'eval-quality[report]'"),
    ],
)
def test_a_missing_extra(
    arguments: list[str], missing: str, line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == missing else object())
    assert main(arguments) == 64
    assert capfd.readouterr() == ("", f"eval-quality-report: usage: {line}\n")


def test_nothing_is_half_rendered(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken\x1b[2J.json"
    broken.write_text("{")
    page = tmp_path / "r.html"
    assert main([P001, str(broken), "--html", str(page), "--terminal"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert not page.exists()
    assert err.startswith(f"eval-quality-report: {tmp_path}/broken\\u001b[2J.json: schema-parse-failure: is not JSON: ")
    assert err.count("\n") == 1


def test_mixed_runs_exit_as_the_engine_does(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([P001, OVERLOOKED]) == 4
    expected = f"eval-quality-report: {OVERLOOKED}: mixed runs: is another score of probe P-001 than {P001}\n"
    assert capfd.readouterr() == ("", expected)


def test_a_bad_baseline_is_told_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[]")
    assert main([P001, "--baseline", str(bad)]) == 5
    assert main([P001, "--baseline", str(tmp_path / "absent")]) == 64
    assert capfd.readouterr().err.count("\n") == 2


def test_an_output_that_cannot_be_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([P001, "--junit", str(tmp_path)]) == 64
    assert "EISDIR" in capfd.readouterr().err


def test_an_input_is_never_overwritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = copied([P001], tmp_path / "run")
    [evidence] = folder.iterdir()
    before = evidence.read_bytes()
    link = tmp_path / "link.md"
    link.symlink_to(evidence)
    assert main([str(folder), "--markdown", str(link)]) == 64
    assert capfd.readouterr().err == f"eval-quality-report: usage: --markdown names a file that is read: {link}\n"
    assert evidence.read_bytes() == before


def test_an_existing_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "r.md"
    target.write_text("x" * 1_000_000)
    assert main([P001, "--markdown", str(target)]) == 0
    assert "xxx" not in target.read_text("utf-8")


def test_the_command_line_as_a_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eval_quality.report.main", *WEAKER]
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "", "FORCE_COLOR": "1", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert "“a refund request".encode() in done.stdout
    done = subprocess.run([*command, "--help"], capture_output=True, env=environment, check=False, timeout=60)
    assert done.returncode == 0
    assert b"--fail-on-regression" in done.stdout


def test_a_thousand_artifacts_are_one_page(thousand_files: Path, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert main([str(thousand_files), "--html", str(page), "--markdown", str(tmp_path / "r.md")]) == 0
    text = page.read_text("utf-8")
    assert text.count("<details id=") == 1000
    assert "open>" not in text
    assert 'id="filter-text"' in text
