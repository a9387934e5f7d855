from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from eval_quality.gates.fenced_commands import MakeDirectory, Run, WriteFile, actions_of

from .repository import Repository, text

GATE = "doc-invocations"
CLI = """
    import argparse, os, signal, sys, time

    parser = argparse.ArgumentParser(prog="acme")
    check = parser.add_subparsers(required=True).add_parser("check")
    check.add_argument("file")
    check.add_argument("--out")
    arguments = parser.parse_args()
    name = os.path.basename(arguments.file)
    text = open(arguments.file).read()
    if arguments.out:
        open(os.path.join(arguments.out, "result"), "w").write(text)
    match name.partition(".")[0]:
        case "broken":
            print(f"acme: {arguments.file}: 2 rule(s) failed", file=sys.stderr)
            sys.exit(3)
        case "crash":
            raise KeyError(name)
        case "kill":
            os.kill(os.getpid(), signal.SIGTERM)
        case "nameless":
            os.kill(os.getpid(), signal.SIGRTMIN + 1)
        case "slow":
            time.sleep(60)
    print("checked:", text.strip())
    print("  and done")
"""
SECTION: dict[str, Any] = {
    "pages": ["docs"],
    "binary": {"entry": "acme.py", "spellings": ["acme", "npx acme"]},
    "usageExit": 2,
    "sampleInput": "examples/report.json",
}


@pytest.fixture(autouse=True)
def _program(repository: Repository) -> None:
    names = ("report", "broken", "crash", "kill", "nameless", "slow")
    repository.write({"acme.py": CLI, **{f"examples/{name}.json": "{}" for name in names}})


def failures(repository: Repository, page: str, **section: Any) -> list[str]:
    """The first line of every failure on a page."""
    repository.write({"docs/cli.md": page})
    answer = repository.check(GATE, **{**SECTION, **section})
    assert answer.code in (0, 1), answer
    return [line.strip() for line in answer.err.splitlines() if line.startswith("  docs/")]


def fenced(command: str, exit_code: int | None = None, transcript: str | None = None) -> str:
    declared = "" if exit_code is None else f"<!-- expect-exit: {exit_code} -->\n"
    shown = "" if transcript is None else f"\n```text\n{transcript}\n```\n"
    return f"# Page\n\n{declared}```bash\n{command}\n```\n{shown}"


def test_worked_examples_run_as_a_module(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write({"lib/acme/__init__.py": "", "lib/acme/cli.py": CLI})
    monkeypatch.setenv("PYTHONPATH", str(repository.root / "lib"))
    binary = {"module": "acme.cli", "spellings": ["acme"]}
    repository.write({"docs/cli.md": "# Cli\n\n```bash\nacme check examples/report.json --verbose\n```\n"})
    assert repository.check(GATE, **{**SECTION, "binary": binary}) == (
        1,
        "doc-invocations: 1 invocation(s) scanned across 1 page(s), 0 run faithfully over real inputs, 0 with their "
        "output compared, 1 failure(s)\n",
        text("""

            doc-invocations: 1 failing invocation(s):
              docs/cli.md:4 [usage error: the documented command or flag does not exist] acme check examples/report.json --verbose
                usage: acme [-h] {check} ...
                acme: error: unrecognized arguments: --verbose
        """),
    )
    repository.write({"docs/cli.md": fenced("acme check examples/broken.json", 3, "acme: ...: 2 rule(s) failed")})
    assert repository.run(GATE) == (
        0,
        "doc-invocations: 1 invocation(s) scanned across 1 page(s), 1 run faithfully over real inputs, 1 with their "
        "output compared, 0 failure(s)\n",
        "",
    )


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (fenced("acme check examples/crash.json"), "the binary crashed"),
        (fenced("acme check examples/kill.json"), "was killed by SIGTERM and decided nothing"),
        (
            fenced("acme check examples/nameless.json"),
            f"was killed by signal {signal.SIGRTMIN + 1} and decided nothing",
        ),
        (fenced("acme check examples/slow.json"), "did not run to a verdict: it timed out (the section allows 1000ms)"),
        (fenced("acme nothing"), "usage error: the documented command or flag does not exist"),
        (fenced("acme nothing", 2), None),
        (fenced("acme check <your-file>"), None),
        (fenced("acme check mine/own.json"), None),
        (
            fenced("acme check mine/own.json", 0),
            "the block declares expect-exit 0, but this invocation names a file only a reader has, so its exit code is "
            "not the page's own",
        ),
        (
            fenced("acme check examples/broken.json"),
            "exited 3 over inputs this repository really has; a documented example has to work, or declare its exit "
            'with an "<!-- expect-exit: N -->" comment before the block',
        ),
        (fenced("acme check examples/broken.json", 4), "exited 3, and the block declares expect-exit 4"),
        (fenced("acme check examples/report.json", 0, "checked: {}\n  and done"), None),
        (fenced("acme check examples/report.json", 0, "  ...\n    and ...ne"), None),
        (
            fenced("acme check examples/report.json", 0, "checked: []"),
            'the block beside it transcribes "checked: []" as line 1 of the output, and the run wrote something else',
        ),
        (
            fenced("acme check examples/report.json", 0, "checked: {}\nand done"),
            "the block beside it is indented differently from the output at line 2",
        ),
        (
            fenced("acme check examples/report.json", 0, "checked: {}\n  and done\nmore"),
            'the block beside it transcribes "more" as line 3 of the output, and the run wrote something else',
        ),
        (
            fenced("acme check examples/report.json", 0, "c...e...k...d..."),
            "line 1 of the block beside it elides 3 times over; transcribe the line or cut it",
        ),
    ],
)
def test_verdicts(repository: Repository, page: str, reason: str | None) -> None:
    found = failures(repository, page, timeoutMs=1000)
    line = next(number for number, shown in enumerate(page.split("\n"), 1) if shown.startswith("acme"))
    invocation = page.split("\n")[line - 1]
    assert found == ([] if reason is None else [f"docs/cli.md:{line} [{reason}] {invocation}"])


