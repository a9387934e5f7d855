"""The sizes that everything is measured at, and names that more than one module writes."""

from __future__ import annotations

from typing import Final, NamedTuple


class Size(NamedTuple):
    """How much there is to read, and how often each case is timed at least; short ones are, for so many seconds."""

    name: str
    contract_bytes: int
    records: int
    artifacts: int
    turns: int
    seconds: float = 0.25


RUN: Final = "run-bench"
A_DIGEST: Final = f"sha256:{'0123456789abcdef' * 4}"
"""The run, and a digest, that inputs and command lines name."""

SIZES: Final = {
    size.name: size
    for size in (
        Size("small", 20_000, 3, 10, 7),
        Size("medium", 200_000, 30, 1_000, 5),
        Size("large", 2_000_000, 300, 20_000, 3),
    )
}
