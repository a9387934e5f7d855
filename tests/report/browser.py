"""Headless Chromium, as far as a page needs it: load, let scripts settle, hand back the document and the console."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_POLICY: Final = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_RESULT: Final = re.compile(r'<script type="application/json" id="result">(.*?)</script>', re.DOTALL)
_OWN: Final = re.compile(r"https?://([a-z0-9-]+\.)*(google\.com|googleapis\.com|gvt1\.com|gstatic\.com)[/:]")
DARK: Final = "--blink-settings=preferredColorScheme=0"


class Loaded(NamedTuple):
    """What became of a page."""

    document: str
    console: list[str]
    requests: list[str]


@cache
def chromium() -> str | None:
    """The browser, if there is one."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def axe_core() -> Path | None:
    """The script of axe-core, where the environment variable ``AXE_CORE`` says it is."""
    named = os.environ.get("AXE_CORE")
    return Path(named) if named and Path(named).is_file() else None


def load_page(page: Path, *flags: str) -> Loaded:
    """Load a page from disk."""
    browser = chromium()
    assert browser is not None
    log = page.with_suffix(".netlog")
    command = [
        browser,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--enable-logging=stderr",
        f"--user-data-dir={page.parent / 'profile'}",
        f"--log-net-log={log}",
        "--virtual-time-budget=20000",
        *flags,
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=True)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Loaded(done.stdout, console, _requests(log))


def _requests(log: Path) -> list[str]:
    """Every address of the network log but the page's own and those a fresh Chromium asks at home for."""
    addresses = re.findall(r'"url":"([^"]+)"', log.read_text("utf-8", "replace"))
    return [each for each in addresses if not each.startswith(("file:", "data:", "chrome")) and not _OWN.match(each)]


def run_in_page(page: Path, source: str, *flags: str) -> Any:
    """The JSON value that a script leaves after a page has loaded.

    ``source`` is the body of an asynchronous function. The page is loaded without its policy, which would not let the
    script in.
    """
    script = (
        "<script>addEventListener('load', async () => {"
        f"const value = await (async () => {{ {source} }})().catch((error) => ({{ error: String(error) }}));"
        "const result = document.createElement('script'); result.type = 'application/json'; result.id = 'result';"
        "result.textContent = JSON.stringify(value).replaceAll('<', '\\\\u003c'); document.body.append(result);"
        "});</script>"
    )
    text = _POLICY.sub("", page.read_text("utf-8"))
    opened = page.with_name(f"{page.stem}-opened.html")
    opened.write_text(text.replace("</body>", f"{script}</body>"), "utf-8")
    found = _RESULT.search(load_page(opened, *flags).document)
    assert found is not None, "the script of the test did not finish"
    return json.loads(found[1])
