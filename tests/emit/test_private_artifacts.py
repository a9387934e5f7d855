"""Private artifacts against the digests declared for them."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.emit import check_private_artifact_digests
from eval_quality.errors import RuntimeFault
from tests.scored_runs import A, B, C


def manifest(*entries: tuple[str, str]) -> Any:
    return {"entries": [{"privateRef": reference, "digest": digest} for reference, digest in entries]}


def test_every_declared_digest_is_that_of_its_bytes() -> None:
    check_private_artifact_digests(manifest(), {})
    check_private_artifact_digests(manifest(("a", A), ("b", B), ("a", A)), {"a": A, "b": B, "unasked": C})


@pytest.mark.parametrize(
    ("resolved", "position", "detail"),
    [
        (
            {"a": A, "b": C},
            1,
            f'entry privateRef "b" declares digest "{B}", but the resolved bytes digest to "{C}"',
        ),
        (
            {"b": C},
            0,
            f'entry privateRef "a" declares digest "{A}", but the resolved bytes digest to nothing '
            "(no resolved digest supplied for this privateRef)",
        ),
    ],
)
def test_the_first_entry_that_differs_is_told(resolved: dict[str, str], position: int, detail: str) -> None:
    with pytest.raises(RuntimeFault) as raised:
        check_private_artifact_digests(manifest(("a", A), ("b", B)), resolved)
    fault = raised.value
    assert (fault.code, fault.artifact_path) == ("digest-mismatch", f"PrivateArtifactManifest.entries[{position}]")
    assert fault.detail == detail
