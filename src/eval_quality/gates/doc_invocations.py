"""Run every fenced command of the pages and compare what it does with what the page claims (spec 14, section 8).

The verdict on a run, the first that applies:

1. it did not run to an end, was killed, or crashed;
2. it ended with the code of a usage error that its fence does not declare;
3. it read the sample in place of a file only the reader has: no verdict, and no code may be declared;
4. its exit code differs from the declared one, or from 0;
5. its output differs from the transcript beside it, where ``...`` elides.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Final, NamedTuple

from .doc_pages import encloses, pages_under, read_page, sorted_pages
from .fenced_commands import Run, actions_of
from .gate import Block, Finding, Part, Place, Report, in_order, note
from .interpreter import interpreter
from .paths import RelativePath
from .refusals import DocPathError
from .replay import Program, Sandbox, Verdict
from .sections import Least, Most, NonEmpty, Path, matches

_JAVASCRIPT: Final = (".js", ".mjs", ".cjs")
_CRASHES: Final = re.compile(r"\bnode:internal\b|^Traceback \(most recent call last\):", re.MULTILINE)
_ELISION: Final = "..."


@dataclass(frozen=True, kw_only=True)
class Binary:
    """A program the pages run: a built file, a module or a console script, and how a reader types it."""

    entry: RelativePath | None = None
    module: Annotated[str, matches(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$", "is not a module name")] | None = None
    script: Annotated[str, matches(r"^[^/\\]+$", "is not the name of a script")] | None = None
    spellings: Annotated[tuple[NonEmpty, ...], Least(1)]
    installed_prefix: NonEmpty | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        """Exactly one of the three says what runs."""
        if sum(value is not None for value in (self.entry, self.module, self.script)) != 1:
            yield (), "names what it runs under exactly one of entry, module and script"


@dataclass(frozen=True, kw_only=True)
class Section:
    """Which pages, what their commands run, and what a run may take."""

    pages: Annotated[tuple[RelativePath, ...], Least(1)]
    binary: Binary | Annotated[tuple[Binary, ...], Least(1)]
    sample_input: RelativePath
    usage_exit: Annotated[int, Least(1), Most(255)] = 64
    timeout_ms: Annotated[int, Least(1000)] = 30_000
    elision_limit: Annotated[int, Least(0)] = 3
    python: RelativePath | None = None

    @property
    def binaries(self) -> tuple[Binary, ...]:
        return self.binary if isinstance(self.binary, tuple) else (self.binary,)

    def refine(self) -> Iterator[tuple[Path, str]]:
        """One spelling runs one program."""
        seen: set[str] = set()
        for index, binary in enumerate(self.binaries):
            for position, spelling in enumerate(binary.spellings):
                if spelling in seen:
                    at: Path = ("binary", index) if isinstance(self.binary, tuple) else ("binary",)
                    yield (*at, "spellings", position), f'repeats "{spelling}"; one spelling runs one program'
                seen.add(spelling)


class _Result(NamedTuple):
    """What one run came to."""

    failure: str | None = None
    judged: bool = False
    compared: bool = False


class _Tally(NamedTuple):
    """A run, how it ended, and what that came to."""

    page: str
    run: Run
    verdict: Verdict
    result: _Result


def check(section: Section, place: Place) -> Report:
    """Every fenced command of every page."""
    programs = _programs(section, place)
    sample = place.root / section.sample_input
    if not sample.exists():
        raise DocPathError(
            f'{sample} does not exist; the "{place.gate}" section names it under sampleInput, and it is what stands in '
            "for an input only a reader has"
        )
    pages = _pages(section, place)
    with ThreadPoolExecutor(min(len(pages), os.cpu_count() or 1)) as pool:
        tallies = [
            tally
            for found in pool.map(lambda page: list(_replay(page, section, place, programs, sample)), pages)
            for tally in found
        ]
    if not tallies:
        spellings = ", ".join(sorted(programs, key=len, reverse=True))
        raise DocPathError(
            f'no fenced command in {len(pages)} page(s) matched any spelling the "{place.gate}" section declares '
            f"({spellings}); a gate that extracted nothing reports a pass over nothing"
        )
    return Report(tuple(_parts(place, pages, tallies)))


def _parts(place: Place, pages: Sequence[str], tallies: Sequence[_Tally]) -> Iterator[Part]:
    findings = in_order(map(_finding, (tally for tally in tallies if tally.result.failure is not None)))
    judged = sum(tally.result.judged for tally in tallies)
    compared = sum(tally.result.compared for tally in tallies)
    yield note(
        f"{place.gate}: {len(tallies)} invocation(s) scanned across {len(pages)} page(s), {judged} run faithfully over "
        f"real inputs, {compared} with their output compared, {len(findings)} failure(s)"
    )
    if findings:
        yield Block(f"{place.gate}: {len(findings)} failing invocation(s):", findings)


def _finding(tally: _Tally) -> Finding:
    page, run, verdict, result = tally
    head = f"  {page}:{run.line} [{result.failure}] {run.invocation}"
    shown = tuple(f"    {line}" for line in verdict.stderr.split("\n") if line)
    return Finding(page, run.line, "invocation", f"{run.invocation}: {result.failure}", (head, *shown))


def _programs(section: Section, place: Place) -> Mapping[str, Program]:
    """What each spelling runs. Raises ``DocPathError``."""
    python = interpreter(place, section.python)
    programs = {}
    for index, binary in enumerate(section.binaries):
        at = "binary" if len(section.binaries) == 1 else f"binary[{index}]"
        program = Program(_command(binary, place, python, at), binary.installed_prefix)
        programs.update(dict.fromkeys(binary.spellings, program))
    return programs


def _command(binary: Binary, place: Place, python: str, at: str) -> tuple[str, ...]:
    def absent(what: str, key: str) -> DocPathError:
        return DocPathError(
            f'{what}; the "{place.gate}" section names it under {at}.{key}, so build it before the gate runs'
        )

    if binary.entry is not None:
        entry = place.root / binary.entry
        if not entry.exists():
            raise absent(f"{entry} does not exist", "entry")
        if entry.suffix == ".py":
            return (python, str(entry))
        if entry.suffix in _JAVASCRIPT:
            node = shutil.which("node")
            if node is None:
                raise absent(f"{entry} is run by node, and there is no node here", "entry")
            return (node, str(entry))
        return (str(entry),)
    if binary.module is not None:
        if not _can_import(python, binary.module):
            raise absent(f"{python} cannot import {binary.module}", "module")
        return (python, "-m", binary.module)
    script = FilePath(python).parent / str(binary.script)
    if not script.exists():
        raise absent(f"{python} has no script {binary.script}", "script")
    return (str(script),)


def _can_import(python: str, module: str) -> bool:
    """Whether the interpreter finds a module from a directory that holds none, as a sandbox is."""
    search = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    with tempfile.TemporaryDirectory() as empty:
        child = subprocess.run(
            [python, "-c", search, module], cwd=empty, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    return child.returncode == 0


def _pages(section: Section, place: Place) -> list[str]:
    for page in section.pages:
        if encloses(place, page):
            raise DocPathError(
                f'the "{place.gate}" section names "{page}" under pages, and that encloses the directory the '
                "configuration sits in; name a page or a directory inside it, since every fenced command under a whole "
                "repository is more than this gate should run"
            )
    found = [page for named in section.pages for page in pages_under(place.root, named, follow_links=True)]
    if not found:
        raise DocPathError(
            f'no markdown under {", ".join(section.pages)}; the "{place.gate}" section names those under pages and the '
            "gate would report a pass over nothing"
        )
    return sorted_pages(place.root, found)


def _replay(
    page: str, section: Section, place: Place, programs: Mapping[str, Program], sample: FilePath
) -> Iterator[_Tally]:
    """Do what one page says, in order, in a sandbox of its own."""
    with tempfile.TemporaryDirectory(prefix="doc-invocations-") as directory:
        sandbox = Sandbox(FilePath(directory), place.root, sample, section.timeout_ms / 1000)
        for action in actions_of(read_page(place.root, page), list(programs)):
            if isinstance(action, Run):
                verdict, faithful = sandbox.run(action, programs[action.spelling])
                yield _Tally(page, action, verdict, _judge(section, action, verdict, faithful))
            else:
                sandbox.write(action)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have none
        return f"signal {number}"


def _judge(section: Section, run: Run, verdict: Verdict, faithful: bool) -> _Result:
    code, declared = verdict.exit_code, run.declared_exit
    if verdict.failure is not None:
        return _Result(f"did not run to a verdict: {verdict.failure} (the section allows {section.timeout_ms}ms)")
    if code < 0:
        return _Result(f"was killed by {_signal_name(-code)} and decided nothing")
    if _CRASHES.search(verdict.stderr):
        return _Result("the binary crashed")
    if code == section.usage_exit and declared != code:
        return _Result("usage error: the documented command or flag does not exist")
    if not faithful:
        return _Result(
            None
            if declared is None
            else f"the block declares expect-exit {declared}, but this invocation names a file only a reader has, so "
            "its exit code is not the page's own"
        )
    if declared is None and code != 0:
        return _Result(
            f"exited {code} over inputs this repository really has; a documented example has to work, or declare its "
            'exit with an "<!-- expect-exit: N -->" comment before the block',
            judged=True,
        )
    if declared is not None and code != declared:
        return _Result(f"exited {code}, and the block declares expect-exit {declared}", judged=True)
    if not run.transcript:
        return _Result(judged=True)
    output = verdict.stderr if verdict.stderr.strip() else verdict.stdout
    failure = _difference(run.transcript, output.split("\n"), section.elision_limit)
    return _Result(failure, judged=True, compared=True)


def _difference(transcript: Sequence[str], output: Sequence[str], limit: int) -> str | None:
    """The first line of a transcript that the output does not bear out. The output may go on after it."""
    for number, line in enumerate(transcript, 1):
        if line.count(_ELISION) > limit:
            return f"line {number} of the block beside it elides {limit} times over; transcribe the line or cut it"
        written = output[number - 1] if number <= len(output) else None
        if written is not None and _bears_out(line.rstrip(), written.rstrip()):
            continue
        if written is not None and _bears_out(line.strip(), written.strip()):
            return f"the block beside it is indented differently from the output at line {number}"
        return (
            f'the block beside it transcribes "{line.strip()}" as line {number} of the output, and the run wrote '
            "something else"
        )
    return None


def _bears_out(line: str, written: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, line.split(_ELISION))), written, re.DOTALL) is not None
