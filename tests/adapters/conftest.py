"""What the tests of real processes share."""

from __future__ import annotations

import uuid

import pytest


@pytest.fixture
def token() -> str:
    """A word that finds the processes of one test."""
    return f"token-{uuid.uuid4().hex}"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is cut short waits for its processes to end, however busy the machine is."""
    monkeypatch.setattr("eval_quality.adapters.boundary._TEARDOWN_SECONDS", 60)
