"""Points in time as UTC milliseconds (spec 14, sections 5 and 15)."""

from __future__ import annotations

import datetime
import re
from typing import Final

DAY: Final = 86_400_000
_RFC_3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def milliseconds(text: str) -> int | None:
    """The time an RFC 3339 timestamp with a zone means, whole milliseconds; ``None`` for any other text."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    date, time, fraction, zone = match.groups()
    try:
        instant = datetime.datetime.fromisoformat(f"{date}T{time}{'+00:00' if zone in 'Zz' else zone}")
    except ValueError:
        return None
    return (instant - _EPOCH) // datetime.timedelta(milliseconds=1) + int((fraction or "0")[:3].ljust(3, "0"))


def iso_text(time: int) -> str:
    """``YYYY-MM-DDTHH:MM:SS.mmmZ``."""
    return utc_text(_EPOCH + datetime.timedelta(milliseconds=time))


def utc_text(instant: datetime.datetime) -> str:
    """A point in time as ``iso_text`` spells it, down to the millisecond."""
    return instant.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def now() -> int:
    """One reading of the clock."""
    import time

    return time.time_ns() // 1_000_000
