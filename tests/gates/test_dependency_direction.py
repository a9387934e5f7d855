from __future__ import annotations

from typing import Any

import pytest

from .repository import Repository

GATE = "dependency-direction"
TREE = {
    "src/shop/__init__.py": "",
    "src/shop/app/__init__.py": "",
    "src/shop/app/config.py": "",
    "src/shop/model/__init__.py": "",
}
PRICE = """
    from __future__ import annotations

    from typing import TYPE_CHECKING

    from ..app import config

    if TYPE_CHECKING:
        from decimal import Decimal
"""
MODEL: dict[str, Any] = {
    "name": "model",
    "match": "prefix",
    "path": "src/shop/model/",
    "imports": ["model"],
    "externals": {"policy": "allow", "modules": ["typing"], "rule": "the model layer admits typing only"},
}
APP: dict[str, Any] = {"name": "app", "match": "prefix", "path": "src/shop/app/", "imports": ["app", "model"]}
TOP: dict[str, Any] = {"name": "top", "match": "exact", "path": "src/shop/__init__.py", "imports": []}
SECTION: dict[str, Any] = {"roots": [{"path": "src", "extensions": [".py"]}], "layers": [MODEL, APP, TOP]}


def lines(repository: Repository, files: dict[str, str], **section: Any) -> list[str]:
    """What the gate finds in the tree with these files, as its lines after the file's directory."""
    repository.write({**TREE, **files})
    answer = repository.check(GATE, **{**SECTION, **section})
    assert answer.code in (0, 1), answer
    return [line.strip().removeprefix("src/shop/") for line in answer.err.splitlines()]


def model(**change: Any) -> dict[str, Any]:
    return {"layers": [{**MODEL, **change}, APP, TOP]}


def test_worked_example_with_findings(repository: Repository) -> None:
    repository.write(
        {
            **TREE,
            "src/shop/model/price.py": PRICE,
            "pyproject.toml": """
                [tool.eval-quality.gates.dependency-direction]
                roots = [{ path = "src", extensions = [".py"] }]
                layers = [
                  { name = "model", match = "prefix", path = "src/shop/model/", imports = ["model"], externals = { policy = "allow", modules = ["typing"], rule = "the model layer admits typing only" } },
                  { name = "app", match = "prefix", path = "src/shop/app/", imports = ["app", "model"] },
                  { name = "top", match = "exact", path = "src/shop/__init__.py", imports = [] },
                ]
            """,
        }
    )
    assert repository.run(GATE) == (
        1,
        "dependency-direction: 2 violation(s) across 5 scanned file(s):\n",
        '  src/shop/model/price.py:5 "..app.config": model may not import app\n'
        '  src/shop/model/price.py:8 "decimal": the model layer admits typing only\n',
    )


def test_worked_example_that_passes(repository: Repository) -> None:
    repository.write({**TREE, "src/shop/model/price.py": PRICE.replace("from ..app import config", "")})
    externals = {**MODEL["externals"], "stdlib": "admit"}
    assert repository.check(GATE, **{**SECTION, **model(externals=externals)}) == (
        0,
        "dependency-direction: passed, 5 file(s) scanned across 1 root(s), 0 violations.\n",
        "",
    )


def test_worked_example_of_a_layer_that_is_unreachable(repository: Repository) -> None:
    everything = {"name": "all", "match": "prefix", "path": "src/shop/", "imports": ["all"]}
    assert repository.refused(GATE, roots=SECTION["roots"], layers=[everything, MODEL])[0] == (
        'layers.1.path: "src/shop/model/" is unreachable: layers[0] "all" matches "src/shop/" and every path under it, '
        'and it is listed first. Move "model" above it.'
    )


def test_report_only_prints_and_passes(repository: Repository) -> None:
    repository.write({**TREE, "src/shop/model/price.py": PRICE})
    assert repository.check(GATE, **SECTION, reportOnly=True) == (
        0,
        "dependency-direction: report-only, 2 violation(s) across 5 scanned file(s); this run did not fail. Set "
        f'"reportOnly": false in {repository.config} to make it.\n'
        '  src/shop/model/price.py:5 "..app.config": model may not import app\n'
        '  src/shop/model/price.py:8 "decimal": the model layer admits typing only\n',
        "",
    )


