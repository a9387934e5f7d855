"""The report as GitHub-flavoured Markdown, short enough for a comment on a pull request.

Every value is text: what could start a link, a mention, a reference, markup or a table cell is escaped. What needs
attention comes first; what does not fit is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .view import ChangeGroup, ComparisonView, CoverageView, FactGroup, ProbeView, Report, WaiverView
from .words import STATES, Tone, plural

LONGEST_DOCUMENT: Final = 60_000
"""Characters; a comment may have 65,536."""
LONGEST_VALUE: Final = 300
MOST_ROWS: Final = 60
MOST_DETAILS: Final = 25
MOST_COLUMNS: Final = 20

_SIGNS: Final[dict[Tone, str]] = {"good": "✅", "bad": "❌", "warn": "⚠️", "odd": "🚫", "calm": "▫️"}
_SPECIAL: Final = re.compile(
    r"[\\`*_\[\]<>|~&$@#]"
    r"|^[-+=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]"  # what starts a list
    r"|:(?=\S)|(?<=www)\.|(?<=GH)-",  # what GitHub makes a link or a picture of
    re.IGNORECASE,
)
_DIGEST: Final = re.compile("sha256:[0-9a-f]{64}")


def escaped(value: str) -> str:
    """A value as text and nothing else, cut when it is very long."""
    if _DIGEST.fullmatch(value):
        return f"`{value}`"
    told = " ".join(value.split())
    return _SPECIAL.sub(_entity, told if len(told) <= LONGEST_VALUE else f"{told[:LONGEST_VALUE]}…")


def _entity(match: re.Match[str]) -> str:
    """A character that cannot act: as an entity, and cut off from what follows where GitHub looks at the text again."""
    char = match[0]
    return f"&#{ord(char)};<!-- -->" if char in "@#:.-" else f"&#{ord(char)};"


def render_markdown(report: Report) -> str:
    """The report as Markdown, ending in a line break."""
    blocks = [*_head(report), *_optional(report)]
    text, left_out = "", 0
    for block in blocks:
        if len(text) + len(block) > LONGEST_DOCUMENT:
            left_out += 1
        else:
            text += f"{block}\n\n"
    if left_out:
        text += f"{plural(left_out, 'section')} did not fit here; the other forms of the report have everything.\n"
    return f"{text.rstrip()}\n"


def _head(report: Report) -> Iterator[str]:
    verdict = report.verdict
    sign = _SIGNS[verdict.mark.tone]
    yield f"## {sign} {escaped(report.title)}: {verdict.mark.word}"
    yield f"**{verdict.headline}** ({escaped(report.subtitle)})"
    lines = [f"- {escaped(each)}" for each in verdict.because]
    if verdict.tally:
        lines.append("- " + ", ".join(f"{number} {mark.word}" for mark, number in verdict.tally))
    if report.preflight is not None:
        lines.append(f"- Pre-flight {report.preflight.mark.word}: {report.preflight.summary}")
    if lines:
        yield "\n".join(lines)
    if verdict.conditions:
        yield _section("Why", _conditions(report))
    if report.comparison is not None:
        yield _section("Against the baseline", _comparison(report.comparison))


def _optional(report: Report) -> Iterator[str]:
    if report.classes:
        yield _section("Probe classes", _classes(report))
    if report.matrix.rows:
        yield _section("Probes by oracles", _matrix(report))
    yield from _probes(report.probes)
    yield _section("Coverage", _coverage(report.coverage))
    if report.incomparable:
        facts = [f"- **{escaped(each.label)}**: {escaped(each.value)}" for each in report.incomparable[:MOST_ROWS]]
        yield _section("Not comparable", "\n".join([*facts, *_rest(len(report.incomparable), MOST_ROWS)]))
    yield _folded("Digests, attested inputs, versions", "\n\n".join(_facts(group) for group in report.provenance))


def _section(title: str, body: str) -> str:
    return f"### {title}\n\n{body}"


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _rest(number: int, shown: int) -> list[str]:
    return [f"- and {number - shown} more"] if number > shown else []


def _conditions(report: Report) -> str:
    conditions = report.verdict.conditions
    lines = [
        f"- {escaped(each.meaning)}<br><sub>{escaped(each.line)} ({each.where})</sub>"
        for each in conditions[:MOST_ROWS]
    ]
    return "\n".join([*lines, *_rest(len(conditions), MOST_ROWS)])


def _comparison(comparison: ComparisonView) -> str:
    return "\n".join([f"**{comparison.summary}**\n", *(_change_group(group) for group in comparison.groups)])


def _change_group(group: ChangeGroup) -> str:
    if not group.changes:
        return f"- {group.otherwise}"
    shown = group.changes[:MOST_ROWS]
    told = "; ".join(
        f"{'❌ ' if each.regression else ''}{escaped(each.subject)}: {escaped(each.text)}" for each in shown
    )
    more = f"; and {len(group.changes) - len(shown)} more" if len(group.changes) > len(shown) else ""
    return f"- {group.title}: {told}{more}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _classes(report: Report) -> str:
    rows = [
        [
            each.title,
            str(each.caught),
            str(each.exercised),
            str(each.eligible),
            each.rate,
            each.floor,
            f"{_SIGNS[each.decision.tone]} {each.decision.word}: {each.why}",
        ]
        for each in report.classes
    ]
    return _table(["Class", "Caught", "Exercised", "Eligible", "Rate", "Floor", "Decision"], rows)


def _matrix(report: Report) -> str:
    columns = report.matrix.columns[:MOST_COLUMNS]
    ordered = sorted(report.matrix.rows, key=lambda row: not row.attention)
    rows = [
        [
            f"{_SIGNS[row.status.tone]} {row.probe_id}",
            *("" if cell is None else f"`{cell.short}`" for cell in row.cells[:MOST_COLUMNS]),
        ]
        for row in ordered[:MOST_ROWS]
    ]
    table = _table(["Probe", *(column.oracle_id for column in columns)], rows)
    notes = [f"`{key.letter}` {key.state}" for key in report.matrix.legend]
    legend = ", ".join(notes) + "; a number is how many trials in a row."
    more = [report.matrix.quiet] if report.matrix.quiet else []
    if len(ordered) > MOST_ROWS:
        more.append(f"{plural(len(ordered) - MOST_ROWS, 'more probe')} not shown.")
    if len(report.matrix.columns) > MOST_COLUMNS:
        more.append(f"{plural(len(report.matrix.columns) - MOST_COLUMNS, 'more oracle')} not shown.")
    return "\n\n".join([table, legend, *more])


def _probes(probes: Sequence[ProbeView]) -> Iterator[str]:
    chosen = [probe for probe in probes if probe.needs_attention]
    others = [probe for probe in probes if not probe.needs_attention]
    for probe in (*chosen, *others)[:MOST_DETAILS]:
        summary = f"{_SIGNS[probe.status.tone]} {probe.probe_id} ({probe.class_title}): {escaped(probe.status.word)}"
        yield _folded(summary, _probe(probe))
    if len(probes) > MOST_DETAILS:
        yield f"{plural(len(probes) - MOST_DETAILS, 'more probe')} not shown in detail."


def _probe(probe: ProbeView) -> str:
    lines = [f"**{probe.verdict.word}**. {escaped(probe.why)}", ""]
    if probe.behavior:
        lines.append(f"- Behavior: {escaped(probe.behavior)}")
    lines += [f"- {each.label}: {escaped(each.value)}" for each in probe.seeded]
    for trial in probe.trials:
        cited = f" Observations: {escaped(', '.join(trial.observations))}." if trial.observations else ""
        lines.append(f"- {trial.label}, `{STATES[trial.state].letter}` {trial.state}: {escaped(trial.why)}{cited}")
        lines += [f"  - {escaped(each)}" for each in trial.findings]
    lines += [f"- {escaped(each)}" for each in probe.notes]
    return "\n".join(lines)


def _coverage(coverage: CoverageView) -> str:
    lines = [coverage.summary, ""]
    for gap in coverage.gaps:
        lines.append(f"- **{escaped(gap.rule)}** ({gap.severity}): {escaped(gap.asks)}")
        if gap.missing:
            lines.append(f"  - Missing: {escaped(gap.missing)}")
        lines.append(f"  - To close it: {escaped(gap.closed_by)}")
        lines += [f"  - Waived by {each.waiver_id}: {_waiver(each)}" for each in gap.waivers]
    lines += [f"- Waiver {each.waiver_id}, for no open gap: {_waiver(each)}" for each in coverage.other_waivers]
    return "\n".join(lines).rstrip()


def _waiver(waiver: WaiverView) -> str:
    return "; ".join(f"{fact.label.lower()} {escaped(fact.value)}" for fact in waiver.facts)


def _facts(group: FactGroup) -> str:
    return "\n".join([f"**{group.title}**", "", *(f"- {fact.label}: {escaped(fact.value)}" for fact in group.facts)])
