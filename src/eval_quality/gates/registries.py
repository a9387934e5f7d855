"""The port through which publication times are asked for, and its adapter over HTTPS.

Nothing is asked for unless the section permits it. A request that fails, for whatever reason, answers nothing: an entry
whose age is unknown is a finding, never a pass.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import IO, Final, Protocol
from urllib.parse import urlsplit

_LARGEST_BODY: Final = 64 * 1024 * 1024
_TRIES: Final = 2


class FetchError(Exception):
    """A document could not be fetched."""


class Fetch(Protocol):
    """Answers the body of a document. Raises ``FetchError``."""

    def __call__(self, url: str, accept: str) -> bytes: ...


class HttpsFetch:
    """Fetches over HTTPS: one retry, redirects only to https on the same host, a bounded body."""

    def __init__(self, timeout_milliseconds: int) -> None:
        self._timeout = timeout_milliseconds / 1000
        self._opener = urllib.request.build_opener(_SameHostRedirects())

    def __call__(self, url: str, accept: str) -> bytes:
        if urlsplit(url).scheme != "https":
            raise FetchError(f"{url} is not https")
        request = urllib.request.Request(url, headers={"Accept": accept})
        for tries_left in reversed(range(_TRIES)):
            try:
                return self._body(request)
            except urllib.error.HTTPError as error:
                if not tries_left or not (error.code == 429 or error.code >= 500):
                    raise FetchError(str(error)) from None
            except TimeoutError as error:
                if not tries_left:
                    raise FetchError(str(error)) from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                if not tries_left or not isinstance(getattr(error, "reason", None), TimeoutError):
                    raise FetchError(str(error)) from None
        raise FetchError(url)

    def _body(self, request: urllib.request.Request) -> bytes:
        with self._opener.open(request, timeout=self._timeout) as response:
            if response.status != 200:
                raise FetchError(f"status {response.status}")
            body: bytes = response.read(_LARGEST_BODY + 1)
        if len(body) > _LARGEST_BODY:
            raise FetchError(f"more than {_LARGEST_BODY} bytes")
        return body


class _SameHostRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message | Mapping[str, str],
        newurl: str,
    ) -> urllib.request.Request | None:
        target = urlsplit(newurl)
        if target.scheme != "https" or target.netloc != urlsplit(req.full_url).netloc:
            return None  # the redirect is then an error like any other status
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
