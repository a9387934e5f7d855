"""The page in a browser: it runs, stays alone, can be used, and nothing in it runs that should not.

These need Chromium; the accessibility test needs axe-core too (``AXE_CORE=PATH/axe.min.js``, from the npm package).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_quality.report.html import render_html
from eval_quality.report.view import Report

from .browser import DARK, axe_core, chromium, load_page, run_in_page
from .hostile import write_hostile_run
from .runs import CAUGHT, GAPS, WEAKER, report_of

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium here to load the page with")


def write_page(report: Report, folder: Path) -> Path:
    page = folder / "report.html"
    page.write_text(render_html(report), "utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return write_page(report_of(*WEAKER, baseline=CAUGHT), tmp_path)


@pytest.fixture
def hostile_page(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return write_page(report_of(write_hostile_run(tmp_path / "run")), tmp_path)


def test_the_page_loads_without_a_complaint_or_a_request(page: Path) -> None:
    loaded = load_page(page)
    assert loaded.console == []
    assert loaded.requests == []
    assert "4 of 4 probes shown" in loaded.document
    assert 'class="no-script"' not in loaded.document


def test_a_hostile_run_is_inert(hostile_page: Path) -> None:
    loaded = load_page(hostile_page)
    assert loaded.console == []
    assert loaded.requests == []
    assert "<title>refund-api: PASS</title>" in loaded.document
    assert "<img" not in loaded.document


def test_a_hostile_run_is_inert_even_without_the_policy(hostile_page: Path) -> None:
    found = run_in_page(
        hostile_page,
        "return { title: document.title, images: document.images.length, scripts: document.scripts.length,"
        " links: [...document.links].filter((each) => !each.getAttribute('href').startsWith('#')).length };",
    )
    assert found == {"title": "refund-api: PASS", "images": 0, "scripts": 2, "links": 0}


def test_the_filter_finds_probes(page: Path) -> None:
    found = run_in_page(
        page,
        """
        const seen = (what) => [...document.querySelectorAll(what)].filter((each) => !each.hidden);
        const shown = () => seen('details[data-probe]').map((each) => each.id);
        const rows = () => seen('tr[data-probe]').length;
        const words = document.getElementById('filter-text'), choice = document.getElementById('filter-choice');
        const told = [];
        choice.value = 'failed'; choice.dispatchEvent(new Event('change'));
        told.push([shown(), rows(), document.getElementById('filter-told').textContent]);
        choice.value = 'all'; words.value = 'NEVER stored'; words.dispatchEvent(new Event('input'));
        await new Promise((done) => setTimeout(done, 400));
        told.push([shown(), rows(), document.getElementById('filter-told').textContent]);
        document.getElementById('open-all').click();
        told.push([document.getElementById('P-003').open, document.getElementById('P-004').open]);
        return told;
        """,
    )
    assert found == [
        [["P-001", "P-002"], 2, "2 of 4 probes shown"],
        [["P-003"], 1, "1 of 4 probes shown"],
        [True, True],
    ]


def test_a_page_of_a_thousand_probes_stays_usable(thousand: Report, tmp_path: Path) -> None:
    found = run_in_page(
        write_page(thousand, tmp_path),
        """
        const choice = document.getElementById('filter-choice'), words = document.getElementById('filter-text');
        const open = document.querySelectorAll('details[data-probe][open]').length;
        const started = performance.now();
        choice.value = 'failed'; choice.dispatchEvent(new Event('change'));
        words.value = 'P-990'; words.dispatchEvent(new Event('input'));
        await new Promise((done) => setTimeout(done, 300));
        return { open, took: performance.now() - started, told: document.getElementById('filter-told').textContent };
        """,
    )
    assert found["open"] == 0
    assert found["told"] == "1 of 1000 probes shown"
    assert found["took"] < 2000


def test_a_link_to_a_probe_opens_it(page: Path) -> None:
    source = """
        location.hash = '#P-003';
        await new Promise((done) => setTimeout(done, 300));
        return document.getElementById('P-003').open;
        """
    assert run_in_page(page, source) is True


def test_everything_can_be_reached_by_keyboard(page: Path) -> None:
    found = run_in_page(
        page,
        """
        const wide = [...document.querySelectorAll('.scroll')];
        const clickable = [...document.querySelectorAll('[onclick], [role=button]')];
        return { wide: wide.length, reachable: wide.filter((each) => each.tabIndex === 0).length,
          clickable: clickable.length,
          first: document.querySelector('a[href], button, input').textContent };
        """,
    )
    assert found == {"wide": 2, "reachable": 2, "clickable": 0, "first": "Skip to the report"}


def test_a_phone_has_no_sideways_scroll(page: Path, tmp_path: Path) -> None:
    frame = tmp_path / "phone.html"
    frame.write_text(f'<body><iframe src="{page.name}" width="360" height="800"></iframe></body>')
    found = run_in_page(
        frame,
        """
        const inner = document.querySelector('iframe').contentWindow;
        return [inner.innerWidth, inner.document.documentElement.scrollWidth];
        """,
        "--allow-file-access-from-files",
    )
    assert found[0] == 360
    assert found[1] <= 360


@pytest.mark.skipif(axe_core() is None, reason="no axe-core here: set AXE_CORE to its axe.min.js")
@pytest.mark.parametrize("flags", [pytest.param((), id="light"), pytest.param((DARK,), id="dark")])
@pytest.mark.parametrize("which", ["weaker", "gaps", "hostile"])
def test_axe_finds_no_violation(which: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    if which == "hostile":
        (tmp_path / "run").mkdir()
        report = report_of(write_hostile_run(tmp_path / "run"))
    else:
        report = report_of(*WEAKER, baseline=CAUGHT) if which == "weaker" else report_of(GAPS)
    page = write_page(report, tmp_path)
    script = axe_core()
    assert script is not None
    source = script.read_text("utf-8").replace("</script>", "<\\/script>")
    page.write_text(page.read_text("utf-8").replace("</head>", f"<script>{source}</script></head>"), "utf-8")
    found = run_in_page(
        page,
        """
        document.querySelectorAll('details').forEach((each) => { each.open = true; });
        const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
        const result = await axe.run(document, { runOnly: rules });
        return { passes: result.passes.length,
          dark: matchMedia('(prefers-color-scheme: dark)').matches,
          violations: result.violations.map((each) => [each.id, each.nodes[0].html.slice(0, 200)]),
          undecided: result.incomplete.map((each) => each.id) };
        """,
        *flags,
    )
    assert found["violations"] == []
    assert found["undecided"] == []
    assert found["passes"] > 20
    assert found["dark"] is bool(flags)
