"""The file-system adapter (spec 12, section 7.2): files are read and written whole, by whatever path is given."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import (
    FileReadRequest,
    FileReadResponse,
    FileWriteRequest,
    FileWriteResponse,
)
from eval_quality.whole_files import write_whole

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
    write_whole(path, content)
    return len(content)


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
