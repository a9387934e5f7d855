"""Target policies read from untrusted mappings."""

from __future__ import annotations

from eval_quality.adapters import parse_command_target_policy, parse_mcp_target_policy, parse_probe_target_policy
from eval_quality.canonical import read_json

OPERATIONS = {
    "parseCommandTargetPolicy": lambda value: parse_command_target_policy(read_json(value["text"])),
    "parseMcpTargetPolicy": lambda value: parse_mcp_target_policy(read_json(value["text"])),
    "parseProbeTargetPolicy": lambda value: parse_probe_target_policy(read_json(value["text"])),
}
