"""The file-system adapter (spec 12, section 7.2).

A file is written beside its place, flushed to disk and renamed over it: whatever interrupts, it is the old one or the
new one, whole. Where that would change more than the content, or cannot be done, the file itself is written: a device,
a file with several names, a directory that takes no new file.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import stat
from typing import Any, Protocol

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import (
    FileReadRequest,
    FileReadResponse,
    FileWriteRequest,
    FileWriteResponse,
)

from .boundary import PortMethod


class FileSystemMechanism(Protocol):
    """What the adapter does underneath."""

    async def read_file(self, path: str, signal: AbortSignal) -> bytes:
        """A file's bytes."""
        ...

    async def write_file(self, path: str, content: bytes, signal: AbortSignal) -> int:
        """Put a file in place whole; returns the number of bytes written."""
        ...


class _DiskMechanism:
    async def read_file(self, path: str, signal: AbortSignal) -> bytes:
        return await asyncio.to_thread(_read, path)

    async def write_file(self, path: str, content: bytes, signal: AbortSignal) -> int:
        return await asyncio.to_thread(_write, path, content)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, content: bytes) -> int:
    if not _replaced(path, content):
        with open(path, "wb") as file:
            file.write(content)
    return len(content)


def _replaced(path: str, content: bytes) -> bool:
    """Whether a new file was put in the file's place; false where only writing into the file itself will do, or fail."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        status = None
    if status is not None and not _is_replaceable(path, status):
        return False
    place = os.path.realpath(path) if os.path.islink(path) else path
    temporary = os.path.join(os.path.dirname(place), f".{secrets.token_hex(8)}.tmp")
    try:
        file = open(temporary, "xb")  # noqa: SIM115 - closed below; only the opening may fail without harm
    except OSError:
        return False
    try:
        with file:
            if status is not None:
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return _renamed(temporary, place)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _is_replaceable(path: str, status: os.stat_result) -> bool:
    """Whether nobody could tell a new file from the old one: not a device, not read-only, known by one name only."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and os.access(path, os.W_OK)


def _renamed(temporary: str, place: str) -> bool:
    try:
        os.replace(temporary, place)
    except OSError:
        return False
    return True


class FileSystemAdapter:
    """A ``FileSystemPort`` over the disk; it restricts no path."""

    def __init__(self, mechanism: FileSystemMechanism) -> None:
        self._read = PortMethod(
            request_type=FileReadRequest,
            response_type=FileReadResponse,
            request_path="FileReadRequest",
            response_path="FileReadResponse",
            mechanism=lambda request, signal: mechanism.read_file(request["path"], signal),
            assemble=lambda content, request: {"path": request["path"], "bytes": content},
        )
        self._write = PortMethod(
            request_type=FileWriteRequest,
            response_type=FileWriteResponse,
            request_path="FileWriteRequest",
            response_path="FileWriteResponse",
            mechanism=lambda request, signal: mechanism.write_file(request["path"], request["bytes"], signal),
            assemble=_written,
        )

    async def read_file(self, request: FileReadRequest, signal: AbortSignal) -> FileReadResponse:
        """A file's bytes; raises ``RuntimeFault``."""
        response: FileReadResponse = await self._read(request, signal)
        return response

    async def write_file(self, request: FileWriteRequest, signal: AbortSignal) -> FileWriteResponse:
        """Write a file whole; its directory has to be there. Raises ``RuntimeFault``."""
        response: FileWriteResponse = await self._write(request, signal)
        return response


def _written(byte_length: Any, request: FileWriteRequest) -> dict[str, Any]:
    return {"path": request["path"], "byteLength": byte_length}


def create_file_system_adapter(mechanism: FileSystemMechanism | None = None) -> FileSystemAdapter:
    """A file-system port over the disk, or over a scripted mechanism."""
    return FileSystemAdapter(mechanism or _DiskMechanism())
