"""The order of a run: collisions before reading, reading before judging; and the lines it leaves."""

from __future__ import annotations

import errno
import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from eval_quality.cli.main import main
from eval_quality.cli.render import issue_lines
from eval_quality.cli.system_errors import SystemFailure
from eval_quality.errors import Issue

from .conftest import EXAMPLE


class Answer(NamedTuple):
    """What a run printed and the code it ended with."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]
SCORE = {
    "record": "r.json",
    "contract": "null.json",
    "probe": "null.json",
    "preflight-verdict": "null.json",
    "policy": "null.json",
    "corpus-digest": "d",
}


def tokens_of(flags: dict[str, str]) -> list[str]:
    return [f"--{flag}={value}" for flag, value in flags.items()]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Run ``eval-quality`` in this process, in a directory that holds ``null.json``."""
    monkeypatch.chdir(tmp_path)
    Path("null.json").write_text("null")
    limit = sys.getrecursionlimit()

    def run(*tokens: str) -> Answer:
        capfd.readouterr()
        code = main(tokens)
        return Answer(code, *capfd.readouterr())

    yield run
    gc.enable()
    sys.setrecursionlimit(limit)


def test_issue_lines_are_sorted_by_utf_16_units_and_then_cut() -> None:
    """Spec 11, section 9."""
    pointers = [f"/{number}" for number in range(24, 1, -1)] + ["/\U0001f600", "/\uffee", ""]
    lines = issue_lines([Issue(pointer, "m") for pointer in pointers]).split("\n")
    shown = sorted(f"  /{number}: m" for number in range(2, 25))
    assert lines == ["  (root): m", *shown[:19], "  ... and 6 more", ""]
    assert issue_lines([Issue("/\uffee", "m"), Issue("/\U0001f600", "m")]) == "  /\U0001f600: m\n  /\uffee: m\n"
    assert "more" not in issue_lines([Issue("/a", "m")] * 20)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"evidence": "x/../a.json", "policy": "./a.json", "floors": "a.json"}, '--policy "./a.json"'),
        ({"evidence": "none.json", "floors": "-", "policy": "a/../a.json/"}, '--policy "a/../a.json/"'),
    ],
)
def test_a_collision_is_told_before_anything_is_read(
    command: Command, tmp_path: Path, flags: dict[str, str], named: str
) -> None:
    """Spec 11, sections 4 and 6.2: by spelling, in the order inputs appear; no input has to exist."""
    answer = command("aggregate-strength", *tokens_of(flags), "--out", "b/../a.json")
    assert answer == (64, "", f'eval-quality: usage: --out resolves to "{tmp_path}/a.json", which is also {named}\n')


def test_a_directory_target_collides_as_the_file_in_it(command: Command, tmp_path: Path) -> None:
    answer = command("seal", "--in", "o/sealed-evaluator-brief.json", "--out", "o/")
    assert f'"{tmp_path}/o/sealed-evaluator-brief.json", which is also --in' in answer.err


def test_records_are_all_opened_before_one_is_read(command: Command) -> None:
    """Spec 11, section 7.4."""
    Path("r.json").write_text("{")
    assert command("score", *tokens_of(SCORE), "--record=none.json").err.endswith('open "none.json": ENOENT\n')
    assert command("score", *tokens_of(SCORE), "--record=one", "--record=two").err.endswith('open "one": ENOENT\n')
    others = SCORE | {"policy": "none.json"}
    assert '--record "r.json" is not JSON' in command("score", *tokens_of(others)).err


