from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_quality.gates.main import main

from .repository import Answer, Repository


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """The program switches the collector off for its own short life; tests go on."""
    yield
    gc.enable()


@pytest.fixture
def repository(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository that is the working directory."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Answer:
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return Repository(tmp_path, command)