def test_a_page_is_replayed_in_a_sandbox_of_its_own(repository: Repository) -> None:
    page = """
        ```sh
        mkdir -p work/deep
        cat > work/own.json <<'EOF'
        [1]
        EOF
        echo '[2]' > /tmp/eval-quality-other.json
        $ npx acme check work/own.json \\
            --out results
        acme check /tmp/eval-quality-other.json --out=results/more | tee x
        acme check results/result && acme nothing
        ```
    """
    assert failures(repository, page) == []
    assert not (repository.root / "work").exists()
    assert not (repository.root / "results").exists()


def test_installed_files_are_those_of_the_repository(repository: Repository) -> None:
    binary = {**SECTION["binary"], "installedPrefix": "node_modules/acme/"}
    page = fenced("acme check node_modules/acme/examples/broken.json")
    assert failures(repository, page, binary=binary)[0].startswith("docs/cli.md:4 [exited 3 over inputs")


def test_what_counts_as_a_run() -> None:
    page = """
        acme in prose

        ```sh
        acme
        acme [options]
        acme <command>
        acmex check
        Usage:
          acme check x
        acme check 'a b' # c
        ```

        Usage:
          acme check y
        Prose.

        <!-- expect-exit: 7 -->

        ```sh
        acme a
        ```

        Some prose ends the waiting.

        ```text
        no transcript
        ```
    """
    runs = [action for action in actions_of(text(page), ["acme"]) if isinstance(action, Run)]
    assert [(run.line, run.arguments, run.declared_exit, run.transcript) for run in runs] == [
        (10, "check 'a b' # c", None, ()),
        (20, "a", 7, ()),
    ]


def test_writes_are_actions() -> None:
    page = '```\ncat > a/b.txt <<-"END"\nx\n\nEND\necho "q" > c\nmkdir -p d\n```\n'
    assert actions_of(page, ["acme"]) == [WriteFile("a/b.txt", "x\n\n"), WriteFile("c", "q\n"), MakeDirectory("d")]


def refusals() -> Iterator[tuple[dict[str, Any], dict[str, str], str]]:
    page = {"docs/cli.md": fenced("acme check examples/report.json")}
    binary = SECTION["binary"]
    yield (
        {"binary": {**binary, "entry": "none.py"}},
        page,
        '{root}/none.py does not exist; the "doc-invocations" section names it under binary.entry, so build it before '
        "the gate runs",
    )
    yield (
        {"binary": [binary, {"module": "no_such_module", "spellings": ["x"]}]},
        page,
        f'{sys.executable} cannot import no_such_module; the "doc-invocations" section names it under binary[1].module,',
    )
    yield (
        {"binary": {"script": "no-such-script", "spellings": ["x"]}},
        page,
        f'{sys.executable} has no script no-such-script; the "doc-invocations" section names it under binary.script,',
    )
    yield (
        {"sampleInput": "none.json"},
        page,
        '{root}/none.json does not exist; the "doc-invocations" section names it under sampleInput, and it is what '
        "stands in for an input only a reader has",
    )
    yield (
        {"pages": ["."]},
        page,
        'the "doc-invocations" section names "." under pages, and that encloses the directory the configuration sits '
        "in; name a page or a directory inside it, since every fenced command under a whole repository is more than "
        "this gate should run",
    )
    yield (
        {"pages": ["docs", "more"]},
        {"docs/.hidden/a.md": "", "docs/node_modules/a.md": "", "docs/a.txt": ""},
        'no markdown under docs, more; the "doc-invocations" section names those under pages and the gate would report '
        "a pass over nothing",
    )
    yield (
        {},
        {"docs/a.md": "# A\n"},
        'no fenced command in 1 page(s) matched any spelling the "doc-invocations" section declares (npx acme, acme); a '
        "gate that extracted nothing reports a pass over nothing",
    )
    yield ({"python": "none"}, page, "{root}/none does not exist; ")


@pytest.mark.parametrize(("section", "files", "message"), list(refusals()))
def test_refusals(repository: Repository, section: dict[str, Any], files: dict[str, str], message: str) -> None:
    repository.write(files)
    answer = repository.check(GATE, **{**SECTION, **section})
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: {message}".replace("{root}", str(repository.root)))


def test_sections_that_are_refused(repository: Repository) -> None:
    assert repository.refused(
        GATE,
        **{**SECTION, "binary": [SECTION["binary"], {"spellings": ["acme"]}], "usageExit": 256, "elisionLimit": -1},
    ) == [
        "binary.1: names what it runs under exactly one of entry, module and script",
        "usageExit: Too big: expected number to be <=255",
        "elisionLimit: Too small: expected number to be >=0",
        'binary.1.spellings.0: repeats "acme"; one spelling runs one program',
    ]
