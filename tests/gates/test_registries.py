"""The adapter of the publication port: what it retries, what it bounds, where it lets itself be sent."""

from __future__ import annotations

import io
import urllib.error
import urllib.request
from email.message import Message
from typing import Any

import pytest

from eval_quality.gates import registries
from eval_quality.gates.registries import FetchError, HttpsFetch

URL = "https://index.example/simple/a/"


class Response(io.BytesIO):
    status = 200


class Opener:
    """Gives the prepared answers one after another."""

    def __init__(self, *answers: bytes | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str | None, float]] = []

    def open(self, request: urllib.request.Request, timeout: float) -> Response:
        self.asked.append((request.full_url, request.get_header("Accept"), timeout))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Response(answer)


def status(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError(URL, code, "no", Message(), None)


def fetch(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(urllib.request, "build_opener", lambda *handlers: opener)
    return HttpsFetch(2500)(URL, "application/json")


def test_a_document_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener(b"{}")
    assert fetch(opener, monkeypatch) == b"{}"
    assert opener.asked == [(URL, "application/json", 2.5)]


@pytest.mark.parametrize(
    "failure", [TimeoutError(), urllib.error.URLError(TimeoutError()), status(429), status(500), status(503)]
)
def test_one_retry_after_what_may_pass(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    assert fetch(Opener(failure, b"late"), monkeypatch) == b"late"
    with pytest.raises(FetchError):
        fetch(Opener(failure, failure), monkeypatch)


@pytest.mark.parametrize(
    "failure", [status(404), status(302), urllib.error.URLError("no route"), ConnectionResetError()]
)
def test_no_retry_after_what_will_not(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    opener = Opener(failure)
    with pytest.raises(FetchError):
        fetch(opener, monkeypatch)
    assert len(opener.asked) == 1


def test_a_body_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registries, "_LARGEST_BODY", 3)
    assert fetch(Opener(b"abc"), monkeypatch) == b"abc"
    with pytest.raises(FetchError, match="more than 3 bytes"):
        fetch(Opener(b"abcd"), monkeypatch)


@pytest.mark.parametrize(
    ("target", "followed"),
    [
        ("https://index.example/other", True),
        ("http://index.example/other", False),
        ("https://elsewhere.example/simple/a/", False),
    ],
)
def test_redirects_stay_on_the_host(target: str, followed: bool) -> None:
    handler: Any = registries._SameHostRedirects()
    request = urllib.request.Request(URL)
    assert (handler.redirect_request(request, io.BytesIO(), 302, "Found", Message(), target) is not None) is followed
