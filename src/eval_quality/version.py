"""The engine version that artifacts record and ``--version`` prints."""

from typing import Final

VERSION: Final = "7.2.0"
