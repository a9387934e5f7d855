"""Files and standard streams: reading inputs, finding the output target, writing it whole (spec 11, sections 5 and 6).

An output file is written beside its place, flushed to disk and renamed over it, so that whatever interrupts the run the
target is the old file or the new one, whole. A target that is no regular file (a pipe, a device) is written in place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import stat
import sys
from collections.abc import Iterable
from typing import Final

from .grammar import Invocation, UsageError
from .system_errors import SystemFailure

STDIN: Final = "-"
_CHUNK: Final = 1 << 20


def read_input(value: str) -> bytes:
    """The bytes of standard input (``-``) or of a file; raises ``SystemFailure``."""
    if value == STDIN:
        return b"" if sys.stdin is None else _read_all(0)
    try:
        descriptor = os.open(value, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise SystemFailure(error, "open", value) from error
    except ValueError as error:  # a NUL in the path
        raise SystemFailure(OSError(2, str(error)), "open", value) from error
    try:
        return _read_all(descriptor)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    chunks = []
    try:
        size = os.fstat(descriptor).st_size
        while chunk := os.read(descriptor, max(size + 1, _CHUNK)):
            chunks.append(chunk)
            size = 0
    except OSError as error:
        raise SystemFailure(error, "read", None) from error
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def output_target(value: str, kind: str) -> str:
    """The file ``--out`` names: itself when it ends in ``.json``, else ``<kind>.json`` in that directory."""
    if value.lower().endswith(".json"):
        return value
    return _normalised(posixpath.join(value, f"{kind}.json"))


def _normalised(path: str) -> str:
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def _absolute(path: str) -> str:
    return _normalised(posixpath.join(os.getcwd(), path))


def refuse_collision(invocation: Invocation, target: str) -> None:
    """Refuse a target that is one of the inputs, by name or (through links) by identity; raises ``UsageError``."""
    absolute, identity = _absolute(target), _identity(target)
    for flag, value in invocation.inputs():
        if value != STDIN and (_absolute(value) == absolute or (identity and _identity(value) == identity)):
            raise UsageError(f'--out resolves to "{absolute}", which is also {flag.flag} "{value}"')


def _identity(path: str) -> tuple[int, int] | None:
    """Device and number of the file a path leads to, if it leads to one."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def write_file(target: str, *content: bytes) -> None:
    """Put a file in place whole, its directory made as needed; raises ``SystemFailure``.

    The content may come in several pieces, which are written one after the other.
    """
    directory = posixpath.dirname(target)
    if directory:
        _make_directory(directory)
    try:
        mode = _writable_mode(target)
        place = os.path.realpath(target)
    except OSError as error:
        raise SystemFailure(error, "open", target) from error
    try:
        if mode is not None and not stat.S_ISREG(mode):
            with open(place, "wb") as stream:
                stream.writelines(content)
        else:
            _replace(place, content, mode)
    except OSError as error:
        raise SystemFailure(error, "open" if error.filename else "write", target if error.filename else None) from error


def _make_directory(directory: str) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise SystemFailure(_link_loop(directory) or error, "mkdir", directory) from error


def _link_loop(path: str) -> OSError | None:
    """The error of a path that leads round in circles; making it a directory only says that something is there."""
    try:
        os.stat(path)
    except OSError as error:
        return error if error.errno == errno.ELOOP else None
    return None


def _writable_mode(target: str) -> int | None:
    """The mode of what is at the target, or none; an ``OSError`` when it could not be opened for writing."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "Is a directory", target)
    if not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", target)
    return mode


def _replace(place: str, content: Iterable[bytes], mode: int | None) -> None:
    temporary = f"{place}.{os.getpid()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        try:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _write_all(descriptor: int, content: Iterable[bytes]) -> None:
    for piece in content:
        view = memoryview(piece)
        while view:
            view = view[os.write(descriptor, view) :]


def write_stdout(*content: bytes) -> None:
    """Write to standard output; a closed one takes everything. Raises ``SystemFailure``."""
    if sys.stdout is None:
        return
    try:
        _write_all(1, content)
    except OSError as error:
        raise SystemFailure(error, "write", None) from error


def write_stderr(text: str) -> None:
    """Write to standard error, one U+FFFD for each character it cannot carry. Raises ``SystemFailure``."""
    if sys.stderr is None:
        return
    try:
        _write_all(2, [encoded(text)])
    except OSError as error:
        raise SystemFailure(error, "write", None) from error


def encoded(text: str) -> bytes:
    """UTF-8 with U+FFFD for each lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text).encode()
