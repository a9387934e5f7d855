"""Errors of the operating system in the published wording (spec 11, section 10)."""

from __future__ import annotations

from typing import Final

from eval_quality.system_texts import system_code, system_text

from .exit_codes import EXIT_FAULT, EXIT_USAGE

PATH_CODES: Final = frozenset({"ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EPERM", "ELOOP", "ENAMETOOLONG"})
"""A path that cannot be used: the command line is wrong."""


class SystemFailure(Exception):
    """A system call failed: ``code`` (``ENOENT``...), the operation, and the path it was given (``None`` if it had none)."""

    def __init__(self, error: OSError, operation: str, path: str | None) -> None:
        super().__init__(error, operation, path)
        self.code = system_code(error)
        self.operation = operation
        self.path = path

    @property
    def is_path_error(self) -> bool:
        return self.code in PATH_CODES

    @property
    def exit_code(self) -> int:
        return EXIT_USAGE if self.is_path_error else EXIT_FAULT

    def __str__(self) -> str:
        if self.is_path_error:
            return f'{self.operation} "{self.path or "(unknown path)"}": {self.code}'
        return f"Error: {system_text(self.code, self.operation, self.path)}"