def test_every_form_of_import_is_an_edge(repository: Repository) -> None:
    source = """
        import shop.app.config as c, shop.model
        from shop import app
        from shop.app import (
            config,
            config as again,
        )
        from . import price
        from .. import app as up
        def f():
            try:
                import shop.app.config
            except ImportError:
                from ..app.config import x
        import importlib
        from importlib import import_module as load
        importlib.import_module("shop.app")
        load("..app", package=__package__)
        __import__(name="shop.app.config")
        load(
            "shop" +
            c)
        import pkgutil
        pkgutil.resolve_name("shop.app:x")
    """
    assert lines(repository, {"src/shop/model/price.py": source}, **model(externals={"policy": "unrestricted"})) == [
        'model/price.py:1 "shop.app.config": model may not import app',
        'model/price.py:2 "shop.app": model may not import app',
        'model/price.py:4 "shop.app.config": model may not import app',
        'model/price.py:5 "shop.app.config": model may not import app',
        'model/price.py:8 "..app": model may not import app',
        'model/price.py:11 "shop.app.config": model may not import app',
        'model/price.py:13 "..app.config": model may not import app',
        'model/price.py:16 "shop.app": model may not import app',
        'model/price.py:17 "..app": model may not import app',
        'model/price.py:18 "shop.app.config": model may not import app',
        'model/price.py:19 ""shop" + c": dynamic load() argument must be a string literal',
        'model/price.py:23 "shop.app": model may not import app',
    ]


def test_a_file_may_be_permitted_to_compute_what_it_imports(repository: Repository) -> None:
    files = {"src/shop/app/lazy.py": "import importlib\nimportlib.import_module(name)\n"}
    row = {"file": "src/shop/app/lazy.py", "reason": "names are imported when they are first asked for"}
    assert lines(repository, files, dynamicImports=[row]) == []
    assert lines(repository, files, dynamicImports=[row, {**row, "file": "src/shop/app/config.py"}]) == [
        'app/config.py:1 "src/shop/app/config.py": dynamicImports names this file and it imports nothing by a computed '
        "name; drop the row"
    ]


def test_imports_that_lead_nowhere(repository: Repository) -> None:
    source = """
        import shop.none
        from shop.none import x
        from .none import y
        from .... import z
        import unknown.thing
    """
    assert lines(repository, {"src/shop/model/price.py": source}, **model(externals={"policy": "unrestricted"})) == [
        'model/price.py:1 "shop.none": import does not resolve to a scanned file',
        'model/price.py:2 "shop.none": import does not resolve to a scanned file',
        'model/price.py:3 ".none": relative import does not resolve to a scanned file',
        'model/price.py:4 "....": relative import escapes the declared roots',
    ]


def test_imports_only_a_type_checker_sees_may_be_ignored(repository: Repository) -> None:
    files = {"src/shop/model/price.py": PRICE}
    assert len(lines(repository, files)) == 2
    assert lines(repository, {}, typeChecking="ignore") == ['model/price.py:5 "..app.config": model may not import app']


def test_externals_and_exemptions(repository: Repository) -> None:
    files = {
        "src/shop/model/a.py": "from json import dumps as d\nimport json\nfrom json import dumps, loads\nimport re\n"
    }
    deny = {"policy": "deny", "rule": "nothing"}
    assert lines(repository, files, **model(externals=deny)) == [
        'model/a.py:1 "json": nothing',
        'model/a.py:2 "json": nothing',
        'model/a.py:3 "json": nothing',
        'model/a.py:4 "re": nothing',
    ]
    exemption = {"file": "src/shop/model/a.py", "module": "json", "binding": "dumps", "rule": "only dumps"}
    assert lines(repository, {}, **model(externals=deny), exemptions=[exemption]) == [
        'model/a.py:2 "json": only dumps',
        'model/a.py:3 "json": only dumps',
        'model/a.py:4 "re": nothing',
    ]
    assert lines(repository, {}, **model(externals={**deny, "stdlib": "admit"})) == []


