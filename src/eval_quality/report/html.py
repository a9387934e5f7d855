"""The report as one HTML page that needs nothing else: no request, no script from elsewhere, no font, no image.

The page is ``report.html.j2`` with ``report.css`` and ``report.js`` written into it. A content security policy in its
head names the digests of these two and forbids everything else, so that whatever a contract says stays text even in a
browser that would run it. Every value goes through jinja's escaping.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from .view import Report
from .words import STATES


def render_html(report: Report) -> str:
    """The report as an HTML document."""
    package = files(__package__)
    template, style, script = (
        package.joinpath(name).read_text("utf-8") for name in ("report.html.j2", "report.css", "report.js")
    )
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(template).render(
        report=report,
        states=STATES,
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def _source(text: str) -> str:
    """The digest of an inline style or script, as a content security policy spells it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
