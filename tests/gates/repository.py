"""A small repository for a gate to read, and the gate's answer about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What a run printed and the code it ended with."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Repository:
    """A directory with files, and the command line run in it."""

    root: Path
    command: Callable[..., Answer]

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files; texts may be indented."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(text(content) if content.startswith("\n  ") else content, "utf-8", newline="\n")

    def configure(self, gate: str, **section: Any) -> None:
        """Make ``section`` the configuration of ``gate``; keys in camelCase, ``from_`` for ``from``."""
        self.write({"eval-quality.config.json": json.dumps({gate: section})})

    def run(self, *arguments: str) -> Answer:
        return self.command(*arguments)

    def check(self, gate: str, **section: Any) -> Answer:
        """Configure a gate and run it."""
        self.configure(gate, **section)
        return self.run(gate)

    @property
    def config(self) -> Path:
        return self.root / "eval-quality.config.json"

    def refused(self, gate: str, **section: Any) -> list[str]:
        """The issue lines of a section that is refused."""
        answer = self.check(gate, **section)
        assert answer.code == 64, answer
        head, *issues = answer.err.rstrip("\n").split("\n")
        assert head == f'eval-quality-gates: {gate}: {self.config}\'s "{gate}" section is malformed:', answer.err
        return [issue.removeprefix("  ") for issue in issues]


def text(block: str) -> str:
    """A text as a test spells it: indented, between line breaks."""
    return dedent(block).removeprefix("\n")