@pytest.mark.parametrize(
    ("record", "manifest", "needed"),
    [
        ('{"isolationManifestArtifact": {"storage": "private"}}', "null", True),
        ('{"isolationManifestArtifact": {"storage": "public"}}', "null", False),
        ('{"isolationManifestArtifact": "private"}', '{"entries": []}', False),
        ("[]", '{"entries": [0]}', True),
        ("[]", '{"entries": "x"}', True),
        ("[]", '{"entries": {"length": 1}}', False),
        ("[]", '"entries"', False),
    ],
)
def test_when_a_corpus_root_is_needed(command: Command, record: str, manifest: str, needed: bool) -> None:
    """Spec 11, section 7.4: judged before any parse; what is malformed is left to the parse."""
    Path("r.json").write_text(record)
    Path("m.json").write_text(manifest)
    answer = command("score", *tokens_of(SCORE), "--private-manifest=m.json")
    assert answer.code == (64 if needed else 5)
    assert answer.err.startswith("eval-quality: usage: --corpus-root is required to resolve a --private-") == needed


@pytest.mark.parametrize("policy", ['{"a": 1, "a": 2}', "9007199254740993", '"\\ud800"', "[" * 1025 + "]" * 1025])
def test_a_policy_may_not_lose_anything_in_reading(command: Command, policy: str) -> None:
    """Spec 11, section 5.2."""
    Path("r.json").write_text("{}")
    Path("p.json").write_text(policy)
    answer = command("score", *tokens_of(SCORE | {"policy": "p.json"}))
    assert (answer.code, answer.out) == (5, "")
    assert answer.err.startswith("eval-quality: non-canonicalizable-value: ScoringPolicy: ")
    Path("p.json").write_text(policy + ",")
    assert (
        "ScoringPolicy: --policy is not JSON: Unexpected non-whitespace character after JSON at position "
        in command("score", *tokens_of(SCORE | {"policy": "p.json"})).err
    )


def test_strict_promotes_no_evidence_condition(command: Command) -> None:
    """Spec 11, section 8: too few trials fall short of the policy, so the run ends as it would without the switch."""
    flags = {
        "record": f"{EXAMPLE}/record-P-004-one-trial-1.json",
        "probe": f"{EXAMPLE}/probe-P-004.json",
        "policy": f"{EXAMPLE}/scoring-policy.json",
        "corpus-digest": "sha256:" + "a" * 64,
    }
    files = ("contract", "preflight-verdict", "isolation-manifest", "evaluator-configuration")
    flags |= {name: f"{EXAMPLE}/{name}.json" for name in files}
    answer = command("score", *tokens_of(flags), "--strict")
    assert '"contractVerdict":"CONCERNS"' in answer.out, answer
    assert answer.code == 0


@pytest.mark.parametrize("code", ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"])
def test_paths_that_cannot_be_used(command: Command, code: str) -> None:
    """Spec 11, section 10.1."""
    Path("loop").symlink_to("loop")
    path = {"ENOENT": "none", "ENOTDIR": "null.json/x", "ELOOP": "loop", "ENAMETOOLONG": "x" * 256}[code]
    assert command("compile", "--in", path) == (64, "", f'eval-quality: usage: open "{path}": {code}\n')


@pytest.mark.parametrize("code", ["ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EPERM", "ELOOP", "ENAMETOOLONG"])
def test_errors_of_paths(code: str) -> None:
    failure = SystemFailure(OSError(getattr(errno, code), ""), "open", "x")
    assert (failure.is_path_error, str(failure)) == (True, f'open "x": {code}')


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("EEXIST", "file already exists"),
        ("ENOSPC", "no space left on device"),
        ("EROFS", "read-only file system"),
        ("EMFILE", "too many open files"),
        ("EIO", "i/o error"),
        ("EPIPE", "broken pipe"),
        ("ETXTBSY", "text file is busy"),
    ],
)
def test_other_errors_of_the_system(code: str, text: str) -> None:
    """Spec 11, section 10.2."""
    failure = SystemFailure(OSError(getattr(errno, code), ""), "write", None)
    assert (failure.is_path_error, str(failure)) == (False, f"Error: {code}: {text}, write")
    assert str(SystemFailure(OSError(getattr(errno, code), ""), "mkdir", "x")) == f"Error: {code}: {text}, mkdir 'x'"
