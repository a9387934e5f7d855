"""What makes this suite fast: a mechanism that never heeds a signal is not waited for long."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_quality.adapters.boundary._HEED_SECONDS", 0.005)
