"""Field names of results in the wire's spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def camel(name: str) -> str:
    return re.sub("_([a-z0-9])", lambda letter: letter[1].upper(), name)


def snake(name: str) -> str:
    return re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), name)


def camel_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {camel(name): list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
