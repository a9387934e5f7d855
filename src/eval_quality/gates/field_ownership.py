"""Hold every write of an owned field to its declared writers (spec 14, section 7).

1. A file under a declaration prefix, or named as a writer, may do what it likes with the fields.
2. In every other file each position of a field, and each mention of a helper, is a violation.
3. Every writer still exists and still writes every field: a list of writers nobody keeps would permit anything.

Not seen: writes through helpers that are not listed, and copies in which no field's name appears.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from .gate import Finding, Place, Report, in_order, summary_or_findings
from .paths import RelativePath, RelativePrefix
from .python_source import Unparsable, parse_python, require_python
from .python_writes import Kind, positions
from .scanned_paths import ScannedPaths, scan
from .sections import Least, Path, matches

Identifier = Annotated[
    str,
    matches(
        r"^[A-Za-z_$][A-Za-z0-9_$]*$",
        "is not an identifier; the scan matches a name as the tokenizer sees it, so a member expression or a quoted "
        "key cannot be written here",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Section:
    """The fields, and who may write them."""

    paths: ScannedPaths
    fields: Annotated[tuple[Identifier, ...], Least(1)]
    declarations: tuple[RelativePrefix, ...] = ()
    writers: Annotated[tuple[RelativePath, ...], Least(1)]
    helpers: tuple[Identifier, ...] = ()

    def refine(self) -> Iterator[tuple[Path, str]]:
        """No name is both a field and a helper."""
        both = [name for name in self.helpers if name in self.fields]
        if both:
            yield (
                ("helpers",),
                f"names {', '.join(both)}, which is also a field; one name cannot be both, since a field is reported "
                "by position and a helper by mention",
            )


_POSITION: Final = "only a declared path or a declared writer may set this field; this is a {} position"
_TEXTS: Final[dict[Kind, str]] = {
    "assignment": _POSITION.format("assignment"),
    "literal": _POSITION.format("literal"),
    "type": _POSITION.format("type"),
    "string": "names an owned field as a string, which reaches it through a computed key or a reflective set",
    "helper": "{}() sets the owned fields, so naming it outside the writer list is the same write one line further out",
}


def check(section: Section, place: Place) -> Report:
    """Every scanned file, then every writer."""
    files = scan(place.root, section.paths, place.gate).files
    require_python(files, place.gate)
    found: list[Finding] = []
    written: dict[str, set[str]] = {}
    for file, data in files.items():
        permitted = file in section.writers or file.startswith(section.declarations)
        tree = parse_python(data)
        if isinstance(tree, Unparsable):
            text = f"{tree.reason}; the ownership rules could not be applied to it"
            found.append(_finding(file, tree.line, file, text, "unparsable"))
            continue
        seen = list(dict.fromkeys(positions(tree, section.fields, section.helpers)))
        written[file] = {position.subject for position in seen if position.writes}
        if not permitted:
            found.extend(
                _finding(file, line, subject, _TEXTS[kind].format(subject), kind) for line, subject, kind, _ in seen
            )
    found.extend(_idle_writers(section, files, written))
    findings = in_order(found)
    passed = f"{place.gate}: {len(files)} file(s) scanned, 0 violations"
    failed = f"{place.gate}: {len(findings)} violation(s) across {len(files)} scanned file(s):"
    return Report(tuple(summary_or_findings(passed, failed, findings)))


def _idle_writers(section: Section, files: dict[str, bytes], written: dict[str, set[str]]) -> Iterator[Finding]:
    for writer in section.writers:
        if writer not in files:
            text = (
                "the configuration names this module as a writer and no such file was scanned; a rename emptied the "
                "writer list"
            )
            yield _finding(writer, 1, writer, text, "writer")
            continue
        for field in section.fields:
            if field not in written.get(writer, ()):
                text = "the configuration names this module as a writer of this field and it writes none"
                yield _finding(writer, 1, field, text, "writer")


def _finding(file: str, line: int, subject: str, text: str, rule: str) -> Finding:
    return Finding(file, line, rule, f"{subject}: {text}", (f"  {file}:{line} {subject}: {text}",))
