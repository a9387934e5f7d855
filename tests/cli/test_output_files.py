"""An output file is the old one or the new one, whole, and never an input."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_quality.cli.files import write_file
from eval_quality.cli.system_errors import SystemFailure

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


def test_a_file_of_several_names_changes_under_all_of_them(run: Run, example: Path, tmp_path: Path) -> None:
    """Spec 11, section 6.3: an existing file is truncated and written, not swapped for another."""
    (tmp_path / "other.json").write_text("old")
    os.link(tmp_path / "other.json", tmp_path / "out.json")
    assert run("compile", "--in", example / "contract.json", "--out", "out.json").returncode == 0
    assert (tmp_path / "other.json").read_bytes() == (example / "expected" / "eval-contract.json").read_bytes()


@pytest.mark.parametrize("changed", ["st_uid", "st_gid"])
def test_a_file_keeps_its_owner_and_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    """Spec 11, section 6.3: a new file would be the writer's own, so the old one is written."""
    target = tmp_path / "out.json"
    target.write_text("old text that is longer")
    number, looked_up = target.stat().st_ino, os.stat
    place = {"st_uid": 4, "st_gid": 5}[changed]

    def of_somebody_else(path: str) -> os.stat_result:
        found = list(looked_up(path))
        if path == str(target):
            found[place] += 1
        return os.stat_result(found)

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", of_somebody_else)
        write_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_ino == number
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_whose_mode_no_new_file_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    monkeypatch.setattr(os, "chmod", _refusing(os.chmod, errno.EPERM))
    write_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_the_longest_name_a_file_can_have(run: Run, example: Path, tmp_path: Path) -> None:
    longest, longer = "x" * 250 + ".json", "x" * 251 + ".json"
    assert run("compile", "--in", example / "contract.json", "--out", longest).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == [longest]
    done = run("compile", "--in", example / "contract.json", "--out", longer)
    assert (done.returncode, done.stderr) == (64, f'eval-quality: usage: open "{longer}": ENAMETOOLONG\n'.encode())


def _refusing(operation: Callable[..., Any], code: int) -> Callable[..., Any]:
    """An operation of the system that fails where a second file beside the target is concerned."""

    def refuse(path: str, *rest: Any) -> Any:
        if str(path).endswith(".tmp"):
            raise OSError(code, os.strerror(code), path)
        return operation(path, *rest)

    return refuse


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.EEXIST])
def test_a_directory_that_takes_no_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Spec 11, section 6.3: the target itself can be written, so it is."""
    target = tmp_path / "out.json"
    target.write_text("old text that is longer")
    monkeypatch.setattr(os, "open", _refusing(os.open, code))
    write_file(str(target), b"new")
    assert target.read_bytes() == b"new"


def test_a_file_that_cannot_be_swapped_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    monkeypatch.setattr(os, "replace", _refusing(os.replace, errno.EBUSY))
    write_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")

    def full(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(SystemFailure, match=r"^Error: ENOSPC: no space left on device, write$"):
        write_file(str(target), b"new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("dead", 'usage: mkdir "dead": ENOENT'),
        ("dead/sub", 'usage: mkdir "dead/sub": ENOENT'),
        ("loop", 'usage: mkdir "loop": ELOOP'),
        ("loop/out.json", 'usage: mkdir "loop": ELOOP'),
        ("plain", "Error: EEXIST: file already exists, mkdir 'plain'"),
        ("plain/sub/deeper", 'usage: mkdir "plain/sub/deeper": ENOTDIR'),
        ("folder.json", 'usage: open "folder.json": EISDIR'),
    ],
)
def test_a_target_that_cannot_be_made(run: Run, example: Path, tmp_path: Path, target: str, error: str) -> None:
    """Spec 11, section 10."""
    (tmp_path / "dead").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "plain").write_text("x")
    (tmp_path / "folder.json").mkdir()
    done = run("compile", "--in", example / "contract.json", "--out", target)
    assert done.stderr.decode() == f"eval-quality: {error}\n"
    assert done.returncode == (64 if error.startswith("usage") else 5)


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
