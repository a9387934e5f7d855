"""The four renderings of one report: stable, escaped, complete."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from eval_quality.report.html import render_html
from eval_quality.report.junit import render_junit
from eval_quality.report.markdown import LONGEST_DOCUMENT, escaped, render_markdown
from eval_quality.report.terminal import render_terminal
from eval_quality.report.view import Report
from eval_quality.report.words import STATES

from .hostile import ACTING, MARKDOWN, write_hostile_run
from .runs import CAUGHT, GAPS, WEAKER, report_of


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


def plain(report: Report) -> str:
    return render_terminal(report, io.StringIO())


RENDERERS: Final[dict[str, Callable[[Report], str]]] = {
    "terminal": plain,
    "html": render_html,
    "markdown": render_markdown,
    "junit": render_junit,
}


@pytest.fixture(scope="module")
def weaker() -> Report:
    return report_of(*WEAKER, baseline=CAUGHT)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of(write_hostile_run(tmp_path_factory.mktemp("hostile")))


@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_files_give_the_same_bytes(name: str, weaker: Report) -> None:
    again = report_of(*reversed(WEAKER), baseline=CAUGHT)
    assert RENDERERS[name](weaker) == RENDERERS[name](again)


@pytest.mark.parametrize("name", ["terminal", "html", "markdown"])
def test_everything_is_shown_in_its_order(name: str, weaker: Report) -> None:
    text = RENDERERS[name](weaker)
    text = text[text.find("<main") + 1 :]  # past the table of contents
    places = [
        text.index(each)
        for each in (
            "FAIL",
            "The evaluation did not do its work",
            "The planted defect showed, and the evaluator did not report it against O-001",
            "4 regressions against the baseline",
            "Eligible",
            "Probes by oracles",
            "Trials 2 and 3",
            "Every one of the 7 discipline rules",
            "Not comparable",
            "Scoring version (contract-scoring)",
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("name", RENDERERS)
def test_nothing_acts(name: str, hostile: Report) -> None:
    text = RENDERERS[name](hostile)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert ("&#92;u001b" if name == "markdown" else "\\u001b") in text
    text.encode()


# --- terminal


def test_a_pipe_gets_no_colour(weaker: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in plain(weaker)


def test_a_terminal_gets_colour_and_no_color_is_honoured(weaker: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = render_terminal(weaker, Terminal())
    assert "\x1b[1;31m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    uncoloured = render_terminal(weaker, Terminal())
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", uncoloured)


def test_the_terminal_report_keeps_to_its_width(hostile: Report, weaker: Report) -> None:
    for report in (hostile, weaker):
        assert max(len(line) for line in plain(report).splitlines()) <= 110


def test_gaps_on_a_terminal() -> None:
    text = plain(report_of(GAPS))
    assert "waiver W-001: rule malformed-input; why ticket numbers are checked by the gateway" in text
    assert "Missing: no step invoking operation fetch-ticket binds" in text


# --- markdown


def test_markdown_of_a_hostile_run_is_text(hostile: Report) -> None:
    text = render_markdown(hostile)
    assert not re.search(r"@(?!<!-- -->)everyone|https?://|www\.e|(?<!&)#1\b|GH-1|\[x\]|\*\*b|:smile:", text)
    tags = {each.lower() for each in re.findall(r"</?([a-z]+)", text, re.IGNORECASE)}
    assert tags <= {"details", "summary", "br", "sub"}


def test_markdown_tables_keep_their_columns(weaker: Report) -> None:
    lines = render_markdown(weaker).splitlines()
    for start, line in enumerate(lines):
        if line.startswith("| ---"):
            columns = line.count("|")
            rows = [lines[start - 1]]
            for row in lines[start + 1 :]:
                if not row.startswith("|"):
                    break
                rows.append(row)
            assert {row.count("|") for row in rows} == {columns}


@pytest.mark.parametrize("value", ["- x", "+ x", "1. x", "12) x", "=", "| x |", ACTING, MARKDOWN])
def test_a_value_starts_nothing(value: str) -> None:
    text = escaped(value)
    assert not re.match(r"[-+=|>#`*]|\d+[.)]", text)
    assert "|" not in text
    assert "\n" not in text


def test_a_long_value_is_cut_and_a_digest_is_code() -> None:
    assert len(escaped("x" * 5000)) == 301
    assert escaped(f"sha256:{'0' * 64}") == f"`sha256:{'0' * 64}`"


# --- junit


def test_junit_has_a_suite_a_class_and_a_case_a_probe(weaker: Report) -> None:
    root = ElementTree.fromstring(render_junit(weaker))
    assert root.tag == "testsuites"
    assert root.attrib | {"name": ""} == {
        "name": "",
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
        "time": "0",
    }
    outcomes = {
        (suite.attrib["name"], case.attrib["name"].split(":")[0]): next((each.tag for each in case), "")
        for suite in root
        for case in suite
    }
    assert outcomes == {
        ("Defect", "P-001"): "failure",
        ("Gameability", "P-004"): "skipped",
        ("Zero action", "P-003"): "system-out",
        ("Clean control", "P-002"): "failure",
    }
    skipped = root.find(".//skipped")
    assert skipped is not None
    assert "Below the declared minimum of 3" in skipped.attrib["message"]


def test_junit_calls_what_is_invalid_or_missing_an_error() -> None:
    from .runs import EXAMPLE

    root = ElementTree.fromstring(render_junit(report_of(EXAMPLE / "probe-P-001.json")))
    error = root.find(".//error")
    assert error is not None
    assert error.attrib["type"] == "Not scored"
    assert root.attrib["errors"] == "1"


# --- html


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_asks_for_nothing(hostile: Report, weaker: Report) -> None:
    for report in (hostile, weaker):
        for tag, attributes in Page(render_html(report)).tags:
            assert tag not in {"img", "link", "iframe", "object", "embed", "form", "base", "audio", "video"}
            assert not {"src", "srcset", "style", "action", "background"} & attributes.keys()
            assert not any(name.startswith("on") for name in attributes)
            assert (attributes.get("href") or "#").startswith("#")


def test_the_page_has_one_script_and_one_style(hostile: Report) -> None:
    page = Page(render_html(hostile))
    names = [tag for tag, _ in page.tags]
    assert names.count("script") == names.count("style") == names.count("h1") == names.count("main") == 1
    [policy] = [each["content"] for tag, each in page.tags if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_every_link_of_the_page_leads_somewhere_and_names_are_unique(weaker: Report) -> None:
    page = Page(render_html(weaker))
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    for _, attributes in page.tags:
        for key in ("href", "aria-labelledby", "for"):
            for target in (attributes.get(key) or "").split():
                assert target.removeprefix("#") in names


def test_a_state_is_never_told_by_colour_alone(weaker: Report) -> None:
    text = render_html(weaker)
    for state, number in (("missed", 2), ("false-positive", 1), ("caught", 1)):
        letter = f"{STATES[state].letter}{number if number > 1 else ''}"
        told = f"{number} times {state}" if number > 1 else state
        assert f'<span aria-hidden="true">{letter}</span><span class="hidden-text">{told}</span>' in text


def test_colours_have_the_contrast_that_wcag_aa_asks_for() -> None:
    style = (Path(render_html.__code__.co_filename).parent / "report.css").read_text("utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.S)[:2]
    )
    assert light.keys() == dark.keys()
    for theme in (light, dark):
        for tone in ("good", "bad", "warn", "odd", "calm"):
            assert contrast(theme[tone], theme[f"{tone}-fill"]) >= 4.5
        for ink in ("ink", "soft", "link"):
            assert contrast(theme[ink], theme["page"]) >= 4.5
            assert contrast(theme[ink], theme["panel"]) >= 4.5


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2, 1.4.3)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# --- size


def test_markdown_fits_a_comment_whatever_the_run(thousand: Report) -> None:
    text = render_markdown(thousand)
    assert len(text) <= LONGEST_DOCUMENT + 200
    assert "940 more probes not shown." in text
    assert "975 more probes not shown in detail." in text