def test_files_that_cannot_be_held(repository: Repository) -> None:
    files = {"src/shop/stray.py": "import x", "src/shop/app/broken.py": "def f(:\n"}
    first, second = lines(repository, files)
    assert first.startswith('app/broken.py:1 "": could not be parsed as Python 3.')
    assert first.endswith("; the layer rules could not be applied to it")
    assert second == (
        'stray.py:1 "src/shop/stray.py": file sits under a declared root but in no declared layer; add it to a layer '
        "directory or declare the layer"
    )


def test_an_import_of_a_file_in_no_layer_names_the_file(repository: Repository) -> None:
    files = {"src/shop/stray.py": "", "src/shop/app/a.py": "from shop import stray\n"}
    assert 'app/a.py:1 "shop.stray": app may not import src/shop/stray.py' in lines(repository, files)


def test_purity(repository: Repository) -> None:
    source = """
        import time as t
        from time import time
        from datetime import datetime, date
        import datetime as dt
        async def f():
            await g()
            async for x in y: pass
            async with z: pass
            [x async for x in y]
        t.time()
        time()
        datetime.now(); dt.date.today(); date.fromisoformat("")
    """
    purity = {
        "layers": ["model"],
        "awaitRule": "no await",
        "asyncFunctionRule": "no async",
        "newDateRule": "no clock",
        "members": [{"member": "time.time", "rule": "no time"}],
    }
    section = {**model(externals={"policy": "unrestricted"}), "purity": purity}
    assert lines(repository, {"src/shop/model/a.py": source, "src/shop/app/b.py": source}, **section) == [
        'model/a.py:2 "time.time": no time',
        'model/a.py:5 "async": no async',
        'model/a.py:6 "await": no await',
        'model/a.py:7 "await": no await',
        'model/a.py:8 "await": no await',
        'model/a.py:9 "await": no await',
        'model/a.py:10 "time.time": no time',
        'model/a.py:12 "datetime.now": no clock',
        'model/a.py:12 "dt.date.today": no clock',
    ]


def test_indirect_imports(repository: Repository) -> None:
    pytest.importorskip("grimp")
    files = {
        "src/shop/model/a.py": "\nfrom shop.glue import join\n",
        "src/shop/glue.py": "import shop.middle\n",
        "src/shop/middle.py": "from shop.app import config\n",
        "src/shop/app/direct.py": "",
    }
    glue = {"name": "glue", "match": "prefix", "path": "src/shop/", "imports": ["glue", "app"]}
    layers = [{**MODEL, "imports": ["model", "glue"]}, APP, TOP, glue]
    indirect = {"packages": ["shop"], "rows": [{"from": "model", "to": "app", "rule": "keep the model apart"}]}
    assert lines(repository, files, layers=layers, indirect=indirect) == [
        'model/a.py:2 "shop.glue": model reaches app through shop.model.a > shop.glue > shop.middle > shop.app.config; '
        "keep the model apart"
    ]
    indirect["packages"] = ["nothing"]
    answer = repository.check(GATE, **{**SECTION, "layers": layers, "indirect": indirect})
    assert answer.code == 64
    assert "the import graph could not be built" in answer.err


