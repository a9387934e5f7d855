"""The local corpus adapter: private references resolved under one directory (spec 12, section 7.1)."""

from __future__ import annotations

import asyncio
import errno
import os
import posixpath
import stat
from collections.abc import Awaitable, Callable

from eval_quality.abort import AbortSignal
from eval_quality.artifacts.port_messages import CorpusResolveRequest, CorpusResolveResponse
from eval_quality.errors import RuntimeFault

from .boundary import PortMethod
from .opening import without_waiting

CorpusMechanism = Callable[[str, AbortSignal], Awaitable[bytes]]
"""Reads the bytes at a path."""


async def read_bytes(path: str, signal: AbortSignal) -> bytes:
    """A file's bytes, read off the event loop."""
    return await asyncio.to_thread(_read, path)


def _read(path: str) -> bytes:
    """Only a regular file has an end that is sure to come."""
    with open(path, "rb", opener=without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read()


class LocalCorpusAdapter:
    """A ``CorpusPort`` over one directory; nothing outside it is ever handed out."""

    def __init__(self, root: str, mechanism: CorpusMechanism) -> None:
        self._root = root
        self._mechanism = mechanism
        self._resolve = PortMethod(
            request_type=CorpusResolveRequest,
            response_type=CorpusResolveResponse,
            request_path="CorpusResolveRequest",
            response_path="CorpusResolveResponse",
            precheck=_refuse_escape,
            mechanism=lambda request, signal: self._mechanism(self._place(request), signal),
            postcheck=self._refuse_outside,
            assemble=lambda content, request: {"privateRef": request["privateRef"], "bytes": content},
        )

    async def resolve(self, request: CorpusResolveRequest, signal: AbortSignal) -> CorpusResolveResponse:
        """The bytes behind a private reference; raises ``RuntimeFault``."""
        response: CorpusResolveResponse = await self._resolve(request, signal)
        return response

    def _place(self, request: CorpusResolveRequest) -> str:
        return posixpath.normpath(posixpath.join(os.path.abspath(self._root), request["privateRef"]))

    async def _refuse_outside(self, request: CorpusResolveRequest) -> None:
        reference = request["privateRef"]
        try:
            root, place = await asyncio.to_thread(self._real_paths, request)
        except (OSError, ValueError) as error:
            raise _fault(reference, "could not be resolved to a real path inside the root") from error
        if place != root and not place.startswith(root + os.sep):
            raise _fault(reference, "resolves outside the corpus root")

    def _real_paths(self, request: CorpusResolveRequest) -> tuple[str, str]:
        return os.path.realpath(self._root, strict=True), os.path.realpath(self._place(request), strict=True)


def create_local_corpus_adapter(
    root: str | os.PathLike[str], mechanism: CorpusMechanism = read_bytes
) -> LocalCorpusAdapter:
    """A corpus port that resolves private references to files under ``root``."""
    return LocalCorpusAdapter(os.fspath(root), mechanism)


def _refuse_escape(request: CorpusResolveRequest) -> None:
    reference = request["privateRef"]
    if reference.startswith("/"):
        raise _fault(reference, "is absolute")
    if ".." in posixpath.normpath(reference).split("/"):
        raise _fault(reference, 'still contains a ".." segment after normalizing')


def _fault(reference: str, what: str) -> RuntimeFault:
    return RuntimeFault("port-failure", "CorpusResolveRequest", f'the private reference "{reference}" {what}')
