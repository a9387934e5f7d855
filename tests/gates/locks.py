"""Lock files for the tests of the two lock gates, in each format."""

from __future__ import annotations

INDEX = "https://index.example/simple"
FILES = "https://files.example"
DECLARED = [{"url": f"{INDEX}/", "hosts": ["files.example"]}]

UV = f"""
    version = 1
    requires-python = ">=3.11"

    [[package]]
    name = "cli-kit"
    version = "1.2.0"
    source = {{ registry = "{INDEX}" }}
    dependencies = [{{ name = "fusebox" }}]
    sdist = {{ url = "{FILES}/a/cli_kit-1.2.0.tar.gz", hash = "sha256:aa", upload-time = "2020-01-01T00:00:00Z" }}
    wheels = [
      {{ url = "{FILES}/cli_kit-1.2.0-py3-none-any.whl", hash = "sha256:bb", upload-time = "2020-02-01T00:00:00Z" }},
    ]

    [[package]]
    name = "fusebox"
    version = "2.1.0"
    source = {{ registry = "{INDEX}" }}

    [[package]]
    name = "greeter"
    version = "0.1.0"
    source = {{ virtual = "." }}
    dependencies = [{{ name = "cli-kit" }}]

    [package.optional-dependencies]
    extra = [{{ name = "only-extra" }}]

    [[package]]
    name = "only-extra"
    version = "3"
    source = {{ registry = "{INDEX}" }}
"""

PYLOCK = """
    lock-version = "1.0"
    created-by = "a test"

    [[packages]]
    name = "freshly"
    version = "2.0.0"
    [[packages.wheels]]
    name = "freshly-2.0.0-py3-none-any.whl"
    url = "https://files.example/freshly-2.0.0-py3-none-any.whl"
    upload-time = 2026-10-03T10:00:00Z
    hashes = { sha256 = "aa" }

    [[packages]]
    name = "settled"
    version = "1.0.0"
    marker = "'test' in dependency_groups"
    dependencies = [{ name = "freshly" }]
    index = "https://index.example/simple"
    [[packages.wheels]]
    name = "settled-1.0.0-py3-none-any.whl"
    url = "https://files.example/settled-1.0.0-py3-none-any.whl"
    upload-time = 2020-10-03T10:00:00Z
    hashes = { sha256 = "aa" }

    [[packages]]
    name = "own"
    [packages.directory]
    path = "."
"""

POETRY = """
    [[package]]
    name = "Cli_Kit"
    version = "1.2.0"
    optional = true
    files = [{ file = "cli_kit-1.2.0.tar.gz", hash = "sha256:aa" }]

    [package.dependencies]
    Fusebox = ">=2"

    [[package]]
    name = "fusebox"
    version = "2.1.0"
    files = []

    [package.source]
    type = "git"
    url = "https://code.example/fusebox"

    [[package]]
    name = "own"
    version = "1"

    [package.source]
    type = "directory"
    url = "libs/own"

    [metadata]
    lock-version = "2.1"
"""

REQUIREMENTS = """
    # made by hand
    -r more.txt
    cli-kit[cli]==1.2.0 ; python_version > "3" \\
        --hash=sha256:AA \\
        --hash=sha256:bb
        # via greeter
    fusebox === 2.1.0
        # via
        #   cli-kit
        #   -r requirements.in
    -e .
"""

NPM = """
    {
      "name": "greeter",
      "lockfileVersion": 3,
      "packages": {
        "": {"name": "greeter", "dependencies": {"cli-kit": "1", "own": "*"}, "devDependencies": {"@s/lint": "1"}},
        "node_modules/cli-kit": {
          "version": "1.2.0", "license": "MIT", "resolved": "https://npm.example/cli-kit/-/cli-kit-1.2.0.tgz",
          "dependencies": {"fusebox": "2"}
        },
        "node_modules/cli-kit/node_modules/fusebox": {
          "version": "2.1.0", "license": {"type": "ISC"}, "optional": true,
          "resolved": "https://npm.example/fusebox/-/fusebox-2.1.0.tgz"
        },
        "node_modules/@s/lint": {
          "version": "3.0.0", "resolved": "https://npm.example/@s/lint/-/lint-3.0.0.tgz"
        },
        "node_modules/own": {"resolved": "packages/own", "link": true},
        "packages/own": {"name": "own", "version": "1.0.0", "dependencies": {"aliased": "npm:real@1"}},
        "node_modules/aliased": {
          "name": "real", "version": "1.0.0", "license": 3, "resolved": "https://elsewhere.example/real-1.0.0.tgz"
        }
      }
    }
"""
