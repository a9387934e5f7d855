"""``eval-quality-report``: read the command line and the files, build one report, render it, write it whole.

Nothing is written before everything is rendered, and nothing is rendered when a file cannot be read or is not of the
run: one line a file says what is wrong. Exit codes: 0 shown, 1 a regression under ``--fail-on-regression``, 4 artifacts
that do not belong together, 5 a file that is no artifact this build reads, 64 the command line or a missing extra.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NoReturn

from eval_quality.cli.exit_codes import EXIT_FAULT, EXIT_OK, EXIT_STRUCTURAL, EXIT_USAGE
from eval_quality.cli.files import STDIN, write_file, write_stderr, write_stdout
from eval_quality.cli.process import set_up_process
from eval_quality.cli.system_errors import SystemFailure

if TYPE_CHECKING:
    from argparse import Namespace

    from .reading import Complaint
    from .run import Run
    from .view import Report

PROGRAM: Final = "eval-quality-report"
EXIT_REGRESSION: Final = 1
FORMATS: Final = ("html", "markdown", "junit")
EXTRAS: Final = {"html": "jinja2", "terminal": "rich"}
"""The package of the extra ``report`` that an output needs."""


class _UsageError(Exception):
    """The command line cannot be followed."""


class _Refused(Exception):
    """Files that cannot be reported on."""

    def __init__(self, complaints: Sequence[Complaint]) -> None:
        super().__init__(*complaints)
        self.complaints = complaints


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. ``arguments`` are the tokens after the program's name."""
    set_up_process()
    try:
        return _run(_understood(list(sys.argv[1:] if arguments is None else arguments)))
    except _UsageError as error:
        return _fail(f"usage: {error}", EXIT_USAGE)
    except _Refused as refused:
        for complaint in refused.complaints:
            _fail(str(complaint), 0)
        return max(refused.complaints, key=lambda each: _SEVERITY.index(each.exit_code)).exit_code
    except SystemFailure as failure:
        return _fail(str(failure), failure.exit_code)


_SEVERITY: Final = (EXIT_STRUCTURAL, EXIT_FAULT, EXIT_USAGE)
"""Exit codes of complaints; the last that occurs is the exit code of all."""


def _fail(text: str, exit_code: int) -> int:
    with suppress(SystemFailure):  # nobody may be reading: then the exit code has to say it
        write_stderr(f"{PROGRAM}: {text}\n")
    return exit_code


def _understood(tokens: list[str]) -> Namespace:
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise _UsageError(message)

    from eval_quality.version import VERSION

    parser = Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        description="Show what a run left: its verdict and why, what was caught and what was not, what is not covered.",
        epilog="Exit codes: 0 shown, 1 regression under --fail-on-regression, 4 artifacts of different runs, 5 a file "
        "that is no artifact this build reads, 64 the command line cannot be followed.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="artifacts of one run (contract, brief, pre-flight verdict, evidence artifacts, strength aggregate, probes, "
        "run records, policy), or directories that hold them",
    )
    parser.add_argument("--baseline", action="append", metavar="PATH", help="artifacts of the run to compare with")
    parser.add_argument("--terminal", action="store_true", help="print the report (the default without another output)")
    parser.add_argument("--html", metavar="FILE", help="write one self-contained page")
    parser.add_argument("--markdown", metavar="FILE", help="write Markdown that fits a comment on a pull request")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit XML, one suite a probe class")
    parser.add_argument("--fail-on-regression", action="store_true", help="exit 1 when the baseline was better")
    parser.add_argument("--version", action="version", version=VERSION)
    options = parser.parse_args(tokens)
    _check(options)
    return options


def _check(options: Namespace) -> None:
    if options.fail_on_regression and not options.baseline:
        raise _UsageError("--fail-on-regression needs --baseline")
    targets = [target for name in FORMATS if (target := getattr(options, name)) is not None]
    options.terminal = options.terminal or not targets
    if targets.count(STDIN) + options.terminal > 1:
        raise _UsageError("only one output fits on standard output")
    if len(set(targets)) < len(targets):
        raise _UsageError("two outputs name one file")
    for name, package in EXTRAS.items():
        if getattr(options, name) and find_spec(package) is None:
            needed = "the terminal report" if name == "terminal" else f"--{name}"
            raise _UsageError(f"{needed} needs {package}: pip install 'eval-quality[report]'")


def _run(options: Namespace) -> int:
    from .build import build_report

    run, baseline, files = _read_runs(options)
    _refuse_overwriting(options, files)
    report = build_report(run, baseline)
    outputs = [(getattr(options, name), _rendered(report, name)) for name in FORMATS if getattr(options, name)]
    if options.terminal:
        outputs.append((STDIN, _rendered(report, "terminal")))
    for target, text in outputs:
        if target == STDIN:
            write_stdout(text.encode())
        else:
            write_file(target, text.encode())
    if options.fail_on_regression and report.comparison is not None and report.comparison.regressions:
        return EXIT_REGRESSION
    return EXIT_OK


def _read_runs(options: Namespace) -> tuple[Run, Run | None, set[str]]:
    """The run, its baseline and their files; raises ``_Refused`` with every complaint about the files of both."""
    run, files, complaints = _read_run(options.paths)
    baseline = None
    if options.baseline:
        baseline, before, more = _read_run(options.baseline)
        files, complaints = files | before, [*complaints, *more]
    if complaints:
        raise _Refused(complaints)
    return run, baseline, files


def _read_run(paths: Sequence[str]) -> tuple[Run, set[str], list[Complaint]]:
    from .reading import read_paths
    from .run import Run, put_together

    sources, complaints = read_paths(paths)
    run, mixed = (Run(), complaints) if complaints else put_together(sources)
    return run, {source.file for source in sources}, mixed


def _refuse_overwriting(options: Namespace, files: set[str]) -> None:
    """Refuse an output that is one of the inputs, by name or through links."""
    places = {os.path.realpath(file) for file in files}
    for name in FORMATS:
        target = getattr(options, name)
        if target not in (None, STDIN) and os.path.realpath(target) in places:
            raise _UsageError(f"--{name} names a file that is read: {target}")


def _rendered(report: Report, name: str) -> str:
    match name:
        case "html":
            from .html import render_html

            return render_html(report)
        case "markdown":
            from .markdown import render_markdown

            return render_markdown(report)
        case "junit":
            from .junit import render_junit

            return render_junit(report)
        case _:
            from .terminal import render_terminal

            return render_terminal(report, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
