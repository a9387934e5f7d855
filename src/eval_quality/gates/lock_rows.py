"""What the sections of the two lock gates share: lock files, and rows that apply to some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Protocol, TypeVar

from .sections import Least, NonEmpty, Path

Lockfiles = Annotated[tuple[NonEmpty, ...], Least(1)]


class LockRow(Protocol):
    """A row that applies to the lock files it names."""

    @property
    def lockfiles(self) -> tuple[str, ...]: ...


_R = TypeVar("_R", bound=LockRow)


def unlisted(lockfile: str, listed: Sequence[str]) -> str:
    """What is said of a lock file that a row names and the section does not list."""
    return f'names "{lockfile}", which is not one of the lockfiles this section declares: {", ".join(listed)}'


def row_issues(
    key: str,
    rows: Sequence[_R],
    listed: Sequence[str],
    repeats: Callable[[_R], tuple[str, str, str]] | None = None,
) -> Iterator[tuple[Path, str]]:
    """The cross checks of rows: each lock file is listed, and no earlier row says the same of it.

    ``repeats`` answers what a row is about and how a repetition begins and ends, around the lock file's name.
    """
    seen: set[tuple[str, str]] = set()
    for index, row in enumerate(rows):
        for position, lockfile in enumerate(row.lockfiles):
            if lockfile not in listed:
                yield (key, index, "lockfiles", position), unlisted(lockfile, listed)
            elif repeats is not None:
                about, before, after = repeats(row)
                if (about, lockfile) in seen:
                    yield (key, index), f"{before} in {lockfile}, {after}"
                seen.add((about, lockfile))


def unused_rows(rows: Sequence[_R], used: set[tuple[int, str]], name: Callable[[_R], str]) -> str:
    """The rows that reached nothing in a lock file they name, as ``"<name>" in <lock files>; ...``."""
    unused = (
        (name(row), [lockfile for lockfile in row.lockfiles if (index, lockfile) not in used])
        for index, row in enumerate(rows)
    )
    return "; ".join(f'"{spelled}" in {", ".join(lockfiles)}' for spelled, lockfiles in unused if lockfiles)
