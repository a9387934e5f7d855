"""The archives: what they carry, that building them again gives the same bytes, and that an installed wheel works."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from eval_quality import VERSION

ROOT = Path(__file__).parents[1]
CACHES = {"__pycache__", ".mypy_cache"}
MOMENT = "1767225600"  # 2026-01-01T00:00:00Z, what SOURCE_DATE_EPOCH says in these builds
MISSING = [name for name in ("hatchling", "build") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no {' and no '.join(MISSING)} here to build archives with")

DOORS = """
import json, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(f"the network was asked for: {event} {arguments}")

sys.addaudithook(refuse)
import eval_quality
from eval_quality import adapters, conformance, corpus, schemas

compiled = []
for name in corpus.names():
    try:
        compiled.append(eval_quality.compile(corpus.load(name)).contract_id)
    except eval_quality.StructuralFailure:
        pass
print(json.dumps({
    "files": [module.__file__ for module in (eval_quality, adapters, conformance, corpus, schemas)],
    "version": eval_quality.VERSION,
    "schemas": [schemas.load(key)["$id"] for key in schemas.KEYS],
    "schema path": str(schemas.path("probe")),
    "corpus path": str(corpus.path("review-corpus")),
    "corpus": len(corpus.names()),
    "compiled": len(compiled),
    "indexed": len(corpus.index()["files"]),
}))
"""


class Archives(NamedTuple):
    """One build: the source archive, and the wheel built out of it."""

    sdist: Path
    wheel: Path


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports by an absolute name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            yield node.module


def test_what_the_package_imports_comes_with_it_or_with_the_extra_it_names() -> None:
    """A package that only ``dev`` installs is there in every test, and missing where the wheel is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    distributions = packages_distributions()
    brought: dict[str, set[str]] = {}
    for extra in ("", "graph", "gates", "report"):
        for text in groups[extra]:
            brought.setdefault(canonicalize_name(Requirement(text).name), set()).add(extra)
    used: dict[str, set[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for top in {name.partition(".")[0] for name in imported(path)} - sys.stdlib_module_names - {"eval_quality"}:
            names = {canonicalize_name(name) for name in distributions[top]}
            used[top] = set().union(*(brought.get(name, set()) for name in names))
    extras = {top: extras for top, extras in used.items() if "" not in extras}
    assert extras == {
        "grimp": {"graph"},
        "packaging": {"gates"},
        **{name: {"report"} for name in ("jinja2", "markupsafe", "rich")},
    }


def build(out: Path, *arguments: str) -> list[Path]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *arguments, str(ROOT)],
        check=True,
        capture_output=True,
        timeout=120,
        env=environment | {"SOURCE_DATE_EPOCH": MOMENT},
    )
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    built = build(tmp_path_factory.mktemp("archives"))
    assert [path.name for path in built] == [
        f"eval_quality-{VERSION}-py3-none-any.whl",
        f"eval_quality-{VERSION}.tar.gz",
    ]
    return Archives(sdist=built[1], wheel=built[0])


def files_below(folder: str) -> set[str]:
    """Files of the checkout that belong in an archive, relative to ``folder``."""
    paths = (path for path in (ROOT / folder).rglob("*") if path.is_file() and not CACHES & set(path.parts))
    return {path.relative_to(ROOT / folder).as_posix() for path in paths}


def test_the_wheel_carries_package_schemas_corpus_and_licence_and_nothing_else(archives: Archives) -> None:
    with zipfile.ZipFile(archives.wheel) as wheel:
        names = set(wheel.namelist())
        metadata = Parser().parsestr(wheel.read(f"eval_quality-{VERSION}.dist-info/METADATA").decode())
    expected = {f"eval_quality/{name}" for name in files_below("src/eval_quality")}
    expected |= {f"eval_quality/schemas/documents/{name}" for name in files_below("schemas")}
    expected |= {f"eval_quality/corpus/dev/{name}" for name in files_below("corpus/dev")}
    described = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    assert names == expected | {f"eval_quality-{VERSION}.dist-info/{name}" for name in described}
    assert "eval_quality/py.typed" in names
    assert metadata["License-Expression"] == "Apache-2.0"
    assert str(metadata.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()


def test_the_source_archive_carries_what_the_wheel_is_built_of_and_nothing_else(archives: Archives) -> None:
    with tarfile.open(archives.sdist) as sdist:
        names = {member.name.removeprefix(f"eval_quality-{VERSION}/") for member in sdist if member.isfile()}
    expected = {
        f"{folder}/{name}" for folder in ("src/eval_quality", "schemas", "corpus") for name in files_below(folder)
    }
    # The last two are the build backend's own: the metadata of the archive, and the list of what is not in it.
    assert names == expected | {"README.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"}


def test_building_again_gives_the_same_bytes(archives: Archives, tmp_path: Path) -> None:
    wheel, sdist = build(tmp_path, "--sdist", "--wheel")  # this wheel comes from the checkout, not from the archive
    assert wheel.read_bytes() == archives.wheel.read_bytes()
    assert sdist.read_bytes() == archives.sdist.read_bytes()


@pytest.fixture(scope="module")
def installed(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel, and sees this environment's packages for its dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    install = ("install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(archives.wheel))
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True, timeout=120)
    paths = sysconfig.get_paths("venv", vars={"base": str(folder), "platbase": str(folder)})
    here = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    Path(paths["purelib"], "dependencies.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    return folder / "bin"


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_doors_of_an_installed_wheel_open_offline(installed: Path, tmp_path: Path) -> None:
    found = json.loads(run(installed / "python", "-c", DOORS, cwd=tmp_path))
    inside = str(installed.parent)
    assert [path for path in found["files"] if not path.startswith(inside)] == []
    assert found["schema path"].startswith(inside)
    assert found["corpus path"].startswith(inside)
    assert found["version"] == VERSION
    assert len(set(found["schemas"])) == 13
    assert (found["corpus"], found["compiled"], found["indexed"]) == (24, 21, 27)


def test_the_programs_of_an_installed_wheel_work(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "eval-quality", "--version", cwd=tmp_path).strip().endswith(VERSION)
    as_module = run(installed / "python", "-m", "eval_quality", "--help", cwd=tmp_path)
    assert run(installed / "eval-quality", "--help", cwd=tmp_path) == as_module
    assert "dependency-direction" in run(installed / "eval-quality-gates", "--help", cwd=tmp_path)
    contract = ROOT / "corpus" / "dev" / "contracts" / "captured-read-back.json"
    run(installed / "eval-quality", "seal", "--in", contract, "--out", tmp_path, cwd=tmp_path)
    brief = json.loads((tmp_path / "sealed-evaluator-brief.json").read_text(encoding="utf-8"))
    assert len(brief["contractDigest"]) == len("sha256:") + 64
