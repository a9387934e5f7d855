"""Writes what of the development corpus is computed, or with ``--check`` says whether it is up to date.

``python -m eval_quality.corpus.publish [--check] [folder]``, the folder being ``corpus/dev`` by default:

1. ``compile-seal-example/``: one contract as the compile stage gives it back, and its sealed brief;
2. ``index.json``: for each contract the code its compilation fails with, or null, and the discipline rules it leaves a gap
   in; then the SHA-256 digest of every other file, by path.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from eval_quality import stages
from eval_quality.canonical import digest_bytes, read_json, serialize_artifact
from eval_quality.coverage import evaluate_coverage
from eval_quality.errors import StructuralFailure

EXAMPLE: Final = "satisfied-declarations"
"""The contract whose compilation and brief are kept as an example: it declares something for every discipline rule."""


def failure_code(contract: dict[str, Any]) -> str | None:
    """The code a contract's compilation fails with, or None."""
    try:
        stages.compile(contract)
    except StructuralFailure as failure:
        return failure.code
    return None


def entry(contract: Any) -> dict[str, Any]:
    """What the index says of one contract."""
    gaps = [gap["rule"] for gap in evaluate_coverage(contract)]
    return {"failureCode": failure_code(contract), "coverageGaps": gaps}


def computed_files(folder: Path) -> dict[str, str]:
    """Texts of the computed files, by path below ``folder``; the index comes last, as it digests the others."""
    contracts = {path.stem: read_json(path.read_bytes()) for path in sorted((folder / "contracts").glob("*.json"))}
    compiled, brief = stages.compile(contracts[EXAMPLE]), stages.seal(contracts[EXAMPLE])
    texts = {
        "compile-seal-example/eval-contract.json": serialize_artifact(compiled, "EvalContract"),
        "compile-seal-example/sealed-evaluator-brief.json": serialize_artifact(brief, "SealedEvaluatorBrief"),
    }
    kept = [folder / "README.md", *(folder / "contracts").glob("*.json")]
    digests = {path.relative_to(folder).as_posix(): digest_bytes(path.read_bytes()) for path in kept}
    digests |= {path: digest_bytes(text.encode()) for path, text in texts.items()}
    index = {
        "contracts": {name: entry(contract) for name, contract in contracts.items()},
        "files": {path: digests[path] for path in sorted(digests)},
    }
    return texts | {"index.json": json.dumps(index, indent=2) + "\n"}


def main(arguments: list[str]) -> int:
    """Write or check; 1 when ``--check`` finds a file that is not what it should be, or one nothing accounts for."""
    check = "--check" in arguments
    folder = Path(next((each for each in arguments if not each.startswith("-")), "corpus/dev"))
    wanted = computed_files(folder)
    listed = {"index.json", *json.loads(wanted["index.json"])["files"]}
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    stale = [
        path
        for path, text in wanted.items()
        if not (folder / path).is_file() or (folder / path).read_text(encoding="utf-8") != text
    ]
    strangers = sorted(present - listed)
    for path in strangers:
        print(f"{folder / path}: no part of the corpus", file=sys.stderr)
    for path in stale:
        if check:
            print(f"{folder / path}: out of date; run python -m eval_quality.corpus.publish", file=sys.stderr)
        else:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(wanted[path], encoding="utf-8")
    print(f"{len(listed)} files, {len(stale)} {'stale' if check else 'written'}")
    return 1 if strangers or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
