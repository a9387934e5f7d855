"""An output file is the old one or the new one, whole, and never an input."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import Run


def test_a_file_and_a_directory_target(run: Run, example: Path, tmp_path: Path) -> None:
    contract = example / "contract.json"
    assert run("compile", "--in", contract, "--out", "made/here.JSON").returncode == 0
    assert run("compile", "--in", contract, "--out", "made/there").returncode == 0
    printed = run("compile", "--in", contract).stdout
    assert printed == (example / "expected" / "eval-contract.json").read_bytes()
    assert (tmp_path / "made/here.JSON").read_bytes() == printed
    assert (tmp_path / "made/there/eval-contract.json").read_bytes() == printed


def test_an_existing_file_keeps_its_mode_and_its_link(run: Run, example: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "link.json").symlink_to(real)
    assert run("compile", "--in", example / "contract.json", "--out", "link.json").returncode == 0
    assert (tmp_path / "link.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_bytes() == (example / "expected" / "eval-contract.json").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "real.json"]


@pytest.mark.parametrize("link", ["symlink", "hardlink", "spelling"])
def test_a_target_that_is_an_input_is_refused(run: Run, example: Path, tmp_path: Path, link: str) -> None:
    source = tmp_path / "in.json"
    source.write_bytes((example / "contract.json").read_bytes())
    target = tmp_path / "out.json"
    if link == "symlink":
        target.symlink_to(source)
    elif link == "hardlink":
        os.link(source, target)
    else:
        target = tmp_path / "sub" / ".." / "in.json"
    done = run("compile", "--in", "in.json", "--out", target)
    assert done.returncode == 64
    assert b"which is also --in" in done.stderr
    assert source.read_bytes() == (example / "contract.json").read_bytes()


def test_a_device_is_written_in_place(run: Run, example: Path, tmp_path: Path) -> None:
    (tmp_path / "null.json").symlink_to("/dev/null")
    assert run("compile", "--in", example / "contract.json", "--out", "null.json").returncode == 0
    assert Path("/dev/null").is_char_device()


def test_a_killed_run_leaves_the_old_file_or_the_new_one(example: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    old, new = b"old" * 1000, (example / "expected" / "eval-contract.json").read_bytes()
    seen = set()
    for delay in (0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.4):
        target.write_bytes(old)
        command = [sys.executable, "-m", "eval_quality", "compile", "--in", "contract.json", "--out", str(target)]
        process = subprocess.Popen(command, cwd=example)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.add(target.read_bytes())
    assert seen <= {old, new}


def test_from_a_file_from_stdin_and_through_a_pipe(run: Run, example: Path) -> None:
    contract = (example / "contract.json").read_bytes()
    brief = (example / "expected" / "sealed-evaluator-brief.json").read_bytes()
    assert run("seal", "--in", example / "contract.json").stdout == brief
    assert run("seal", stdin=contract).stdout == brief
    assert run("seal", "--in", "-", stdin=run("compile", stdin=contract).stdout).stdout == brief
