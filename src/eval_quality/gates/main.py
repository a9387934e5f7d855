"""``eval-quality-gates``: read the command line, run what it names, print once, return the exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from eval_quality.canonical import well_formed

from .arguments import Help, ListGates, Run, UsageError, Version, read_arguments, usage_text
from .refusals import EXIT_REFUSED, GateCrash, GateError

if TYPE_CHECKING:
    from .discovery import Discovery
    from .formats import Outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. ``arguments`` are the tokens after the program's name."""
    gc.disable()  # syntax trees hold no cycles: collecting while thousands are built costs a third of the time
    try:
        request = read_arguments(sys.argv[1:] if arguments is None else arguments)
    except UsageError as error:
        _write(sys.stderr, f"eval-quality-gates: usage: {error}\n{usage_text()}\n")
        return EXIT_REFUSED
    match request:
        case Run():
            return _run(request)
        case Help():
            _write(sys.stdout, usage_text() + "\n")
        case Version():
            from eval_quality.version import VERSION

            _write(sys.stdout, f"eval-quality-gates {VERSION}\n")
        case ListGates(chosen):
            from .formats import render_list

            _write(sys.stdout, render_list(chosen))
    return 0


def _run(request: Run) -> int:
    from .discovery import Discovery
    from .formats import exit_code_of, render

    discovery = Discovery(Path.cwd(), request.config)
    try:
        gates = discovery.configured() if request.gate is None else [request.gate]
    except GateError as error:
        _write(sys.stderr, f"eval-quality-gates: {error}\n")
        return error.exit_code
    outcomes = _run_gates(gates, discovery)
    printed = render(outcomes, request.format)
    _write(sys.stdout, printed.stdout)
    _write(sys.stderr, printed.stderr)
    return exit_code_of(outcomes)


def _run_gates(gates: Sequence[str], discovery: Discovery) -> list[Outcome]:
    """Run the gates, each in a process of its own when there are several: they share nothing."""
    workers = min(len(gates), os.cpu_count() or 1)
    if workers < 2:
        return [_outcome(gate, discovery) for gate in gates]
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, initializer=gc.disable) as pool:
        return list(pool.map(_outcome, gates, [discovery] * len(gates)))


def _outcome(gate: str, discovery: Discovery) -> Outcome:
    from .formats import Outcome
    from .runner import run_gate

    try:
        return Outcome(gate, run_gate(gate, discovery))
    except GateError as error:
        return Outcome(gate, error)
    except Exception:
        import traceback

        return Outcome(gate, GateCrash(f"{gate}: unexpected error\n{traceback.format_exc().rstrip()}"))


def _write(stream: TextIO, text: str) -> None:
    """Write UTF-8 with plain line feeds, whatever the locale, to the end."""
    try:
        stream.flush()
        stream.buffer.write(well_formed(text).encode())
        stream.buffer.flush()
    except BrokenPipeError:  # the reader left: say nothing more, also not on the way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
