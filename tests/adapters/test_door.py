"""The door of the adapters: every name is there, and nothing heavy comes with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import eval_quality.adapters as door


@pytest.mark.parametrize("name", door.__all__)
def test_every_name_of_the_door_is_there(name: str) -> None:
    assert getattr(door, name) is not None
    assert name in dir(door)


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match=r"'eval_quality\.adapters' has no attribute 'nothing'"):
        door.nothing  # noqa: B018


def test_opening_the_door_loads_no_adapter() -> None:
    program = "import sys, eval_quality.adapters; sys.exit('asyncio' in sys.modules or 'subprocess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_an_adapter_loads_what_runs_processes_when_it_first_runs_one() -> None:
    program = (
        "import sys; from eval_quality.adapters import create_command_line_adapter as create; "
        "create({'authorizations': []}); sys.exit('eval_quality.adapters.launch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