def test_a_missing_extra_is_refused_by_name(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_quality.gates.indirect.find_spec", lambda name: None)
    repository.write(TREE)
    indirect = {"packages": ["shop"], "rows": [{"from": "model", "to": "app", "rule": "r"}]}
    assert repository.check(GATE, **SECTION, indirect=indirect) == (
        64,
        "",
        "eval-quality-gates: the dependency-direction gate follows indirect imports through the grimp package, and the "
        'optional extra "graph" is not installed here. Install it (pip install "eval-quality[graph]"), or drop '
        '"indirect" from the "dependency-direction" section to run without it. No other gate needs it.\n',
    )


@pytest.mark.parametrize(
    ("files", "section", "detail"),
    [
        ({}, {}, 'src does not exist, and the "dependency-direction" section names it under roots; '),
        ({"src/a.txt": ""}, {}, 'src holds no file the "dependency-direction" section asked for, so'),
        (
            {**TREE, "src/shop/app/a.py": "import src.shop"},
            {},
            "src holds no __init__.py, so the gate cannot tell which name imports it; declare importRoots",
        ),
    ],
)
def test_roots_that_cannot_be_scanned(
    repository: Repository, files: dict[str, str], section: dict[str, Any], detail: str
) -> None:
    repository.write(files)
    answer = repository.check(GATE, **{**SECTION, **section})
    assert answer.code == 64
    assert answer.err.startswith(f"eval-quality-gates: dependency-direction: {detail}")
    assert answer.err.endswith(f'; {repository.config}\'s "dependency-direction" section declares the roots\n')


def test_declared_import_roots_settle_what_a_name_means(repository: Repository) -> None:
    files = {"src/shop/app/a.py": "import src.shop.model\n"}
    assert lines(repository, files, importRoots=["src"]) == []


def test_sources_that_are_not_python_are_refused(repository: Repository) -> None:
    repository.write({**TREE, "src/shop/a.ts": ""})
    assert repository.check(GATE, **{**SECTION, "roots": [{"path": "src", "extensions": [".ts", ".py"]}]}) == (
        64,
        "",
        "eval-quality-gates: src/shop/a.ts is not source this gate reads: dependency-direction reads Python, so list only "
        ".py or .pyi\n",
    )


def test_sections_that_are_refused(repository: Repository) -> None:
    unrestricted = {"file": "src/shop/app/a.py", "module": "m", "binding": "b", "rule": "r"}
    assert repository.refused(
        GATE,
        roots=[{"path": "src"}, {"path": "src/shop", "extensions": [".py", "py"]}],
        layers=[
            {**MODEL, "path": "src/shop/model"},
            {**APP, "name": "model", "imports": ["nope"]},
            {**TOP, "name": "Top", "path": "src/shop/"},
            {**TOP, "path": "lib/x.py"},
        ],
        exemptions=[{**unrestricted, "file": "other.py"}, unrestricted],
        purity={
            "layers": ["x"],
            "awaitRule": "a",
            "asyncFunctionRule": "b",
            "newDateRule": "c",
            "members": [{"member": "time", "rule": "r"}],
        },
        indirect={"packages": ["shop"], "rows": [{"from": "model", "to": "y", "rule": "r"}]},
    ) == [
        'roots.1.extensions.1: is not a file extension: write it with its leading dot, as ".ts" or ".cjs"',
        "layers.2.name: is not a layer name: lowercase letters, digits and hyphens, starting with a letter",
        "purity.members.0.member: is not an `object.member` pair",
        'roots.1.path: "src/shop" sits inside the root "src"; declare the outer root once and list every extension it '
        "reads",
        'layers.0.path: "src/shop/model" is a prefix match and has to end with "/", so that a layer at "src/core/" '
        'never claims "src/core-experimental/x.ts"',
        'layers.1.name: "model" is declared twice',
        'layers.2.path: "src/shop/" is an exact match on one file and may not end with "/"',
        'layers.3.path: "lib/x.py" sits under none of the declared roots, so it can never match a scanned file',
        'layers.1.imports.0: names "nope", which is not a declared layer: model, model, Top, top',
        'exemptions.0.file: "other.py" matches no declared layer, so nothing holds it and the exemption opens nothing',
        'exemptions.1.file: "src/shop/app/a.py" sits in the layer "model", whose externals are unrestricted, so this '
        "exemption grants what that layer already allows",
        'purity.layers.0: names "x", which is not a declared layer: model, model, Top, top',
        'indirect.rows.0.to: names "y", which is not a declared layer: model, model, Top, top',
    ]


@pytest.mark.parametrize("path", ["/src", "src\\a", "a//b", "./src", "a/..", "src/"])
def test_roots_are_posix_paths(repository: Repository, path: str) -> None:
    issue = repository.refused(GATE, roots=[{"path": path}], layers=[TOP])[0]
    assert issue == (
        "roots.0.path: is not a repository-relative POSIX path: a leading slash, a backslash, an empty segment, and a "
        '"." or ".." segment are all refused'
    )
