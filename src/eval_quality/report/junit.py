"""The report as JUnit XML: one suite a probe class, one case a probe.

A probe whose score is Invalid or missing is an error, one that failed or was not caught a failure, one that is not
comparable is skipped with the reason. Nothing of it depends on a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from .view import ProbeView, Report
from .words import CLASSES

_OUTCOMES: Final = {"failed": "failure", "invalid": "error", "incomparable": "skipped"}
_TOTALS: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render_junit(report: Report) -> str:
    """The report as an XML document."""
    root = ElementTree.Element("testsuites", name=report.title)
    for class_key, words in CLASSES.items():
        members = [probe for probe in report.probes if probe.class_key == class_key]
        if members:
            _suite(root, words.title, members)
    _total(root)
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _suite(root: ElementTree.Element, title: str, probes: Sequence[ProbeView]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=title)
    for probe in probes:
        _case(suite, title, probe)
    _total(suite)


def _total(element: ElementTree.Element) -> None:
    """State the numbers of an element's cases on it."""
    found = list(element.iter("testcase"))
    element.set("tests", str(len(found)))
    for attribute, tag in _TOTALS.items():
        element.set(attribute, str(sum(case.find(tag) is not None for case in found)))
    element.set("time", "0")


def _case(suite: ElementTree.Element, title: str, probe: ProbeView) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=_name(probe), time="0")
    tag = _OUTCOMES.get(probe.status_key)
    if tag is not None:
        outcome = ElementTree.SubElement(case, tag, message=_message(probe))
        if tag != "skipped":
            outcome.set("type", probe.verdict.word)
            outcome.text = "\n".join(_details(probe))
    told = ElementTree.SubElement(case, "system-out")
    told.text = "\n".join(
        (f"verdict: {probe.verdict.word}", probe.why, *(f"{each.label}: {each.value}" for each in probe.seeded))
    )


def _name(probe: ProbeView) -> str:
    return f"{probe.probe_id}: {probe.planted}" if probe.planted else probe.probe_id


def _message(probe: ProbeView) -> str:
    return f"{probe.status.word}: {probe.why}"


def _details(probe: ProbeView) -> list[str]:
    lines = [f"{condition.line}: {condition.meaning}" for condition in probe.conditions]
    for trial in probe.trials:
        lines.append(f"{trial.label}: {trial.state}. {trial.why}")
        lines += [f"  {finding}" for finding in trial.findings]
    return lines
