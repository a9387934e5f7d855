"""Private artifacts against the digests declared for them (spec 10, section 4)."""

from __future__ import annotations

from collections.abc import Mapping

from eval_quality.artifacts.private_artifact_manifest import PrivateArtifactManifest
from eval_quality.errors import RuntimeFault


def check_private_artifact_digests(manifest: PrivateArtifactManifest, resolved: Mapping[str, str]) -> None:
    """Compare every entry's digest with that of the bytes its reference resolved to, in the order of the entries.

    ``resolved`` maps a private reference to a digest. Raises ``RuntimeFault`` ``digest-mismatch`` at the first entry
    that differs or was not resolved.
    """
    for position, entry in enumerate(manifest["entries"]):
        reference, declared = entry["privateRef"], entry["digest"]
        found = resolved.get(reference)
        if found != declared:
            told = "nothing (no resolved digest supplied for this privateRef)" if found is None else f'"{found}"'
            raise RuntimeFault(
                "digest-mismatch",
                f"PrivateArtifactManifest.entries[{position}]",
                f'entry privateRef "{reference}" declares digest "{declared}", but the resolved bytes digest to {told}',
            )
