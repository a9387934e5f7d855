"""Shell completion through click: the command line's own table, handed over as click commands.

A shell asks with ``_EVAL_QUALITY_COMPLETE`` set, as any click program is asked; nothing else of a run goes through click,
because the published grammar is not click's.
"""

from __future__ import annotations

from typing import Final

import click
import click.types
from click.shell_completion import shell_complete

from .grammar import COMMANDS, Command

VARIABLE: Final = "_EVAL_QUALITY_COMPLETE"
_TYPED: Final = ("--run-id", "--corpus-digest", "--designated-oracle")


def command_group() -> click.Group:
    """The five commands with their flags."""
    group = click.Group(
        "eval-quality", add_help_option=False, params=[_switch("--help", "-h"), _switch("--version", "-V")]
    )
    for command in COMMANDS.values():
        group.add_command(_click_command(command))
    return group


def _switch(*spellings: str) -> click.Option:
    return click.Option(spellings, is_flag=True)


def _click_command(command: Command) -> click.Command:
    params: list[click.Parameter] = [
        click.Option([flag], type=_type_of(flag), multiple=source is not None and source.repeatable)
        for flag, source in command.value_flags.items()
    ]
    params += [_switch(switch) for switch in command.switches]
    return click.Command(command.name, params=params, add_help_option=True)


def _type_of(flag: str) -> click.types.StringParamType | click.Path:
    """Paths are completed, everything else is typed."""
    return click.STRING if flag in _TYPED else click.Path(dir_okay=flag in ("--out", "--corpus-root"))


def complete(instruction: str) -> int:
    """Answer a shell: the script that sets completion up, or the candidates for a line."""
    return shell_complete(command_group(), {}, "eval-quality", VARIABLE, instruction)
