"""Values that a documentation gate reads out of the modules its section names (spec 14, section 2.4).

One child process reads all values of a run, since importing a module runs it. What goes wrong with a value is told
when that value is used, so that sources fail in the order their owner wrote them.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from .gate import Place
from .interpreter import import_path, interpreter
from .paths import RelativePath
from .refusals import ModuleValueError
from .sections import Into, Least, NonEmpty, matches

Take = Literal["value", "length", "keys"]
Want = Literal["count", "strings", "text", "predicate", "schema"]
_CHILD: Final = Path(__file__).with_name("_value_child.py")
_SHOWN_LINES: Final = 5


@dataclass(frozen=True)
class ModuleValue:
    """A value: a module by file or dotted name, what it exports, and the keys walked from there."""

    module: RelativePath
    export: NonEmpty
    path: tuple[NonEmpty, ...] = ()
    take: Take | None = None

    @property
    def name(self) -> str:
        """How a message names the value."""
        return f"{self.module}'s {'.'.join([self.export, *self.path])}"


def _from_short_form(text: str) -> ModuleValue:
    module, _, names = text.partition(":")
    export, *path = names.split(".")
    return ModuleValue(module, export, tuple(path))


ShortForm = Annotated[
    str,
    matches(
        r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$",
        'is not a module value; write it as "package.module:name", or as an object with "module" and "export"',
    ),
    Into(_from_short_form),
]
"""``package.module:attribute.path``, read into a ``ModuleValue``."""


@dataclass(frozen=True)
class ValueRequest:
    """A value, the kind that is wanted of it, and the JSON texts a schema is asked about."""

    source: ModuleValue
    want: Want
    values: tuple[str, ...] = ()
    take: Take = "value"


@dataclass(frozen=True)
class Answers:
    """What the child process answered, by request."""

    _by_request: dict[ValueRequest, dict[str, Any]] = field(default_factory=dict)

    def __getitem__(self, request: ValueRequest) -> Any:
        """The value. Raises ``ModuleValueError``."""
        answer = self._by_request[request]
        if "refusal" in answer:
            raise ModuleValueError(answer["refusal"])
        return answer["value"]

    def strings(self, source: ModuleValue) -> list[str]:
        """A list of strings that was asked for."""
        strings: list[str] = self[ValueRequest(source, "strings")]
        return strings


@dataclass(frozen=True)
class ModuleReader:
    """Where modules are found, what runs them, and for how long."""

    python: RelativePath | None = None
    python_path: Annotated[tuple[RelativePath, ...], Least(1)] | None = None
    module_timeout_ms: Annotated[int, Least(1000)] = 60_000

    def read(self, place: Place, requests: Iterator[ValueRequest] | Sequence[ValueRequest]) -> Answers:
        """Every requested value, read by one child process. Raises ``ModuleValueError`` when it does not answer."""
        wanted = list(dict.fromkeys(requests))
        if not wanted:
            return Answers()
        with tempfile.TemporaryDirectory() as directory:
            reply = Path(directory) / "reply.json"
            self._run(place, wanted, reply)
            answers = json.loads(reply.read_text("utf-8"))
        return Answers(dict(zip(wanted, answers, strict=True)))

    def _run(self, place: Place, wanted: list[ValueRequest], reply: Path) -> None:
        command = [interpreter(place, self.python), str(_CHILD), str(reply)]
        request = {
            "path": import_path(place.root, self.python_path),
            "values": [
                {
                    "module": value.source.module,
                    "export": value.source.export,
                    "path": value.source.path,
                    "name": value.source.name,
                    "want": value.want,
                    "take": value.take,
                    "values": value.values,
                }
                for value in wanted
            ],
        }
        try:
            child = subprocess.run(
                command,
                input=json.dumps(request),
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                cwd=place.root,
                timeout=self.module_timeout_ms / 1000,
                check=False,
            )
        except subprocess.TimeoutExpired as expired:
            stderr = (expired.stderr or b"").decode("utf-8", "replace")
            raise _unanswered(f"timed out after {self.module_timeout_ms}ms", stderr) from None
        if not reply.exists():
            raise _unanswered(f"exited {child.returncode} and answered nothing", child.stderr)


def _unanswered(what: str, stderr: str) -> ModuleValueError:
    lines = [line for line in stderr.split("\n") if line.strip()][-_SHOWN_LINES:]
    return ModuleValueError("\n".join([f"the module reader {what}", *lines]))
