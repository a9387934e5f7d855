"""The local corpus: private references under one directory and nowhere else (spec 12, section 7.1)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from eval_quality.abort import AbortSignal
from eval_quality.adapters import create_local_corpus_adapter
from eval_quality.errors import RuntimeFault
from eval_quality.ports import CorpusPort

UNREADABLE = "port-failure in CorpusResolveResponse: the underlying mechanism threw or rejected"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A corpus with a file, a directory, and links of both kinds; a sibling whose name it is the start of."""
    root = tmp_path / "corp"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"a\xff")
    (root / "..a").write_bytes(b"dots")
    (root / "back\\slash").write_bytes(b"slash")
    (root / "sub" / "b.txt").write_bytes(b"b")
    (tmp_path / "corp2").mkdir()
    (tmp_path / "corp2" / "secret").write_bytes(b"secret")
    (root / "out").symlink_to(tmp_path / "corp2" / "secret")
    (root / "outside").symlink_to(tmp_path / "corp2")
    (root / "in").symlink_to(root / "sub" / "b.txt")
    (root / "dangling").symlink_to(root / "nothing")
    (root / "zero").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe")
    return root


def resolve(root: str | Path, reference: Any, **given: Any) -> Any:
    return asyncio.run(create_local_corpus_adapter(root, **given).resolve({"privateRef": reference}, AbortSignal()))


def fault(root: str | Path, reference: Any, **given: Any) -> str:
    with pytest.raises(RuntimeFault) as caught:
        resolve(root, reference, **given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("reference", "content"),
    [
        ("a.txt", b"a\xff"),
        ("./a.txt", b"a\xff"),
        ("sub/../a.txt", b"a\xff"),
        ("a.txt/", b"a\xff"),
        ("sub//b.txt", b"b"),
        ("..a", b"dots"),
        ("back\\slash", b"slash"),
        ("in", b"b"),
    ],
)
def test_what_is_inside(root: Path, reference: str, content: bytes) -> None:
    assert resolve(root, reference) == {"privateRef": reference, "bytes": content}


@pytest.mark.parametrize("reference", ["..", "../x", "a/../../x", "./..", "sub/../../corp2/secret"])
def test_what_climbs_out_is_refused_unread(root: Path, reference: str) -> None:
    def unreachable(path: str, signal: AbortSignal) -> Any:
        raise AssertionError("nothing must be read")

    assert fault(root, reference, mechanism=unreachable) == (
        f'port-failure in CorpusResolveRequest: the private reference "{reference}" still contains a ".." segment after '
        "normalizing"
    )


@pytest.mark.parametrize("reference", ["/etc/passwd", "//etc", "/"])
def test_what_is_absolute_is_refused(root: Path, reference: str) -> None:
    assert fault(root, reference) == (
        f'port-failure in CorpusResolveRequest: the private reference "{reference}" is absolute'
    )


@pytest.mark.parametrize("reference", ["out", "outside/secret"])
def test_links_out_are_refused(root: Path, reference: str) -> None:
    assert fault(root, reference) == (
        f'port-failure in CorpusResolveRequest: the private reference "{reference}" resolves outside the corpus root'
    )


@pytest.mark.parametrize(
    "reference", ["missing", "sub", ".", "a\0b", ".../x", "..\\x", "dangling", "a.txt/below", "zero", "pipe"]
)
def test_what_cannot_be_read(root: Path, reference: str) -> None:
    assert fault(root, reference) == UNREADABLE


def test_an_empty_reference_is_no_request(root: Path) -> None:
    assert fault(root, "").startswith("schema-parse-failure in CorpusResolveRequest: ")


def test_a_root_that_is_a_link_or_relative(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(root)
    assert resolve(tmp_path / "link", "a.txt")["bytes"] == b"a\xff"
    monkeypatch.chdir(tmp_path)
    assert resolve("corp", "sub/b.txt")["bytes"] == b"b"


def test_a_place_that_is_gone_after_it_was_read(root: Path) -> None:
    async def reads(path: str, signal: AbortSignal) -> bytes:
        os.unlink(path)
        return b"gone"

    assert fault(root, "a.txt", mechanism=reads) == (
        'port-failure in CorpusResolveRequest: the private reference "a.txt" could not be resolved to a real path inside '
        "the root"
    )


def test_what_is_no_bytes_breaks_the_contract(root: Path) -> None:
    async def reads(path: str, signal: AbortSignal) -> Any:
        return "text"

    assert fault(root, "a.txt", mechanism=reads).startswith("port-contract-violation in CorpusResolveResponse: ")


def test_it_is_a_corpus_port(root: Path) -> None:
    assert isinstance(create_local_corpus_adapter(root), CorpusPort)
