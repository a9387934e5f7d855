"""Doing what a page tells its reader, in a directory of its own (spec 14, section 8).

Every path a page writes lies under the sandbox; every path a command reads is the sandbox's, else the repository's,
else the sample input. A run that needed the sample is unfaithful: its exit code is not the page's own. Only an argument
vector is ever passed, never a shell line.
"""

from __future__ import annotations

import os
import posixpath
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .fenced_commands import MakeDirectory, Run, WriteFile, is_placeholder

_SHELL_OPERATORS: Final = frozenset({"|", "||", ">", ">>", "<", "&&", ";", "&"})
_TOKEN: Final = re.compile(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+")
_ENDS_LIKE_A_FILE: Final = re.compile(r"\.[A-Za-z0-9]+\Z")


@dataclass(frozen=True)
class Program:
    """What a spelling runs: the command before the arguments, and the page prefix of installed files."""

    command: tuple[str, ...]
    installed_prefix: str | None


@dataclass(frozen=True)
class Verdict:
    """How a run ended. ``failure`` says why there is no exit code."""

    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    failure: str | None = None


@dataclass
class Sandbox:
    """The directory one page's actions happen in."""

    directory: Path
    root: Path
    sample: Path
    timeout: float
    faithful: bool = field(default=True, init=False)
    """Whether the run being prepared reads only what the page's reader has."""

    def write(self, action: WriteFile | MakeDirectory) -> None:
        """Make a file or a directory of the page."""
        path = self._rebased(action.path)
        match action:
            case MakeDirectory():
                path.mkdir(parents=True, exist_ok=True)
            case WriteFile(text=text):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8", newline="\n")

    def run(self, run: Run, program: Program) -> tuple[Verdict, bool]:
        """Run a command line of the page: how it ended, and whether it was faithful."""
        self.faithful = True
        arguments = self._arguments(_tokens(run.arguments), program)
        return self._execute([*program.command, *arguments]), self.faithful

    def _rebased(self, path: str) -> Path:
        return self.directory / posixpath.normpath(f"/{path}").lstrip("/")

    def _arguments(self, tokens: Sequence[str], program: Program) -> list[str]:
        arguments = []
        after_out = False
        for token in tokens:
            flag, equals, value = token.partition("=")
            if after_out:
                arguments.append(self._output(token))
            elif equals and flag == "--out":
                arguments.append(f"{flag}={self._output(value)}")
            elif equals and flag.startswith("--"):
                arguments.append(f"{flag}={self._input(value, program)}")
            else:
                arguments.append(self._input(token, program))
            after_out = token == "--out"
        return arguments

    def _output(self, path: str) -> str:
        target = self._rebased(path)
        (target.parent if target.suffix == ".json" else target).mkdir(parents=True, exist_ok=True)
        return str(target)

    def _input(self, token: str, program: Program) -> str:
        if is_placeholder(token):
            return self._stand_in()
        if token.startswith("-") or not ("/" in token or _ENDS_LIKE_A_FILE.search(token)):
            return token
        own, repository = self._rebased(token), self._in_repository(token, program)
        if own.is_file() or (own.is_dir() and repository is None):
            return str(own)
        return self._stand_in() if repository is None else str(repository)

    def _stand_in(self) -> str:
        self.faithful = False
        return str(self.sample)

    def _in_repository(self, token: str, program: Program) -> Path | None:
        prefix = program.installed_prefix
        candidates = [token] if prefix is None or not token.startswith(prefix) else [token[len(prefix) :], token]
        paths = (self.root / candidate for candidate in candidates)
        return next((path for path in paths if path.exists()), None)

    def _execute(self, command: Sequence[str]) -> Verdict:
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.directory,
                start_new_session=True,
            )
        except OSError as error:
            return Verdict(failure=error.strerror or str(error))
        try:
            stdout, stderr = child.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)  # what the command started too: it holds the streams open
            child.communicate()
            return Verdict(failure="it timed out")
        return Verdict(child.returncode, stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"))


def _tokens(text: str) -> list[str]:
    """The arguments of a command line, up to what a shell would take for itself."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        if match[0] in _SHELL_OPERATORS:
            break
        tokens.append(re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda quoted: quoted[1] or quoted[2] or "", match[0]))
    return tokens
