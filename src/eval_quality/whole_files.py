"""Files written whole (spec 11, section 6.3; spec 12, section 7.2).

The new content is written beside the file, flushed to disk and renamed over it, so that whatever interrupts, the file is
the old one or the new one. Where that would change more than the content, or cannot be done, the file itself is written:
a pipe or a device, a file with several names or of another owner, a directory that takes no new file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
from collections.abc import Iterable, Sequence
from typing import Final

_O_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_NEW_FILE: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENAMETOOLONG)
"""Errors of a directory that takes no new file, or not by this name; the file in it may still be writable."""


def write_whole(path: str, *content: bytes) -> None:
    """Write a file, its content in one piece or several; raises ``OSError``, which names ``path`` or nothing."""
    if not _replace(path, content):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _O_BINARY, 0o666)
        try:
            write_all(descriptor, content)
        finally:
            os.close(descriptor)


def write_all(descriptor: int, content: Iterable[bytes]) -> None:
    """Write pieces one after the other, waiting for a stream that whoever shares it made non-blocking."""
    for piece in content:
        view = memoryview(piece)
        while view:
            try:
                view = view[os.write(descriptor, view) :]
            except BlockingIOError:
                select.select((), (descriptor,), ())


def _replace(path: str, content: Sequence[bytes]) -> bool:
    """Put a new file in the file's place; false, and nothing is changed, where only writing into the file will do."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        status = None
    if status is not None and not _is_replaceable(path, status):
        return False
    place = os.path.realpath(path) if os.path.islink(path) else path
    temporary = os.path.join(os.path.dirname(place), f".eval-quality.{_mark()}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY, 0o666)
    except OSError as error:
        if error.errno in _NO_NEW_FILE:
            return False
        error.filename = path
        raise
    try:
        try:
            if status is not None and not _make_alike(temporary, status):
                return False
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return _rename(temporary, place)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _mark() -> str:
    """What tells one writer's new file from another's."""
    return os.urandom(8).hex()


def _is_replaceable(path: str, status: os.stat_result) -> bool:
    """Whether a file is no device, not read-only, and known by one name only."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and os.access(path, os.W_OK)


def _make_alike(temporary: str, status: os.stat_result) -> bool:
    """Give the new file the mode of the old one; false where it has another owner or group, or takes no such mode."""
    new = os.stat(temporary)
    if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
        return False
    try:
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
    except OSError:
        return False
    return True


def _rename(temporary: str, place: str) -> bool:
    try:
        os.replace(temporary, place)
    except OSError:  # another's file in a shared directory, a file mounted by itself
        return False
    return True
