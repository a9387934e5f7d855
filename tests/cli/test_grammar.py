"""What a command line means, and which of its faults is told (spec 11, section 2)."""

from __future__ import annotations

from itertools import chain

import pytest

from eval_quality.cli.grammar import COMMANDS, HelpRequest, Invocation, UsageError, VersionRequest, read_command_line

EXPECTED = "expected one of compile, seal, preflight, score, aggregate-strength"
SCORE = [
    *("score", "--record=r", "--contract=c", "--probe=p", "--preflight-verdict=v"),
    *("--policy=y", "--corpus-digest=d"),
]
PREFLIGHT = ["preflight", "--contract=c", "--probes=p", "--observations=o"]
AGGREGATE = ["aggregate-strength", "--evidence=e", "--floors=f", "--policy=p"]


def read(*tokens: str) -> Invocation:
    invocation = read_command_line(list(tokens))
    assert isinstance(invocation, Invocation)
    return invocation


def refusal(*tokens: str) -> str:
    with pytest.raises(UsageError) as caught:
        read_command_line(list(tokens))
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("--help", HelpRequest()),
        ("-h seal --bogus", HelpRequest("seal")),
        ("help aggregate-strength", HelpRequest("aggregate-strength")),
        ("--version --bogus", VersionRequest()),
        ("-V", VersionRequest()),
        ("compile --in a --help --bogus", HelpRequest("compile")),
        ("score -h", HelpRequest("score")),
    ],
)
def test_help_and_version(line: str, request_: HelpRequest | VersionRequest) -> None:
    assert read_command_line(line.split()) == request_


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], f"no command given; {EXPECTED}"),
        (["Compile"], f'unknown command "Compile"; {EXPECTED}'),
        ([""], f'unknown command ""; {EXPECTED}'),
        (["help", "-h"], f'unknown command "-h"; {EXPECTED}'),
        (["compile", "--", "--help"], 'compile takes no positional argument, but got "--help"'),
        (["compile", "--bogus", "--help"], 'unknown flag "--bogus" for compile'),
        (["compile", "-"], 'unknown flag "-" for compile'),
        (["compile", ""], 'unknown flag "" for compile'),
        (["compile", "a=b"], 'unknown flag "a" in "a=b"'),
        (["compile", "--strict-inputs=true"], 'unknown flag "--strict-inputs" in "--strict-inputs=true"'),
        (["compile", "--help=x"], 'unknown flag "--help" in "--help=x"'),
        (["preflight", "--strict-inputs"], 'unknown flag "--strict-inputs" for preflight'),
        (["compile", "--contract", "x"], 'unknown flag "--contract" for compile'),
        (["compile", "--in"], "--in requires a value"),
        (["compile", "--in", ""], "--in was given an empty value"),
        (["compile", "--in="], "--in was given an empty value"),
        (
            ["compile", "--in", "--"],
            '--in requires a value, but the next token is "--"; use --in=-- for a value that begins with "-"',
        ),
        (["compile", "--in=a", "--in=b"], '--in given twice with different values, "a" and "b"'),
        (["preflight", "--run-id", " \ufeff\u2003"], "--run-id must contain a non-whitespace character"),
        (
            ["score", "--record", "a"],
            "score requires --contract, --probe, --preflight-verdict, --policy, --corpus-digest",
        ),
        (["preflight", "--probes=x"], "preflight requires --contract, --observations, --run-id"),
        (["aggregate-strength"], "aggregate-strength requires --evidence, --floors, --policy"),
        (
            ["score", "--contract=-", "--probe=-"],
            "score requires --record, --preflight-verdict, --policy, --corpus-digest",
        ),
    ],
)
def test_refusals(tokens: list[str], message: str) -> None:
    assert refusal(*tokens) == message


@pytest.mark.parametrize("separator", "\x1c\x1f\x85")
def test_what_the_language_counts_as_white_space(separator: str) -> None:
    """Spec 11, section 13: these three are white space to Python alone."""
    assert read(*PREFLIGHT, "--run-id", separator).values["run-id"] == separator


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        (["--record=-", "--record=-"], "--record and --record both name"),
        (["--private-manifest=-", "--record=-"], "--record and --private-manifest both name"),
        (["--policy=-", "--record=-", "--isolation-manifest=-"], "--record, --isolation-manifest, --policy all name"),
    ],
)
def test_one_input_reads_standard_input(more: list[str], flags: str) -> None:
    given = {token.partition("=")[0] for token in more}
    tokens = [token for token in SCORE if token.partition("=")[0] not in given]
    assert refusal(*tokens, *more) == f'only one input may read stdin, but {flags} "-"'


def test_a_dash_elsewhere_is_no_input() -> None:
    invocation = read(*PREFLIGHT, "--run-id", "-", "--out", "-", "--contract=c")
    assert (invocation.values["run-id"], invocation.values["out"]) == ("-", "-")


@pytest.mark.parametrize(
    ("repeats", "message"),
    [
        (["O-001", "O-001"], 'given twice, both times as "O-001"; one probe has one designated oracle'),
        (["O-001", "O-002"], 'given twice with different values, "O-001" and "O-002"'),
        (["O-001", "x"], '"x" is not an oracle identifier (O- followed by at least three digits)'),
        (["O-01"], '"O-01" is not an oracle identifier (O- followed by at least three digits)'),
        (["O-001\n"], '"O-001\n" is not an oracle identifier (O- followed by at least three digits)'),
        (["O-\u0661\u0662\u0663"], '"O-\u0661\u0662\u0663" is not an oracle identifier (O- followed by at least three'),
    ],
)
def test_designated_oracle(repeats: list[str], message: str) -> None:
    tokens = chain.from_iterable(("--designated-oracle", value) for value in repeats)
    assert refusal(*SCORE, *tokens).startswith(f"--designated-oracle {message}")


def test_values() -> None:
    invocation = read(*SCORE, "--record", "r", "--record=-x", "--policy=y", "--out=a=b", "--strict")
    assert invocation.repeated == {"record": ["r", "r", "-x"]}
    assert invocation.values["out"] == "a=b"
    assert invocation.strict
    assert invocation.strict_inputs


def test_the_last_of_two_switches_wins_and_a_trailing_double_dash_is_nothing() -> None:
    assert not read("compile", "--strict-inputs", "--no-strict-inputs", "--").strict_inputs
    assert read("seal", "--no-strict-inputs", "--strict-inputs").strict_inputs
    assert not read("compile").strict


def test_inputs_in_their_observable_order() -> None:
    """Single flags as they first appear, then the repeatable ones: whoever collides first is named."""
    order = [flag.key for flag, _ in read("aggregate-strength", "--evidence=e", "--policy=p", "--floors=f").inputs()]
    assert order == ["policy", "floors", "evidence"]


def test_the_table_of_flags() -> None:
    assert {name: [flag.key for flag in command.inputs] for name, command in COMMANDS.items()} == {
        "compile": ["in"],
        "seal": ["in"],
        "preflight": ["contract", "probes", "observations"],
        "score": [
            *("record", "isolation-manifest", "evaluator-configuration", "contract", "probe", "preflight-verdict"),
            *("policy", "private-manifest"),
        ],
        "aggregate-strength": ["evidence", "floors", "policy"],
    }
    assert read(*AGGREGATE).command.kind == "strength-aggregate"
