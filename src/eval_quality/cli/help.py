"""Help texts (spec 11, section 3): facts shared with the reference, byte for byte."""

from __future__ import annotations

from typing import Final

_USAGE: Final = """\
Usage:
  eval-quality compile          [--in <path>] [--out <target>]
                                [--strict-inputs | --no-strict-inputs] [--strict]
  eval-quality seal             [--in <path>] [--out <target>]
                                [--strict-inputs | --no-strict-inputs] [--strict]
  eval-quality preflight         --contract <path> --probes <path> --observations <path>
                                 --run-id <id> [--out <target>] [--strict]
  eval-quality score             --record <path> [--record <path> ...] --contract <path> --probe <path>
                                  --preflight-verdict <path> --policy <path>
                                  --corpus-digest <digest>
                                  [--isolation-manifest <path>] [--evaluator-configuration <path>]
                                  [--private-manifest <path>] [--corpus-root <dir>]
                                  [--designated-oracle <O-id>]
                                  [--out <target>] [--strict]
  eval-quality aggregate-strength --evidence <path> [--evidence <path> ...] --floors <path>
                                  --policy <path> [--out <target>] [--strict]
  eval-quality --help | -h | help [<command>]
  eval-quality --version | -V"""

_INPUTS_AND_OUTPUTS: Final = """\
Inputs and outputs:
  --in is the only input that falls back to stdin: compile and seal read it
  when --in is left out. "-" names stdin explicitly on any input, and at most
  one input may be "-" per invocation. compile and seal each take one input;
  preflight takes three, all required; score takes eight, three of them
  optional (--isolation-manifest, --evaluator-configuration, and
  --private-manifest), and --record may repeat; aggregate-strength takes three,
  all required, and --evidence may repeat. Without --out the artifact goes to
  stdout. An --out ending in .json is a file path; anything else is a
  directory taking <target>/<kind>.json. Diagnostics and errors go to stderr."""

_EXIT_CODES: Final = """\
Exit codes (AD-21's six, plus 64 from sysexits.h):
  0   success, and every verdict other than FAIL or a promoted CONCERNS
  1   CONCERNS promoted by --strict
  2   FAIL
  3   invalid: a failed pre-flight, or any other AD-21 invalidating condition
  4   structural failure, or an aggregation refused for mixed or inconsistent evidence
  5   runtime fault
  64  usage error

  --strict never promotes a CONCERNS whose firing conditions are all evidence
  conditions: those report that the measurement fell short of the policy.
  1 and 2 come from the score command's verdict ladder. 3 comes from a failed
  pre-flight, which the preflight command reports, or from any other
  invalidating condition score finds."""

_COMMAND_BLOCKS: Final = {
    "compile": """\
Usage:
  eval-quality compile          [--in <path>] [--out <target>]
                                [--strict-inputs | --no-strict-inputs] [--strict]

  --in <path>              the contract to compile; stdin when absent or "-"
  --out <target>           a .json file path, or a directory taking eval-contract.json
  --strict-inputs          reject undeclared inputs (default)
  --no-strict-inputs       allow undeclared inputs
  --strict                 promote CONCERNS to exit 1""",
    "seal": """\
Usage:
  eval-quality seal             [--in <path>] [--out <target>]
                                [--strict-inputs | --no-strict-inputs] [--strict]

  --in <path>              the contract to compile and seal; stdin when absent or "-"
  --out <target>           a .json file path, or a directory taking sealed-evaluator-brief.json
  --strict-inputs          reject undeclared inputs (default)
  --no-strict-inputs       allow undeclared inputs
  --strict                 promote CONCERNS to exit 1""",
    "preflight": """\
Usage:
  eval-quality preflight         --contract <path> --probes <path> --observations <path>
                                 --run-id <id> [--out <target>] [--strict]

  --contract <path>        the compiled contract the plan is built from
  --probes <path>          the probe list the plan is built from
  --observations <path>    the observations to reduce over
  --run-id <id>            the run identifier the verdict is minted for
  --out <target>           a .json file path, or a directory taking preflight-verdict.json
  --strict                 promote CONCERNS to exit 1""",
    "score": """\
Usage:
  eval-quality score             --record <path> [--record <path> ...] --contract <path> --probe <path>
                                  --preflight-verdict <path> --policy <path>
                                  --corpus-digest <digest>
                                  [--isolation-manifest <path>] [--evaluator-configuration <path>]
                                  [--private-manifest <path>] [--corpus-root <dir>]
                                  [--designated-oracle <O-id>]
                                  [--out <target>] [--strict]

  --record <path>                   a sealed trial record to ingest; repeat for each trial
  --contract <path>                 the compiled contract to score against
  --probe <path>                    the probe the records were run against
  --preflight-verdict <path>        the pre-flight verdict, also the source of the AD-11 fixture digest
  --policy <path>                   the scoring policy
  --corpus-digest <digest>          AD-11's caller-attested corpus digest; no artifact carries it
  --isolation-manifest <path>       the isolation manifest; absent invalidates the run under AD-16
  --evaluator-configuration <path>  the evaluator configuration; absent invalidates the run
  --private-manifest <path>         each entry's digest is checked against its resolved bytes
  --corpus-root <dir>               the directory a private reference resolves under; required only
                                     when --private-manifest or a private-storage isolation-manifest
                                     reference is present
  --designated-oracle <O-id>        the oracle this probe belongs to, for a behavior that lists several;
                                     it must be listed by the probe's behavior and declared by the
                                     contract, or the command exits 64; absent, a behavior listing
                                     exactly one oracle designates it and any other count designates none
  --out <target>                    a .json file path, or a directory taking evidence-artifact.json
  --strict                          promote CONCERNS to exit 1""",
    "aggregate-strength": """\
Usage:
  eval-quality aggregate-strength --evidence <path> [--evidence <path> ...] --floors <path>
                                  --policy <path> [--out <target>] [--strict]

  --evidence <path>        a per-probe evidence artifact of one run; repeat for each probe
  --floors <path>          the declared catch-rate floor per class, a JSON object keyed by
                           defect, gameability and zero-action; {} declares none
  --policy <path>          the scoring policy the run was scored under; every evidence artifact
                           is verified against it
  --out <target>           a .json file path, or a directory taking strength-aggregate.json
  --strict                 accepted on every command; this one produces no verdict, so it changes nothing""",
}


def help_text(command: str | None) -> str:
    """General help, or one command's; without a final line break."""
    blocks = (_USAGE, _INPUTS_AND_OUTPUTS) if command is None else (_COMMAND_BLOCKS[command],)
    return "\n\n".join((*blocks, _EXIT_CODES))
