"""Errors of the operating system in the published wording (spec 11, section 10)."""

from __future__ import annotations

import errno
from typing import Final

PATH_CODES: Final = frozenset({"ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EPERM", "ELOOP", "ENAMETOOLONG"})
"""A path that cannot be used: the command line is wrong, exit code 64."""

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


class SystemFailure(Exception):
    """A system call failed: ``code`` (``ENOENT``...), the operation, and the path it was given (``None`` if it had none)."""

    def __init__(self, error: OSError, operation: str, path: str | None) -> None:
        super().__init__(error, operation, path)
        self.code = errno.errorcode.get(error.errno or 0, "EIO")
        self.operation = operation
        self.path = path

    @property
    def is_path_error(self) -> bool:
        return self.code in PATH_CODES

    def __str__(self) -> str:
        if self.is_path_error:
            return f'{self.operation} "{self.path or "(unknown path)"}": {self.code}'
        where = "" if self.path is None else f" '{self.path}'"
        return f"Error: {self.code}: {_TEXTS.get(self.code, self.code)}, {self.operation}{where}"
