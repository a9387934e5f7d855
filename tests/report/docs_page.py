"""The examples of ``docs/how-to/read-a-report.md``, made from ``examples/``.

``python -m tests.report.docs_page`` writes them into the page, and the screenshot beside it where there is a Chromium.
"""

from __future__ import annotations

import io
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from eval_quality.report.html import render_html
from eval_quality.report.junit import render_junit
from eval_quality.report.markdown import render_markdown
from eval_quality.report.terminal import render_terminal

from .browser import chromium
from .runs import CAUGHT, ROOT, WEAKER, report_of

PAGE: Final = ROOT / "docs" / "how-to" / "read-a-report.md"
SCREENSHOT: Final = PAGE.with_name("report.png")
README: Final = ROOT / "README.md"
_BLOCK: Final = re.compile(
    r"(<!-- output: (?P<name>[a-z]+) -->\n```[a-z]+\n)(?P<text>.*?)(```\n<!-- end -->)", re.DOTALL
)


def outputs() -> Mapping[str, str]:
    """The examples, by the name their place in a page bears."""
    alone, compared = report_of(*WEAKER), report_of(*WEAKER, baseline=CAUGHT)
    terminal = render_terminal(alone, io.StringIO())
    with_baseline = render_terminal(compared, io.StringIO())
    return {
        "terminal": _until(terminal, "\n  P-002 Clean control"),
        "markdown": _until(render_markdown(compared), "\n<details>"),
        "junit": _until(render_junit(alone), '\n  <testsuite name="Gameability"'),
        "baseline": _between(with_baseline, "Against the baseline", "\nProbe classes"),
        "readme": _until(terminal, "\nProbe classes"),
    }


def _until(text: str, mark: str) -> str:
    return f"{text[: text.index(mark)].rstrip()}\n"


def _between(text: str, start: str, end: str) -> str:
    return _until(text[text.index(start) :], end)


def filled(page: str, examples: Mapping[str, str]) -> str:
    """A page with its examples as they are now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{examples[found['name']]}{found[4]}", page)


def names_in(page: str) -> list[str]:
    """The examples a page has a place for."""
    return [found["name"] for found in _BLOCK.finditer(page)]


def take_screenshot() -> None:
    """The first screen of the HTML report."""
    browser = chromium()
    if browser is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(render_html(report_of(*WEAKER)), "utf-8")
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,1280"]
        target = [f"--user-data-dir={folder}/profile", f"--screenshot={SCREENSHOT}", page.as_uri()]
        subprocess.run([browser, *flags, *target], capture_output=True, timeout=110, check=True)


if __name__ == "__main__":
    for target in (PAGE, README):
        target.write_text(filled(target.read_text("utf-8"), outputs()), "utf-8")
    take_screenshot()
