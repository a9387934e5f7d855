"""Which oracle a probe belongs to (spec 09, section 17.3)."""

from __future__ import annotations

import re
from typing import Final

from eval_quality.artifacts.eval_contract import Behavior, EvalContract
from eval_quality.artifacts.probe import Probe
from eval_quality.canonical import json_string

_ORACLE_ID: Final = re.compile("O-[0-9]{3,}")


def behavior_of(contract: EvalContract, probe: Probe) -> Behavior | None:
    """The first behavior a probe names."""
    return next((each for each in contract["behaviors"] if each["id"] == probe["behaviorId"]), None)


def derived_oracle_id(contract: EvalContract, probe: Probe) -> str | None:
    """The oracle of a behavior that lists exactly one."""
    behavior = behavior_of(contract, probe)
    return behavior["oracles"][0] if behavior is not None and len(behavior["oracles"]) == 1 else None


def check_designated_oracle(contract: EvalContract, probe: Probe, oracle_id: str) -> str | None:
    """Why an oracle cannot be the designated one; ``None`` when it can."""
    if not _ORACLE_ID.fullmatch(oracle_id):
        return (
            f"--designated-oracle {json_string(oracle_id)} is not an oracle identifier; expected O- followed by at "
            "least three digits"
        )
    behavior = behavior_of(contract, probe)
    if behavior is None:
        return (
            f"--designated-oracle {oracle_id} cannot be checked: the probe's behavior {probe['behaviorId']} is not "
            "declared by the contract"
        )
    listed = ", ".join(behavior["oracles"]) or "no oracle"
    if oracle_id not in behavior["oracles"]:
        return (
            f"--designated-oracle {oracle_id} is not listed by the probe's behavior {behavior['id']}, which lists "
            f"{listed}"
        )
    if all(oracle["id"] != oracle_id for oracle in contract["oracles"]):
        return (
            f"--designated-oracle {oracle_id} is listed by the probe's behavior {behavior['id']} (which lists "
            f"{listed}), but the contract declares no oracle {oracle_id}"
        )
    return None
