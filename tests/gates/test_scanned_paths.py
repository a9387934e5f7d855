from __future__ import annotations

import os
from pathlib import Path

import pytest

from eval_quality.gates.paths import is_relative_path, is_within
from eval_quality.gates.refusals import ScanPathError, ScanUnreadableError
from eval_quality.gates.scanned_paths import ScannedPath, scan

from .repository import Repository


def test_a_walk_goes_to_the_bottom_by_name_and_counts_each_row(repository: Repository) -> None:
    repository.write({"src/b.py": "", "src/a/c.py": "", "src/a/d.txt": "", "src/__pycache__/x.py": "", "one.md": ""})
    found = scan(
        repository.root,
        [ScannedPath("src", extensions=(".py",)), ScannedPath("src", recursive=False), ScannedPath("one.md")],
        "gate",
    )
    assert list(found.files) == ["src/a/c.py", "src/b.py", "one.md"]
    assert found.counts == (("src", 2), ("src", 1), ("one.md", 1))


def test_an_absent_or_empty_path_is_refused_unless_it_is_optional(repository: Repository) -> None:
    repository.write({"src/a.txt": ""})
    with pytest.raises(ScanPathError) as absent:
        scan(repository.root, [ScannedPath("lib")], "gate")
    assert str(absent.value) == (
        'lib does not exist, and the "gate" section names it under paths; mark it optional if it may be absent'
    )
    with pytest.raises(ScanPathError) as empty:
        scan(repository.root, [ScannedPath("src", extensions=(".py",))], "gate")
    assert str(empty.value) == (
        'src holds no file the "gate" section asked for, so a scan of nothing would report zero violations for the '
        "wrong reason; mark it optional if it may be empty"
    )
    rows = [ScannedPath("lib", optional=True), ScannedPath("src", extensions=(".py",), optional=True)]
    assert scan(repository.root, rows, "gate").counts == (("lib", 0), ("src", 0))


def test_a_symbolic_link_is_never_followed_and_never_skipped(repository: Repository) -> None:
    repository.write({"real/a.py": ""})
    os.symlink("real", repository.root / "link")
    with pytest.raises(ScanUnreadableError, match=r"^link is a symbolic link, and this scan does not follow links$"):
        scan(repository.root, [ScannedPath("link")], "gate")
    os.symlink("a.py", repository.root / "real" / "b.py")
    with pytest.raises(
        ScanUnreadableError, match=r"^real/b.py is a symbolic link; this scan does not follow links, and"
    ):
        scan(repository.root, [ScannedPath("real")], "gate")


def test_what_cannot_be_read_is_exit_1(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write({"src/a.py": ""})

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ScanUnreadableError) as caught:
        scan(repository.root, [ScannedPath("src")], "gate")
    assert caught.value.exit_code == 1
    assert str(caught.value).startswith("src/a.py could not be read: EACCES: permission denied, open '")


@pytest.mark.parametrize("path", ["a", "a/b", "./a", "a/./b", "a b"])
def test_relative_paths(path: str) -> None:
    assert is_relative_path(path)


@pytest.mark.parametrize("path", ["/a", "C:/a", "c:a", "a\\b", "a//b", "../a", "a/..", "a/", ""])
def test_paths_that_are_not_relative(path: str) -> None:
    assert not is_relative_path(path)


@pytest.mark.parametrize(("path", "within"), [(".", True), ("a/../b", True), ("..", False), ("a/../../b", False)])
def test_within_is_judged_by_spelling(path: str, within: bool) -> None:
    assert is_within(Path("/root"), path) is within


def test_an_absolute_path_may_lie_within() -> None:
    assert is_within(Path("/root"), "/root/a")
    assert not is_within(Path("/root"), "/rooted")
