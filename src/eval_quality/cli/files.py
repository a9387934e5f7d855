"""Files and standard streams: reading inputs, finding the output target, writing it (spec 11, sections 5 and 6)."""

from __future__ import annotations

import errno
import os
import posixpath
import sys
from typing import Final

from eval_quality.whole_files import write_all, write_whole

from .grammar import Invocation, UsageError
from .system_errors import SystemFailure

STDIN: Final = "-"
_O_BINARY: Final = getattr(os, "O_BINARY", 0)
_CHUNK: Final = 1 << 20


def read_input(value: str) -> bytes:
    """The bytes of standard input (``-``) or of a file; raises ``SystemFailure``."""
    if value == STDIN:
        return b"" if sys.stdin is None else _read_all(0)
    try:
        descriptor = os.open(value, os.O_RDONLY | _O_BINARY)
    except OSError as error:
        raise SystemFailure(error, "open", value) from error
    except ValueError as error:  # a NUL in the path
        raise SystemFailure(OSError(errno.ENOENT, str(error)), "open", value) from error
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
        write_whole(target, *content)
    except OSError as error:
        named = error.filename is not None
        raise SystemFailure(error, "open" if named else "write", target if named else None) from error


def _make_directory(directory: str) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise SystemFailure(_dead_link(directory) or error, "mkdir", directory) from error


def _dead_link(path: str) -> OSError | None:
    """Why a path that is taken leads nowhere; making it a directory only says that something is there."""
    try:
        os.stat(path)
    except OSError as error:
        return error if os.path.islink(path) else None
    return None


def write_stdout(*content: bytes) -> None:
    """Write to standard output; a closed one takes everything. Raises ``SystemFailure``."""
    if sys.stdout is None:
        return
    try:
        write_all(1, content)
    except OSError as error:
        raise SystemFailure(error, "write", None) from error


def write_stderr(text: str) -> None:
    """Write to standard error; a closed one takes everything. Raises ``SystemFailure``."""
    if sys.stderr is None:
        return
    try:
        write_all(2, [_encoded(text)])
    except OSError as error:
        raise SystemFailure(error, "write", None) from error


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # bytes of a command line that are not UTF-8 arrive as lone surrogates
        from eval_quality.canonical import well_formed

        return well_formed(text).encode()
