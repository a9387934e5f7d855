"""Where the files that travel with the package are: inside an installed package, or beside it in a checkout.

A wheel carries ``schemas/`` and ``corpus/`` of the repository as package resources. An editable install has the sources
alone, so there the folders of the checkout are read.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def shipped_folder(package: str, name: str, checkout: str) -> Traversable:
    """The folder ``name`` in a package's resources, or ``checkout`` at the root of the repository.

    Raises ``FileNotFoundError`` when there is neither: the package was installed without what belongs to it.
    """
    installed = files(package) / name
    if installed.is_dir():
        return installed
    beside = Path(__file__).resolve().parents[2] / checkout
    if beside.is_dir():
        return beside
    raise FileNotFoundError(f"neither {package} nor its checkout carries the folder {name}")
