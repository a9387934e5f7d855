"""The command line, run as a process of its own in a fresh directory."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = str(Path(__file__).parents[3] / "src")


def _lay(root: Path, files: dict[str, Any]) -> None:
    later = []
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                path.write_bytes(content.encode("utf-8", "surrogatepass"))
            case {"base64": data}:
                path.write_bytes(base64.b64decode(data))
            case {"directory": True}:
                path.mkdir(exist_ok=True)
            case {"symlink": target}:
                path.symlink_to(target.replace("{DIR}", str(root)))
            case {"hardlink": target}:
                later.append((path, root / target))
    for path, target in later:
        os.link(target, path)


def _tree(root: Path) -> Iterator[tuple[str, tuple[Any, ...] | None]]:
    """Every path below, with what tells whether it changed; a directory's name ends in ``/`` and carries nothing."""
    for folder, names, files in os.walk(root):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                yield f"{path.relative_to(root)}/", None
        for name in files:
            path = Path(folder, name)
            if path.is_symlink():
                continue
            try:
                yield str(path.relative_to(root)), (path.read_bytes(),)
            except OSError as error:
                yield str(path.relative_to(root)), (error.errno,)


def run_cli(value: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _lay(root, value["files"])
        before = dict(_tree(root))
        stdin = base64.b64decode(value["stdinBase64"]) if "stdinBase64" in value else value.get("stdin", "").encode()
        argv = [token.replace("{DIR}", str(root)) for token in value["argv"]]
        done = subprocess.run(
            [sys.executable, "-m", "eval_quality", *argv],
            cwd=root,
            input=stdin,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
            check=False,
            timeout=60,
        )
        after = dict(_tree(root))
        changed = {
            name: "" if content is None else content[0].decode("utf-8", "replace").replace(str(root), "{DIR}")
            for name, content in after.items()
            if name not in before or before[name] != content
        }
        return {
            "exit": done.returncode,
            "stdout": done.stdout.decode("utf-8", "replace").replace(str(root), "{DIR}"),
            "stderr": done.stderr.decode("utf-8", "replace").replace(str(root), "{DIR}"),
            "files": changed,
        }


OPERATIONS = {"cli": run_cli}
