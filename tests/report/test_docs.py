"""The page about reports shows what the reports of today look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from .docs_page import PAGE, README, SCREENSHOT, filled, names_in, outputs


@pytest.mark.parametrize("page", [PAGE, README], ids=lambda page: page.name)
def test_examples_are_those_of_today(page: Path) -> None:
    text = page.read_text("utf-8")
    assert filled(text, outputs()) == text, "run python -m tests.report.docs_page"


def test_the_page_shows_each_output() -> None:
    assert names_in(PAGE.read_text("utf-8")) == ["terminal", "markdown", "junit", "baseline"]
    assert SCREENSHOT.read_bytes().startswith(b"\x89PNG")
