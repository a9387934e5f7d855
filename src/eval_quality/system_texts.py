"""What errors of the operating system are called in published lines: libuv's words (spec 11, section 10.2)."""

from __future__ import annotations

import errno
from typing import Final

_TEXTS: Final = {
    "EACCES": "permission denied",
    "EBADF": "bad file descriptor",
    "EBUSY": "resource busy or locked",
    "EEXIST": "file already exists",
    "EFBIG": "file too large",
    "EINVAL": "invalid argument",
    "EIO": "i/o error",
    "EISDIR": "illegal operation on a directory",
    "ELOOP": "too many symbolic links encountered",
    "EMFILE": "too many open files",
    "ENAMETOOLONG": "name too long",
    "ENFILE": "file table overflow",
    "ENODEV": "no such device",
    "ENOENT": "no such file or directory",
    "ENOMEM": "not enough memory",
    "ENOSPC": "no space left on device",
    "ENOTDIR": "not a directory",
    "ENXIO": "no such device or address",
    "EPERM": "operation not permitted",
    "EPIPE": "broken pipe",
    "EROFS": "read-only file system",
    "ETXTBSY": "text file is busy",
}


def system_code(error: OSError) -> str:
    """The symbol of an error: ``ENOENT``."""
    return errno.errorcode.get(error.errno or 0, "EIO")


def system_text(code: str, operation: str, path: str | None) -> str:
    """One line about a failed operation: ``EACCES: permission denied, open 'x'``."""
    where = "" if path is None else f" '{path}'"
    return f"{code}: {_TEXTS.get(code, code)}, {operation}{where}"
