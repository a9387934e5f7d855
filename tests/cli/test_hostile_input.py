"""Whatever is thrown at the command line ends in a documented exit code and clear lines, never in a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run


def nested_not(depth: int, contract: dict[str, Any]) -> dict[str, Any]:
    check = contract["oracles"][0]["check"]
    for _ in range(depth):
        check = {"op": "not", "operands": [check]}
    contract["oracles"][0]["check"] = check
    return contract


def text_of(value: object) -> bytes:
    """JSON text without recursion, which the standard encoder would run out of."""
    sys.setrecursionlimit(20_000)
    try:
        return json.dumps(value).encode()
    finally:
        sys.setrecursionlimit(1_000)


def contract_with(example: Path, **changes: object) -> bytes:
    return json.dumps(json.loads((example / "contract.json").read_text()) | changes).encode()


INPUTS = {
    "five million brackets": b"[" * 5_000_000,
    "200 levels of arrays": b"[" * 200 + b"]" * 200,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "NUL bytes": b"\0\0\0",
    "invalid UTF-8": b'{"a":"\xff\xfe"}',
    "lone surrogates": rb'{"a":"\ud800"}',
    "a million keys": b"{" + b",".join(b'"k%d":1' % number for number in range(1_000_000)) + b"}",
    "an infinite number": b'{"schemaVersion":1e400}',
    "a number that is rounded": b'{"schemaVersion":9007199254740993}',
    "a number of 100,000 digits": b'{"schemaVersion":' + b"9" * 100_000 + b"}",
    "nothing": b"",
    "a byte order mark": b"\xef\xbb\xbf{}",
}


@pytest.mark.parametrize("name", INPUTS)
def test_hostile_texts_end_in_a_fault(run: Run, name: str) -> None:
    done = run("compile", stdin=INPUTS[name])
    assert done.returncode == 5
    assert done.stdout == b""
    assert done.stderr.startswith(b"eval-quality: schema-")
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 22


@pytest.mark.parametrize("depth", [200, 900])
def test_checks_nested_hundreds_of_levels_compile(run: Run, example: Path, depth: int) -> None:
    contract = nested_not(depth, json.loads((example / "contract.json").read_text()))
    done = run("compile", "--no-strict-inputs", stdin=text_of(contract))
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 4, 5)
    if depth == 200:
        assert done.returncode != 5, done.stderr[:300]


def test_literals_nested_two_thousand_levels_are_read(run: Run, example: Path) -> None:
    literal: Any = 1
    for _ in range(2_000):
        literal = [literal]
    contract = json.loads((example / "contract.json").read_text())
    contract["referenceSets"] = {"deep": {"keys": ["k"], "members": [{"k": literal}], "commentary": None}}
    done = run("compile", stdin=text_of(contract))
    assert done.returncode == 5
    assert b"nesting depth exceeds 1024" in done.stderr


def test_a_directory_as_input(run: Run, tmp_path: Path) -> None:
    done = run("compile", "--in", tmp_path)
    assert (done.returncode, done.stderr) == (64, b'eval-quality: usage: read "(unknown path)": EISDIR\n')


def test_a_target_below_a_plain_file(run: Run, example: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    done = run("compile", "--in", example / "contract.json", "--out", "plain/sub")
    assert (done.returncode, done.stderr) == (64, b'eval-quality: usage: mkdir "plain/sub": ENOTDIR\n')


def test_a_run_identifier_that_is_not_utf_8(run: Run, example: Path) -> None:
    """Spec 11, section 13: what is not UTF-8 on the command line is U+FFFD, in lines and in artifacts."""
    names = {"--contract": "contract", "--probes": "probes", "--observations": "observations"}
    inputs = [token for flag, name in names.items() for token in (flag, example / f"{name}.json")]
    done = run("preflight", *inputs, "--run-id", b"run-\xff")
    assert done.returncode == 0
    assert json.loads(done.stdout)["runId"] == "run-\ufffd"
    assert done.stderr.startswith("eval-quality: preflight: run-\ufffd: ".encode())


def test_a_file_name_that_is_not_utf_8(run: Run, tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")).write_text("{")
    others = [f"--{name}=x" for name in ("contract", "probe", "preflight-verdict", "policy", "corpus-digest")]
    done = run("score", "--record", b"\xff.json", *others)
    assert done.stderr.decode().startswith(
        'eval-quality: schema-parse-failure: SealedRunRecord: --record "\ufffd.json" is not JSON: Expected property name'
    )


def test_a_stream_that_does_not_wait(run: Run, tmp_path: Path) -> None:
    """What shares a pipe may have made it non-blocking: the text still arrives whole."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    script = "import sys; from eval_quality.cli.files import write_stdout; write_stdout(b'x' * 1_000_000)"
    with open(writer, "wb") as stream, open(reader, "rb") as received:
        child = subprocess.Popen([sys.executable, "-c", script], stdout=stream)
        stream.close()
        assert len(received.read()) == 1_000_000
    assert child.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full to stand for a full disk")
def test_a_full_device(run: Run, example: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(
            "compile", "--in", example / "contract.json", capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (5, b"eval-quality: Error: ENOSPC: no space left on device, write\n")


def test_a_pipe_nobody_reads(run: Run, example: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as broken:
        done = run(
            "compile", "--in", example / "contract.json", capture_output=False, stdout=broken, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (5, b"eval-quality: Error: EPIPE: broken pipe, write\n")


def test_streams_closed_before_the_start(example: Path) -> None:
    command = f"{sys.executable} -m eval_quality compile --in {example / 'contract.json'} <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False, timeout=60).returncode == 0
