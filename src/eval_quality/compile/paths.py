"""How a failure names the place it concerns (spec 05, section 5).

Identifiers stand in a path as they are (``oracles[id=O-001]``); keys a caller chose freely are quoted as JSON texts.
Witnesses are addressed by position, every other part of an interface by identifier.
"""

from __future__ import annotations

import re

from eval_quality.canonical import json_string

_BARE_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def member_key_suffix(key: str) -> str:
    """The path step to a key of a reference-set member: ``.key`` for an identifier-like key, else ``["key"]``."""
    return f".{key}" if _BARE_KEY.fullmatch(key) else f"[{json_string(key)}]"


def behavior_path(behavior_id: str) -> str:
    return f"EvalContract.behaviors[id={behavior_id}]"


def oracle_path(oracle_id: str) -> str:
    return f"EvalContract.oracles[id={oracle_id}]"


def rubric_path(rubric_id: str) -> str:
    return f"EvalContract.rubrics[id={rubric_id}]"


def interface_path(logical_id: str) -> str:
    return f"EvalContract.permittedInterfaces[logicalId={logical_id}]"


def operation_path(logical_id: str, operation_id: str) -> str:
    """An operation by identifier; sensitivity witnesses are addressed by position instead."""
    return f"{interface_path(logical_id)}.operations[operationId={operation_id}]"


def witness_path(interface_position: int, operation_position: int) -> str:
    """The operation at a position, as every path into a sensitivity witness begins."""
    return f"EvalContract.permittedInterfaces[{interface_position}].operations[{operation_position}]"


def step_path(step_id: str) -> str:
    return f"EvalContract.interactionPlan[stepId={step_id}]"


def binding_path(step_id: str, channel: str, key: str) -> str:
    """What a step binds under one key of one input channel."""
    return f"{step_path(step_id)}.inputBinding.{channel}[{json_string(key)}]"


def member_path(reference_set: str, position: int, key: str) -> str:
    """The value of one key of one member of a reference set."""
    return f"EvalContract.referenceSets[id={reference_set}].members[{position}]{member_key_suffix(key)}"
