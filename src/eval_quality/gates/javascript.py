"""Sources of JavaScript and TypeScript, which two gates of the reference read and this package does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .python_source import PYTHON_ENDINGS
from .refusals import GateConfigurationError, MissingExtraError

_ENDINGS: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


def require_python(files: Iterable[str], gate: str) -> None:
    """Refuse every scanned file that is not Python. Raises ``MissingExtraError`` and ``GateConfigurationError``."""
    for file in files:
        if file.endswith(PYTHON_ENDINGS):
            continue
        if file.endswith(_ENDINGS):
            raise MissingExtraError(
                f'the {gate} gate reads JavaScript and TypeScript through tree-sitter, and the optional extra "js" is '
                'not installed here. Install it (pip install "eval-quality[js]"), or list only Python extensions. No '
                "other gate needs it."
            )
        raise GateConfigurationError(f"{file} is not source this gate reads")
