"""What the site leaves out of a page: the words in a fence's first line that are for the tests of the documentation."""

from __future__ import annotations

import re
from typing import Any, Final

_FENCE: Final = re.compile(r"^(?P<fence> *`{3,}[a-z]+)(?P<options>(?: [^\n`]+)?)$", re.MULTILINE)
_FOR_TESTS: Final = re.compile(r" (?:no-run|exit=\d+)\b")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return _FENCE.sub(lambda found: found["fence"] + _FOR_TESTS.sub("", found["options"]), markdown)
