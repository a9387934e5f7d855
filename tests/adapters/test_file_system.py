"""The file system: whole files, the old one or the new one (spec 12, section 7.2)."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_quality import whole_files
from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_file_system_adapter
from eval_quality.errors import RuntimeFault
from eval_quality.ports import FileSystemPort

unprivileged = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anything")


def read(path: str | Path) -> Any:
    return asyncio.run(create_file_system_adapter().read_file({"path": str(path)}, AbortSignal()))


def write(path: str | Path, content: Any) -> Any:
    request: Any = {"path": str(path), "bytes": content}
    return asyncio.run(create_file_system_adapter().write_file(request, AbortSignal()))


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    place = tmp_path / "file"
    assert write(place, b"a\0\xff") == {"path": str(place), "byteLength": 3}
    assert read(place) == {"path": str(place), "bytes": b"a\0\xff"}
    assert write(place, b"") == {"path": str(place), "byteLength": 0}
    assert read(place)["bytes"] == b""
    assert list(tmp_path.iterdir()) == [place]


def test_the_path_is_given_back_as_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    assert write("./x/../file", b"1")["path"] == "./x/../file"
    assert read("file")["bytes"] == b"1"


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "new", b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(0o600)
    write(tmp_path / "old", b"2")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write(tmp_path / "link", b"1")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"1"


def test_what_is_no_regular_file_is_written_in_place() -> None:
    assert write(os.devnull, b"12")["byteLength"] == 2
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_file_with_several_names_has_the_new_content_under_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old and long")
    os.link(tmp_path / "file", tmp_path / "other")
    write(tmp_path / "file", b"new")
    assert (tmp_path / "other").read_bytes() == b"new"


def test_a_name_as_long_as_there_can_be(tmp_path: Path) -> None:
    """The new file's name until it is renamed is none of the caller's business."""
    place = tmp_path / ("x" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    for content in (b"1", b"22"):
        write(place, content)
        assert place.read_bytes() == content
    assert list(tmp_path.iterdir()) == [place]


def test_a_directory_that_takes_no_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "file").write_bytes(b"old and long")
    monkeypatch.setattr(os, "replace", refuses)
    write(tmp_path / "file", b"new")
    monkeypatch.setattr(whole_files, "_mark", lambda: "x" * 300)
    write(tmp_path / "other", b"2")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"file": b"new", "other": b"2"}


@pytest.mark.parametrize(
    "path",
    ["missing/file", "folder", "file/below", "a\0b", "file/", "new/", "folder/", "file/.", "missing/../new", "loop"],
)
def test_what_cannot_be_written_or_read(tmp_path: Path, path: str) -> None:
    """The path is the operating system's to follow: nothing of it is worked out beforehand."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "loop").symlink_to("loop")
    place = f"{tmp_path}/{path}"
    calls: list[Callable[[], Any]] = [lambda: read(place), lambda: write(place, b"new")]
    for call in calls:
        with pytest.raises(RuntimeFault, match=r"port-failure in File(Read|Write)Response: the underlying mechanism"):
            call()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder", "loop"]
    assert (tmp_path / "file").read_bytes() == b"old"


@unprivileged
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o400)
    with pytest.raises(RuntimeFault, match="port-failure"):
        write(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_write_that_breaks_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RuntimeFault, match="port-failure"):
        write(tmp_path / "file", b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"old")]


def test_writes_at_once_leave_one_of_them_whole(tmp_path: Path) -> None:
    adapter = create_file_system_adapter()
    contents = [bytes([number]) * 50_000 for number in range(20)]

    async def main() -> None:
        requests: list[Any] = [{"path": str(tmp_path / "file"), "bytes": content} for content in contents]
        await asyncio.gather(*(adapter.write_file(request, AbortSignal()) for request in requests))

    asyncio.run(main())
    assert (tmp_path / "file").read_bytes() in contents
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("request_", [{"path": "", "bytes": b""}, {"path": "a", "bytes": "text"}, {"path": "a"}])
def test_what_is_no_request(request_: Any) -> None:
    with pytest.raises(RuntimeFault, match="schema-parse-failure in FileWriteRequest"):
        asyncio.run(create_file_system_adapter().write_file(request_, AbortSignal()))


@pytest.mark.parametrize("count", [-1, 0.5, "1", None, True])
def test_a_count_that_is_none_breaks_the_contract(count: Any) -> None:
    class Mechanism:
        async def read_file(self, path: str, signal: AbortSignal) -> bytes:
            return b""

        async def write_file(self, path: str, content: bytes, signal: AbortSignal) -> int:
            result: int = count
            return result

    adapter = create_file_system_adapter(Mechanism())
    with pytest.raises(RuntimeFault, match="port-contract-violation in FileWriteResponse"):
        asyncio.run(adapter.write_file({"path": "a", "bytes": b""}, AbortSignal()))


def test_it_is_a_file_system_port() -> None:
    assert isinstance(create_file_system_adapter(), FileSystemPort)
