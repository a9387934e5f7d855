"""The report on a terminal, or piped: plain text without colour, escapes or a guessed width."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Final, TextIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .view import Condition, Mark, MatrixView, ProbeView, Report, WaiverView
from .words import STATES, Tone, plural

PIPED_WIDTH: Final = 110
MOST_PROBES: Final = 40
_NARROWEST_CELL: Final = 6

_STYLES: Final[dict[Tone, str]] = {
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
    "odd": "bold magenta",
    "calm": "",
}


def render_terminal(report: Report, stream: TextIO) -> str:
    """The report as text for a stream: with colour only on a terminal that wants it."""
    on_terminal = stream.isatty()
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=on_terminal,
        color_system="standard" if on_terminal else None,
        no_color=bool(os.environ.get("NO_COLOR")) or not on_terminal,
        width=_width(stream) if on_terminal else PIPED_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for block in _blocks(report, console.width):
        console.print(block)
    lines = buffer.getvalue().split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _width(stream: TextIO) -> int:
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns)
    except OSError:
        return PIPED_WIDTH


def _mark(mark: Mark) -> Text:
    return Text(mark.word, style=_STYLES[mark.tone])


def _line(*parts: str | Text) -> Text:
    return Text.assemble(*parts)


def _indented(item: RenderableType, by: int = 2) -> Padding:
    return Padding(item, (0, 0, 0, by))


def _titled(title: str, body: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text()
    yield Text(title, style="bold underline")
    yield from body


def _bullets(texts: Iterable[str | Text]) -> Iterator[RenderableType]:
    for text in texts:
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_row(Text("-"), Text(text) if isinstance(text, str) else text)
        yield _indented(table)


def _blocks(report: Report, width: int) -> Iterator[RenderableType]:
    yield _line(Text(report.title, style="bold"), ", ", report.subtitle)
    yield from _verdict(report)
    if report.comparison is not None:
        yield from _titled("Against the baseline", _comparison(report))
    if report.classes:
        yield from _titled("Probe classes", [_classes(report)])
    if report.matrix.rows:
        yield from _titled("Probes by oracles", _matrix(report.matrix, width))
    if report.probes:
        yield from _titled("Probes", _probes(report.probes))
    yield from _titled("Coverage", _coverage(report))
    if report.incomparable:
        told = [f"{each.label}: {each.value}" for each in report.incomparable]
        yield from _titled("Not comparable", _bullets([*told[:MOST_PROBES], *_more(len(told), "entry", "entries")]))
    for group in report.provenance:
        yield from _titled(group.title, [_facts([(fact.label, fact.value) for fact in group.facts])])


def _more(number: int, noun: str, many: str) -> list[str]:
    return [f"and {plural(number - MOST_PROBES, f'more {noun}', f'more {many}')}"] if number > MOST_PROBES else []


def _facts(facts: Sequence[tuple[str, str]]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for label, value in facts:
        table.add_row(Text(label), Text(value))
    return _indented(table)


def _verdict(report: Report) -> Iterator[RenderableType]:
    verdict = report.verdict
    yield Text()
    yield _line(
        Text(f" {verdict.mark.word} ", style=f"reverse {_STYLES[verdict.mark.tone]}".strip()), " ", verdict.headline
    )
    tally = ", ".join(f"{number} {mark.word}" for mark, number in verdict.tally)
    yield from _bullets([*verdict.because, *([f"Probes by verdict: {tally}."] if tally else [])])
    preflight = report.preflight
    if preflight is not None:
        yield from _bullets([_line("Pre-flight ", _mark(preflight.mark), f": {preflight.summary}")])
        for check in preflight.checks:
            note = f" ({check.note})" if check.note else ""
            yield _indented(_line(_mark(check.outcome), f" {check.where}: {check.what}{note}"), 4)
    if verdict.conditions:
        yield from _titled("Why", _conditions(verdict.conditions))


def _conditions(conditions: Sequence[Condition]) -> Iterator[RenderableType]:
    for condition in conditions[:MOST_PROBES]:
        line = Text(f"{condition.line} ({condition.where})", style="dim")
        yield from _bullets([_line(condition.meaning, "\n", line)])
    yield from _bullets(_more(len(conditions), "condition", "conditions"))


def _comparison(report: Report) -> Iterator[RenderableType]:
    assert report.comparison is not None
    yield _indented(_line(Text(report.comparison.summary, style=_STYLES[report.comparison.mark.tone])))
    for group in report.comparison.groups:
        if not group.changes:
            yield from _bullets([group.otherwise])
        for change in group.changes:
            style = _STYLES["bad"] if change.regression else ""
            told = f"{change.subject}: {change.text}{' (regression)' if change.regression else ''}"
            yield from _bullets([_line(f"{group.title}: ", Text(told, style=style))])


def _classes(report: Report) -> RenderableType:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for title in ("Class", "Caught", "Exercised", "Eligible", "Rate", "Floor"):
        table.add_column(title, justify="left" if title == "Class" else "right", no_wrap=True)
    table.add_column("Decision", overflow="fold")
    for each in report.classes:
        figures = (str(each.caught), str(each.exercised), str(each.eligible), each.rate, each.floor)
        table.add_row(Text(each.title), *figures, _line(_mark(each.decision), f": {each.why}"))
    return _indented(table)


def _matrix(matrix: MatrixView, width: int) -> Iterator[RenderableType]:
    cell_width = max(
        [_NARROWEST_CELL, *(len(cell.short) for row in matrix.rows for cell in row.cells if cell is not None)]
    )
    room = max(1, (width - 34) // (cell_width + 2))
    for start in range(0, len(matrix.columns), room):
        yield _indented(_matrix_part(matrix, start, start + room))
    if len(matrix.rows) > MOST_PROBES:
        yield _indented(Text(f"and {plural(len(matrix.rows) - MOST_PROBES, 'more probe')}"))
    if matrix.quiet:
        yield _indented(Text(matrix.quiet))
    keys = [_line(_letter(key.state), f" {key.state}: {key.meaning}") for key in matrix.legend]
    yield _indented(Group(Text("A letter stands for a trial, a number after it for as many trials in a row."), *keys))


def _letter(state: str) -> Text:
    return Text(STATES[state].letter, style=_STYLES[STATES[state].tone])


def _matrix_part(matrix: MatrixView, start: int, end: int) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("Probe", no_wrap=True)
    table.add_column("Result", no_wrap=True)
    for column in matrix.columns[start:end]:
        table.add_column(column.oracle_id, no_wrap=True)
    for row in matrix.rows[:MOST_PROBES]:
        cells = [
            Text() if cell is None else Text.assemble(*(_run(state, number) for state, number in cell.states))
            for cell in row.cells[start:end]
        ]
        table.add_row(Text(row.probe_id), _mark(row.status), *cells)
    return table


def _run(state: str, number: int) -> Text:
    return _letter(state) if number == 1 else _line(_letter(state), str(number))


def _probes(probes: Sequence[ProbeView]) -> Iterator[RenderableType]:
    attention = [probe for probe in probes if probe.needs_attention]
    chosen = probes if len(probes) <= MOST_PROBES else attention[:MOST_PROBES]
    for probe in chosen:
        yield from _probe(probe)
    if len(chosen) < len(probes):
        rest = len(attention) - len(chosen)
        calm = len(probes) - len(attention)
        told = [f"{rest} more need attention"] * (rest > 0) + [f"{calm} more are as they should be"] * (calm > 0)
        yield Text()
        yield _indented(Text(f"{', '.join(told)}; --html shows every probe."))


def _probe(probe: ProbeView) -> Iterator[RenderableType]:
    yield Text()
    yield _indented(
        _line(
            Text(probe.probe_id, style="bold"),
            f" {probe.class_title}: ",
            _mark(probe.status),
            ", ",
            _mark(probe.verdict),
        )
    )
    lines: list[str | Text] = [probe.why]
    if probe.behavior:
        lines.append(f"Behavior: {probe.behavior}")
    lines += [f"{each.label}: {each.value}" for each in probe.seeded]
    for trial in probe.trials:
        cited = f" Observations: {', '.join(trial.observations)}." if trial.observations else ""
        lines.append(_line(f"{trial.label} ", _letter(trial.state), f" {trial.state}. {trial.why}{cited}"))
        lines += [f"{trial.label} finding {each}" for each in trial.findings]
    lines += probe.notes
    lines += [f"{fact.label}: {fact.value}" for fact in probe.facts]
    for item in _bullets(lines):
        yield _indented(item)


def _coverage(report: Report) -> Iterator[RenderableType]:
    coverage = report.coverage
    yield _indented(Text(coverage.summary))
    for gap in coverage.gaps:
        yield from _bullets([_line(Text(gap.rule, style="yellow"), f" ({gap.severity}): {gap.asks}")])
        missing = [f"Missing: {gap.missing}"] if gap.missing else []
        for item in _bullets([*missing, f"To close it: {gap.closed_by}", *map(_waiver, gap.waivers)]):
            yield _indented(item)
    yield from _bullets(f"For no open gap: {_waiver(each)}" for each in coverage.other_waivers)


def _waiver(waiver: WaiverView) -> str:
    return f"waiver {waiver.waiver_id}: " + "; ".join(f"{fact.label.lower()} {fact.value}" for fact in waiver.facts)
